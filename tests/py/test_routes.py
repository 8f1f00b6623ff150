"""Random routes of up to six steps of all kinds that a route may have: what holds for each.

The reference backend is the plain walk; `tests/fuzz/models.py` makes the routes.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from random import Random

import oracle
from exhaustive import examples
from hypothesis import given
from hypothesis import strategies as st

sys.path.insert(0, str(oracle.ROOT / "tests" / "fuzz"))

import models

from wwho.backends.reference import ReferenceBackend
from wwho.format.automaton import CompiledScanners
from wwho.format.bpe import BPE
from wwho.format.model import Artifact, Route
from wwho.format.read import read_artifact
from wwho.format.steps import Action, Cut, Ends, Map, Spell, Step
from wwho.format.write import write_artifact
from wwho.reference.piece import Piece, read_piece
from wwho.reference.walk import Walk

seeds = st.integers(0, 2**32)
LETTERS = sorted(set(models.CHARACTERS))


def random_route(seed: int) -> tuple[Artifact, bytes]:
    """Return a tokenizer of bytes with one route of random steps, and a text for it."""
    rng = Random(seed)
    letters = rng.choices(models.CHARACTERS, k=rng.randint(2, 9))
    classes = models.random_classes(rng, letters)
    automata = tuple(models.random_automaton(rng, classes.n_classes, 3) for _ in range(3))
    cuts = [models.random_cut(rng, number) for number in range(3)]
    steps = models.random_route(rng, cuts, letters)
    if rng.random() < 0.2:
        steps = (*steps, models.random_blocks(rng, sorted(set(letters))))
    artifact = Artifact(
        scanners=CompiledScanners(classes, automata),
        routes=(Route("text", 0, steps),),
        models=(BPE(),),
        provenance={"name": "random route"},
    )
    text = "".join(rng.choices([*letters, *LETTERS], k=rng.randint(0, 30))).encode()
    if rng.random() < 0.3:
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice((b"\xff", b"\xe0\xb6", b"\x80")) + text[at:]
    return artifact, text


def with_steps(artifact: Artifact, *steps: Step) -> Artifact:
    """Return the tokenizer with other steps in its route."""
    return replace(artifact, routes=(replace(artifact.routes[0], steps=steps),))


def pretokens(artifact: Artifact, text: Piece) -> list[Piece]:
    """Return the pretokens of a text."""
    return list(Walk(artifact).pretokens(text, 0))


def drops(artifact: Artifact) -> bool:
    """Return whether a route leaves out text."""
    steps = artifact.routes[0].steps
    cuts = [step for step in steps if isinstance(step, Cut)]
    return any(Action.DROP in step.actions for step in cuts) or artifact.blocks is not None


@examples(400)
@given(seed=seeds)
def test_sources_are_characters_of_the_text_in_order(seed: int) -> None:
    """Pretokens are not empty; sources never go back, and miss nothing that is not dropped."""
    artifact, text = random_route(seed)
    whole = read_piece(text)
    pieces = pretokens(artifact, whole)
    assert all(len(piece.text) == len(piece.sources) > 0 for piece in pieces)
    sources = [source for piece in pieces for source in piece.sources]
    assert sources == sorted(sources)
    assert set(sources) <= set(whole.sources)
    if not drops(artifact):
        assert set(sources) == set(whole.sources)


@examples(400)
@given(seed=seeds)
def test_tokens_and_spans_stand_in_the_text(seed: int) -> None:
    """And without dropped text, each character belongs to a token."""
    artifact, text = random_route(seed)
    blob = write_artifact(artifact)
    assert write_artifact(read_artifact(blob)) == blob
    backend = ReferenceBackend(blob)
    ids, starts, ends, spans = backend.encode_with_spans(text, None, False)
    assert backend.encode(text, None, False) == ids
    assert backend.count(text, None, False, 2**31) == len(ids)
    for places in (zip(starts, ends, strict=True), [(span.start, span.end) for span in spans]):
        before = 0, 0
        for start, end in places:
            assert 0 <= start < end <= len(text)
            assert before <= (start, end)
            before = start, end
    if not drops(artifact):
        covered = {at for start, end in zip(starts, ends, strict=True) for at in range(start, end)}
        assert covered == set(range(len(text)))


@examples(400)
@given(seed=seeds)
def test_a_step_sees_its_piece_alone(seed: int) -> None:
    """What later steps make of a piece is what they make of it as a text of its own."""
    artifact, text = random_route(seed)
    steps = [
        replace(step, first=False) if isinstance(step, Ends) else step
        for step in artifact.routes[0].steps
    ]
    for number in range(len(steps)):
        before = pretokens(with_steps(artifact, *steps[:number]), read_piece(text))
        later = with_steps(artifact, *steps[number:])
        alone = [made.text for piece in before for made in pretokens(later, read_piece(piece.data))]
        whole = pretokens(with_steps(artifact, *steps), read_piece(text))
        assert alone == [piece.text for piece in whole]


@examples(400)
@given(seed=seeds)
def test_cuts_alone_leave_the_bytes(seed: int) -> None:
    """Without dropped text, the pretokens are the text; each stands where its bytes are."""
    artifact, text = random_route(seed)
    cuts = [step for step in artifact.routes[0].steps if isinstance(step, Cut)]
    cuts = [
        replace(step, actions=tuple(Action.KEEP if a is Action.DROP else a for a in step.actions))
        for step in cuts
    ]
    artifact = with_steps(artifact, *cuts)
    pieces = pretokens(artifact, read_piece(text))
    assert b"".join(piece.data for piece in pieces) == text
    backend = ReferenceBackend(write_artifact(artifact))
    places = [(span.start, span.end) for span in backend.spans(text)]
    assert [text[start:end] for start, end in places] == [piece.data for piece in pieces]
    assert bytes(backend.encode(text, None, False)) == text


@examples(200)
@given(seed=seeds)
def test_steps_that_change_no_character_change_no_id(seed: int) -> None:
    """A MAP of characters that the text has not, anywhere in the route; but places are coarser."""
    artifact, text = random_route(seed)
    steps = artifact.routes[0].steps
    nothing = Map({0x10FFFF: (0x61,)})
    expected = ReferenceBackend(write_artifact(artifact)).encode(text, None, False)
    for number in range(len(steps) + 1 - (artifact.blocks is not None)):
        more = with_steps(artifact, *steps[:number], nothing, *steps[number:])
        assert ReferenceBackend(write_artifact(more)).encode(text, None, False) == expected


@examples(200)
@given(seed=seeds)
def test_the_order_of_local_rewrites_and_cuts_matters_as_it_must(seed: int) -> None:
    """SPELL last is SPELL of each pretoken: it commutes with nothing else, but not with itself."""
    artifact, text = random_route(seed)
    steps = [step for step in artifact.routes[0].steps if isinstance(step, Cut | Ends | Map)]
    before = pretokens(with_steps(artifact, *steps), read_piece(text))
    after = pretokens(with_steps(artifact, *steps, Spell()), read_piece(text))
    assert len(before) == len(after)
    for piece, spelled in zip(before, after, strict=True):
        assert len(spelled.text) == len(piece.data)
        assert sorted(set(spelled.sources)) == sorted(set(piece.sources))
