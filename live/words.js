// What a visitor typed, as words that a model knows, with a friendly answer to everything else.

/** How many letters have to be added, left out or changed. */
export function distance(a, b) {
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const line = [i];
    for (let j = 1; j <= b.length; j++) line.push(Math.min(line[j - 1] + 1, last[j] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    last = line;
  }
  return last[b.length];
}

/** The known word that is spelled most like `word`, if one is. */
export function closest(word, known) {
  const ranked = known.map((one) => [distance(word.toLowerCase(), one.toLowerCase()), one]).sort((a, b) => a[0] - b[0]);
  return ranked.length && ranked[0][0] <= Math.max(1, word.length / 3) ? ranked[0][1] : undefined;
}

const listed = (words) => words.map((word) => `“${word}”`).join(", ");
const short = (word) => (word.length > 20 ? `${word.slice(0, 20)}…` : word);

/** Typed text -> { tokens, notes }: numbers of the known words, and sentences about what could not be read. */
export function read(text, vocabulary, longest) {
  const known = vocabulary.slice(3); // without <pad>, <bos>, <eos>
  const numbers = new Map(known.map((word, i) => [word.toLowerCase(), i + 3]));
  const typed = text.slice(0, 2000).toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
  if (!typed.length) return { tokens: [], notes: ["Type a sentence, or choose its words above."] };
  const notes = [];
  const unknown = [...new Set(typed.filter((word) => !numbers.has(word)))];
  const found = typed.filter((word) => numbers.has(word));
  if (!found.length) return { tokens: [], notes: [`I know ${known.length} words, and none of these. Try: ${known.slice(0, 8).join(", ")} …`] };
  if (unknown.length) {
    const guesses = unknown.slice(0, 3).map((word) => [word, closest(word, known)]).filter(([, guess]) => guess);
    const hint = guesses.map(([word, guess]) => `“${short(word)}” may be “${guess}”`).join(", ");
    const rest = unknown.length > 3 ? ` and ${unknown.length - 3} more` : "";
    notes.push(`I left out ${listed(unknown.slice(0, 3).map(short))}${rest}: I know ${known.length} words only.${hint ? ` Perhaps ${hint}.` : ""}`);
  }
  if (found.length > longest) notes.push(`I read the first ${longest} words; I have learned from shorter sentences.`);
  return { tokens: found.slice(0, longest).map((word) => numbers.get(word)), notes };
}
