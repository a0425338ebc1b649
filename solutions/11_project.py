# %% [markdown]
# # 11 · The project
#
# Twelve hours, one question, one honest answer. You choose one of four topics, start
# from a small model that runs, change **one** thing that you have a reason to change,
# and find out whether it did what you expected. You work alone or in pairs. The grade
# depends on how well you asked and checked, not on how high the score is: a change that
# demonstrably does *not* help is a good result.
#
# All four topics ask the same kind of question. A model does well on examples like
# those it has seen. How does it do on examples that ask for something **new**, what
# decides about that, and how can it be improved?

# %% [markdown]
# ## Four topics
#
# Every topic has data that needs no download, a baseline and a starting model, in
# `course_utils/project.py` (read it: it is short). It has five sets: `train`;
# `validation` and `test`, which are like it; `hard_validation` and `hard_test`, which
# contain something new.
#
# | name | what it does | what is new in the hard sets | baseline | units | one training |
# |---|---|---|---|---|---|
# | `digits` | a Vision Transformer reads digits of 8 x 8 pixels | every digit has moved by one pixel | nearest neighbour | 01, 07, 09 | 8 s |
# | `dates` | an RNN with attention turns dates in five languages into ISO dates | a sixth language, Hungarian | nearest neighbour | 04, 08 | 11 s |
# | `letters` | a language model writes sentences about letters | two adjectives, so that the verb is one word farther from the ending that it decides | counts of pairs of words | 06, 08 | 4 s |
# | `relations` | a Transformer says how two shapes lie in a picture | red circles and blue crosses: the colours and shapes are known, these pairs of them are not | nearest neighbour | 08, 10 | 10 s |
#
# (*One training* is the starter's, in seconds of processor time on one core; yours may
# be half as fast, or twice.)
#
# **`digits`.** *A digit that moves by one pixel is the same digit. For which models,
# and what makes it so?* Ideas: moved copies in training (`moved(images, generator)`
# moves each image by one pixel at random), and how many of them are needed; patches of
# another size, or overlapping ones; positions that are fixed instead of learned; the
# mean instead of the CLS token; a convolution before the patches. Once it works,
# Fashion-MNIST (`course_utils.data.images.fashion_mnist`) is a larger test of the same
# idea.
#
# **`dates`.** *What carries over to a language that the model has never read, and what
# would it need for the rest?* Days and years are digits everywhere; months have names,
# and the order changes. Ideas: 5, 20, 80 Hungarian examples in the training
# (`topic.few` has 248 that are in no other set); a Transformer instead of the RNN;
# letters that are now and then replaced at random; which of the five languages helps.
# The baseline is weak here, and beating a weak baseline shows little: a better one (a
# few rules, perhaps) can be part of your project.
#
# **`letters`.** *Does the model know the ending by the verb, wherever the verb stands,
# or by counting words?* Somebody who is *sending* a letter sends it *to her* or *from
# the bank*; somebody who is *pronouncing* one finds it *on the keyboard*. The score is
# the probability that the model gives to the beginnings that fit. Ideas: sinusoidal or
# rotary positions, or none (a causal mask knows about order too); more heads or layers;
# sentences that begin at a random position; look at the attention from *letter* to the
# verb.
#
# **`relations`.** *A model that knows red squares and blue circles: can it tell of a
# red circle?* Ideas: a loss or a model that keeps colour and shape apart; fewer or more
# heads; some words replaced in what the decoder reads, so that it must look; how many
# kinds of pairs have to be missing before it stops guessing from memory. The score is
# the share of words that are right, five to a sentence, because hardly a whole sentence
# of the hard sets is. Find out first *which* words are wrong, and what is said instead:
# `(said == right).float().mean(0)[1:6]`.

