"""A GGUF file of llama.cpp that holds a vocabulary and no tensors.

What is written is imported again and compared with the model: where it differs, it is refused.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from wwho.assemble.bpe import only_made
from wwho.errors import ArtifactError, ExportError, SourceError
from wwho.exporters.exported import ByteModel, Exported, byte_model, few, stand_in
from wwho.exporters.llama_names import name_of
from wwho.exporters.near_sentencepiece import NOTE, without_specials
from wwho.exporters.sentencepiece import (
    compare,
    has_its_steps,
    merge_scores,
    normalizer_flags,
    rewriting_steps,
)
from wwho.format.bpe import BPE
from wwho.format.model import Added, Artifact, Flag, Unknown
from wwho.format.steps import Ends
from wwho.format.template import Template, What
from wwho.format.viterbi import Viterbi
from wwho.importers.llama_cpp import READER
from wwho.importers.reader import Options
from wwho.importers.source import Source
from wwho.interchange.charsmap import write_charsmap
from wwho.interchange.gguf import TokenType
from wwho.interchange.sentencepiece import Model
from wwho.reference.sampling import f32

Rows = list[tuple[str, TokenType]]
"""The text and the type of each id."""

ROLES = {
    "bos": (
        *(
            "[BOS]",
            "<s>",
            "<bos>",
            "<|begin_of_text|>",
            "<\uff5cbegin\u2581of\u2581sentence\uff5c>",
        ),
        *("<|startoftext|>", "<|endoftext|>"),
    ),
    "eos": (
        *("[EOS]", "</s>", "<eos>", "<|end_of_text|>", "<\uff5cend\u2581of\u2581sentence\uff5c>"),
        "<|endoftext|>",
    ),
    "unk": ("[UNK]", "<unk>"),
    "sep": ("[SEP]",),
    "pad": ("[PAD]", "<pad>"),
    "mask": ("[MASK]", "<mask>"),
}
"""Tokens whose ids a file names, and what they are called in models whose record names none."""


def write(artifact: Artifact) -> Exported:
    """Return a GGUF file of the vocabulary, of llama.cpp's model gpt2, llama or t5.

    Raises:
        ExportError: the model is neither a byte-level BPE nor a BPE over characters with a token
            for each byte nor Unigram, llama.cpp does not know its pattern, normalizes or merges
            otherwise, or the package gguf is missing.
    """
    (made, *_) = artifact.models
    if artifact.router is None and isinstance(made, Viterbi):
        return _t5(artifact, made)
    if artifact.router is None and isinstance(made, BPE) and made.units and _all_bytes(made):
        return _llama(artifact, made)
    model = byte_model(artifact)
    named = name_of(artifact, model.model)
    if named is None:
        raise ExportError(f"llama.cpp has no name for the pretokenizer of {artifact.name}")
    name, difference = named
    texts = model.model.texts
    merges = [f"{stand_in(texts[a])} {stand_in(texts[b])}" for a, b in model.model.merges]
    rows = _by_id(model)
    data = _file(artifact, rows, pre=name, merges=merges)
    notes = [f"the pattern is llama.cpp's {name!r}; {difference}"] if difference else []
    again = _again(artifact, data)
    numbers = {number for number in artifact.token_ids[0] if number is not None}
    if _told(artifact, numbers) != _told(again, numbers):
        raise ExportError(f"llama.cpp would merge otherwise than {artifact.name}")
    return Exported(data, (*notes, *_notes_on_differences(artifact, again, rows, bos=11, eos=11)))


def _all_bytes(model: BPE) -> bool:
    """Return whether each byte has a token for text that the model lacks."""
    return len(model.byte_ids) == 256 and None not in model.byte_ids


def _llama(artifact: Artifact, model: BPE) -> Exported:
    """Return a file of the model llama: SentencePiece's BPE, which merges by the texts' scores.

    It is imported again and compared; the notes say what llama.cpp does otherwise.

    Args:
        artifact: the artifact.
        model: its model, a BPE over characters with a token for each byte.

    Raises:
        ExportError: llama.cpp would normalize, cut or merge otherwise, or has other tokens or no
            such flags of added tokens; or one that is not special is found in normalized text.
    """
    rows: dict[int, tuple[str, TokenType]] = {}
    scores: dict[int, float] = {}
    for number, text, score in zip(
        artifact.token_ids[0], model.texts, merge_scores(model), strict=True
    ):
        if number is not None:
            rows[number], scores[number] = (text.decode(), TokenType.NORMAL), score
    for byte, number in enumerate(model.byte_ids):
        assert number is not None
        rows[number] = f"<0x{byte:02X}>", TokenType.BYTE
    for token in reversed(artifact.added):  # the type tells that a model's token is found, too
        if Flag.HIDDEN in token.flags:
            rows.setdefault(token.id, (token.text, TokenType.UNUSED))
        else:
            rows[token.id] = token.text, _type(token)
    normalized = [token for token in artifact.added if Flag.NORMALIZED in token.flags]
    if found := [token.text for token in normalized if Flag.SPECIAL not in token.flags]:
        raise ExportError(
            f"{artifact.name} finds added tokens in normalized text, llama.cpp in the text as it "
            f"is: {', '.join(found)}"
        )
    prefix = any(isinstance(step, Ends) for step in rewriting_steps(artifact))
    every = _fill_gaps(rows)
    data = _file(
        *(artifact, every),
        scores=[scores.get(number, 0.0) for number in range(len(every))],
        prefix=prefix,
    )
    again = _again(artifact, data)
    # Tokens that no merge makes are none of the model's there, unless pieces are them as a whole.
    made = model if model.whole else only_made(model)
    compare(replace(artifact, models=(made,)), again, "llama.cpp")
    notes = _notes_on_differences(artifact, again, every, bos=1, eos=2)
    if normalized:
        texts = few([token.text for token in normalized])
        notes.append(f"found in the text as it is there, not in normalized text: {texts}")
    if again.decoder != artifact.decoder:
        notes.append("ids decode as they do in llama.cpp")
    return Exported(data, tuple(notes))


def _t5(artifact: Artifact, model: Viterbi) -> Exported:
    """Return a file of the model t5: SentencePiece's Unigram, with sums of scores in f64.

    It is imported again and compared; the notes say what llama.cpp does otherwise.

    Raises:
        ExportError: the model has tokens for bytes, normalizes text as SentencePiece does not, or
            as llama.cpp cannot; or llama.cpp would have other tokens.
    """
    name, flags, near = artifact.name, normalizer_flags(artifact), not has_its_steps(artifact)
    if not model.narrow:
        artifact = without_specials(artifact)
        (model,) = artifact.models  # type: ignore[assignment]
    if model.unknown is not Unknown.ID or model.unk_id is None:
        raise ExportError(
            f"{name} writes unknown characters as tokens of their bytes, and a Unigram model of "
            "llama.cpp has one token for them"
        )
    if flags.suffix or not flags.escape_whitespaces or not flags.add_dummy_prefix:
        raise ExportError(
            f"{name} does not put U+2581 before each text and each word, as a Unigram model of "
            "llama.cpp does"
        )
    scores = dict(zip(artifact.token_ids[0], map(f32, model.scores), strict=True))
    texts = zip(artifact.token_ids[0], model.texts, strict=True)
    rows = {k: (text.decode(), TokenType.NORMAL) for k, text in texts if k is not None}
    for token in reversed(artifact.added):
        # Unused tokens are found in text there, so that hidden ones cannot be unused.
        hidden = Flag.HIDDEN in token.flags
        kind = TokenType.CONTROL if hidden else _type(token)
        if token.id not in rows or not hidden:
            rows[token.id] = token.text, kind
    unknown, _ = rows.get(model.unk_id, ("<unk>", None))
    rows[model.unk_id] = unknown, TokenType.UNKNOWN
    gaps = ((k, f"[PAD{k}]") for k in range(max(rows)) if k not in rows)
    rows |= {k: (text, TokenType.CONTROL) for k, text in gaps}
    every = _fill_gaps(rows)
    data = _file(
        artifact,
        every,
        scores=[scores.get(number, 0.0) for number in range(len(every))],
        prefix=True,
        unigram=flags,
        roles={"unk": model.unk_id},
    )
    again = _again(artifact, data)
    _compare_scores(artifact, model, again)
    notes = _notes_on_differences(artifact, again, every, eos=1)
    notes.append(
        "sums of scores are f64 there"
        + (" and f32 here" if model.narrow else ", and scores f32")
        + ": where two ways to cut a text come within a rounding of each other, ids may differ"
    )
    if near:
        notes.append(NOTE)
    elif flags.remove_extra_whitespaces:
        notes.append("U+2581 at the end of a text stays there")
    if not flags.remove_extra_whitespaces:
        notes.append("a text of spaces alone has a token less there")
    if again.decoder != artifact.decoder:
        notes.append("ids decode as they do in llama.cpp")
    return Exported(data, tuple(notes))


def _compare_scores(artifact: Artifact, model: Viterbi, again: Artifact) -> None:
    """Refuse a Unigram model of which llama.cpp would have other tokens or scores.

    Scores are compared as f32. Tokens without an id, and those whose score is the lowest, or at
    most a thousandth above it, are passed over.

    Args:
        artifact: what is exported.
        model: its model.
        again: what comes of importing the file that was written.

    Raises:
        ExportError: a token differs, of which the first by its bytes is named; or unk_id does.
    """
    (other,) = again.models
    assert isinstance(other, Viterbi)
    ours = zip(model.texts, artifact.token_ids[0], map(f32, model.scores), strict=True)
    theirs = zip(other.texts, again.token_ids[0], other.scores, strict=True)
    # Tokens without an id only set the score of what is unknown.
    here, there = ({each for each in every if each[1] is not None} for every in (ours, theirs))
    least = min(score for _, _, score in here)
    odd = min((each for each in here ^ there if each[2] > least + 1e-3), default=None)
    if odd is not None or other.unk_id != model.unk_id:
        text, number, score = odd or ("", model.unk_id, 0.0)
        raise ExportError(
            f"llama.cpp would have another token {number} than {artifact.name}: {text!r}, with the "
            f"score {score}"
        )


def _around(template: Template | None) -> dict[str, int] | None:
    """Return the ids before and after a text, by llama.cpp's names of their roles.

    They are {} without a template, and None if the template puts more than one id before or after
    the text, which llama.cpp cannot. Only the template of a single text counts.
    """
    places = template.single if template else ()
    kinds = [place.what for place in places] or [What.FIRST]
    at = kinds.index(What.FIRST)
    if at > 1 or len(kinds) - at > 2:
        return None
    found = {"bos": places[0].id} if at else {}
    return found | ({"eos": places[-1].id} if len(kinds) - at > 1 else {})


def _roles(artifact: Artifact) -> dict[str, int]:
    """Return the ids of the tokens that have a role, by what llama.cpp calls it.

    What the template puts around a text counts first, then the tokens that the provenance names;
    if that names none at all, tokens with the usual texts (`ROLES`) do.
    """
    ids = {token.text: token.id for token in artifact.added}
    found = {
        role: ids[text]
        for role, texts in (_said(artifact) or ROLES).items()
        for text in reversed(texts)
        if text in ids
    }
    return found | (_around(artifact.template) or {})


def _said(artifact: Artifact) -> dict[str, tuple[str]]:
    """Return the text of each token that the provenance names, by its role."""
    record = artifact.provenance
    return {role: (record[key],) for role in ROLES if (key := f"{role}_token") in record}


def _by_id(model: ByteModel) -> Rows:
    """Return the rows of a byte-level model from id 0 on; ids without a token are unused.

    Raises:
        ExportError: an added token is found in a way that llama.cpp has not.
    """
    rows = {number: (stand_in(text), TokenType.NORMAL) for number, text in model.tokens.items()}
    rows |= {token.id: (token.text, _type(token)) for token in reversed(model.added)}
    return _fill_gaps(rows)


def _fill_gaps(rows: Mapping[int, tuple[str, TokenType]]) -> Rows:
    """Return the rows from id 0 to the highest; an id without one gets the unused `[PAD<id>]`."""
    return [
        rows.get(number, (f"[PAD{number}]", TokenType.UNUSED)) for number in range(max(rows) + 1)
    ]


def _type(token: Added) -> TokenType:
    """Return what an added token is to llama.cpp: a control token, or found in every text.

    Raises:
        ExportError: it is found in a way that llama.cpp has not.
    """
    # Without a normalizer, text is normalized as it is.
    flags = token.flags & ~Flag.NORMALIZED
    if flags & ~Flag.SPECIAL:
        raise ExportError(f"the added token {token.text!r} has flags that llama.cpp does not know")
    return TokenType.CONTROL if flags else TokenType.USER_DEFINED


def _again(artifact: Artifact, data: bytes) -> Artifact:
    """Return what a file for llama.cpp is imported as.

    Args:
        artifact: the artifact that was written, for the message.
        data: the file.

    Raises:
        ExportError: the importer refuses the file.
    """
    try:
        return READER.read(Source("vocabulary.gguf", data), Options()).artifact
    except (SourceError, ArtifactError) as error:
        raise ExportError(f"llama.cpp cannot run {artifact.name} as it is: {error}") from error


def _notes_on_differences(
    artifact: Artifact, again: Artifact, rows: Rows, **default_ids: int
) -> list[str]:
    """Return notes on what llama.cpp does otherwise with the file than the model does.

    They name the added tokens that llama.cpp finds otherwise or not at all, the tokens that get
    their roles by their names alone, and the roles for which it takes an id of its own. If the
    model's template cannot be written, the last note says that the caller must add its tokens.

    Args:
        artifact: the model.
        again: the model that llama.cpp makes of the file.
        rows: the tokens of the file, by id.
        default_ids: for each role, such as bos, the id that llama.cpp takes if no token has it.
    """
    theirs = {token.text: token.flags & Flag.SPECIAL for token in again.added}
    changed: dict[str, list[str]] = {}
    for token in artifact.added:
        if Flag.HIDDEN in token.flags:
            continue
        how = _FOUND[theirs.get(token.text)]
        if how != _FOUND[token.flags & Flag.SPECIAL]:
            changed.setdefault(how, []).append(token.text)
    notes = [f"{how} there: {few(texts)}" for how, texts in changed.items()]
    roles, around = _roles(artifact), _around(artifact.template)
    by_name = () if _said(artifact) else roles.keys() - (around or {})
    if by_name:
        named = ", ".join(f"{role} {rows[roles[role]][0]}" for role in sorted(by_name))
        notes.append(f"taken for what their names say: {named}")
    notes += [
        f"the model names no {role}_token, for which llama.cpp takes {rows[token][0]!r}"
        for role, token in default_ids.items()
        if role not in roles and token < len(rows)
    ]
    missing = "what stands around a text is for the caller to add"
    return [*notes, *([missing] if around is None else [])]


_FOUND = {
    None: "not found",
    Flag(0): "found in every text",
    Flag.SPECIAL: "found only where special tokens are allowed",
}
"""How an added token is found, by its flag."""


def _told(artifact: Artifact, numbers: set[int]) -> object:
    """Return the facts that tell a BPE from others, for two to be compared.

    These are a list of all pairs of texts that merge, in order, and the set of the tokens, pairs of
    text and id, whose ids count. Added tokens are not among them.

    Args:
        artifact: the artifact, whose first model is a BPE and counts.
        numbers: the ids of the tokens that count.
    """
    model = artifact.models[0]
    assert isinstance(model, BPE)
    texts = model.texts
    tokens = {(text, each) for text, each in zip(texts, artifact.token_ids[0], strict=True)}
    merges = [(texts[left], texts[right]) for left, right in model.merges]
    return merges, {token for token in tokens if token[1] in numbers}


def _file(
    artifact: Artifact,
    rows: Rows,
    *,
    pre: str = "default",
    merges: Sequence[str] = (),
    scores: Sequence[float] = (),
    prefix: bool = False,
    unigram: Model | None = None,
    roles: Mapping[str, int] = MappingProxyType({}),
) -> bytes:
    """Return a file of the model t5, if `unigram` is given, of llama, if there are scores, or gpt2.

    Args:
        artifact: the model, for its name, its template and its roles.
        rows: the tokens by id.
        pre: the name of the pretokenizer.
        merges: the merges of gpt2, each two texts and a space between.
        scores: the scores by id, one for each row.
        prefix: whether a space goes before a text; only written with scores.
        unigram: how a Unigram model normalizes text; it has scores, too.
        roles: ids of roles that count before those of `_roles`.

    Raises:
        ExportError: the package gguf is missing, or the charsmap cannot be written.
    """
    try:
        from gguf import GGUFWriter
    except ImportError:
        raise ExportError(
            "the package gguf writes GGUF files, and is not installed: pip install 'wwho[export]'"
        ) from None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vocabulary.gguf")
        writer = GGUFWriter(path, "llama")
        writer.add_name(artifact.name)
        writer.add_tokenizer_model("t5" if unigram else "llama" if scores else "gpt2")
        writer.add_tokenizer_pre(pre)
        writer.add_token_list([text for text, _ in rows])
        writer.add_token_types([kind for _, kind in rows])
        if scores:
            writer.add_token_scores(scores)
            writer.add_add_space_prefix(prefix)
        else:
            writer.add_token_merges(merges)
        if unigram:
            writer.add_remove_extra_whitespaces(unigram.remove_extra_whitespaces)
            if unigram.charsmap.rules:
                writer.add_precompiled_charsmap(write_charsmap(unigram.charsmap.rules))
        around = _around(artifact.template) or {}
        for role in ("bos", "eos"):
            writer.add_bool(f"tokenizer.ggml.add_{role}_token", role in around)
        for role, token in (_roles(artifact) | dict(roles)).items():
            getattr(writer, f"add_{role}_token_id")(token)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.close()
        return path.read_bytes()
