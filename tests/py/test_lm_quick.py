"""N-gram models (`wwho.lm`): against a slow twin, by hand, and as `wwho eval --lm quick`."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from evaluated import put_files, put_long_text

from wwho.corpus import Corpus
from wwho.errors import CorpusError
from wwho.evaluate.text_blocks import DataSet
from wwho.evaluate.text_split import ONE_IN, TextSplit, split_text
from wwho.lm.bootstrap import compare_bits
from wwho.lm.kneser_ney import FALLBACK, KneserNey, estimate_discounts
from wwho.lm.misspelling import misspell
from wwho.lm.sequences import Sequences

V = 7
END, START = V, V + 1


def laid_out(lines: list[list[int]]) -> Sequences:
    sizes = np.cumsum([0, *map(len, lines)])
    return Sequences.of(V, np.array([id_ for line in lines for id_ in line], np.int64), sizes)


def random_lines(seed: int, n: int) -> list[list[int]]:
    """Lines in which frequent ids and pairs stand out, as in text."""
    random = np.random.default_rng(seed)
    shares = np.random.default_rng(0).dirichlet([0.4] * V, V)
    lines = []
    for _ in range(n):
        line = [int(random.integers(V))]
        while random.random() < 0.85:
            line.append(int(random.choice(V, p=shares[line[-1]])))
        lines.append(line[: random.integers(0, 12)])
    return lines


class Twin:
    """The same model, as the definition has it: dictionaries of tuples."""

    def __init__(self, lines: list[list[int]], order: int) -> None:
        self.order = order
        texts = [(START, *line, END) for line in lines]
        self.counts: list[dict[tuple[int, ...], int]] = [{}]
        for n in range(1, order + 1):
            seen = Counter(t[i : i + n] for t in texts for i in range(len(t) - n + 1))
            if n < order:
                left = defaultdict(set)
                for text in texts:
                    for i in range(1, len(text) - n + 1):
                        left[text[i : i + n]].add(text[i - 1])
                seen = Counter({g: c if g[0] == START else len(left[g]) for g, c in seen.items()})
            self.counts.append({g: c for g, c in seen.items() if g != (START,)})
        self.discounts = [()] + [
            (0.0, *estimate_discounts(np.array([*grams.values()]))) for grams in self.counts[1:]
        ]
        self.followers: dict[tuple[int, ...], dict[int, int]] = defaultdict(dict)
        for grams in self.counts[1:]:
            for gram, count in grams.items():
                self.followers[gram[:-1]][gram[-1]] = count

    def probability(self, context: tuple[int, ...], event: int) -> float:
        """Of an event after at most `order` - 1 ids; `context` begins no earlier than its line."""
        below = 1 / (V + 1) if not context else self.probability(context[1:], event)
        found = self.followers.get(context)
        if not found:
            return below
        discount = [self.discounts[len(context) + 1][min(c, 3)] for c in found.values()]
        total = sum(found.values())
        own = found.get(event, 0)
        own_discount = self.discounts[len(context) + 1][min(own, 3)]
        return (own - own_discount) / total + sum(discount) / total * below


@pytest.mark.parametrize(("seed", "n_lines"), [(1, 400), (2, 12)])
def test_the_slow_twin(seed: int, n_lines: int) -> None:
    """For each order and id; the small text has the discounts of FALLBACK."""
    training, held_out = random_lines(seed, n_lines), random_lines(seed + 9, 30)
    text = laid_out(held_out)
    models = {orders: KneserNey(laid_out(training), orders).score(text) for orders in (1, 4)}
    for order in range(1, 5):
        twin, expected = Twin(training, order), []
        for line in held_out:
            known = (START, *line, END)
            expected.append(1.0)
            for place in range(1, len(known)):
                context = known[max(0, place - order + 1) : place]
                expected.append(twin.probability(context, known[place]))
        assert models[4][order - 1] == pytest.approx(expected, abs=1e-12)
        if order == 1:
            assert models[1][0] == pytest.approx(expected, abs=1e-12)


def test_probabilities_sum_to_one() -> None:
    """After contexts that training saw, that it saw in part, and that it never saw."""
    model = KneserNey(laid_out(random_lines(1, 300)), 4)
    for context in ([], [0], [3, 1], [5, 2, 4], *random_lines(7, 40)):
        events = [laid_out([[*context, event]]) for event in range(V)]
        of_tokens = sum(model.score(text)[:, len(context) + 1] for text in events)
        of_end = model.score(laid_out([context]))[:, -1]
        assert of_tokens + of_end == pytest.approx(1, abs=1e-12)


def test_by_hand() -> None:
    """Bigrams of the lines `0 1` and `0 1` and `2`, with the discounts 0.5, 1 and 1.5.

    The contexts before 0, 1, 2 and the line end: the start; 0; the start; 1 and 2. So the unigrams
    have 1, 1, 1 and 2 of 5, of which the discounts are 0.5, 0.5, 0.5 and 1.
    """
    model = KneserNey(laid_out([[0, 1], [0, 1], [2]]), 2)
    spread = Fraction(5, 2) / 5 / 8
    end, other = Fraction(1, 5) + spread, Fraction(1, 2) / 5 + spread
    assert end + 3 * other + 4 * spread == 1
    bigrams = model.score(laid_out([[0, 1], [2, 0]]))[1]
    # The start is followed by 0 twice and 2 once: 1 and 0.5 of 3 are taken.
    assert bigrams[1] == pytest.approx(float(Fraction(1, 3) + Fraction(1, 2) * other))
    assert bigrams[2] == pytest.approx(float(Fraction(1, 2) + Fraction(1, 2) * other))
    assert bigrams[3] == pytest.approx(float(Fraction(1, 2) + Fraction(1, 2) * end))
    assert bigrams[5] == pytest.approx(float(Fraction(1, 2) / 3 + Fraction(1, 2) * other))
    assert bigrams[6] == pytest.approx(float(Fraction(1, 2) * other))  # after 2, only the end
    assert bigrams[[0, 4]].tolist() == [1, 1]


def test_discounts_that_no_text_can_have() -> None:
    assert estimate_discounts(np.array([1, 1, 2, 3])) == FALLBACK  # nothing occurs four times
    assert estimate_discounts(np.array([1, 2, 3, 4, 4, 4, 4])) == FALLBACK  # 3 - 4 y 4 < 0
    y = Fraction(4, 8)
    found = estimate_discounts(np.array([1] * 4 + [2] * 2 + [3] * 2 + [4]))
    assert found == (float(1 - y), float(2 - 3 * y), float(3 - 2 * y))


# What is measured on


def test_misspelt_words() -> None:
    lines = ["මල් කවි පොත", "x ab", "", "abcdef " * 2000]
    assert misspell(lines, 0, 1) == lines
    assert misspell(lines, 0.1, 1) == misspell(lines, 0.1, 1) != misspell(lines, 0.1, 2)
    everything = misspell(lines, 1, 1)
    assert everything[1].startswith("x ")  # one code point is no word
    kinds = Counter(len(word) - 6 for word in everything[3].split())
    assert kinds.keys() == {-1, 0, 1}
    assert min(kinds.values()) > 600
    changed = sum(word != "abcdef" for word in misspell(lines, 0.1, 1)[3].split())
    assert 150 < changed < 250
    for word in set(everything[3].split()):
        if len(word) == 6:
            assert sorted(word) == sorted("abcdef")


def test_the_bootstrap() -> None:
    random = np.random.default_rng(3)
    reference = random.gamma(2, 50, 4000)
    bits = 1.02 * reference + random.normal(0, 5, 4000)
    found = compare_bits(bits, reference)
    assert found.low < 0.02 < found.high
    # The standard error of a ratio of sums.
    error = np.std(bits - 1.02 * reference) / np.sqrt(4000) / reference.mean()
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.1)


def test_lines_are_held_out_wherever_they_stand(tmp_path: Path) -> None:
    lines = [f"line {number % 800}" for number in range(1600)]
    (tmp_path / "a.txt").write_text("\n".join(["", *lines, "", ""]), "utf-8")
    found = split_text(DataSet("a", str(tmp_path / "a.txt")))
    assert not {*found.training} & {*found.held_out}
    assert sorted([*found.training, *found.held_out]) == sorted(lines)
    assert found.held_out == [line for line in lines if line in {*found.held_out}]
    assert 1600 / ONE_IN * 0.7 < len(found.held_out) < 1600 / ONE_IN * 1.3


def test_lines_of_the_training_text_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("b\na\nc\na\n", "utf-8")
    (tmp_path / "b.txt").write_text("a\nx\n", "utf-8")
    text = DataSet("a", str(tmp_path / "a.txt"))
    found = split_text(text, Corpus([tmp_path / "b.txt"]))
    assert found == TextSplit("a", ["a", "x"], ["b", "c"], 2)
    with pytest.raises(CorpusError, match="no line is left to measure on"):
        split_text(text, Corpus([tmp_path / "a.txt"]))
    with pytest.raises(CorpusError, match="standard input can be read only once"):
        split_text(text, Corpus(["-"]))


# The command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return put_long_text(put_files(tmp_path))


def evaluate_command(*more: str) -> list[str]:
    model = ["--model", "hand.wwho", "--against", "bytes.wwho", "--against", "same=hand.wwho"]
    return ["eval", *model, "--lm", "quick", "-o", "report", *more]


def test_every_report_has_bits_per_byte(cli: Any, folder: Path) -> None:
    result = cli(*evaluate_command("--data", "text=long.txt"))
    assert (result.code, result.err) == (0, "")
    (shown,) = re.findall(r"([\d.]+) bits per byte by n-grams", result.out.decode())
    (found,) = json.loads((folder / "report" / "report.json").read_text("utf-8"))["likelihoods"]
    hand, other, same = found["likelihoods"]
    assert shown == f"{hand['bits_per_byte']:.3f}"
    assert hand["difference"] is None
    assert 0 < hand["bits_per_byte"] < hand["misspelt_bits_per_byte"]
    assert hand["bits_per_byte"] == min(hand["bits_per_byte_by_order"])
    assert other["difference"]["share"] == pytest.approx(
        other["bits_per_byte"] / hand["bits_per_byte"] - 1
    )
    assert same["difference"] == {"share": 0, "low": 0, "high": 0}
    assert other["misspelt_difference"]["low"] < other["misspelt_difference"]["high"]
    report = (folder / "report" / "report.md").read_text("utf-8")
    section = report.split("## Bits per byte of n-gram models")[1].split("\n## ")[0]
    assert f"| text | **hand** | {hand['order']} | {shown} | – | – | – |" in section
    assert f"measured on {found['held_out_lines']} others" in section
    page = (folder / "report" / "index.html").read_text("utf-8")
    assert "Bits per byte of n-gram models, by text and tokenizer" in page


def test_bits_per_byte_by_hand(cli: Any, folder: Path) -> None:
    """One line `ab` is trained on, and `ab` with what training never saw is measured."""
    (folder / "a.txt").write_text("ab\n" * 3, "utf-8")
    (folder / "b.txt").write_text("ab\nba\n", "utf-8")
    cli(*evaluate_command("--data", "text=b.txt", "--lm-text", "a.txt"))
    (found,) = json.loads((folder / "report" / "report.json").read_text("utf-8"))["likelihoods"]
    assert (found["held_out_lines"], found["held_out_bytes"], found["passed_over"]) == (1, 3, 1)
    bytes_ = found["likelihoods"][1]
    # Unigrams a, b and the end: one context each, of which 0.5 is taken. 257 events.
    unigram = 0.5 / 3 + 0.5 / 257
    # Bigrams occur three times each, and lose 1.5.
    bits = -3 * np.log2(0.5 * unigram)
    assert bytes_["bits_per_byte_by_order"][0] == pytest.approx(bits / 3)


def test_a_text_without_a_model_is_refused(cli: Any, folder: Path) -> None:
    command = evaluate_command("--data", "text=long.txt", "--lm-text", "long.txt")
    result = cli(*(each for each in command if each not in ("--lm", "quick")))
    assert (result.code, result.out) == (1, b"")
    assert "--lm-text is what language models are trained on; add --lm quick" in result.err


def test_without_it_nothing_is_trained(cli: Any, folder: Path) -> None:
    command = evaluate_command("--data", "text=text.txt")
    cli(*(each for each in command if each not in ("--lm", "quick")))
    assert json.loads((folder / "report" / "report.json").read_text("utf-8"))["likelihoods"] == []
    assert "Bits per byte" not in (folder / "report" / "report.md").read_text("utf-8")
