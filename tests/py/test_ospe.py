"""OSPE (orthographic syllable pair encoding) beside the paper's method in a few lines."""

from __future__ import annotations

import lzma
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import regex

from wwho.assemble.training_artifacts import unit_model
from wwho.format.losses import losses
from wwho.format.read import read_artifact
from wwho.train import Corpus, train

ROOT = Path(__file__).resolve().parents[2]
LETTER = r"[\u0c95-\u0cb9\u0cdd\u0cde]\u0cbc?"
VIRAMA = r"[\u200c\u200d]?\u0ccd[\u200c\u200d]?"
SIGNS = r"[\u0cbe-\u0ccc\u0cd5\u0cd6\u0ce2\u0ce3]+"
ENDS = r"[\u0c80-\u0c83\u0cf3]*"
UNIT = regex.compile(
    rf"{LETTER}(?:{VIRAMA}{LETTER})*(?:{SIGNS}|{VIRAMA})?{ENDS}|[\u0c85-\u0c94\u0ce0\u0ce1]{ENDS}|."
)
LITERAL = regex.compile(
    r"[\u0c95-\u0cb9](?:\u0ccd[\u0c95-\u0cb9])*[\u0cbe-\u0ccd]?|[\u0c81-\u0c94]|."
)
TEXT = (
    "ಅರಮನೆಯಲ್ಲಿ ದುಃಖ ಒಂದೇ, ಸಾಫ್ಟ್\u200cವೇರ್ ಕೃಷ್ಣ.  ಕೃಷ್ಣ ಹೇಳಿದ್ದಾನೆ. ರ\u200d್ಯಾಂಕ್ ಗಂಡ\tಅರಮನೆಯಲ್ಲಿ ಒಂದೇ\n"
    "(ಅರಮನೆಯ) ೧೯೫೦ರಲ್ಲಿ 12 rank  ಸೋಽಹಂ ಒಂದೇ ಕೃಷ್ಣನ ಅರಮನೆ. ದುಃಖ\n\n"
)


def learn(text: str, units: regex.Pattern[str], merges: int) -> list[tuple[str, str]]:
    """The paper's section IV.B: pairs within words, each of which ends with a mark."""
    words = Counter((*units.findall(word), " ") for word in text.split())
    atoms = sorted({unit for word in words for unit in word}, key=str.encode)
    ids = {atom: number for number, atom in enumerate(atoms)}
    learnt = []
    for _ in range(merges):
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in words.items():
            for pair in pairwise(word):
                pairs[pair] += count
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], ids[pair[0]], ids[pair[1]]))
        learnt.append(best)
        ids.setdefault("".join(best), len(ids))
        words = Counter(
            {merged(word, best): count for word, count in words.items()}  # words stay different
        )
    return learnt


def merged(word: tuple[str, ...], pair: tuple[str, str]) -> tuple[str, ...]:
    """The word with this pair merged wherever it stands, from left to right."""
    found: list[str] = []
    rest = list(word)
    while rest:
        if tuple(rest[:2]) == pair:
            found.append("".join(pair))
            del rest[:2]
        else:
            found.append(rest.pop(0))
    return tuple(found)


@pytest.mark.parametrize(
    ("schema", "units"),
    [("kannada", UNIT), (str(ROOT / "schemas" / "paper" / "kannada-ospe.json"), LITERAL)],
    ids=["kannada", "paper"],
)
def test_what_is_learnt_is_what_the_paper_says(
    tmp_path: Path, schema: str, units: regex.Pattern[str]
) -> None:
    enc = train(
        [TEXT],
        schemas=[schema],
        base="none",
        words="whitespace",
        end_of_word=True,
        collapse_spaces=True,
        vocab_size=100,
        prune=1,
        min_freq=1,
        specials=[],
    )
    enc.save(tmp_path / "ospe.wwho")
    model = read_artifact((tmp_path / "ospe.wwho").read_bytes())
    syllables = unit_model(model)
    texts = [text.decode() for text in syllables.texts]
    found = [(texts[left], texts[right]) for left, right in syllables.merges]
    assert len(found) > 20
    assert found == learn(TEXT, units, len(found))
    assert enc.decode(enc.encode(TEXT)) == "".join(f"{word} " for word in TEXT.split())
    assert losses(model)


def test_syllables_of_the_notes() -> None:
    for text, count in (("ಅರಮನೆಯಲ್ಲಿ", 6), ("ಗಂಡ", 2), ("ಸಾಫ್ಟ್\u200cವೇರ್", 3), ("ಕೃಷ್ಣ", 2)):
        assert len(UNIT.findall(text)) == count


def test_the_ratio_of_the_paper(corpora: Path) -> None:
    """Table IV: 3.33 times as many bytes of text as of ids of four bytes each."""
    text = lzma.decompress((corpora / "test_kn.txt.xz").read_bytes()).decode()
    enc = train(
        Corpus([str(corpora / "train_kn.txt.xz")]),
        schemas=["kannada"],
        base="none",
        words="whitespace",
        end_of_word=True,
        vocab_size=50_257 - 256,
        prune=1,
        min_freq=1,
        specials=[],
        collapse_spaces=True,
    )
    assert enc.n_vocab == 50_257
    assert round(len(text.encode()) / (4 * enc.count(text)), 2) in (3.33, 3.34)
