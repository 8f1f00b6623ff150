"""`wwho verify`: checks all of an artifact, and judges its vocabulary."""

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
"""A check: its name, and a function that raises WwhoError if it fails."""
WORDS = {True: "ok", False: "FAILED", None: "skipped"}


class SkippedError(WwhoError):
    """The error of a check that cannot be made here, which says nothing about the artifact."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options to the parser: the model, `--gate`, `--json`."""
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
    """Run the checks in turn, and print each result as it comes, or with `--json` at the end.

    The first check that fails ends the run. If none does, the quality gate judges the vocabulary.

    Returns:
        The exit code: 1 where a check fails, or with `--gate` where the gate does; else 0.
    """
    from wwho.backends.select import default_backend, open_backend
    from wwho.evaluate.check.quality_gate import judge_vocabulary, worst_verdict

    rows: list[dict[str, object]] = []
    blob = shared.read_artifact(options.model)
    best = default_backend()
    for check, fault in run_checks(list_checks(blob, best)):
        verdict = None if isinstance(fault, SkippedError) else fault is None
        row: dict[str, object] = {"check": check, "ok": verdict}
        if fault is not None:
            row |= {"status": getattr(fault, "status", ""), "message": str(fault)}
        rows.append(row)
        if not options.json:
            reason = "" if fault is None else f": {fault}"
            streams.write_lines([f"{WORDS[verdict]:<7} {check}{reason}"])
    facts = {"file": options.model, "ok": all(row["ok"] is not False for row in rows)}
    facts |= {"checks": rows}
    if facts["ok"]:
        gate = judge_vocabulary(open_backend(blob, best))
        facts |= {"quality": worst_verdict(gate), "gate": [asdict(finding) for finding in gate]}
        if not options.json:
            streams.write_lines(
                f"{each.verdict:<7} quality: {each.found:,} of {each.of:,} {each.rule}"
                for each in gate
            )
    if options.json:
        streams.write_json(facts)
    return 0 if facts["ok"] and not (options.gate and facts["quality"] == "fail") else 1


def run_checks(checks: Iterator[Check]) -> Iterator[tuple[str, WwhoError | None]]:
    """Run checks until one fails, and yield the name of each with its error; None if it passed.

    A skipped check comes with a `SkippedError`, and the next ones are run. A check is run only when
    its result is asked for.
    """
    for name, check in checks:
        try:
            check()
        except SkippedError as why:
            yield name, why
            continue
        except WwhoError as error:
            yield name, error
            return
        yield name, None


def list_checks(blob: bytes, best: BackendName) -> Iterator[Check]:
    """Yield the checks of an artifact, the cheapest first, to be run before the next is asked for.

    Checks after the second rely on a model that the reference reader can read, and asking for the
    third without running the second raises what the reader raises.

    Args:
        blob: the artifact.
        best: the fastest backend that works here, which says what compiled core there is.
    """
    from wwho.format.container import read_container
    from wwho.format.read import read_artifact

    read = cache(lambda: read_artifact(blob))
    yield "header, checksum, section table", lambda: read_container(blob)
    yield "every section, by the reference reader", read
    artifact = read()
    core: BackendName = "wasm" if best == "wasm" else "native"
    yield f"every section, by the {core} core", lambda: check_core(blob, core, is_here=best == core)
    yield "the canonical bytes of this model", lambda: check_canonical(artifact, blob)
    yield "every token encodes to itself", lambda: check_merges(artifact)


def check_core(blob: bytes, core: BackendName, *, is_here: bool) -> None:
    """Check that the compiled core opens an artifact.

    Raises:
        ArtifactError: the core refuses it; `.status` says why.
        SkippedError: there is no compiled core here.
    """
    from wwho.tokenizer import Tokenizer

    if not is_here:
        raise SkippedError("it cannot be imported here")
    Tokenizer.from_bytes(blob, backend=core)


def check_canonical(artifact: Artifact, blob: bytes) -> None:
    """Check that writing a model again gives the bytes that it was read from.

    Raises:
        ArtifactError: it gives others (status CANONICAL); the message has the first byte that
            differs.
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


def check_merges(artifact: Artifact) -> None:
    """Check that the symbols of each token of a BPE, merged alone, end as that token.

    FORMAT.md asks for it in its section Encoding. Superwords are merged from the other tokens.
    Models that are no BPE are not checked.

    Raises:
        ArtifactError: a token's symbols end otherwise (status REPLAY).
    """
    from wwho.format.bpe import BPE

    for number, model in enumerate(artifact.models):
        if isinstance(model, BPE):
            first, end = model.first_superword, len(model.ranks)
            words = range(model.n_symbols, first)
            check_token_merges(f"model {number}:", model, model.n_symbols, words)
            check_token_merges(f"model {number}: superword", model, first, range(first, end))


def check_token_merges(name: str, model: BPE, n_singles: int, tokens: range) -> None:
    """Check that some tokens of a model come out when their single parts are merged by rank.

    Where both parts of a token came out before, only a pair across the seam between them can keep
    the token from being made. Then only those pairs are looked at, which is much faster.

    Args:
        name: what the message calls the tokens.
        model: the model.
        n_singles: tokens below this number are single parts: symbols, or for superwords all
            tokens of words.
        tokens: the tokens to check, which are made of single parts and of each other.

    Raises:
        ArtifactError: a token does not come out (status REPLAY).
    """
    from wwho.format.layout import MAX_IDS
    from wwho.format.model import expand
    from wwho.reference.merge import merge

    parts_of = {token: model.merges[token - model.n_symbols] for token in tokens}
    made_by = {parts: token for token, parts in parts_of.items()}
    singles: dict[int, tuple[int, ...]] = {single: (single,) for single in range(n_singles)}

    def can_meet(left: int, right: int) -> bool:
        """Return whether no pair across the seam of two tokens merges before both are made.

        Goes back in time: the token that was made last is replaced by its part at the seam.
        """
        while max(left, right) >= n_singles:
            if last_is_left := left > right:
                made_at, left = left, parts_of[left][1]
            else:
                made_at, right = right, parts_of[right][0]
            # Of pairs of equal rank, the left one merges first.
            if made_by.get((left, right), MAX_IDS) < made_at + (not last_is_left):
                return False
        return True

    # Then the order of the tokens is that of their ranks, and each comes after its parts.
    is_in_rank_order = not model.parts_later and not model.ties
    # That of fewest symbols first: a part may have a higher number than the token, but has fewer.
    symbols = expand([b"."] * model.n_symbols, model.merges)
    for token in sorted(tokens, key=lambda token: len(symbols[token])):
        left, right = parts_of[token]
        singles[token] = singles[left] + singles[right]
        if is_in_rank_order and can_meet(left, right):
            continue
        merged = merge(singles[token], made_by, model.ranks)
        if merged != [token]:
            raise ArtifactError(
                f"{name} token {token} is made of {left} and {right}, but its own text merges to "
                f"{merged}: this is no vocabulary of a BPE trainer",
                status="REPLAY",
            )