# %% [markdown]
# ## Twelve hours
#
# | hours | milestone | you have reached it when |
# |---|---|---|
# | 1 | choose | the starter has run with two of the topics, and you can say what its figures mean |
# | 1.5 | ask | your question and what you expect are written down (part 1), with a figure, **before** the first own training |
# | 3.5 | build | your change runs on a few steps; you have checked shapes, and that it does what you think (part 2) |
# | 3 | measure | baseline, starter and change, three seeds each, and a control (part 3); the result in words (part 4) |
# | 1.5 | look | you have looked at single failures, and know what kind they are (part 6) |
# | 1.5 | finish | the test sets, once (part 5); limits and conclusion (part 7); the log (part 8); everything runs from top to bottom |
#
# ## Rules of honest work
#
# 1. **Compare.** A figure alone means nothing. The named baseline and the starter stand
#    beside yours, on the same data, trained as long.
# 2. **One change at a time.** If you change two things, show each without the other.
# 3. **Seeds.** At least three, and you show all of them, not the best one. A difference
#    smaller than that between two seeds is no result.
# 4. **Held-out data.** Decide on the validation sets. The two test sets are used once,
#    at the end, whatever comes out.
# 5. **Control.** Ask what else could explain your result: more steps, more parameters,
#    more data? Give the same to the other side.
# 6. **Look at failures.** At least five single ones, chosen by a rule that you state,
#    not by taste.
# 7. **Say what you did.** Sources, code and tools of others are named. What did not
#    work is reported too.
#
# ## What to hand in
#
# This notebook, with your answers in the places marked below (add as many cells of your
# own as you like), and nothing else unless you need it. When it is graded it runs once
# more from top to bottom on one CPU, without network, with 30 seconds per cell and five
# minutes in all, of which four may be processor time (aim for half of that); what it
# shows then is what is graded. What counts against the limits is processor time, or the
# time that passes if that is more, but not the time in which your process has to wait
# for a busy machine: a slow grader costs you nothing, sleeping does. If you need longer
# trainings, save what they gave to a small file (`results.json`, at most a few
# megabytes), hand it in beside the notebook, load it here, and keep the code that made
# it.
#
# ## How it is graded
#
# | part | points | full points for |
# |---|---|---|
# | 1 question | 5 | a question with an answer that is not known beforehand; an expectation with a figure, a reason from the course, and an outcome that would refute it |
# | 2 change | 7 | code that does what part 1 announces, short, with shapes; a check that it does; nothing that part 1 does not need |
# | 3 experiment | 6 | baseline, starter, change and a control on both validation sets; three seeds or more; a table or figure that can be read without the code |
# | 4 results | 6 | what was found, with spread; compared with the expectation; no claim that the figures do not carry |
# | 5 test, once | 3 | the two test sets, for the same models, once |
# | 6 failures | 3 + 4 | at least five, chosen by a stated rule; what they have in common, and an explanation that could be tested |
# | 7 conclusion | 4 | an answer to the question, its limits, the next experiment and what it would decide |
# | 8 log | 2 | what was tried and dropped, hours, sources |
#
# Together 40 points, all given by a person. Half of a part is lost if its claims cannot
# be traced to an output in this notebook.

# %% [markdown]
# ## The starter
#
# Choose a topic and look at it. Everything below runs as it is, for every topic, in
# less than a minute. `seeded(0)` is a random generator that starts from 0; `fit`
# minimises a loss with Adam and draws a bar; `steps(400)` is 400, or only a few where
# the environment variable `COURSE_FAST` is set.

# %%
from functools import partial

import torch

from course_utils.plotting import Table, curves
from course_utils.project import TOPICS, look, moved
from course_utils.training import fit, seeded, steps

topic = TOPICS["digits"]()  # or "dates", "letters", "relations"
print(topic.question)

# %% alt="The first examples of the training set, if they are pictures"
look(topic, topic.train)

# %% alt="The first examples of the hard validation set, if they are pictures"
look(topic, topic.hard_validation)

# %% [markdown]
# First the baseline. `guess` gives its predictions, `score` compares predictions with
# targets; higher is better.

# %%
def evaluate(predict, names=("validation", "hard_validation")):
    sets = [getattr(topic, name) for name in names]
    return [topic.score(predict(inputs), targets) for inputs, targets in sets]


def compared(found):
    rows = [(name, *scores) for name, scores in found.items()]
    return Table(rows, [topic.measure, "validation", "hard validation"])


found = {topic.baseline: evaluate(topic.guess)}
compared(found)

