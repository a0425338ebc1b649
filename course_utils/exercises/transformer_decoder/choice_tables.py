"""Spot the mistake: two tables and their headlines."""

from course_utils.judging.exercise import Choice, Option

EXERCISE = Choice(
    name="choice_tables",
    points=2,
    section="Two tables, read critically",
    right="d",
    options={
        "a": Option(
            "“In both columns the big Transformer is cheaper than the ConvS2S ensemble.”",
            "2.3·10¹⁹ against 7.7·10¹⁹ and 1.2·10²¹ operations. The table supports this.",
            "cheaper-than-the-ensemble",
        ),
        "b": Option(
            "“An ensemble gains ConvS2S more BLEU in EN-DE than it does in EN-FR.”",
            "1.20 against 0.83 BLEU. The table supports this.",
            "gain-of-the-ensemble",
        ),
        "c": Option(
            "“Going from base to big pays more in EN-FR than it does in EN-DE.”",
            "3.7 against 1.1 BLEU, for seven times the operations. The table supports this.",
            "gain-of-size",
        ),
        "d": Option(
            "“By ROUGE-L, a Transformer that reads more input is always better.”",
            "Right: this one is contradicted. Transformer-D reads eight times as much as "
            "Transformer-ED and has the lower ROUGE-L, 33.6 against 34.2. The two differ in more "
            "than the length, which is why one cannot say what did it.",
        ),
    },
)
