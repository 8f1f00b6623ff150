"""Decoders (`wwho.lm`): gradients, training that resumes, writing, and `wwho eval --lm full`."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from evaluated import put_files, put_long_text

from wwho.evaluate import neural_models
from wwho.lm import training
from wwho.lm.decoder import NOTHING, Decoder, Shape, Weights, make_weights
from wwho.lm.learner import NumpyLearner
from wwho.lm.optimizer import BETAS, DECAY, EPSILON, AdamW, is_decayed, learning_rate
from wwho.lm.sequences import Sequences
from wwho.lm.training import Engine, train_decoder
from wwho.lm.variants import vary
from wwho.lm.windows import BATCH_BYTES, cut_lines, in_order, pad, plan_batches
from wwho.lm.writing import write

SHAPE = Shape(n_ids=11, width=8, layers=2, heads=2)
IDS = np.array([[10, 1, 2, 3, 4, 9], [10, 5, 5, 9, NOTHING, NOTHING]])


def some_weights(shape: Shape = SHAPE, dtype: Any = np.float64) -> Weights:
    """Weights that are large enough for every part to matter."""
    random = np.random.default_rng(5)
    return {
        name: array + 0.1 * random.standard_normal(array.shape).astype(dtype)
        for name, array in make_weights(shape, 1, dtype).items()
    }


def some_text() -> Sequences:
    random = np.random.default_rng(3)
    lines = [random.integers(0, 3, 6).repeat(2) for _ in range(300)]
    return Sequences.of(9, np.concatenate(lines), np.arange(301) * 12)


def test_gradients_are_finite_differences() -> None:
    weights, random = some_weights(), np.random.default_rng(7)
    decoder = Decoder(SHAPE, weights)
    loss, gradients = decoder.gradients(IDS)
    assert gradients.keys() == weights.keys()
    assert loss == pytest.approx(decoder.bits(IDS).sum() * np.log(2) / 8, rel=1e-12)
    for name, array in weights.items():
        for _ in range(8):
            place = tuple(int(random.integers(size)) for size in array.shape)
            losses = []
            for step in (1e-5, -2e-5):
                array[place] += step
                losses.append(decoder.gradients(IDS)[0])
            array[place] += 1e-5
            difference = (losses[0] - losses[1]) / 2e-5
            assert gradients[name][place] == pytest.approx(difference, abs=1e-8), name


def test_bits_depend_on_what_stands_before_alone() -> None:
    decoder = Decoder(SHAPE, some_weights())
    bits = decoder.bits(IDS)
    assert bits.shape == (2, 5)
    assert bits[1, 3:].tolist() == [0, 0]
    changed = IDS.copy()
    changed[0, 4] = 7
    assert decoder.bits(changed)[0, :3] == pytest.approx(bits[0, :3], rel=1e-12)
    assert decoder.bits(changed)[0, 4] != pytest.approx(bits[0, 4], rel=1e-6)
    assert decoder.bits(IDS[1:, :4])[0] == pytest.approx(bits[1, :3], rel=1e-12)


def test_chances_sum_to_one() -> None:
    decoder = Decoder(SHAPE, some_weights())
    rows = np.array([[10, 3, last] for last in range(SHAPE.n_ids)])
    assert (2 ** -decoder.bits(rows)[:, 1]).sum() == pytest.approx(1, rel=1e-12)


def test_parameters_and_flops() -> None:
    assert SHAPE.n_parameters == sum(array.size for array in make_weights(SHAPE, 1).values())
    # Forth and back: 2 + 4 operations for each weight of a matrix and each place.
    matrices = sum(a.size for name, a in make_weights(SHAPE, 1).items() if is_decayed(name))
    attention = 2 * 2 * (3**2 + 5**2) * 8  # two layers, two products
    assert SHAPE.flops(np.array([3, 5])) == 6 * matrices * 8 + 6 * attention


def test_a_step_of_adamw() -> None:
    """The second of two, by the formula."""
    weights: Weights = {"norm": np.array([1.0, -2.0]), "matrix": np.array([0.5])}
    optimizer, expected = AdamW(weights), Weights()
    steps: list[Weights] = [{"norm": np.array([0.1, 0.2]), "matrix": np.array([0.3])}, {}]
    steps[1] = {name: -2 * gradient for name, gradient in steps[0].items()}
    for name, weight in weights.items():
        value, first, second = weight.copy(), np.zeros(1), np.zeros(1)
        for number, step in enumerate(steps, start=1):
            first = BETAS[0] * first + (1 - BETAS[0]) * step[name]
            second = BETAS[1] * second + (1 - BETAS[1]) * step[name] ** 2
            value = value * (1 - 0.01 * DECAY * is_decayed(name))
            mean, square = first / (1 - BETAS[0] ** number), second / (1 - BETAS[1] ** number)
            value = value - 0.01 * mean / (np.sqrt(square) + EPSILON)
        expected[name] = value
    for step in steps:
        optimizer.step(weights, {name: each.copy() for name, each in step.items()}, 0.01)
    for name, value in expected.items():
        assert weights[name] == pytest.approx(value, rel=1e-9)


def test_long_gradients_are_shortened() -> None:
    weights: Weights = {"matrix": np.zeros(2)}
    optimizer = AdamW(weights)
    optimizer.step(weights, {"matrix": np.array([30.0, 40.0])}, 0.1)
    assert optimizer.first["matrix"] == pytest.approx(0.1 * np.array([0.6, 0.8]))


def test_the_learning_rate() -> None:
    rates = [learning_rate(step, 200, 2.0) for step in range(200)]
    assert max(rates) == rates[9] == 2.0
    assert rates[:10] == sorted(rates[:10])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert rates[-1] == pytest.approx(0.2, rel=0.01)


@pytest.mark.slow
def test_training_learns() -> None:
    """Every second id repeats the one before it: half of the bits are saved at least."""
    text = some_text()
    batches = [np.arange(start, start + 50) for start in range(0, 250, 50)] * 24
    decoder = train_decoder(
        replace(SHAPE, width=32), text, batches, seed=1, rate=0.02, advance=lambda done: None
    )
    bits = decoder.bits(pad(text, np.arange(250, 300)))
    assert bits[:, 1:12:2].mean() < 0.2
    assert bits[:, 0:12:2].mean() == pytest.approx(np.log2(3), abs=0.15)


@pytest.mark.parametrize("engine", ["numpy", "torch"])
def test_a_training_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine
) -> None:
    """Interrupted after seven of twelve steps, it ends with the very weights."""
    if engine == "torch":
        pytest.importorskip("torch")
    text, batches = some_text(), [np.arange(start, start + 20) for start in range(0, 240, 20)]

    def train(checkpoint: Path | None, advance: Any) -> Weights:
        options: Any = {"seed": 2, "rate": 0.01, "engine": engine, "checkpoint": checkpoint}
        return train_decoder(SHAPE, text, batches, **options, advance=advance).weights

    expected, done = train(None, lambda done: None), list[int]()

    def interrupt(steps: int) -> None:
        done.append(steps)
        if len(done) == 7:
            raise KeyboardInterrupt

    file = tmp_path / "a.npz"
    with pytest.raises(KeyboardInterrupt):
        train(file, interrupt)
    assert file.exists()
    done = [0] * 10
    found = train(file, interrupt)
    assert done[10:] == [7, 1, 1, 1, 1, 1]
    assert not file.exists()
    for name, array in expected.items():
        assert np.array_equal(found[name], array), name
    monkeypatch.setattr(training, "SECONDS_BETWEEN_CHECKPOINTS", -1.0)
    done = []
    with pytest.raises(KeyboardInterrupt):
        train(file, interrupt)
    assert np.load(file)["n_done"] == 7


# Windows


def test_long_lines_are_cut_into_windows() -> None:
    lines = ["අම්මා " * 300, "a" * 1200, "ක" * 400, "", "short"]
    windows = cut_lines(lines)
    assert "".join(windows) == "".join(lines)
    assert max(len(window.encode()) for window in windows) <= 512
    assert windows[-2:] == ["", "short"]
    assert all(window.startswith(" අ") for window in windows[1:3])


def test_batches_have_all_windows_and_about_one_size() -> None:
    sizes = [int(size) for size in np.random.default_rng(1).integers(1, 512, 3000)]
    batches = plan_batches(sizes, sum(sizes), 1)
    assert sorted(np.concatenate(batches)) == list(range(3000))
    assert all(sum(sizes[k] for k in each) < 2 * BATCH_BYTES for each in batches)
    assert [each.tolist() for each in plan_batches(sizes, sum(sizes), 1)] == [
        each.tolist() for each in batches
    ]
    assert plan_batches(sizes, 20_000, 2)[0].tolist() != batches[0].tolist()
    twice = plan_batches(sizes, 2 * sum(sizes), 1)
    assert np.bincount(np.concatenate(twice)).tolist() == [2] * 3000


def test_all_lines_come_once() -> None:
    text = Sequences.of(9, np.zeros(60, np.int64), np.array([0, 10, 10, 40, 41, 60]))
    found = [numbers.tolist() for numbers in in_order(text, 30)]
    assert sorted(number for each in found for number in each) == [0, 1, 2, 3, 4]
    assert [2] in found  # it is too long for company


# Writing


def test_writing_has_the_chances_of_the_decoder() -> None:
    """Frequencies behind two prompts of different lengths, against the bits."""
    decoder = Decoder(SHAPE, some_weights(dtype=np.float32))
    prompts = [[1, 2], [3]] * 3000
    written = write(decoder, prompts, np.ones(11, np.int64), n_bytes=1, seed=1)
    for number, prompt in enumerate(prompts[:2]):
        drawn = [ids[0] if ids else 9 for ids in written[number::2]]
        rows = np.array([[10, *prompt, last] for last in range(10)])
        chances = 2 ** -decoder.bits(rows)[:, -1]
        expected = chances / chances.sum()
        assert np.bincount(drawn, minlength=10) / 3000 == pytest.approx(expected, abs=0.03)


def test_writing_ends() -> None:
    decoder = Decoder(SHAPE, some_weights(dtype=np.float32))
    sizes = np.array([1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0])
    written = write(decoder, [[1], [2, 3, 4]] * 20, sizes, n_bytes=9, seed=4)
    assert all(sum(sizes[ids[:-1]]) < 9 for ids in written)
    assert all(9 not in ids and 10 not in ids for ids in written)
    assert any(len(ids) > 1 for ids in written)
    again = write(decoder, [[1], [2, 3, 4]] * 20, sizes, n_bytes=9, seed=4)
    assert written == again


# The twin


def test_the_twin_in_pytorch() -> None:
    torch = pytest.importorskip("torch")
    from wwho.lm.torch_learner import find_loss

    weights = some_weights()
    loss, gradients = Decoder(SHAPE, weights).gradients(IDS)
    twins = {name: torch.tensor(array, requires_grad=True) for name, array in weights.items()}
    twin_loss = find_loss(SHAPE, twins, torch.tensor(IDS))
    twin_loss.backward()
    assert twin_loss.item() == pytest.approx(loss, rel=1e-10)
    for name, gradient in gradients.items():
        assert twins[name].grad.numpy() == pytest.approx(gradient, abs=1e-9), name


def test_the_twin_makes_the_same_steps() -> None:
    """Seven steps, of which another learner makes the last four, from the state of the first."""
    pytest.importorskip("torch")
    from wwho.lm.torch_learner import TorchLearner

    weights = some_weights()
    learner = NumpyLearner(SHAPE, {name: array.copy() for name, array in weights.items()})
    twin = TorchLearner(SHAPE, weights)
    for number in range(7):
        if number == 3:
            state, twin = twin.read_state(), TorchLearner(SHAPE, weights)
            twin.put_state(state, 3)
        learner.step(IDS, 0.01)
        twin.step(IDS, 0.01)
    assert learner.n_done == twin.n_done == 7
    found, expected = twin.read_state(), learner.read_state()
    assert found.keys() == expected.keys()
    for kind, arrays in expected.items():
        for name, array in arrays.items():
            assert found[kind][name] == pytest.approx(array, rel=1e-4, abs=1e-7), (kind, name)


# The command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(neural_models, "N_PROMPTS", 9)
    return put_long_text(put_files(tmp_path))


COMMAND = (
    *("eval", "--model", "hand.wwho", "--against", "bytes.wwho", "--data", "text=long.txt"),
    *("--lm", "full", "--lm-bytes", "20000", "--lm-seeds", "2", "--lm-width", "64"),
    *("--lm-layers", "1", "-o", "report"),
)


@pytest.mark.slow
def test_decoders_in_every_report(cli: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = cli(*COMMAND)
    assert (result.code, result.err) == (0, "")
    (found,) = json.loads((folder / "report" / "report.json").read_text("utf-8"))["neural_models"]
    runs = {(run["encoder"], run["comparison"], run["seed"]): run for run in found["runs"]}
    assert len(runs) == len(found["runs"]) == 2 * 2 * 2
    hand, other = (runs[name, "bytes", 1] for name in ("hand", "bytes"))
    assert hand["n_bytes"] == other["n_bytes"] >= 20_000
    assert other["flops"] > hand["flops"] == runs["hand", "FLOPs", 1]["flops"]
    fewer = runs["bytes", "FLOPs", 1]
    assert fewer["flops"] <= hand["flops"]
    assert fewer["n_bytes"] < other["n_bytes"]
    bits = hand["bits_per_byte"]["text"]
    assert 0 < bits["clean"] < bits["misspelt_1"] < bits["misspelt_10"]
    assert bits["nfc"] == bits["clean"]  # it is in NFC
    assert hand["units"] >= hand["invalid_units"]
    assert hand["words"] >= hand["distinct_words"] >= hand["distinct_known_words"]
    assert found["parameters"]["hand"] > found["embedding_parameters"]["hand"] == 64 * (264 + 2)
    trials = found["trials"]["hand"]
    assert hand["rate"] == (0.0015, 0.003, 0.006)[trials.index(min(trials))]
    report = (folder / "report" / "report.md").read_text("utf-8")
    for heading, column in (
        ("Decoders", "n-grams"),
        ("Decoders and text that is written otherwise", "without joiners"),
        ("What decoders write", "efficiency score"),
        ("What decoders cost", "with 0.003"),
    ):
        section = report.split(f"\n## {heading}\n")[1].split("\n## ")[0]
        assert f"| {column} |" in section
        assert "| text, equal bytes | **hand** |" in section
        assert "| text, equal FLOPs | **hand** |" in section
    # The records are beside the figures, and no run is done twice.
    records = sorted((folder / "report" / "runs").iterdir())
    assert {record.suffix for record in records} == {".json"}
    first = (folder / "report" / "report.json").read_bytes()

    def refuse(*given: object) -> None:
        raise AssertionError("it is trained again")

    monkeypatch.setattr(AdamW, "step", refuse)
    assert cli(*COMMAND).code == 0
    assert (folder / "report" / "report.json").read_bytes() == first


@pytest.mark.slow
def test_one_training_for_several_texts(cli: Any, folder: Path) -> None:
    """With --lm-text, the same decoders are measured on every text: here also one in NFD."""
    lines = (folder / "long.txt").read_text("utf-8").replace("ක", "කො").split("\n")
    forms: dict[str, Literal["NFC", "NFD"]] = {"same": "NFC", "nfd": "NFD"}
    for name, change in forms.items():
        changed = [unicodedata.normalize(change, f"{line} ක") for line in lines[:80]]
        (folder / f"{name}.txt").write_text("\n".join(changed), "utf-8")
    command = list(COMMAND)
    command[command.index("text=long.txt")] = "same=same.txt"
    command += ["--data", "nfd=nfd.txt", "--lm-text", "long.txt"]
    command += ["--lm-bytes", "2000", "--lm-seeds", "1"]
    assert cli(*command).code == 0
    report = json.loads((folder / "report" / "report.json").read_text("utf-8"))
    (found,) = report["neural_models"]
    assert [*found["held_out_bytes"]] == [text["name"] for text in found["ngrams"]]
    assert len(list((folder / "report" / "runs").iterdir())) == 2 * 3 + 2 + 1
    for run in found["runs"]:
        same, nfd = (run["bits_per_byte"][name] for name in ("same", "nfd"))
        assert same["clean"] == same["nfc"] == nfd["nfc"] != nfd["clean"] == nfd["nfd"]
        assert same["nfd"] == nfd["nfd"]


def test_variants_of_a_text() -> None:
    lines = ["ශ්\u200dරී කො", "a b", ""] * 100
    found = vary(lines)
    assert found["clean"] == found["nfc"] == lines
    assert found["nfd"][0] == "ශ්\u200dරී ක\u0dd9\u0dcf"
    assert found["without_joiners"][0] == "ශ්රී කො"
    changed = [
        sum(a != b for a, b in zip(lines, found[f"misspelt_{share}"], strict=True))
        for share in (1, 5, 10)
    ]
    assert 0 < changed[0] < changed[1] < changed[2] < 40


def test_a_width_of_no_even_heads_is_refused(cli: Any, folder: Path) -> None:
    command = [*COMMAND[:-2], "--lm-width", "100", "-o", "report"]
    assert "--lm-width is 100; give a multiple of 64" in cli(*command).err