# %% [markdown]
# Then the model. `train` returns a trained model and its losses. To change something,
# pass your own:
#
# - `make()` builds a fresh model;
# - `loss(model, inputs, targets)` gives the number that is made small;
# - `data` is what it learns from, a pair (inputs, targets), e.g. `topic.train` with
#   your examples added by `torch.cat`;
# - `count` is the number of steps (the topic's own, if you leave it out).
#
# Two trainings with the same seed begin with the same weights and, with data of the
# same size, see the same examples in the same order.

# %% alt="Training loss of the starting model, falling"
def train(seed, make=None, loss=None, data=None, count=None):
    torch.manual_seed(seed)  # for the first weights
    model, draw = (make or topic.model)(), seeded(seed)  # for the order of the examples
    inputs, targets = data or topic.train

    def batch_loss(step):
        batch = torch.randint(len(inputs), (64,), generator=draw)  # (64,)
        return (loss or topic.loss)(model, inputs[batch], targets[batch])

    how = {"lr": topic.rate, "clip": 1.0, "decay": True, "label": f"seed {seed}"}
    losses = fit(batch_loss, model.parameters(), steps(count or topic.steps), **how)
    return model.eval(), losses


starter, losses = train(seed=0)
curves(None, {"loss": losses}, "step", "loss", "the starter");

# %%
found["starter"] = evaluate(partial(topic.predict, starter))
compared(found)

# %% [markdown]
# Is it better than the baseline on examples like those of the training? And on the new
# ones? What does it say when it fails?

# %% alt="The first failures on the hard validation set, if they are pictures"
def failures(predict, pair):
    """The examples that go wrong, and what is said there."""
    said = predict(pair[0])  # (N, ...)
    wrong = ~topic.correct(said, pair[1])  # (N,) bool
    return (pair[0][wrong], pair[1][wrong]), said[wrong]


pair, said = failures(partial(topic.predict, starter), topic.hard_validation)
look(topic, pair, said)

# %% [markdown]
# (For `letters` a sentence is wrong if the endings that fit its verb get no more than
# half of the probability; *said* shows the likeliest words after *letter*.)
#
# ## A finished example, in small
#
# Too small for a project, but complete: it shows how a question, a change, a check, a
# result and an answer belong together. The topic is `digits`.
#
# **Question.** The starter has a position vector for each patch. Are these vectors the
# reason why a moved digit confuses it?
#
# **Expectation.** Without positions, a moved digit should look to the model much like
# one that has not moved. On hard validation I expect more than the starter's .30. I am
# refuted if it is lower in any of three seeds.
#
# **Change.** The positions are held at zero. The cell below has all the code: a
# function that makes the changed model, which `train` gets as `make`; a check that the
# change does what I think; and the comparison. It takes about a minute, so it is
# switched off. Set `EXAMPLE = True` to run it, and set it back, or delete the example,
# before you hand in.

# %%
EXAMPLE = False


def without_positions():
    model = topic.model()
    model.embed.positions.requires_grad_(False).zero_()  # (1, 17, 32): they stay at 0
    return model


if EXAMPLE and topic.measure == "accuracy":  # the topic is digits
    model, images = without_positions(), topic.validation[0][:9]  # (9, 1, 8, 8)
    swapped = images.clone()  # the check: the first and the last patch change places
    swapped[..., :2, :2] = images[..., -2:, -2:]
    swapped[..., -2:, -2:] = images[..., :2, :2]
    with torch.no_grad():
        apart = (model(images) - model(swapped)).abs().max()  # of any logit
    assert apart < 1e-4  # the model does not know where a patch is
    results = []
    for name, make in (("starter", None), ("without positions", without_positions)):
        for seed in range(3):
            model, _ = train(seed, make=make)
            results.append((name, seed, *evaluate(partial(topic.predict, model))))
    example = Table(results, ["", "seed", "validation", "hard validation"], "accuracy")
else:
    example = "Choose the topic digits and set EXAMPLE = True to run this example."
example

