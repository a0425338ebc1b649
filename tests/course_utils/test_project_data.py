"""The topics of the project: sets that do not overlap, hard sets that hold something new, baselines
and models that can be scored."""

import pytest
import torch

from course_utils.data import scenes
from course_utils.project import TOPICS, Dates, Digits, Letters, Relations, Topic, look, moved
from course_utils.training import seeded

SETS = ("train", "validation", "hard_validation", "test", "hard_test")


@pytest.fixture(scope="module", params=list(TOPICS))
def topic(request: pytest.FixtureRequest) -> Topic:
    return TOPICS[request.param]()


def examples(topic: Topic, name: str) -> set[bytes]:
    inputs, targets = getattr(topic, name)
    return {i.numpy().tobytes() + t.numpy().tobytes() for i, t in zip(inputs, targets, strict=True)}


def test_no_example_is_in_two_sets(topic: Topic) -> None:
    found = {name: examples(topic, name) for name in SETS}
    for i, one in enumerate(SETS):
        for other in SETS[i + 1 :]:
            assert not found[one] & found[other], (one, other)


def test_baseline_and_model_are_scored_alike(topic: Topic) -> None:
    torch.manual_seed(0)
    model = topic.model()
    inputs, targets = (part[:40] for part in topic.hard_validation)
    guessed, said = topic.guess(inputs), topic.predict(model, inputs)
    assert guessed.shape == said.shape
    assert 0 <= topic.score(guessed, targets) <= 1
    assert 0 <= topic.score(said, targets) <= 1
    loss = topic.loss(model, inputs, targets)
    loss.backward()
    assert loss.ndim == 0
    assert all(p.grad is not None for p in model.parameters())


def test_right_answers_score_one_and_are_said_alike(topic: Topic) -> None:
    inputs, targets = topic.validation
    if isinstance(topic, Letters):
        perfect = torch.nn.functional.one_hot(targets, len(topic.vocabulary)).float()  # (N, T, V)
    else:
        perfect = targets
    assert topic.score(perfect, targets) == pytest.approx(1)
    assert topic.correct(perfect, targets).all()
    assert [topic.says(row) for row in perfect[:5]] == [topic.says(row) for row in targets[:5]]
    assert len(look(topic, (inputs, targets), perfect, count=5).rows) == 5


def test_failures_of_the_baseline_are_found(topic: Topic) -> None:
    inputs, targets = topic.hard_validation
    if isinstance(topic, Letters):
        pytest.skip("pairs of words give both kinds of endings about one half")
    right = topic.correct(topic.guess(inputs), targets)
    assert not right.all()
    score = topic.score(topic.guess(inputs), targets)
    if isinstance(topic, Relations):  # scored by words, not by sentences
        assert right.float().mean() < score < 1
    else:
        assert right.float().mean() == pytest.approx(score)


@pytest.mark.parametrize(("word", "fits"), [("to", True), ("of", False)])
def test_a_sentence_about_letters_is_wrong_where_the_ending_does_not_fit(
    word: str, fits: bool
) -> None:
    topic = Letters()
    targets, ids = topic.train[1], topic.vocabulary.ids
    sending = targets[(targets == ids["sending"]).any(1)][:1]  # (1, T)
    place = int((sending[0] == ids["letter"]).nonzero()) + 1
    said = torch.zeros(1, sending.shape[1], len(topic.vocabulary))  # (1, T, V)
    said[0, place, ids[word]] = 1
    assert bool(topic.correct(said, sending)) is fits
    assert topic.answer(said[0], sending[0]).startswith(f"… letter {word} (1.00)")


def test_relations_are_scored_word_by_word() -> None:
    topic = Relations()
    targets = topic.validation[1][:4]  # (4, 7)
    said = targets.clone()
    said[0, 3], said[1, 1:6] = scenes.PAD, scenes.PAD  # one word wrong, then all five
    assert topic.score(said, targets) == pytest.approx(14 / 20)
    said[2, 6] = scenes.PAD  # what stands after the five words does not count
    assert topic.score(said, targets) == pytest.approx(14 / 20)


def test_sentences_about_letters_are_english() -> None:
    topic = Letters()
    told = [topic.says(row) for name in SETS for row in getattr(topic, name)[1]]
    assert any(" an old letter" in text for text in told)
    assert not any(" a old" in text for text in told)


def test_further_hungarian_dates_are_in_no_other_set() -> None:
    topic = Dates()
    few = examples(topic, "few")
    assert len(few) >= 80
    assert not any(few & examples(topic, name) for name in SETS)


def test_the_nearest_neighbour_of_a_training_example_is_itself() -> None:
    topic = Digits()
    assert topic.score(topic.guess(topic.train[0]), topic.train[1]) == 1


def test_moved_images_are_moved_by_one_pixel() -> None:
    image = torch.zeros(60, 2, 5, 7)
    image[:, :, 2, 3] = 1
    places = moved(image, seeded(0)).nonzero()[:, 2:] - torch.tensor([2, 3])
    assert sorted(map(tuple, places.unique(dim=0).tolist())) == [
        (y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)
    ]


def test_what_is_new_in_the_hard_sets() -> None:
    letters = Letters()
    longest = {
        name: max(len(letters.says(row).split()) for row in getattr(letters, name)[1])
        for name in SETS
    }
    assert longest["hard_test"] == longest["hard_validation"] == longest["train"] + 1
    relations = Relations()
    for name in SETS:
        told = [" ".join(scenes.words(row)) for row in getattr(relations, name)[1]]
        assert {"red circle" in text or "blue cross" in text for text in told} == {
            name.startswith("hard")
        }
    dates = Dates()
    assert any("december" in dates.reads(row) for row in dates.train[0])
    assert not any("szeptember" in dates.reads(row) for row in dates.train[0])
    assert any("szeptember" in dates.reads(row) for row in dates.hard_test[0])


def test_pairs_of_words_do_not_know_the_verb() -> None:
    topic = Letters()
    score = topic.score(topic.guess(topic.test[0]), topic.test[1])
    assert 0.4 < score < 0.6  # both kinds of endings follow *letter* equally often
