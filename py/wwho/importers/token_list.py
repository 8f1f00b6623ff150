r"""A list of tokens as `wwho inspect --tokens` writes it: an id, a tab, the token's text, escaped.

A third field marks what is found in the text before the model's own tokens: `special` only where
the caller allows it, `protected` everywhere. In a text `\\`, `\n`, `\r`, `\t`, `\u200d` and
`\U0001f600` stand for characters and `\xff` for a byte; a space at the end is `\x20`.

Read back, it is a byte-level BPE whose ranks are its ids, as in a rank file: a list cannot say what
cuts a text, nor what a grammar, scores or steps that rewrite text do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from wwho.assemble.base import base_model
from wwho.assemble.patterns import PATTERNS
from wwho.errors import SourceError
from wwho.format.bpe import BPE
from wwho.format.layout import MAX_IDS, MAX_TOKEN_BYTES
from wwho.format.model import Added, Artifact, Flag
from wwho.importers.reader import Imported, Options, Reader
from wwho.importers.source import Source

PROTECTED = "protected"
_NAMED = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_CHARACTERS = {code: char for char, code in _NAMED.items()}
_LINE = re.compile(r"([0-9]{1,9})\t([^\t\r]*)(?:\t([^\t\r]+))?\r?")
_ESCAPE = re.compile(r"\\(?:[\\nrt]|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|)")
_READ = {"special": Flag.SPECIAL, "normalized": Flag.NORMALIZED}
"""Flags that a model with nothing but tokens can have."""


def token_lines(artifact: Artifact) -> Iterator[str]:
    """Yield a line for each token by ascending id, without line feed.

    For an id with several texts there are as many lines.
    """
    rows: list[tuple[int, bytes, str]] = []
    for model, ids in zip(artifact.models, artifact.token_ids, strict=True):
        rows += [(i, text, "") for i, text in zip(ids, model.texts, strict=True) if i is not None]
        rows += [(token, text, "") for token, text in model.extra_ids.items()]
    for added in artifact.added:
        names = [str(flag.name).lower() for flag in added.flags]
        rows.append((added.id, added.text.encode("utf-8"), ",".join(names) or PROTECTED))
    for token, text, kind in sorted(dict.fromkeys(rows), key=lambda row: row[0]):
        yield f"{token}\t{escape_token(text)}{kind and chr(9)}{kind}"


def escape_token(token: bytes) -> str:
    r"""Return a token in printable characters, exactly.

    Example:
        >>> print(escape_token(" ක්\u200dය\n".encode()), escape_token(b"\xe0\\ "))
         ක්\u200dය\n \xe0\\\x20
    """
    text = "".join(map(_escape_character, token.decode("utf-8", "surrogateescape")))
    return f"{text[:-1]}\\x20" if text.endswith(" ") else text


def _escape_character(char: str) -> str:
    """Return a character, or an escape; a surrogate from U+DC80 on stands for a byte."""
    code = ord(char)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if char in _NAMED or char == " " or char.isprintable():
        return _NAMED.get(char, char)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def unescape_token(text: str) -> bytes:
    r"""Return the bytes of the token that `escape_token` wrote.

    Raises:
        ValueError: a backslash begins no escape, or one names no character.

    Example:
        >>> unescape_token(r"\xe0\\\x20\u0d9a") == b"\xe0\\ \xe0\xb6\x9a"
        True
    """
    parts, end = [], 0
    for match in _ESCAPE.finditer(text):
        code = match[0]
        parts.append(text[end : match.start()].encode())
        end = match.end()
        if code == "\\":
            raise ValueError(rf"{text[match.start() :][:10]!r} is no escape; a backslash is \\")
        if code in _CHARACTERS:
            parts.append(_CHARACTERS[code].encode())
        elif code[1] == "x":
            parts.append(bytes([int(code[2:], 16)]))
        else:
            value = int(code[2:], 16)
            if value > 0x10FFFF or 0xD800 <= value < 0xE000:
                raise ValueError(f"{code} is no character")
            parts.append(chr(value).encode())
    return b"".join([*parts, text[end:].encode()])


def parse_tokens(data: bytes) -> tuple[dict[bytes, int], list[Added]]:
    r"""Return the tokens with their ids, in the order of the lines, and the added tokens by id.

    Raises:
        SourceError: a line is malformed, or an id or text comes twice; the message has its number.

    Example:
        >>> parse_tokens(b"0\ta\n1\t\\n\n2\t<s>\tspecial\n")
        ({b'a': 0, b'\n': 1}, [Added(text='<s>', id=2, flags=<Flag.SPECIAL: 1>)])
    """
    tokens: dict[bytes, int] = {}
    owners: dict[int, int] = {}
    added: dict[str, Added] = {}
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    for number, line in enumerate(lines[:-1] if not lines[-1] else lines, 1):
        try:
            token, text, kind = _parse_line(line)
            if kind is not None:
                content = text.decode("utf-8")
                if content in added:
                    raise ValueError(f"the added token {content!r} comes twice")
                added[content] = Added(content, token, kind)
            elif text in tokens:
                raise ValueError(f"{text!r} has the ids {tokens[text]} and {token}")
            elif token in owners:
                raise ValueError(f"the id {token} is that of line {owners[token]} too")
            else:
                owners[token], tokens[text] = number, token
        except ValueError as error:
            raise SourceError(f"line {number}: {error}") from error
    return tokens, sorted(added.values(), key=lambda token: token.id)


def _parse_line(line: bytes) -> tuple[int, bytes, Flag | None]:
    """Return the id, the unescaped text and the flags of the token of a line, without line feed.

    The flags are None for an ordinary token, whose line has no third field. `Flag(0)` is those of
    an added token that is neither special nor normalized.

    Raises:
        ValueError: the line is malformed or not UTF-8, the id or the text is out of bounds, or the
            third field has a name that is not known.
    """
    match = _LINE.fullmatch(line.decode("utf-8"))
    if match is None:
        raise ValueError(f"expected an id, a tab and an escaped text, found {line[:60]!r}")
    token, text = int(match[1]), unescape_token(match[2])
    if token >= MAX_IDS:
        raise ValueError(f"the id is {token}; ids are 0 to {MAX_IDS - 1}")
    if not 1 <= len(text) <= MAX_TOKEN_BYTES:
        raise ValueError(f"the token has {len(text)} bytes; 1 to {MAX_TOKEN_BYTES} are possible")
    if match[3] is None:
        return token, text, None
    names = match[3].split(",") if match[3] != PROTECTED else []
    if unknown := [name for name in names if name not in _READ]:
        raise ValueError(
            f"the third field has {unknown[0]!r}; a list can say {PROTECTED}, special, normalized"
        )
    flags = Flag(0)
    for name in names:
        flags |= _READ[name]
    return token, text, flags


def read(source: Source, options: Options) -> Imported:
    """Return the model of a list of tokens; raises what `base_model` raises, too.

    Raises:
        SourceError: the options name no pattern, or a line is malformed.
    """
    if options.pattern is None:
        raise SourceError(
            "a list of tokens names no pretokenizer: give its pattern (--pattern), "
            f"{', '.join(PATTERNS)} or a regular expression"
        )
    tokens, added = parse_tokens(source.data)
    made = base_model(
        tokens,
        pattern=options.pattern,
        specials={token.text: token.id for token in added},
        provenance=options.record(source),
    )
    (model,) = made.models
    assert isinstance(model, BPE)
    notes = [f"{len(model.unmade):,} tokens are made of no two others"] if model.unmade else []
    artifact = replace(made, added=tuple(added))
    return Imported(artifact=artifact, kind=READER.kind, notes=tuple(notes))


READER = Reader(
    kind="a list of tokens",
    begins=rb"(?:\xef\xbb\xbf)?[0-9]{1,9}\t",
    read=read,
    takes=frozenset({"pattern"}),
)