# %% [markdown]
# **Result.** It prints (the last digit may differ on another machine):
#
# | seeds 0, 1, 2 | validation | hard validation |
# |---|---|---|
# | starter | .960, .964, .936 | .304, .300, .296 |
# | without positions | .680, .644, .612 | .160, .192, .204 |
#
# **Answer.** I am refuted. Without positions the model is worse on both sets, in every
# seed, and the differences are far larger than those between seeds. Taking the
# positions out is no remedy. The result suggests another reason: a move by one pixel
# changes what is *in* the patches, and that is all a model without positions has.
#
# **Limits.** The model without positions is far worse on ordinary digits too. Of its
# accuracy there it keeps 29 % on moved ones, the starter 31 %: seen in this way the two
# are alike, and I cannot say how much of the confusion is due to the positions. And the
# other reason has not been tested. **Next.** A
# test of it: moves by two pixels, which carry whole patches to other places and leave
# what is in them as it was.
#
# ## 1. Your question
# *before your first own training · about 200 words · 5 points*
#
# Which one thing do you change, and why should it matter for what is new in the hard
# sets? Which figures do you expect, for whom, on which set? Which outcome would refute
# you? What else could bring about the same result, and how will you tell (the control)?
# Name one paper or lecture that your idea leans on.

# %% [markdown] nbgrader={"grade_id": "project_question", "points": 5}
# ### BEGIN SOLUTION
# **Rubric.** 1 point: one question, with an answer that is not known beforehand. 1: one
# change, and a reason that comes from how the model works. 1: expected figures, for a
# named set and beside the baseline. 1: an outcome that would refute it. 1: another
# explanation and a control for it.
#
# **A good hand-in (topic `digits`).** *Does a Vision Transformer that sees moved digits
# in training read moved digits, and is that an achievement of the Transformer?*
#
# The starter has a position vector for each patch and no convolution, so it has to
# learn separately what a stroke means at each place. In training each stroke occurs in
# few places, because the digits are centred. I change the training alone: half of the
# digits in every batch are moved by one pixel at random (as in data-efficient training
# of Vision Transformers, Touvron et al. 2021, who found augmentation to be decisive for
# little data). Model, steps and rate stay as they are.
#
# I expect accuracy on hard validation to rise from about .3 (starter, seed 0) to above
# .7, and ordinary validation to fall by less than .03. I am refuted if hard validation
# stays below the nearest neighbour's .49 in any seed, or if validation falls by more
# than .03.
#
# Other explanation: not the Transformer but the added examples do it all. Control: the
# nearest neighbour gets moved copies of the training set as well, eight of every digit.
# If it gains as much, then the copies are what counts.
# ### END SOLUTION

# %% [markdown]
# ## 2. Your change
# *7 points*
#
# Write it, check on a few examples that it does what you think (show the check), and
# train it with at least three seeds. Mind the 30 seconds per cell: use several cells if
# you need them.

# %% nbgrader={"grade_id": "project_change", "points": 7}
### BEGIN SOLUTION
# Rubric. 2 points: it is the change of part 1 and nothing else. 2: right, also for batches and all examples. 2: a check with an output that could have failed. 1: short and readable, shapes.
def sometimes_moved(images, generator):
    """(B, C, H, W) -> (B, C, H, W): about half of the images moved by one pixel."""
    chosen = torch.rand(len(images), 1, 1, 1, generator=generator) < 0.5  # (B, 1, 1, 1)
    return torch.where(chosen, moved(images, generator), images)  # (B, C, H, W)


def moving_loss(generator):
    def loss(model, images, labels):
        return topic.loss(model, sometimes_moved(images, generator), labels)

    return loss


images = topic.train[0]  # (N, 1, 8, 8)
changed = (sometimes_moved(images, seeded(0)) != images).flatten(1).any(1)  # (N,) bool
assert 0.4 < changed.float().mean() < 0.6  # about half of them
once, again = (sometimes_moved(images, seeded(0)) for _ in range(2))
assert torch.equal(once, again)  # and the seed decides which
print(f"moved: {changed.float().mean():.2f} of the images")

SEEDS = (0, 1, 2)
losses_of = {seed: moving_loss(seeded(100 + seed)) for seed in SEEDS}
changed_models = [train(seed, loss=loss)[0] for seed, loss in losses_of.items()]
### END SOLUTION

# %% [markdown]
# ## 3. The experiment
# *6 points*
#
# Baseline, starter, your change and your control, on both validation sets, at least
# three seeds of whatever is trained. One table or figure that speaks for itself.

