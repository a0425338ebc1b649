"""The models of live/ in a real browser, from a file on disk: what they compute is what torch
computes in the same run, to 1e-4.
"""

import copy
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from course_utils.data import scenes
from course_utils.data.letters import sentences
from course_utils.image_captioning import describe
from course_utils.masking import causal_mask
from course_utils.multi_head_attention import recorded_weights
from course_utils.training import seeded
from course_utils.transformer_decoder import beam_search, greedy_decode
from course_utils.vision_transformer import attention_rollout, patchify, unpatchify
from tests.conftest import need
from tools import bundle, models

COUNT = 50  # random inputs to everything that is compared
LONGEST = 14  # words that the translator may write


@pytest.fixture(scope="module")
def live(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A page on disk with the models and nothing else."""
    folder = tmp_path_factory.mktemp("live")
    names = sorted(models.MODELS)
    for name in names:
        (folder / f"{name}.js").write_bytes((models.FOLDER / f"{name}.js").read_bytes())
    (folder / "live.js").write_text(bundle.bundle("live"), encoding="utf-8")
    scripts = "".join(f'<script src="{name}.js"></script>' for name in [*names, "live"])
    (folder / "page.html").write_text(
        f'<!doctype html><meta charset="utf-8"><title>live</title>{scripts}', encoding="utf-8"
    )
    page = browser.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto((folder / "page.html").as_uri())
    page.evaluate(
        "window.models = Object.fromEntries(Object.entries(liveModels)"
        ".map(([name, file]) => [name, live.weights.load(file)]))"
    )
    yield page
    assert problems == []
    page.close()


def ask(page: Any, script: str, inputs: Any) -> Any:
    """Run `script` (a function of one input) on every input in the browser; matrices come back as
    lists of rows.
    """
    return page.evaluate(f"(inputs) => inputs.map({script})", inputs)


def same(found: Any, expected: Tensor, tolerance: float = 1e-4) -> None:
    torch.testing.assert_close(
        torch.tensor(found, dtype=torch.float64),
        expected.double(),
        rtol=0,
        atol=tolerance,
        equal_nan=True,
    )


# The translator -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def translator() -> Any:
    return models.read("translator")[0]


def random_sentences(seed: int) -> list[dict[str, Any]]:
    """Tokens as they come: any words in any order, some padding after the source."""
    generator = seeded(seed)
    english, spanish = models.vocabularies()

    def tokens(words: int, least: int, most: int) -> list[int]:
        length = int(torch.randint(least, most + 1, (), generator=generator))
        return torch.randint(3, words, (length,), generator=generator).tolist()

    found = []
    for _ in range(COUNT):
        source = tokens(len(english), 1, 10)
        padding = [0] * int(torch.randint(0, 11 - len(source), (), generator=generator))
        target = [spanish.bos, *tokens(len(spanish), 0, 10)]
        found.append({"source": source + padding, "target": target, "off": []})
    return found


HEADS = [
    f"{name}.{head}"
    for name in (
        *(f"encoder.blocks.{i}.attention" for i in range(2)),
        *(f"decoder.blocks.{i}.{kind}_attention" for i in range(2) for kind in ("self", "cross")),
    )
    for head in range(4)
]


@torch.no_grad()
def torch_logits(
    model: Any, given: dict[str, Any], causal: bool = True, padding: bool = True
) -> tuple[Tensor, list[Tensor]]:
    """Logits (T, V) and the weights (H, T, S) of every attention; a head is off when nothing reads
    its features.
    """
    model = copy.deepcopy(model)
    for name in given["off"]:
        layer, head = name.rsplit(".", 1)
        out = model.get_submodule(layer).out.weight  # (D, D)
        width = out.shape[1] // 4
        out[:, int(head) * width : (int(head) + 1) * width] = 0
    source, target = torch.tensor([given["source"]]), torch.tensor([given["target"]])
    mask = (source != 0)[:, None, None, :] if padding else torch.ones_like(source).bool()
    with recorded_weights(model) as recorded:
        memory = model.encoder(model.place(model.embed_source(source)), mask)  # (1, S, D)
        self_mask = causal_mask(target.shape[1]) if causal else None
        x = model.place(model.embed_target(target))  # (1, T, D)
        logits = model.out(model.decoder(x, memory, self_mask, mask))  # (1, T, V)
    return logits[0], [weights[0] for weights in recorded]


RUN = """(given) => {
    const { causal = true, padding = true } = given;
    const settings = { causal, padding, off: new Set(given.off) };
    const { encode, decode } = live.transformer, { toRows } = live.tensor, record = [];
    const encoded = encode(models.translator, given.source, settings, record);
    const logits = toRows(decode(models.translator, given.target, encoded, settings, record));
    const heads = record.map(({ weights }) => weights.map(toRows));
    return { logits, heads, names: record.map(({ name }) => name) };
}"""


def agree(page: Any, model: Any, given: list[dict[str, Any]], **masks: bool) -> list[Any]:
    found = ask(page, RUN, [one | masks for one in given])
    for one, result in zip(given, found, strict=True):
        logits, heads = torch_logits(model, one, **masks)
        same(result["logits"], logits)
        assert len(result["heads"]) == len(heads) == 6
        for mine, theirs in zip(result["heads"], heads, strict=True):
            same(mine, theirs)
    return found


def test_logits_and_all_heads_are_those_of_torch(live: Any, translator: Any) -> None:
    found = agree(live, translator, random_sentences(0))
    assert [f"{name}.{head}" for name in found[0]["names"] for head in range(4)] == HEADS


def test_heads_can_be_switched_off(live: Any, translator: Any) -> None:
    given = random_sentences(1)
    for i, one in enumerate(given):
        chosen = torch.randperm(len(HEADS), generator=seeded(i))[: 1 + i % len(HEADS)].tolist()
        one["off"] = [HEADS[j] for j in chosen]
    found = agree(live, translator, given)
    plain = ask(live, RUN, [one | {"off": []} for one in given])
    changed = [a["logits"] != b["logits"] for a, b in zip(found, plain, strict=True)]
    assert all(changed), "a head that is off makes a difference"


@pytest.mark.parametrize("masks", [{"causal": False}, {"padding": False}])
def test_masks_can_be_switched_off(live: Any, translator: Any, masks: dict[str, bool]) -> None:
    agree(live, translator, random_sentences(2), **masks)


WRITE = """({ text, beams, cached }) => {
    const { encode, decode, emptyCache } = live.transformer, { toRows } = live.tensor;
    const model = models.translator;
    const tokens = live.words.read(text, model.english, 20).tokens;
    const source = [...tokens, ...new Array(10 - tokens.length).fill(0)];
    const memory = encode(model, source), cache = cached ? emptyCache() : undefined;
    const logits = (written) => decode(model, written, memory, undefined, undefined, cache);
    const next = (written) => toRows(logits(written)).at(-1);
    if (!beams) return { tokens: live.search.greedy(next, model, 14) };
    const best = live.search.beamSearch(next, model, 14, beams);
    return { tokens: best.tokens, score: best.score };
}"""


def some_texts(seed: int) -> list[str]:
    pairs = sentences()
    return [pairs[i][0] for i in torch.randperm(len(pairs), generator=seeded(seed))[:COUNT]]


def torch_next(model: Any, text: str) -> Any:
    english, _ = models.vocabularies()
    memory, mask = model.encode(english.encode([text]))
    return lambda tokens: model.decode(tokens, memory, mask)[:, -1]


@pytest.mark.parametrize("cached", [False, True])
@torch.no_grad()
def test_translations_are_those_of_torch(live: Any, translator: Any, cached: bool) -> None:
    texts = some_texts(3)
    found = ask(live, WRITE, [{"text": text, "cached": cached} for text in texts])
    _, spanish = models.vocabularies()
    expected = [
        greedy_decode(torch_next(translator, text), spanish.bos, spanish.eos, LONGEST)
        for text in texts
    ]
    assert [one["tokens"] for one in found] == expected
    assert len({tuple(tokens) for tokens in expected}) > 40


@torch.no_grad()
def test_beams_and_their_scores_are_those_of_torch(live: Any, translator: Any) -> None:
    texts = some_texts(4)
    found = ask(live, WRITE, [{"text": text, "beams": 1 + i % 4} for i, text in enumerate(texts)])
    _, spanish = models.vocabularies()
    for i, (text, one) in enumerate(zip(texts, found, strict=True)):
        tokens, score = beam_search(
            torch_next(translator, text), spanish.bos, spanish.eos, LONGEST, 1 + i % 4
        )
        assert one["tokens"] == tokens
        assert abs(one["score"] - score) < 1e-4


def test_temperature_and_top_k_are_those_of_torch(live: Any) -> None:
    logits = 3 * torch.randn(COUNT, 40, generator=seeded(5), dtype=torch.float64)
    temperatures = 0.1 + 3 * torch.rand(COUNT, generator=seeded(6), dtype=torch.float64)
    tops = torch.randint(0, 41, (COUNT,), generator=seeded(7))
    given = [
        [line.tolist(), float(t), int(k)]
        for line, t, k in zip(logits, temperatures, tops, strict=True)
    ]
    found = ask(live, "([logits, t, k]) => live.search.chances(logits, t, k)", given)
    for line, t, k, shares in zip(logits, temperatures, tops, found, strict=True):
        kept = line.topk(int(k) or 40).indices
        masked = torch.full_like(line, -torch.inf).scatter(0, kept, line[kept])
        same(shares, (masked / t).softmax(-1), 1e-9)


# The digits ---------------------------------------------------------------------------------------


@torch.no_grad()
def test_digits_rollout_and_occlusion_are_those_of_torch(live: Any) -> None:
    model = models.read("reader")[0]
    images = torch.rand(COUNT, 1, 8, 8, generator=seeded(8))
    images = images * (torch.rand(images.shape, generator=seeded(9)) < 0.5)  # (50, 1, 8, 8)
    found = ask(
        live,
        """(pixels) => {
            const { classify, rollout, occlusion } = live.vision, record = [];
            const logits = classify(models.reader, pixels, record);
            return { logits, rollout: rollout(record), occlusion: occlusion(models.reader, pixels),
                heads: record.map(({ weights }) => weights.map(live.tensor.toRows)) };
        }""",
        images.flatten(1).tolist(),
    )
    with recorded_weights(model) as recorded:
        logits = model(images)  # (50, 10)
    arrived = attention_rollout(recorded)[:, 0, 1:]  # (50, 16)
    arrived = arrived / arrived.sum(-1, keepdim=True)
    before, answers = logits.max(-1)
    drops = []
    for patch in range(16):
        patches = patchify(images, 2)
        patches[:, patch] = 0
        after = model(unpatchify(patches, 2, 8, 8)).gather(1, answers[:, None])[:, 0]
        drops.append(before - after)
    same([one["logits"] for one in found], logits)
    same([one["rollout"] for one in found], arrived)
    same([one["occlusion"] for one in found], torch.stack(drops, 1))
    for layer, weights in enumerate(recorded):
        same([one["heads"][layer] for one in found], weights)


# The scenes ---------------------------------------------------------------------------------------


@torch.no_grad()
def test_captions_and_their_looks_are_those_of_torch(live: Any) -> None:
    model = models.read("captioner")[0]
    generator, given = seeded(10), []
    for i in range(COUNT):  # none to five shapes: the model has seen one or two
        cells = torch.randperm(9, generator=generator)[: i % 6].tolist()
        given.append([scenes._thing(cell, generator) for cell in cells])
    pictures = torch.stack([scenes.paint(things) for things in given])  # (50, 3, 24, 24)
    found = ask(
        live,
        """(things) => {
            const named = things.map(([colour, shape, cell]) => ({ colour, shape, cell }));
            const picture = live.captioner.paint(named);
            const { told, looks } = live.captioner.describe(models.captioner, picture);
            const rows = looks.map(({ weights }) => weights.map(live.tensor.toRows));
            return { picture: Array.from(picture), told, looks: rows };
        }""",
        given,
    )
    same([one["picture"] for one in found], pictures.flatten(1))
    told = describe(model, pictures, scenes.LENGTH)[:, 1:]  # (50, 10)
    for picture, tokens, one in zip(pictures, told, found, strict=True):
        mine = [word["token"] for word in one["told"]]
        assert mine == tokens[: len(mine)].tolist()
        assert (tokens[len(mine) :] == scenes.PAD).all()
        before = torch.tensor([[scenes.BOS, *mine[:-1]]])
        with recorded_weights(model) as recorded:
            logits = model(picture[None], before)[0]  # (T, V)
        chances = logits.softmax(-1)[torch.arange(len(mine)), torch.tensor(mine)]
        same([word["chance"] for word in one["told"]], chances)
        for layer in range(2):
            same(one["looks"][layer], recorded[2 * layer + 1][0])
    assert len({tuple(line) for line in told.tolist()}) > 30


# The microscope -----------------------------------------------------------------------------------


def by_torch(given: dict[str, Any], mistakes: list[str]) -> tuple[Tensor, Tensor]:
    """Weights (H, T, S) and output (T, E) of masked attention in heads, with the mistakes written
    out in torch.
    """
    q, k, v = (torch.tensor(given[name], dtype=torch.float64) for name in "qkv")
    heads = given["heads"]
    if "view" in mistakes:
        q, k, v = (x.view(heads, len(x), -1) for x in (q, k, v))  # (H, T, d), but not a transpose
    else:
        q, k, v = (x.view(len(x), heads, -1).transpose(0, 1) for x in (q, k, v))  # (H, T, d)
    scores = q @ k.mT
    if "scale" not in mistakes:
        scores = scores / q.shape[-1] ** 0.5
    shape = scores.shape[-2:]
    mask = torch.tensor(given["mask"]) if given["mask"] else torch.ones(shape, dtype=torch.bool)
    scores = scores.masked_fill(~mask, 0.0 if "fill" in mistakes else -torch.inf)
    weights = scores.softmax(-2 if "axis" in mistakes else -1)
    if "fill" not in mistakes:
        weights = weights.masked_fill(~mask, 0.0)
    return weights, (weights @ v).transpose(0, 1).flatten(1)


def random_attentions(seed: int) -> list[dict[str, Any]]:
    generator = seeded(seed)

    def size(least: int, most: int) -> int:
        return int(torch.randint(least, most + 1, (), generator=generator))

    found = []
    for i in range(COUNT):
        rows, columns, dim, width = size(1, 6), size(1, 6), 2 * size(1, 4), 2 * size(1, 3)
        shapes = {"q": (rows, dim), "k": (columns, dim), "v": (columns, width)}
        one: dict[str, Any] = {
            name: (3 * torch.randn(shape, generator=generator)).tolist()
            for name, shape in shapes.items()
        }
        mask = torch.rand(rows, columns, generator=generator) < 0.6  # rows without any True, too
        found.append(one | {"mask": mask.tolist() if i % 3 else None, "heads": 1 + i % 2})
    return found


@pytest.mark.parametrize(
    "mistakes",
    [
        [],
        ["scale"],
        ["axis"],
        ["fill"],
        ["view"],
        ["scale", "fill"],
        ["axis", "view"],
        ["scale", "axis", "fill", "view"],
    ],
    ids=lambda mistakes: "+".join(mistakes) or "right",
)
def test_every_switch_of_the_microscope_is_that_of_torch(live: Any, mistakes: list[str]) -> None:
    given = random_attentions(11)
    found = ask(
        live,
        """([given, mistakes]) => {
            const { heads, output } = live.microscope.attention(given, new Set(mistakes));
            return { weights: heads.map((head) => head.weights), output };
        }""",
        [[one, mistakes] for one in given],
    )
    for one, result in zip(given, found, strict=True):
        weights, output = by_torch(one, mistakes)
        same(result["weights"], weights)
        same(result["output"], output)


def test_without_mistakes_it_is_the_attention_of_the_course(live: Any) -> None:
    from course_utils.masking import masked_attention

    given = [one | {"heads": 1} for one in random_attentions(12)]
    found = ask(live, "(given) => live.microscope.attention(given).output", given)
    for one, output in zip(given, found, strict=True):
        q, k, v = (torch.tensor(one[name], dtype=torch.float64) for name in "qkv")
        mask = torch.tensor(one["mask"]) if one["mask"] else None
        same(output, masked_attention(q, k, v, mask)[0])


def test_the_regression_is_that_of_the_course(live: Any) -> None:
    from course_utils.nadaraya_watson import leave_one_out_error, nadaraya_watson

    generator = seeded(13)
    given: list[tuple[list[float], list[float], float]] = []
    for _ in range(COUNT):
        x, y = 5 * torch.rand(12, generator=generator), torch.randn(12, generator=generator)
        given.append((x.tolist(), y.tolist(), 0.1 + float(torch.rand((), generator=generator))))
    found = ask(
        live,
        """([keys, values, bandwidth]) => ({
            curve: [0, 1, 2, 3, 4, 5].map(
                (query) => live.regression.predict(query, keys, values, bandwidth)),
            error: live.regression.leaveOneOut(keys, values, bandwidth) })""",
        given,
    )
    for (keys, values, bandwidth), one in zip(given, found, strict=True):
        k, v = (torch.tensor(x, dtype=torch.float64) for x in (keys, values))
        curve, _ = nadaraya_watson(torch.arange(6.0, dtype=torch.float64), k, v, bandwidth)
        same(one["curve"], curve)
        same(one["error"], leave_one_out_error(k, v, bandwidth))


# The files ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("translator", models.translation_accuracy),
        ("captioner", models.caption_accuracy),
        ("reader", None),
    ],
)
def test_a_model_is_as_good_as_its_file_says(name: str, measure: Any) -> None:
    model, about = models.read(name)
    if measure is None:
        from course_utils.data.images import digits
        from course_utils.vision_transformer import accuracy

        found = accuracy(model, *digits()[2:])
    else:
        found = measure(model)
    assert found == pytest.approx(about["accuracy"], abs=0.006)  # another torch may round otherwise
    assert found > 0.95
    assert about["parameters"] == sum(p.numel() for p in model.parameters())


def test_the_modules_pass_their_own_tests() -> None:
    need(shutil.which("node"), "node")
    done = subprocess.run(
        ["node", "--test", "test/"], cwd=bundle.LIVE, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    assert "# fail 0" in done.stdout


def test_a_bundle_refuses_what_it_cannot_join(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('import { b } from "./b.js";\nexport const a = b;\n')
    (tmp_path / "b.js").write_text('import { a } from "./a.js";\nexport const b = a;\n')
    with pytest.raises(ValueError, match="imports itself"):
        bundle.bundle("a", folder=tmp_path)
    (tmp_path / "c.js").write_text("export default 1;\n")
    with pytest.raises(ValueError, match="cannot be bundled"):
        bundle.bundle("c", folder=tmp_path)


def test_what_is_written_can_be_read_again(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(models, "FOLDER", tmp_path)
    torch.manual_seed(0)
    model: nn.Module = models.new_reader()
    models.round_to_half(model)
    path = models.write("reader", model, {"accuracy": 0.0})
    again, about = models.read("reader")
    for name, weight in model.state_dict().items():
        assert torch.equal(weight, again.state_dict()[name]), name
    text = path.read_text("utf-8")
    assert json.loads(text[text.index('{"about') : -2])["about"] == about
