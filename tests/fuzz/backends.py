"""Compare the three backends on random models; see models.py.

    python tests/fuzz/fuzz.py models [--seconds N] [--seed S]

Where `wwho verify` finds no fault in a model, native, WebAssembly and reference give the same ids.
Where it finds one, ids are not defined, but the text comes back, and the two builds of the core
agree. What one backend refuses, all refuse, for the same reason.
"""

from __future__ import annotations

import hashlib
import re
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

from differential import ROOT, shrink
from models import random_model

from wwho import Tokenizer
from wwho.backends import header
from wwho.backends.select import BackendName
from wwho.cli.verify_artifact import list_checks, run_checks
from wwho.errors import ArtifactError
from wwho.format.model import Artifact, Flag, Unknown
from wwho.format.steps import Action, Cut
from wwho.format.write import write_artifact
from wwho.sampling import Sample

HEADER = (ROOT / "wasm" / "include" / "wwho.h").read_text("utf-8")
STATUSES = re.findall(r"WWHO_([A-Z_]+) = (\d+)", HEADER.partition("/* Kinds of sections")[0])
STATUS_NAMES = {int(number): name for name, number in STATUSES}
LONGEST = 2048  # bytes of a text
MOST_IDS = 1 << 18  # of one, which steps may make longer
MORE_SCRATCH = 4 << 20  # for texts that several steps make longer


@cache
def engine() -> Any:
    """wwho.wasm, compiled once: the engine and the module."""
    import wasmtime

    engine = wasmtime.Engine()
    return engine, wasmtime.Module.from_file(engine, str(ROOT / "web" / "package" / "wwho.wasm"))