# %% nbgrader={"grade_id": "project_experiment", "points": 6}
### BEGIN SOLUTION
# Rubric. 2 points: all four sides, equally long trained, on both validation sets. 2: three seeds or more, all shown. 1: the control answers the other explanation. 1: readable without the code.
def copies(seeds=range(10, 18)):
    """The training set and eight moved copies of it: (9 N, 1, 8, 8), (9 N,)."""
    moves = [moved(images, seeded(seed)) for seed in seeds]  # (N, 1, 8, 8) each
    return torch.cat([images, *moves]), topic.train[1].repeat(1 + len(seeds))


def guess_from_copies(queries):
    memory, labels = copies()
    distances = torch.cdist(queries.flatten(1), memory.flatten(1))  # (B, 9 N)
    return labels[distances.argmin(1)]  # (B,)


starter_models = [starter] + [train(seed)[0] for seed in SEEDS[1:]]


def compare(names):
    rows = [("nearest neighbour", "-", *evaluate(topic.guess, names))]
    rows.append(("nearest neighbour, copies", "-", *evaluate(guess_from_copies, names)))
    trained = {"starter": starter_models, "starter, moved": changed_models}
    for name, models in trained.items():
        for seed, model in zip(SEEDS, models):
            rows.append((name, seed, *evaluate(partial(topic.predict, model), names)))
    return Table(rows, ["", "seed", *names], "accuracy")


compare(("validation", "hard_validation"))
### END SOLUTION

# %% [markdown]
# ## 4. What you found
# *about 200 words · 6 points*
#
# The result with its spread over the seeds, compared with what you expected in part 1.
# What do the figures show, what do they not show? Was your change the reason?

# %% [markdown] nbgrader={"grade_id": "project_results", "points": 6}
# ### BEGIN SOLUTION
# **Rubric.** 2 points: the result in figures, with the spread over seeds. 1: beside
# baseline and starter. 1: an open comparison with part 1, also where it went wrong.
# 1: what the control says. 1: no claim beyond the figures.
#
# **A good hand-in.** Moved digits in training help with moved digits: hard validation
# rises from .30 (.296 to .308 over three seeds) to .57 (.476 to .652). The ranges do
# not overlap, so this is more than luck. But **my expectation is refuted**, in both of
# its halves. I expected more than .7, and with seed 2 the model stays at .476, below
# the nearest neighbour's .492. And it is paid for: ordinary validation falls from .95
# (.932 to .964) to .86 (.788 to .896), three times what I allowed.
#
# The control is clearer still. The nearest neighbour that remembers moved copies gets
# .980 on hard validation and .984 on ordinary validation: the gap is closed, without
# any training. So the copies are what counts, and the Transformer makes *less* of them
# than a table look-up does.
#
# What the figures do not show: that the Transformer could not do it. Its last training
# losses are between .45 and .82, those of the starter between .02 and .11. With the
# same number of steps the harder task was not learned to the end. Steps were held equal
# on purpose (one change at a time), so I cannot tell too short from too small. The
# spread between seeds is large (.18), and three of them are few.
# ### END SOLUTION

# %% [markdown]
# ## 5. The test, once
# *3 points*
#
# Everything is decided. Evaluate the same models on `test` and `hard_test`, once, and
# leave it at that: `evaluate(predict, ("test", "hard_test"))`.

# %% nbgrader={"grade_id": "project_test", "points": 3}
### BEGIN SOLUTION
# Rubric. 1 point: both test sets, and the models of part 3 with all their seeds. 1: baseline and control beside them. 1: nothing was trained or chosen after it.
compare(("test", "hard_test"))
### END SOLUTION

# %% [markdown]
# ## 6. Failures
# *3 points for the code, 4 for about 150 words*
#
# Show at least five single failures of your best model, on a validation set, chosen by
# a rule (the first ones, the most certain ones, one of each kind), or count the kinds
# of all failures.

# %% nbgrader={"grade_id": "project_failures", "points": 3}
### BEGIN SOLUTION
# Rubric. 1 point: the rule is stated and followed. 2: what is shown lets a reader judge: input, right, said, or counts of kinds.
# The rule: all failures of the changed model with seed 0, counted by (right, said);
# then the first six of them.
pair, said = failures(partial(topic.predict, changed_models[0]), topic.hard_validation)
kinds = {}
for right, wrong in zip(pair[1].tolist(), said.tolist()):
    kinds[right, wrong] = kinds.get((right, wrong), 0) + 1
