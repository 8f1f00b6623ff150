"""`wwho verify`: every check of an artifact."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING

from wwho.cli import options as shared
from wwho.cli import streams
from wwho.errors import ArtifactError, WwhoError

if TYPE_CHECKING:
    from wwho.backends.select import BackendName
    from wwho.format.bpe import BPE
    from wwho.format.model import Artifact

NAME = "verify"
HELP = (
    "check all of a .wwho file: each rule of its format with two readers, that each token encodes "
    "to itself, and its quality"
)
EXAMPLE = "  $ wwho verify wwho_328k"

Check = tuple[str, Callable[[], object]]
WORDS = {True: "ok", False: "FAILED", None: "skipped"}


class SkippedError(WwhoError):
    """A check cannot be made here; that says nothing about the artifact."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    checks = '{"file", "ok", "checks": [{"check", "ok", "status", "message"}]'
    gate = '"quality", "gate": [{"rule", "found", "of", "verdict"}]}'
    shared.add_json(parser, f'{checks}, {gate}; "ok" is null where a check was skipped')
    parser.add_argument(
        "--gate",
        action="store_true",
        help="exit with 1 also where the quality gate fails the vocabulary; else it only tells",
    )
    shared.add_artifact(parser)


def run(options: argparse.Namespace) -> int:
    """Run the checks in turn; the first one that fails ends it, with exit code 1."""
    from wwho.backends.select import default_backend, open_backend
    from wwho.evaluate.check.quality import quality, worst

    rows: list[dict[str, object]] = []
    blob = shared.read_artifact(options.model)
    best = default_backend()
    for check, fault in results(checks(blob, best)):
        verdict = None if isinstance(fault, SkippedError) else fault is None
        row: dict[str, object] = {"check": check, "ok": verdict}
        if fault is not None:
            row |= {"status": getattr(fault, "status", ""), "message": str(fault)}
        rows.append(row)
        if not options.json:
            told = "" if fault is None else f": {fault}"
            streams.write_lines([f"{WORDS[verdict]:<7} {check}{told}"])
    facts = {"file": options.model, "ok": all(row["ok"] is not False for row in rows)}
    facts |= {"checks": rows}
    if facts["ok"]:
        gate = quality(open_backend(blob, best))
        facts |= {"quality": worst(gate), "gate": [asdict(finding) for finding in gate]}
        if not options.json:
            streams.write_lines(
                f"{each.verdict:<7} quality: {each.found:,} of {each.of:,} {each.rule}"
                for each in gate
            )
    if options.json:
        streams.write_json(facts)
    return 0 if facts["ok"] and not (options.gate and facts["quality"] == "fail") else 1


def results(planned: Iterator[Check]) -> Iterator[tuple[str, WwhoError | None]]:
    """Run checks until one fails; each comes with the error it raised, None where it passed.

    One that is skipped comes with why, and does not end them.
    """
    for name, check in planned:
        try:
            check()
        except SkippedError as why:
            yield name, why
            continue
        except WwhoError as error:
            yield name, error
            return
        yield name, None


def checks(blob: bytes, best: BackendName) -> Iterator[Check]:
    """The checks, cheapest first; those after the second may rely on a model that can be read."""
    from wwho.format.container import read_container
    from wwho.format.read import read_artifact

    read = cache(lambda: read_artifact(blob))
    yield "header, checksum, section table", lambda: read_container(blob)
    yield "every section, by the reference reader", read
    artifact = read()
    core: BackendName = "wasm" if best == "wasm" else "native"
    yield f"every section, by the {core} core", lambda: check_core(blob, core, there=best == core)
    yield "the canonical bytes of this model", lambda: check_canonical(artifact, blob)
    yield "every token encodes to itself", lambda: check_replay(artifact)


def check_core(blob: bytes, core: BackendName, *, there: bool) -> None:
    """The compiled core must open it.

    Raises:
        ArtifactError: it does not; `.status` says why.
        SkippedError: there is no compiled core here.
    """
    from wwho.tokenizer import Tokenizer

    if not there:
        raise SkippedError("it cannot be imported here")
    Tokenizer.from_bytes(blob, backend=core)


def check_canonical(artifact: Artifact, blob: bytes) -> None:
    """Writing the model again must give the same bytes.

    Raises:
        ArtifactError: it does not (status CANONICAL).
    """
    from wwho.format.write import write_artifact

    again = write_artifact(artifact)
    if again != blob:
        same = next((k for k, (a, b) in enumerate(zip(again, blob, strict=False)) if a != b), 0)
        raise ArtifactError(
            f"written again, the model has {len(again)} bytes, its file {len(blob)}; "
            f"byte {same} is the first that differs",
            status="CANONICAL",
        )


def check_replay(artifact: Artifact) -> None:
    """Merging a token's own parts must end with the token (FORMAT.md, Encoding).

    Raises:
        ArtifactError: one does not (status REPLAY).
    """
    from wwho.format.bpe import BPE

    for number, model in enumerate(artifact.models):
        if isinstance(model, BPE):
            first, end = model.first_superword, len(model.ranks)
            replay(f"model {number}:", model, model.n_symbols, range(model.n_symbols, first))
            replay(f"model {number}: superword", model, first, range(first, end))


def replay(name: str, model: BPE, n_singles: int, tokens: range) -> None:
    """Replay tokens of a model from their single parts: symbols, or for superwords all others.

    Where the two parts of a token were replayed before, only pairs across their seam can keep it
    from being made, and only those are looked at.
    """
    from wwho.format.layout import MAX_IDS
    from wwho.format.model import expand
    from wwho.reference.merge import merge

    pair = {token: model.merges[token - model.n_symbols] for token in tokens}
    made = {parts: token for token, parts in pair.items()}
    singles: dict[int, tuple[int, ...]] = {single: (single,) for single in range(n_singles)}

    def meet(left: int, right: int) -> bool:
        """Whether no pair across the seam of two tokens merges before both are made.

        Back in time, whichever of them was made last is replaced by its part at the seam.
        """
        while max(left, right) >= n_singles:
            if last_is_left := left > right:
                made_at, left = left, pair[left][1]
            else:
                made_at, right = right, pair[right][0]
            # of equal ranks, the left one merges first
            if made.get((left, right), MAX_IDS) < made_at + (not last_is_left):
                return False
        return True

    plain = not model.parts_later and not model.ties  # each token comes after its parts in rank
    # That of fewest symbols first: a part may have a higher number than the token, but has fewer.
    symbols = expand([b"."] * model.n_symbols, model.merges)
    for token in sorted(tokens, key=lambda token: len(symbols[token])):
        left, right = pair[token]
        singles[token] = singles[left] + singles[right]
        if plain and meet(left, right):
            continue
        found = merge(singles[token], made, model.ranks)
        if found != [token]:
            raise ArtifactError(
                f"{name} token {token} is made of {left} and {right}, but its own text merges to "
                f"{found}: this is no vocabulary of a BPE trainer",
                status="REPLAY",
            )