class Wasm:
    """A model in wwho.wasm, in an instance of its own."""

    def __init__(self, blob: bytes) -> None:
        """Open it.

        Raises:
            ArtifactError: it breaks a MUST of FORMAT.md.
        """
        import wasmtime

        compiled, module = engine()
        self._store = wasmtime.Store(compiled)
        instance: Any = wasmtime.Instance(self._store, module, [])
        self._exports = instance.exports(self._store)
        self._top = -(-self._exports["__heap_base"].value(self._store) // 16) * 16
        self._out = self._take(64)  # a number, then a wwho_job
        artifact = self._put(blob)
        work = self._call("workspace_size", artifact, len(blob))
        self._model = self._call("open", artifact, len(blob), self._take(work), work)
        size = self._exports["scratch_size"](self._store, self._model)
        size += MORE_SCRATCH
        self._text, self._ids = self._take(LONGEST), self._take(4 * MOST_IDS)
        self._request = self._take(header.SAMPLING["size"])
        job = (self._take(size), size, self._ids, 0, 0, MOST_IDS)  # its first fields
        memory = self._exports["memory"]
        memory.write(self._store, b"".join(each.to_bytes(4, "little") for each in job), self._out)

    def _take(self, size: int) -> int:
        """The address of so many bytes, zero and aligned; never given back."""
        start, self._top = self._top, -(-(self._top + size) // 16) * 16
        memory = self._exports["memory"]
        pages = -(-(self._top - memory.data_len(self._store)) // 65536)
        memory.grow(self._store, max(0, pages))
        return int(start)

    def _put(self, data: bytes) -> int:
        """The address of these bytes."""
        start = self._take(len(data))
        self._exports["memory"].write(self._store, data, start)
        return start

    def _call(self, name: str, *arguments: int, at: int = 0) -> int:
        """The number that a function writes, so many bytes behind the start."""
        if status := self._exports[name](self._store, *arguments, self._out):
            raise ArtifactError(name, status=STATUS_NAMES[status])
        data = self._exports["memory"].read(self._store, self._out + at, self._out + at + 4)
        return int.from_bytes(data, "little")

    def encode(self, text: bytes) -> list[int]:
        """The ids of a text of at most `LONGEST` bytes."""
        memory = self._exports["memory"]
        memory.write(self._store, text, self._text)
        n = self._call("encode", self._model, self._text, len(text), 0, at=52)  # of the wwho_job
        return memoryview(memory.read(self._store, self._ids, self._ids + 4 * n)).cast("I").tolist()

    def sample(
        self, text: bytes, *, seed: int, dropout: float = 0.0, sample: Sample = (0.0, 1)
    ) -> list[int]:
        """The ids that are drawn of a text of at most `LONGEST` bytes."""
        memory = self._exports["memory"]
        memory.write(self._store, text, self._text)
        alpha, n_best = sample
        request = struct.pack("<QddIIII", seed, dropout, alpha, n_best & 0xFFFFFFFF, 0, 0, 0)
        memory.write(self._store, request, self._request)
        n = self._call("sample", self._model, self._text, len(text), 0, self._request, at=52)
        return memoryview(memory.read(self._store, self._ids, self._ids + 4 * n)).cast("I").tolist()


@dataclass(frozen=True)
class Finding:
    """A model and a text on which backends differ, and how."""

    blob: bytes
    text: bytes
    what: str

    def write(self, folder: Path) -> Path:
        """Keep the two in files; the path of the model's."""
        folder.mkdir(parents=True, exist_ok=True)
        name = f"models-{hashlib.sha1(self.blob + self.text).hexdigest()[:12]}"
        (folder / f"{name}.txt").write_bytes(self.text)
        (folder / f"{name}.wwho").write_bytes(self.blob)
        return folder / f"{name}.wwho"


@dataclass
class Outcome:
    """What a run came to: models by the fault that `verify` finds, texts, and differences."""

    models: Counter[str] = field(default_factory=Counter)
    texts: int = 0
    findings: list[Finding] = field(default_factory=list)

    def __str__(self) -> str:
        found = [f"A FINDING: {finding.what}" for finding in self.findings] or ["no finding"]
        verdicts = ", ".join(f"{n:,} {name}" for name, n in self.models.most_common())
        return f"{'models':9}{self.texts:>12,} texts of models: {verdicts}; {', '.join(found)}"


def open_backends(blob: bytes) -> tuple[list[Any], list[str]]:
    """Return the backends that open a model, and what each backend says: "ok", or a status."""
    names: tuple[BackendName, ...] = ("native", "reference")
    found: list[Any] = []
    statuses = []
    makers: list[Callable[[], Any]] = [partial(Tokenizer, blob, name) for name in names]
    makers.append(partial(Wasm, blob))
    for make in makers:
        try:
            found.append(make())
            statuses.append("ok")
        except ArtifactError as error:
            statuses.append(str(error.status))
    return found, statuses


def is_lossless(artifact: Artifact) -> bool:
    """Whether the text comes back: nothing rewrites or drops it, or makes it unk_id unasked."""
    cuts = [step for step in artifact.steps if isinstance(step, Cut)]
    rewrites = len(cuts) < len(artifact.steps) or artifact.decoder
    drops = any(Action.DROP in step.actions for step in cuts)
    strips = any(token.flags & (Flag.LSTRIP | Flag.RSTRIP) for token in artifact.added)
    loses = any(
        model.unknown is Unknown.ID
        or (model.unknown is Unknown.NONE and getattr(model, "units", False))
        or getattr(model, "affixes", False)
        or None in model.byte_ids
        or None in model.stated
        for model in artifact.models
    )
    return not (rewrites or drops or strips or loses)


def random_draws(rng: Random, kinds: set[str]) -> dict[str, Any]:
    """Options of `encode` that draw something of models of these kinds; {} if nothing can be."""
    options: dict[str, Any] = {}
    both = rng.random() < 0.5
    if "bpe" in kinds and (both or "viterbi" not in kinds or rng.random() < 0.5):
        options["dropout"] = rng.choice((0.1, 0.5, 1.0, rng.random(), 2.0**-32))
    if "viterbi" in kinds and (both or not options):
        options["sample"] = rng.choice((0.0, 0.1, 5.0, 1e300, rng.random())), -1
    if options:
        options["seed"] = rng.choice((0, 2**64 - 1, rng.getrandbits(64)))
    return options


def differences(blob: bytes, text: bytes, *, defined: bool) -> Iterator[str]:
    """Yield how the backends that open a model differ on a text, as `list_differences` does."""
    (native, reference, wasm), _ = open_backends(blob)
    yield from list_differences(native, reference, wasm, text, defined=defined)


def list_differences(
    native: Tokenizer, reference: Tokenizer, wasm: Wasm, text: bytes, *, defined: bool
) -> Iterator[str]:
    """Yield how three open backends differ on a text; `defined` says whether its ids are."""
    ids = native.encode(text)
    if native.encode(text) != ids:
        yield "native twice"
    if wasm.encode(text) != ids:
        yield "native and WebAssembly"
    if native.segment(text) != reference.segment(text):
        yield "segments"
    if native.count_till_limit(text, len(ids)) != len(ids):
        yield "ids and their count"
    artifact = reference._backend.artifact  # type: ignore[attr-defined]
    if is_lossless(artifact) and native.decode_bytes(ids) != text:
        yield "the text and what its ids decode to"
    for skip in (False, True):
        options: Any = {"skip_special_tokens": skip}
        if native.decode_bytes(ids, **options) != reference.decode_bytes(ids, **options):
            yield f"native and reference, decoding, {options}"
    rng, kinds = Random(text), {model.kind for model in native.info.models}
    allowing = ("all", frozenset[str]())
    unks = ("spell", "token")[: 1 + (native.info.unk_id is not None)]
    some = rng.choices(sorted(artifact.decoded), k=rng.randint(1, 40))
    for skip in (False, True):
        options = {"skip_special_tokens": skip}
        if native.decode_bytes(some, **options) != reference.decode_bytes(some, **options):
            yield f"native and reference, decoding {some}, {options}"
    for _ in range(3):
        drawn = random_draws(rng, kinds)
        ours = native.encode_with_offsets(text, **drawn)
        options = {**drawn, "allowed_special": rng.choice(allowing), "unk": rng.choice(unks)}
        if native.encode_with_offsets(text, **options) != reference.encode_with_offsets(
            text, **options
        ):
            yield f"native and reference, {options}"
        if wasm.sample(text, **drawn) != ours[0]:
            yield f"native and WebAssembly, {drawn}"
        if is_lossless(artifact) and native.decode_bytes(ours[0]) != text:
            yield f"the text and what its ids decode to, {drawn}"
    if native.encode(text) != ids:
        yield "native, after ids that were drawn"
    if not defined:
        return
    for allowed in allowing:
        yield from unsafe_cuts(native, text, allowed)
    for unk in unks:
        for allowed in allowing:
            options = {"unk": unk, "allowed_special": allowed}
            if native.info.template is not None and rng.random() < 0.5:
                pair = rng.choice((None, text[len(text) // 2 :][:40]))
                options |= {"add_special_tokens": True, "pair": pair}
            ours = native.encode_with_offsets(text, **options)
            if ours != reference.encode_with_offsets(text, **options):
                yield f"native and reference, {options}"


def unsafe_cuts(native: Tokenizer, text: bytes, allowed: Any) -> Iterator[str]:
    """Yield where the core lets a text be cut, though the ids of both parts are others."""
    _, mask = native._bytes_and_mask(text, allowed, None)
    whole = native._backend.encode(text, mask, False)
    for end in range(0, len(text) + 1, 1 + len(text) // 16):
        head, cut, place = native._backend.encode_part(text[:end], True, 0, mask, False, "list")
        tail, _, _ = native._backend.encode_part(text[cut:], False, place, mask, False, "list")
        assert isinstance(head, list)
        assert isinstance(tail, list)
        if head + tail != whole:
            yield f"cut at {cut} of {end} bytes, allowing {allowed}"


def examine(blob: bytes, texts: list[bytes], outcome: Outcome) -> None:
    """Compare the backends on a model's texts, up to a difference."""
    backends, statuses = open_backends(blob)
    if len(set(statuses)) > 1:
        outcome.findings.append(Finding(blob, b"", f"statuses {statuses}"))
    if statuses[0] != "ok" or outcome.findings:
        outcome.models[statuses[0]] += 1
        return
    faults = [
        str(getattr(fault, "status", fault))
        for _, fault in run_checks(list_checks(blob, "native"))
        if fault
    ]
    outcome.models[faults[0] if faults else "ok"] += 1
    for text in texts:
        outcome.texts += 1
        native, reference, wasm = backends
        found = next(list_differences(native, reference, wasm, text, defined=not faults), None)
        if found is None:
            continue

        def differs(shorter: str) -> bool:
            return any(differences(blob, shorter.encode("latin-1"), defined=not faults))

        # not shorter where it depends on texts before, which have filled the cache
        whole = text.decode("latin-1")
        shortest = shrink(whole, differs) if differs(whole) else whole
        outcome.findings.append(Finding(blob, shortest.encode("latin-1"), found))
        return


def run(seconds: float, seed: str, least: int = 0) -> Outcome:
    """Compare for so long, but on at least so many models, or up to a finding."""
    rng, outcome, end = Random(seed), Outcome(), time.monotonic() + seconds
    while not outcome.findings and (outcome.models.total() < least or time.monotonic() < end):
        model, texts = random_model(rng)
        examine(write_artifact(model), texts, outcome)
    return outcome