commonest = sorted(kinds.items(), key=lambda kind: -kind[1])[:5]
print(f"{len(said)} failures; the commonest kinds (right, said):", commonest)
look(topic, pair, said)
### END SOLUTION

# %% [markdown]
# What do they have in common? How could one test your explanation?

# %% [markdown] nbgrader={"grade_id": "project_failures_read", "points": 4}
# ### BEGIN SOLUTION
# **Rubric.** 2 points: what the failures have in common, and it fits what is shown.
# 1: an explanation from how the model works. 1: a test that could refute it.
#
# **A good hand-in.** 106 of the 250 moved digits are read wrongly. The commonest kinds
# are 5 as 9 (nine times), 4 as 7 and 9 as 5 (six each), 9 as 3 and 3 as 5 (five each).
# These five kinds are pairs that share most of their strokes and differ in where a
# short one sits. But they are only 31 of the 106: most failures are spread over many
# kinds, so "similar digits" is at best a third of the story. The digits fill the height
# of their image, so a vertical move loses a row: the first and the fifth picture are
# threes without their lowest row, and the fifth I would have read as a 9 myself. But
# lost rows are not the limit either: the nearest neighbour with copies reads .980 of
# the same pictures.
#
# My explanation: a patch has 2 x 2 pixels, so a move by one pixel does not carry a
# patch to its neighbour. It cuts every stroke anew, and all patches change. A move by
# *two* pixels would only permute the patches. Test: evaluate the starter on digits
# moved by two pixels in a wider frame. If cutting is the reason, it does better there
# than with one pixel; if places are, it does as badly or worse.
# ### END SOLUTION

# %% [markdown]
# ## 7. Conclusion
# *about 150 words · 4 points*
#
# The answer to your question. Its limits: for which data, models, sizes does it hold,
# as far as you can tell? The next experiment, and what each outcome of it would mean.

# %% [markdown] nbgrader={"grade_id": "project_conclusion", "points": 4}
# ### BEGIN SOLUTION
# **Rubric.** 1 point: an answer to the question of part 1. 1: limits that follow from
# what was done. 2: a next experiment, with what each outcome would mean.
#
# **A good hand-in.** Moved examples in training nearly double the accuracy of a small
# Vision Transformer on moved digits, on the test sets as on validation (hard test .33
# to .62, test .94 to .89, means of three seeds), but it is no achievement of the
# Transformer: a nearest neighbour with the same copies gets .978 on both.
#
# Limits: 1,097 digits of 8 x 8 pixels, one model of two layers, 400 steps, moves by one
# pixel only. On 64 pixels nearly all moves can be remembered; with 28 x 28 pixels, or
# moves by several pixels in both directions, the table of copies grows quickly, and the
# comparison may turn round.
#
# Next: the starter and the change with 400, 800, 1600 and 3200 steps each (`count=` of
# `train`). If the change reaches the starter's validation accuracy and passes .9 on
# hard validation, the equal number of steps was unfair to it. If both level off, the
# model is too small or its patches are wrong, and patches of one pixel come next.
# ### END SOLUTION

# %% [markdown]
# ## 8. Log
# *2 points*
#
# What you tried and dropped, and why. Your hours. Sources, code and tools that are not
# yours.

# %% [markdown] nbgrader={"grade_id": "project_log", "points": 2}
# ### BEGIN SOLUTION
# **Rubric.** 1 point: what was tried and dropped, with reasons. 1: hours, and sources,
# code and tools named.
#
# **A good hand-in.** Dropped: moving *all* digits of a batch instead of half (then the
# model never sees a centred one, so it answers another question); leaving the positions
# out (another change, so another project). The expectation of part 1 stands as it was
# written, though it was wrong. Hours (for illustration): choose 1, ask 1.5, build 3,
# measure 3, look 1.5, finish 2. Sources: lectures 01, 07 and 09; Touvron et al.,
# Training data-efficient image transformers (2021). Code: `course_utils`; nothing else.
# ### END SOLUTION
