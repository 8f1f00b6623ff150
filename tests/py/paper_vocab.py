"""A vocab.json as the WWHO paper's trainer lays it out, learnt by the trainer of this package."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from wwho.build.assemble import counting_model
from wwho.corpus import Corpus
from wwho.format.model import Model
from wwho.format.write import write_model
from wwho.progress import Progress, ignore
from wwho.schema.load import load_schema
from wwho.schema.paper import paper_scanners
from wwho.tokenizer import Tokenizer
from wwho.train.count import count_corpus
from wwho.train.learn import learn_merges

NAMES = ("paper/sinhala", "paper/devanagari")
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def learn_vocab(corpus: Path, *, vocab_size: int, prune: int, min_freq: int = 2) -> dict[str, Any]:
    """Learn from a text file: special tokens, tokens by how often they end up in it, the others."""
    schemas = [load_schema(name, allow_invalid=True) for name in NAMES]
    cutter = replace(counting_model(schemas), scanners=paper_scanners(schemas))
    words = count_corpus(Corpus([corpus]), cutter, {}, processes=1, advance=ignore).words
    counts = {unit[0]: count for unit, count in words.units().items()}
    atoms = tuple(sorted(unit for unit, count in counts.items() if count >= prune))
    room = vocab_size - len(SPECIALS) - len(atoms)
    merges = learn_merges(words, atoms, room, min_freq=min_freq, bars=Progress(False)).merges()
    unk = {"[UNK]": cutter.n_base}
    first_atom = cutter.n_base + 1
    model = replace(
        cutter,
        first_atom=first_atom,
        atoms=atoms,
        merges=merges,
        space_id=None,
        unk_id=cutter.n_base,
        specials=unk,
    )
    texts = [text.decode() for text in model.sgpe_tokens]
    often = [texts[token] for token, _ in frequencies(model, corpus).most_common()]
    ordered = dict.fromkeys([*SPECIALS, *often, *texts])
    return {
        "version": "wwho_sgpe",
        "script_mode": "mixed",
        "vocab_size": len(ordered),
        "special_tokens": list(SPECIALS),
        "num_merges": len(merges),
        "prune_freq": prune,
        "leading_space": True,
        "merges": [[texts[left], texts[right]] for left, right in merges],
        "vocab": {text: number for number, text in enumerate(ordered)},
    }


def frequencies(model: Model, corpus: Path) -> Counter[int]:
    """How often each atom and merged token, by its place, is in the lines of a file."""
    tokenizer = Tokenizer(write_model(model), "native")
    found: Counter[int] = Counter()
    with corpus.open(encoding="utf-8", newline="\n") as file:
        while lines := file.readlines(1 << 22):
            found.update(tokenizer.encode("".join(lines), unk="token"))
    return Counter(
        {token - model.first_atom: n for token, n in found.items() if token >= model.first_atom}
    )


def vocab_json(document: dict[str, Any]) -> bytes:
    """The file, laid out as theirs."""
    return json.dumps(document, ensure_ascii=False, indent=2).encode()
