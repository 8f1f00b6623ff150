"""What `inspect` says of a model that is not lossless."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tiny import leaving_out_model, odd_added_model, paper_model, steps_of, tiny_model

from wwho.assemble.base import byte_base
from wwho.assemble.decoders import SPACE_MARK
from wwho.compile.normal_forms import lower_case, normal_form
from wwho.encodings import model_bytes
from wwho.format.decoder import Decoder, Unspell
from wwho.format.losses import losses
from wwho.format.model import Added, Artifact, Flag
from wwho.format.read import read_artifact
from wwho.format.steps import Ends, Map, Replace, Rewrite, Rules, Spell, Step

BASE = byte_base()
MARK = SPACE_MARK
TO_MARK = Replace(0, (MARK, None))
SPACES = Map({0x20: (ord(MARK),)})
CANONICAL = "characters become their canonical forms, as in NFC and NFD"
LLAMA = Decoder(
    (
        *steps_of("Metaspace", replacement=MARK, prepend_scheme="never"),
        *steps_of("ByteFallback"),
        *steps_of("Fuse"),
        *steps_of("Strip", content=" ", start=1, stop=0),
    )
)


def with_steps(*steps: Rewrite, decoder: Decoder | None = None) -> Artifact:
    """A model of bytes with a normalizer."""
    return replace(BASE, normalizer=steps, decoder=decoder)


def in_route(*steps: Step, decoder: Decoder | None = None) -> Artifact:
    """A model of bytes with more steps in its route."""
    (route,) = BASE.routes
    return replace(BASE, routes=(replace(route, steps=(*route.steps, *steps)),), decoder=decoder)


@pytest.mark.parametrize("name", ["gpt2", "o200k_harmony", "wwho_super_328k"])
def test_those_that_ship_are_lossless(name: str) -> None:
    assert losses(read_artifact(model_bytes(name))) == ()


@pytest.mark.parametrize(
    ("artifact", "found"),
    [
        (tiny_model(), ()),
        (paper_model(), ("what the vocabulary lacks becomes the unknown token",)),
        (with_steps(normal_form("nfc")), (CANONICAL,)),
        (with_steps(normal_form("nfd")), (CANONICAL,)),
        (with_steps(lower_case()), ("capital letters become small ones", CANONICAL)),
        (with_steps(Map({0x301: ()})), ("accents vanish",)),
        (with_steps(Map({7: ()})), ("control characters vanish",)),
        (with_steps(Map({0x20AC: (0x65,)})), ("some characters become others, or vanish",)),
        (with_steps(Rules({"a": "b"})), ("characters become others by a table, as in NFKC",)),
        (with_steps(Ends(" ", left=True)), ("white space at the ends of a text is lost",)),
        (with_steps(Ends(prefix=" ")), ("a space is put in front of a text",)),
        (with_steps(TO_MARK), ("some texts are replaced",)),
        (
            with_steps(Ends(prefix=MARK), TO_MARK, decoder=LLAMA),
            (f"{MARK} in a text becomes a space",),
        ),
        (
            with_steps(TO_MARK, Ends(prefix=MARK, unless=True), decoder=LLAMA),
            ("a space at the beginning of a text is lost", f"{MARK} in a text becomes a space"),
        ),
        (
            in_route(SPACES, Ends(prefix=MARK, unless=True), decoder=LLAMA),
            ("a space at the beginning of a text is lost", f"{MARK} in a text becomes a space"),
        ),
        (in_route(SPACES), ("some characters become others, or vanish",)),
        (in_route(Spell()), ("characters become those that stand for their bytes",)),
        (in_route(Spell(), decoder=Decoder((Unspell(),))), ()),
        (
            with_steps(decoder=Decoder(steps_of("WordPiece", prefix="##", cleanup=True))),
            ("the decoder puts spaces between tokens, or cleans up",),
        ),
        (
            with_steps(decoder=Decoder(steps_of("Strip", content=" ", start=1, stop=0))),
            ("the decoder takes a space off the beginning",),
        ),
        (
            replace(BASE, added=(Added("a", 300, Flag(0)), Added("b", 300, Flag(0)))),
            ("several added tokens have one id",),
        ),
    ],
)
def test_reasons(artifact: Artifact, found: tuple[str, ...]) -> None:
    assert losses(artifact) == found


def test_compatibility_and_white_space() -> None:
    found: Any = losses(with_steps(normal_form("nfkc")))
    assert found[0].startswith("compatibility")
    assert "what the vocabulary lacks is left out" in losses(leaving_out_model())
    assert "added tokens take the white space beside them" in losses(odd_added_model())
