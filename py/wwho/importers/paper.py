"""The vocab.json of the WWHO paper's authors; ids are those of their encoder, [UNK] included."""

from __future__ import annotations

from wwho.assemble.paper import import_vocab
from wwho.assemble.vocab_json import parse_vocab_json
from wwho.errors import SourceError
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import JSON_BEGINS, Source


def sniff(source: Source) -> bool:
    """Return whether a JSON object has the keys of such a file, or the one that no other has."""
    keys = source.document.keys()
    return "script_mode" in keys or {"vocab", "merges", "special_tokens"} <= keys


def read(source: Source, options: Options) -> Imported:
    """Return the model of a vocab.json; raises what `parse_vocab_json` and `import_vocab` raise.

    Raises:
        SourceError: the options name no base or no schemas.
    """
    if options.base is None or not options.schemas:
        raise SourceError(
            "a vocab.json of the WWHO paper needs the base vocabulary of its encoder and the "
            "schemas that it cuts by"
        )
    file = parse_vocab_json(source.data, str(source.path))
    found = import_vocab(file, options.schemas, options.base, name=options.name)
    return Imported(
        artifact=found.model,
        kind=READER.kind,
        notes=(
            f"left out: {found.unmade:,} merges with a part that nothing makes, {found.apart:,} "
            "whose parts never meet",
            f"not lossless: {found.without_id:,} merged tokens are outside the vocabulary; they "
            "and all units outside it become [UNK]",
            f"{found.never_written:,} tokens that no text is encoded to decode all the same",
        ),
    )


READER = Reader(
    kind="a vocab.json of the WWHO paper",
    begins=JSON_BEGINS,
    sniff=sniff,
    read=read,
    takes=frozenset({"base", "schemas"}),
    marks=('"script_mode"', '"vocab"'),
)
