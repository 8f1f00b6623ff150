"""What reads one kind of file, what it may be told, and what it gives."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from wwho.assemble.base import WRITER
from wwho.format.model import Artifact
from wwho.importers.source import Source

if TYPE_CHECKING:
    from wwho.compile.schema import Schema
    from wwho.importers.transformers.word_cutting import WordCutting


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of an import: facts that some kinds of file do not state; None or empty: unsaid.

    Attributes:
        name: the encoding's name.
        pattern: for a rank file or a list of tokens: the pretokenizer, by name or as a regular
            expression.
        specials: for a rank file: special tokens, text to id.
        lowercase: of a vocab.txt: whether text is lower-cased.
        fix_mistral_regex: of a tokenizer.json of Mistral's models: whether the right pattern takes
            the place of the one that is known to be wrong.
        like_tokenizers: of a byte-level tokenizer.json: whether added tokens such as "é" decode to
            the bytes that tokenizers makes of them, which are no text.
        cuts_words: of a folder: whether the caller cuts texts as `Imported.words` says; otherwise a
            folder is refused whose words no artifact can cut.
        base: of a vocab.json of the WWHO paper: the vocabulary for other text.
        schemas: of the same: the scripts.
        source: where the file comes from, for the record.
        license: its licence, for the record.
    """

    name: str = "unnamed"
    pattern: str | None = None
    specials: Mapping[str, int] = field(default_factory=dict)
    lowercase: bool | None = None
    fix_mistral_regex: bool | None = None
    like_tokenizers: bool = False
    cuts_words: bool = False
    base: Artifact | None = None
    schemas: tuple[Schema, ...] = ()
    source: str = ""
    license: str = ""

    def record(self, source: Source) -> dict[str, str]:
        """Return the provenance of a model of a file, as far as these options and the file tell."""
        return {
            "name": self.name,
            "source": self.source or source.name,
            "license": self.license or "unknown",
            "writer": WRITER,
        }


EVERYWHERE = frozenset({"name", "source", "license"})
"""Options that all kinds of file take."""


@dataclass(frozen=True, kw_only=True)
class Imported:
    """A model that gives the ids of another library, and what became of its file.

    Attributes:
        artifact: the model.
        kind: what the file is: its reader's name.
        engine: whose ids it gives, with the version; "" where there is no other engine.
        notes: a line for each thing that was found and not taken over, and why, and for each way
            in which the model differs from what the file seems to say.
        own_texts: ids that decode to other texts than the engine gives them.
        words: how texts are cut into words before the model, which encodes each alone; None: the
            model does all of it, as it always does without `Options.cuts_words`.
    """

    artifact: Artifact
    kind: str
    engine: str = ""
    notes: tuple[str, ...] = ()
    own_texts: frozenset[int] = frozenset()
    words: WordCutting | None = None


@dataclass(frozen=True, kw_only=True)
class Reader:
    """A kind of file, with the functions that recognize and read it.

    Attributes:
        kind: what it is called in messages, with an article.
        begins: a regular expression that the beginning of every such file matches; a dot matches
            line feeds, too. Other files are not sniffed: JavaScript refuses by it without Python.
        sniff: returns whether a file that begins so is of this kind, by its content; the default
            returns True.
        read: returns the model of a file. It raises what `import_file` raises, but its messages do
            not name the file.
        takes: the options that it reads, beside those of `EVERYWHERE`.
        marks: of what is JSON: texts, one of which stands in every such file, unless letters are
            escaped there.
    """

    kind: str
    begins: bytes
    read: Callable[[Source, Options], Imported]
    sniff: Callable[[Source], bool] = lambda _: True
    takes: frozenset[str] = frozenset()
    marks: tuple[str, ...] = ()

    def knows(self, source: Source) -> bool:
        """Return whether a file is of this kind, by its content, whatever its name."""
        return bool(re.match(self.begins, source.head, re.DOTALL)) and self.sniff(source)
