"""SigLIP: a class in Python over a SentencePiece model, for text without punctuation.

The class encodes each stretch of text behind the text `<unk>`, and leaves out as many tokens as
that has: so it gets no prefix, and spaces at its beginning stay. Here something that no text has
stands for `<unk>` until SentencePiece's steps are done.
"""

from __future__ import annotations

from string import punctuation

from wwho.compile.codepoints import ALL, CodePointSet
from wwho.compile.syntax import Chars, Seq, many
from wwho.errors import SourceError
from wwho.format.steps import Ends, Map, Rewrite
from wwho.format.template import Template
from wwho.importers.huggingface.patterns import ANY, Patterns, one_of
from wwho.importers.reader import Options
from wwho.importers.source import shown
from wwho.importers.transformers.components import flag
from wwho.importers.transformers.folder import ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.python_pieces import check_plain, draft_of_pieces, texts_of
from wwho.importers.transformers.python_text import lowered
from wwho.importers.transformers.sentencepiece_files import read_pieces
from wwho.importers.transformers.slow_tokens import ENDS_TWICE, SPACES, slow_tokens
from wwho.importers.transformers.unknown_texts import IN_TEXT
from wwho.interchange.sentencepiece import MARKER, Model

UNKNOWN = "<unk>"
PREFIX = "\ufdd4"
"""A code point that no text has: it stands for `<unk>` before a text."""
ROLES = {"eos_token": "</s>", "unk_token": UNKNOWN, "pad_token": "</s>", "model_max_length": 64}
BUT = (
    f"{ENDS_TWICE}; and for two ways to cut a text whose sums of scores differ by less than "
    "0.0001: the class adds <unk>'s to both"
)


def read(folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of a folder of SigLIP, whose vocabulary is spiece.model.

    Raises:
        SourceError: the file is missing or damaged, a setting is not understood, or the unknown
            token is not `<unk>`.
    """
    check_plain(folder)
    model = read_pieces(folder, "spiece.model").model
    texts = texts_of(model)
    tokens = slow_tokens(folder, {text: number for number, text in enumerate(texts)}, ROLES)
    if tokens.roles.get("unk_token") != UNKNOWN:
        raise SourceError(
            f"unk_token: found {shown(tokens.roles.get('unk_token'))}, expected {UNKNOWN}, behind "
            "which this class encodes texts"
        )
    _check(model, [token.content for token in tokens.tokens])
    lower = flag(folder, "do_lower_case", True)
    eos = [tokens.id_of("eos_token")]
    ends = {*"".join(model.pieces[number].text.decode() for number in model.of_kind(*IN_TEXT))}
    swallows = UNKNOWN[-1] not in ends

    def before(patterns: Patterns) -> list[Rewrite]:
        """Return the steps before those of SentencePiece."""
        space = many(one_of(*SPACES), 1)
        return [
            Map({ord(MARKER): (ord(" "),)}),
            Ends(prefix=MARKER, first=True),
            *(lowered(patterns) if lower else []),
            Map(dict.fromkeys(map(ord, punctuation), ())),
            patterns.replace("spaces", (space, " "), (ANY, None)),
            Ends(strip=" ", left=True, right=True, prefix=PREFIX),
        ]

    def behind(patterns: Patterns) -> list[Rewrite]:
        """Return the step behind those of SentencePiece, that takes the prefix away.

        If the last character of `<unk>` is unknown, so that it is one piece with other such
        characters, these go with it.
        """
        unknown = many(Chars(ALL - CodePointSet.of(*ends)))
        gone = Seq((one_of(PREFIX), unknown)) if swallows else one_of(PREFIX)
        return [patterns.replace("prefix", (gone, ""), (ANY, None))]

    return draft_of_pieces(
        folder,
        options,
        model,
        range(len(texts)),
        tokens,
        unk_id=model.unk_id,
        before=before,
        behind=behind,
        dummy_prefix=False,
        template=Template.around([], eos, eos, second_type=0),
        defaults={**ROLES, "do_lower_case": lower},
        notes=(BUT,),
    )


def _check(model: Model, added: list[str]) -> None:
    """Refuse a model by which `<unk>` in front changes more than the beginning of a text.

    Args:
        model: the SentencePiece model.
        added: the added tokens.

    Raises:
        SourceError: it does.
    """
    if model.suffix or not (model.escape_whitespaces and model.remove_extra_whitespaces):
        raise SourceError(
            "spiece.model: found treat_whitespace_as_suffix, no escape_whitespaces or no "
            "remove_extra_whitespaces, expected a model of SentencePiece's usual settings: this "
            "class puts texts behind <unk>"
        )
    ending = MARKER + UNKNOWN
    ends = {ending[at:] for at in range(len(ending))}
    for number in model.of_kind(*IN_TEXT):
        text = model.pieces[number].text.decode()
        for at in range(1, len(text)):
            if text[:at] in ends and text[at] not in punctuation and text not in ending:
                raise SourceError(
                    f"spiece.model: the piece {shown(text)} may be found across the end of "
                    f"{UNKNOWN}, behind which this class encodes texts"
                )
    if marked := [text for text in added if MARKER in text]:
        raise SourceError(
            f"the added token {shown(marked[0])} has U+2581, which this class takes for a space"
        )


CLASSES: dict[str, ModelClass] = {
    "SiglipTokenizer": ModelClass(files=("spiece.model",), read=read, but=BUT)
}
