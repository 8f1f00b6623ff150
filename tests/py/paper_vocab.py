"""A vocab.json as the WWHO paper's trainer lays it out, learnt by the trainer of this package."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from wwho.assemble.training_artifacts import counting_model, unit_model
from wwho.compile.paper_scanners import paper_scanners
from wwho.compile.schema_loader import load_schema
from wwho.corpus import Corpus
from wwho.format.model import Added, Artifact
from wwho.format.write import write_artifact
from wwho.progress import ignore
from wwho.tokenizer import Tokenizer
from wwho.train.count import count_corpus
from wwho.train.native import Merger

NAMES = ("paper/sinhala", "paper/devanagari")
SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def learn_vocab(corpus: Path, *, vocab_size: int, prune: int, min_freq: int = 2) -> dict[str, Any]:
    """Learn from a text file: special tokens, tokens by how often they end up in it, the others."""
    schemas = [load_schema(name, allow_invalid=True) for name in NAMES]
    cutter = replace(counting_model(schemas), scanners=paper_scanners(schemas))
    words = count_corpus(Corpus([corpus]), cutter, {}, processes=1, advance=ignore).words
    atoms = tuple(sorted(unit for unit, count in words.count_units().items() if count >= prune))
    room = vocab_size - len(SPECIALS) - len(atoms)
    merges = Merger(words, atoms, max_merges=room, min_freq=min_freq).run().merges()
    units = replace(
        unit_model(cutter), symbols=atoms, merges=merges, first_id=257, space_id=None, unk_id=256
    )
    models = (cutter.models[0], units)
    model = replace(cutter, models=models, added=(Added("[UNK]", 256),))
    texts = [text.decode() for text in unit_model(model).texts]
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


def frequencies(model: Artifact, corpus: Path) -> Counter[int]:
    """How often each atom and merged token, by its place, is in the lines of a file."""
    tokenizer = Tokenizer(write_artifact(model), "native")
    found: Counter[int] = Counter()
    with corpus.open(encoding="utf-8", newline="\n") as file:
        while lines := file.readlines(1 << 22):
            found.update(tokenizer.encode("".join(lines), unk="token"))
    return Counter(
        {
            token - unit_model(model).first_id: n
            for token, n in found.items()
            if token >= unit_model(model).first_id
        }
    )


def vocab_json(document: dict[str, Any]) -> bytes:
    """The file, laid out as theirs."""
    return json.dumps(document, ensure_ascii=False, indent=2).encode()
