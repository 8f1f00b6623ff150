"""Classes over a SentencePiece model that transformers rebuilds from its pieces."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from wwho.errors import SourceError
from wwho.importers.reader import Options
from wwho.importers.source import shown
from wwho.importers.transformers.byte_level import Made, json_defaults, made_of
from wwho.importers.transformers.choice import tables
from wwho.importers.transformers.components import (
    Component,
    bpe_model,
    flag,
    metaspace,
    normalizers,
    pre_tokenizers,
    split,
    template_processing,
)
from wwho.importers.transformers.document_vocabulary import (
    DocumentPieces,
    around_in,
    ids_in,
    merges_in,
)
from wwho.importers.transformers.folder import AROUND, ModelFolder
from wwho.importers.transformers.model_class import Draft, ModelClass
from wwho.importers.transformers.sentencepiece_files import (
    Pieces,
    Vocab,
    merges_of,
    read_pieces,
    without_effect,
)
from wwho.importers.transformers.tokens import Token, read_tokens, with_tokens
from wwho.interchange.sentencepiece import Algorithm

NO_TEXT = "None"
"""The text that a class gives a role for which the settings have null."""
NFC, NFKD, LOWER = {"type": "NFC"}, {"type": "NFKD"}, {"type": "Lowercase"}
STRIP_ACCENTS = {"type": "StripAccents"}
WHITE_SPACE_SPLIT = {"type": "WhitespaceSplit"}
MBART_LANGUAGES: tuple[str, ...] = tuple(tables()["mbart_languages"])
MBART50_LANGUAGES: tuple[str, ...] = tuple(tables()["mbart50_languages"])
NLLB_LANGUAGES: tuple[str, ...] = tuple(tables()["nllb_languages"])


def replaced(pattern: str, content: str, *, regex: bool = True) -> Component:
    """Return a normalizer that replaces the matches of a pattern."""
    return {
        "type": "Replace",
        "pattern": {"Regex" if regex else "String": pattern},
        "content": content,
    }


def strip(*, left: bool, right: bool) -> Component:
    """Return a normalizer that takes white space from the ends of a text."""
    return {"type": "Strip", "strip_left": left, "strip_right": right}


QUOTES = (replaced("``", '"', regex=False), replaced("''", '"', regex=False))
SPACES = replaced(" {2,}", " ")
CONTROLS = (replaced(r"\s{2,}|[\n\r\t]", " "), NFC, strip(left=False, right=True))


@dataclass(frozen=True, kw_only=True)
class Around:
    """What a class knows of its files when it puts components together.

    Attributes:
        folder: the folder.
        pieces: the SentencePiece model, or the tokenizer.json in its place.
        texts: the texts of the roles, before tokens are added.
    """

    folder: ModelFolder
    pieces: Pieces | DocumentPieces
    texts: Mapping[str, str]

    def flag(self, name: str, usual: bool) -> bool:
        """Return a setting that is true or false."""
        return flag(self.folder, name, usual)

    def number(self, name: str, usual: int) -> int:
        """Return a setting that is a number from 0 on; `usual` if it is missing or null.

        Raises:
            SourceError: it is none.
        """
        value = self.folder.settings.get(name)
        if value is None:
            return usual
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise SourceError(
                f"tokenizer_config.json: {name}: found {shown(value)}, expected a number from 0 on"
            )
        return value

    def unk_id(self, usual: int) -> int:
        """Return the id of what is unknown: that of the SentencePiece model, or of the settings.

        Args:
            usual: the id where there is a tokenizer.json, and the settings do not say.
        """
        if isinstance(self.pieces, Pieces):
            return self.pieces.model.unk_id
        return self.number("unk_id", usual)

    def text(self, name: str, usual: str) -> str:
        """Return a setting that is a text; `usual` if it is missing or null.

        Raises:
            SourceError: it is none.
        """
        value = self.folder.settings.get(name)
        if value is None:
            return usual
        if not isinstance(value, str):
            raise SourceError(
                f"tokenizer_config.json: {name}: found {shown(value)}, expected a text"
            )
        return value


def _same(found: Around) -> Vocab:
    """Return the tokens of the file, in its order."""
    return found.pieces.vocab


def _own(found: Around) -> list[Token]:
    """Return the extra tokens of the file."""
    return found.pieces.extra


def _words(scheme: str = "always") -> Component:
    """Return a pre-tokenizer that cuts at white space and marks the beginnings of words."""
    return pre_tokenizers(WHITE_SPACE_SPLIT, metaspace(scheme))


def _scheme(found: Around) -> str:
    """Return when a text gets a mark in front, by `add_prefix_space`."""
    return "always" if found.flag("add_prefix_space", True) else "never"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a class puts a tokenizer together.

    Attributes:
        file: the name of the SentencePiece model.
        roles: the defaults; see `Draft`.
        vocab: makes the tokens with their scores, by id, of a SentencePiece model.
        again: makes them of a tokenizer.json.
        unk: the id of the unknown token, or what finds it; None for a BPE by merges.
        model: options of such a BPE.
        normalizer: makes it.
        pre_tokenizer: makes it.
        decoder: makes it.
        extra: makes the tokens that are added where the settings list none.
        usual_extra: those that a class adds to a tokenizer.json where nothing lists any.
        around: makes the post-processor; None: the settings say what stands around a text.
        gives_way: whether they do so, too, wherever they have an option for it; so does a
            tokenizer.json.
        by_settings: whether they do so even where a tokenizer.json says what stands there.
        instead: makes the post-processor that takes the place of a tokenizer.json's, where the
            settings do not say; None: `around` does.
        twice: whether it adds its tokens twice; see `with_tokens`.
        unfollowed: settings that the class knows and does not follow.
    """

    file: str
    roles: Mapping[str, Any]
    vocab: Callable[[Around], Vocab] = _same
    again: Callable[[Around], Vocab] = _same
    unk: int | Callable[[Around, Vocab], int] | None = None
    model: Mapping[str, Any] = field(default_factory=dict)
    normalizer: Callable[[Around], Component | None] = lambda found: found.pieces.charsmap
    pre_tokenizer: Callable[[Around], Component | None] = lambda found: _words()
    decoder: Callable[[Around], Component] = lambda found: metaspace()
    extra: Callable[[Around], Sequence[Token]] = _own
    usual_extra: tuple[str, ...] = ()
    around: Callable[[Made], Component] | None = None
    gives_way: bool = False
    by_settings: bool = False
    instead: Callable[[Made], Component] | None = None
    twice: bool = False
    unfollowed: tuple[str, ...] = ()


def read(recipe: Recipe, folder: ModelFolder, options: Options) -> Draft:
    """Return the `Draft` of the tokenizer that a class makes of a folder's SentencePiece model.

    The draft holds it as the document of a tokenizer.json. The post-processor is that of the
    recipe; where the recipe has none, or gives way and the settings have `add_bos_token` or
    `add_eos_token`, it is the one that these two settings call for (`with_tokens`). Extra tokens
    are those of the settings if these have a list, else those of the recipe, which the defaults of
    the draft then name. Of a folder with a `document`, the class takes the vocabulary, merges and
    charsmap from there, and the post-processor wherever the recipe gives way, or has none and does
    not go by the settings.

    Args:
        recipe: what the class does, such as T5Tokenizer.
        folder: the folder, with its settings.
        options: what the caller says, of which nothing counts here.

    Raises:
        SourceError: the file is missing or damaged, a setting is not understood, or there is no
            token that the recipe needs by its role or its id.
    """
    roles = read_tokens(folder).with_defaults(recipe.roles)
    pieces: Pieces | DocumentPieces
    if folder.document is None:
        pieces = read_pieces(folder, recipe.file)
    else:
        # A list of the older name in special_tokens_map.json is one that the class is given.
        given = roles.extra or [*map(_special, recipe.usual_extra)]
        pieces = DocumentPieces(folder.document, [] if roles.names_extra else given)
    texts = {
        name: each.content if each else NO_TEXT
        for name, each in {**roles.named, **roles.roles}.items()
    }
    found = Around(folder=folder, pieces=pieces, texts=texts)
    document: dict[str, Any] = {
        "version": "1.0",
        "normalizer": recipe.normalizer(found),
        "pre_tokenizer": recipe.pre_tokenizer(found),
        "decoder": recipe.decoder(found),
        "model": _model(recipe, found),
    }
    kept = None if recipe.by_settings else around_in(folder)
    if kept is not None:
        document["post_processor"] = kept
    extra = recipe.extra(found)
    document, notes = with_tokens(folder, document, recipe.roles, extra, twice=recipe.twice)
    gives_way = recipe.gives_way and (kept is not None or AROUND & folder.settings.keys())
    around = recipe.around if recipe.instead is None or kept is None else recipe.instead
    if around is not None and not gives_way:
        document["post_processor"] = around(made_of(folder, document, recipe.roles))
    defaults = json_defaults(recipe.roles)
    if not roles.names_extra:
        defaults["extra_special_tokens"] = [token.content for token in extra]
    if folder.document is None:
        notes += without_effect(folder, recipe.unfollowed)
    return Draft(document=document, defaults=defaults, notes=notes)


def _model(recipe: Recipe, found: Around) -> Component:
    """Return the model: a BPE if the class has no id for what is unknown, else a Unigram.

    The merges of a BPE are those that its tokens, in order, allow, or those of the tokenizer.json.

    Raises:
        SourceError: the id of the unknown token is that of no token.
    """
    document = found.folder.document
    if recipe.unk is None:
        if document is None:
            ids = {text: number for number, (text, _) in enumerate(recipe.vocab(found))}
            merges: list[Any] = merges_of(ids)
        else:
            ids, merges = ids_in(document), merges_in(document)
        usual = {"continuing_subword_prefix": None, "end_of_word_suffix": None, "fuse_unk": True}
        named = {
            name: found.texts.get(value[1:]) if str(value).startswith("=") else value
            for name, value in recipe.model.items()
        }
        return bpe_model(ids, merges, **usual | named)
    vocab = recipe.vocab(found) if document is None else recipe.again(found)
    unk = recipe.unk if isinstance(recipe.unk, int) else recipe.unk(found, vocab)
    if not unk < len(vocab):
        raise SourceError(f"the class's unknown token has the id {unk}, of {len(vocab)} tokens")
    return {
        "type": "Unigram",
        "unk_id": unk,
        "vocab": [[text, score] for text, score in vocab],
        "byte_fallback": False,
    }


# Tokens by id


def _albert(found: Around) -> Vocab:
    """Return the tokens of the file, in its order.

    Raises:
        SourceError: the tokens that stand around texts are not among them.
    """
    texts = {text for text, _ in found.pieces.vocab}
    for role in ("cls_token", "sep_token"):
        if found.texts[role] not in texts:
            raise SourceError(
                f"there is no piece {shown(found.texts[role])} in the model, which is the "
                f"{role} and stands around texts"
            )
    return found.pieces.vocab


def _of_unigram(found: Around) -> Vocab:
    """Return the tokens of a file that is a Unigram, in its order.

    Raises:
        SourceError: it is of another type.
    """
    kind = found.pieces.algorithm
    if kind is not Algorithm.UNIGRAM:
        raise SourceError(f"the model is of the type {kind.name}; this class expects a UNIGRAM")
    return found.pieces.vocab


def _fairseq(found: Around) -> Vocab:
    """Return the tokens in fairseq's order: four special ones come first, and a mask last."""
    first = [(found.texts.get(name, "<s>"), 0.0) for name in FAIRSEQ]
    return [*first, *found.pieces.vocab[3:], (found.texts["mask_token"], 0.0)]


def _mbart(found: Around, languages: Sequence[str]) -> Vocab:
    """Return the tokens in fairseq's order, with those of languages before the mask."""
    *tokens, mask = _fairseq(found)
    return [*tokens, *((code, 0.0) for code in languages), mask]


def _mbart50(found: Around) -> Vocab:
    """Return the tokens of mBART-50, whose first one is that of the class."""
    _, *tokens = _mbart(found, MBART50_LANGUAGES)
    return [(found.texts["cls_token"], 0.0), *tokens]


def _mbart50_again(found: Around) -> Vocab:
    """Return the tokens of a tokenizer.json of mBART-50, those of the class if none is a language.

    Then transformers takes them for the pieces of a SentencePiece model.
    """
    has_language = any(text in MBART50_LANGUAGES for text, _ in found.pieces.vocab)
    return found.pieces.vocab if has_language else _mbart50(found)


def _camembert(found: Around) -> Vocab:
    """Return the tokens of CamemBERT, with five before those of the file."""
    texts, tokens = found.texts, _of_unigram(found)
    return [
        ("<s>NOTUSED", 0.0),
        (texts["pad_token"], 0.0),
        ("</s>NOTUSED", 0.0),
        (texts["unk_token"], 0.0),
        ("<unk>NOTUSED", -100.0),
        *tokens[1:],
        (texts["mask_token"], 0.0),
    ]


def _nllb(found: Around) -> Vocab:
    """Return the tokens of NLLB, with four special ones first; all scores are 0.

    A piece that is one of the four keeps that place.

    Raises:
        SourceError: two of them are the same.
    """
    first = [found.texts[name] for name in FAIRSEQ]
    if len({*first}) < len(first):
        raise SourceError(f"the roles {', '.join(FAIRSEQ)} share a text: found {shown(first)}")
    texts = dict.fromkeys([*first, *(text for text, _ in found.pieces.vocab)])
    return [(text, 0.0) for text in texts]


def _seamless(found: Around) -> Vocab:
    """Return the tokens of SeamlessM4T, moved by one behind the padding.

    Raises:
        SourceError: the file's first tokens are not those that this order is for.
    """
    first = [text for text, _ in found.pieces.vocab[:3]]
    if first != ["<unk>", "<s>", "</s>"]:
        raise SourceError(
            f"the first pieces of the model are {shown(first)}; expected <unk>, <s> and </s>"
        )
    return [("<pad>", 0.0), *found.pieces.vocab]


def _pegasus(found: Around) -> Vocab:
    """Return the tokens of Pegasus, with as many before those of the file as `offset` says.

    First come pad, eos and the masks, each text once, with the score 0; then `<unk_2>` and so on up
    to `offset`, with -100; then the pieces of the file from the third on.
    """
    settings = found.folder.settings
    tokens = read_tokens(found.folder)
    mask = tokens.roles["mask_token"] if "mask_token" in tokens.roles else Token("<mask_1>")
    sent = settings.get("mask_token_sent", "<mask_2>")
    first = [found.texts["pad_token"], found.texts["eos_token"]]
    masks = [each for each in (mask.content if mask else None, sent) if each is not None]
    return [
        *((text, 0.0) for text in dict.fromkeys([*first, *masks])),
        *((f"<unk_{number}>", -100.0) for number in range(2, found.number("offset", 103))),
        *found.pieces.vocab[2:],
    ]


def _t5(found: Around) -> Vocab:
    """Return the tokens of the file, and the sentinels behind them, the last one first."""
    return [*found.pieces.vocab, *((text, 0.0) for text in reversed(_sentinels(found)))]


def _sentinels(found: Around) -> list[str]:
    """Return the texts of the sentinels that `extra_ids` counts."""
    return [f"<extra_id_{number}>" for number in range(found.number("extra_ids", 100))]


# Unknown tokens


def _by_text(text_of: str, usual: int | None) -> Callable[[Around, Vocab], int]:
    """Return a function that finds the id of the token with a role, by its text, in a vocabulary.

    The token has the score 0 there. Without it, the function returns `usual`.

    Args:
        text_of: the role, such as "unk_token", whose text is looked up.
        usual: the id if there is no such token; None: the file's id for what is unknown, or 1.
    """

    def find(found: Around, vocab: Vocab) -> int:
        """Return the id."""
        pair = (found.texts.get(text_of, ""), 0.0)
        if pair in vocab:
            return vocab.index(pair)
        return found.unk_id(1) if usual is None else usual

    return find


def _first_of_text(found: Around, vocab: Vocab) -> int:
    """Return the id of the first token with the text of the unknown one; else 2.

    It is 0 with a tokenizer.json.
    """
    texts = [text for text, _ in vocab]
    unk = found.texts["unk_token"]
    usual = 2 if found.folder.document is None else 0
    return texts.index(unk) if unk in texts else usual


def _of_pegasus(found: Around, vocab: Vocab) -> int:
    """Return the id of Pegasus's unknown token.

    Raises:
        SourceError: there is no such token.
    """
    pair = (found.texts["unk_token"], 0.0)
    if pair not in vocab[1:]:
        raise SourceError(f"there is no token {shown(pair[0])} with the score 0")
    return vocab.index(pair, 1)


# Normalizers


def _albert_normalizer(found: Around, *more: Component, accents: bool = False) -> Component:
    """Return the normalizer of ALBERT and classes like it.

    Args:
        found: the files and settings.
        more: what comes after the quotes.
        accents: whether accents stay where the settings do not say.
    """
    parts = [*QUOTES, *more]
    if not found.flag("keep_accents", accents):
        parts += [NFKD, STRIP_ACCENTS]
    if found.flag("do_lower_case", not accents):
        parts.append(LOWER)
    return normalizers(*parts, *_charsmap(found))


def _xlnet_normalizer(found: Around) -> Component:
    """Return the normalizer of XLNet, which takes accents away whatever the settings say."""
    lower = [LOWER] if found.flag("do_lower_case", False) else []
    return normalizers(*QUOTES, NFKD, STRIP_ACCENTS, *lower, *_charsmap(found))


def _charsmap(found: Around) -> list[Component]:
    """Return the normalizer of the file's charsmap, if it has one."""
    return [] if found.pieces.charsmap is None else [found.pieces.charsmap]


def _charsmap_and_spaces(found: Around) -> Component | None:
    """Return the charsmap and a step that makes one of several spaces; None without a charsmap."""
    charsmap = _charsmap(found)
    return normalizers(*charsmap, SPACES) if charsmap else None


def _pegasus_normalizer(found: Around) -> Component:
    """Return the normalizer of Pegasus."""
    first = _charsmap(found) or [replaced("\\n", " ")]
    return normalizers(*first, SPACES)


def _deberta_normalizer(found: Around) -> Component:
    """Return the normalizer of DeBERTa v2 and v3."""
    return normalizers(*([LOWER] if found.flag("do_lower_case", False) else []), *CONTROLS)


def _seamless_normalizer(_: Around) -> Component:
    """Return the normalizer of SeamlessM4T."""
    return normalizers(
        replaced(r"[\n\r\t]", " "),
        {"type": "NFKC"},
        strip(left=False, right=True),
        replaced(r" +▁", "▁"),
        replaced(r"^▁+$", ""),
        replaced(" {2,}", "▁"),
    )


# Pre-tokenizers and decoders


def _deberta_cuts(found: Around) -> Component:
    """Return the pre-tokenizer of DeBERTa v2 and v3."""
    cuts = {"type": "Punctuation", "behavior": "Isolated"}
    first = [cuts] if found.flag("split_by_punct", False) else []
    return pre_tokenizers(*first, metaspace(_deberta_scheme(found)))


def _deberta_scheme(found: Around) -> str:
    """Return when a text gets a mark in front in DeBERTa v2 and v3."""
    return "always" if found.flag("add_prefix_space", True) else "first"


def _llama_scheme(found: Around) -> str:
    """Return when a text gets a mark in front in Llama: `legacy` says whether each stretch does."""
    if not found.flag("add_prefix_space", True):
        return "never"
    return "always" if found.flag("legacy", False) else "first"


def _from_bytes(*more: Component) -> Component:
    """Return the decoder of a model with tokens for bytes."""
    return {
        "type": "Sequence",
        "decoders": [
            {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
            {"type": "ByteFallback"},
            {"type": "Fuse"},
            *more,
        ],
    }


FIRST_SPACE = {"type": "Strip", "content": " ", "start": 1, "stop": 0}


# Post-processors


def _fairseq_around(made: Made) -> Component:
    """Return the post-processor of XLM-R and CamemBERT."""
    bos, eos = made.id_of("bos_token"), made.id_of("eos_token")
    return template_processing(f"{bos} $A {eos}", f"{bos} $A {eos} {eos} $B {eos}", made.ids)


def _albert_around(made: Made) -> Component:
    """Return the post-processor of ALBERT, whose tokens are so called whatever their texts are."""
    ids = {
        "[CLS]": made.ids[made.id_of("cls_token")],
        "[SEP]": made.ids[made.id_of("sep_token")],
    }
    single = "[CLS]:0 $A:0 [SEP]:0"
    return template_processing(single, f"{single} $B:1 [SEP]:1", ids)


def _bert_around(made: Made) -> Component:
    """Return the post-processor of BigBird, DeBERTa and RemBERT."""
    cls, sep = made.id_of("cls_token"), made.id_of("sep_token")
    single = f"{cls}:0 $A:0 {sep}:0"
    return template_processing(single, f"{single} $B:1 {sep}:1", made.ids)


def _xlnet_around(made: Made) -> Component:
    """Return the post-processor of XLNet, whose special tokens come last."""
    cls, sep = made.id_of("cls_token"), made.id_of("sep_token")
    single = f"$A:0 {sep}:0 {cls}:2"
    return template_processing(single, f"$A:0 {sep}:0 $B:1 {sep}:1 {cls}:2", made.ids)


def _t5_around(made: Made) -> Component:
    """Return the post-processor of T5, whose last token is so called whatever its text is."""
    ids = {"</s>": made.ids[made.id_of("eos_token")]}
    return template_processing("$A </s>", "$A </s> $B </s>", ids)


def _pegasus_around(made: Made) -> Component:
    """Return the post-processor of Pegasus."""
    eos = made.id_of("eos_token")
    return template_processing(f"$A {eos}", f"$A $B {eos}", made.ids)


def _xglm_around(made: Made) -> Component:
    """Return the post-processor of XGLM."""
    eos, bos = made.id_of("eos_token"), made.id_of("bos_token")
    found = template_processing(f"{eos} $A", f"{eos} $A {eos} {eos} $B", made.ids)
    found["special_tokens"][bos] = {"id": bos, "ids": [made.ids[bos]], "tokens": [bos]}
    return found


def _language(made: Made, option: str, usual: str) -> str:
    """Return the token of the language that the settings name.

    Raises:
        SourceError: there is no such token.
    """
    found = made.folder.settings.get(option) or usual
    if found not in made.ids:
        raise SourceError(
            f"there is no token {shown(found)} for the language of a text; name it in "
            f"extra_special_tokens, or another one as {option}"
        )
    return str(found)


def _mbart_around(made: Made) -> Component:
    """Return the post-processor of mBART: the language comes last."""
    last = made.id_of("eos_token"), _language(made, "src_lang", "en_XX")
    return template_processing(["$A", *last], ["$A", "$B", *last], made.ids)


def _mbart50_around(made: Made) -> Component:
    """Return the post-processor of mBART-50: the language comes first."""
    first, last = _language(made, "src_lang", "en_XX"), made.id_of("eos_token")
    return template_processing([first, "$A", last], [first, "$A", "$B", last], made.ids)


def _nllb_around(made: Made) -> Component:
    """Return the post-processor of NLLB: the language comes first, or last as in older models."""
    language, eos = _language(made, "src_lang", "eng_Latn"), made.id_of("eos_token")
    if flag(made.folder, "legacy_behaviour", False):
        last = eos, language
        return template_processing(["$A", *last], ["$A", "$B", *last], made.ids)
    return template_processing([language, "$A", eos], [language, "$A", "$B", eos], made.ids)


def _seamless_around(made: Made) -> Component:
    """Return the post-processor of SeamlessM4T, as every call sets it: the language comes first.

    Raises:
        SourceError: there is no token for the language.
    """
    name = made.folder.settings.get("src_lang") or "eng"
    language = name if "__" in str(name) else f"__{name}__"
    eos = made.id_of("eos_token")
    if language not in made.ids:
        raise SourceError(f"there is no token {shown(language)} for the language of a text")
    return template_processing([language, "$A", eos], [language, "$A", "$B", eos], made.ids)


# Extra tokens


def _t5_extra(found: Around) -> list[Token]:
    """Return the extra tokens of T5: those of the file, then sentinels unless the file has some.

    Sentinels are special tokens, `<extra_id_0>` and so on. `extra_ids` of the settings, 100 where
    they do not say, is how many there are.

    Raises:
        SourceError: the file has sentinels, another number of them than `extra_ids` (or than 100),
            and that is not 0; or `extra_ids` is no number from 0 on.
    """
    extra, wanted = found.pieces.extra, found.number("extra_ids", 100)
    own = sum("<extra_id_" in token.content for token in extra)
    if own and wanted and own != wanted:
        raise SourceError(f"extra_ids is {wanted}, but the model has {own} sentinels")
    return extra if own else [*extra, *map(_special, _sentinels(found))]


def _special(text: str) -> Token:
    """Return a special token."""
    return Token(text, special=True)


def _mbart_extra(found: Around) -> list[Token]:
    """Return the extra tokens of mBART: the languages, then those of the file."""
    own = [token for token in found.pieces.extra if token.content not in MBART_LANGUAGES]
    return [*map(_special, MBART_LANGUAGES), *own]


def _mbart50_extra(found: Around) -> list[Token]:
    """Return the extra tokens of mBART-50: those of the file, then the languages."""
    return [*found.pieces.extra, *map(_special, MBART50_LANGUAGES)]


def _pegasus_extra(found: Around) -> list[Token]:
    """Return the extra tokens of Pegasus, all special: a mask for sentences, and unused ones.

    The mask is left out where the settings have null, or the file has the token; the unused ones
    are `<unk_2>` and so on, up to `offset`.
    """
    sent = found.folder.settings.get("mask_token_sent", "<mask_1>")
    is_own = any(token.content == sent for token in found.pieces.extra)
    first = [] if sent is None or is_own else [sent]
    unused = [f"<unk_{number}>" for number in range(2, found.number("offset", 103))]
    return [*map(_special, [*first, *unused])]


def _xglm_extra(found: Around) -> list[Token]:
    """Return the extra tokens of XGLM: those of the file, and seven that were made up."""
    return [*found.pieces.extra, *(_special(f"<madeupword{number}>") for number in range(7))]


def _code_llama_extra(found: Around) -> list[Token]:
    """Return the extra tokens of Code Llama: those of the file, and those for infilling."""
    given = read_tokens(found.folder).to_class
    infill = (given.get(name, _special(usual)) for name, usual in INFILL.items())
    return [*found.pieces.extra, *(token for token in infill if token is not None)]


FAIRSEQ = ("bos_token", "pad_token", "eos_token", "unk_token")
FAIRSEQ_ROLES = {
    **{"bos_token": "<s>", "eos_token": "</s>", "sep_token": "</s>", "cls_token": "<s>"},
    **{"unk_token": "<unk>", "pad_token": "<pad>", "mask_token": "<mask>"},
}
MASKED = {**FAIRSEQ_ROLES, "mask_token": Token("<mask>", lstrip=True)}
ALBERT_ROLES = {
    **{"bos_token": "[CLS]", "eos_token": "[SEP]", "unk_token": "<unk>", "sep_token": "[SEP]"},
    **{"pad_token": "<pad>", "cls_token": "[CLS]", "mask_token": "[MASK]"},
}
T5_ROLES = {"eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
LLAMA_ROLES = {
    **{"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>", "padding_side": "left"},
    "model_input_names": ["input_ids", "attention_mask"],
}
GEMMA_ROLES = {
    **{"unk_token": "<unk>", "bos_token": "<bos>", "eos_token": "<eos>", "pad_token": "<pad>"},
    **{"mask_token": "<mask>", "padding_side": "left"},
}
INFILL = {
    **{"prefix_token": "▁<PRE>", "middle_token": "▁<MID>", "suffix_token": "▁<SUF>"},
    **{"eot_token": "▁<EOT>", "fill_token": "<FILL_ME>"},
}
WITHOUT_TYPES = {"model_input_names": ["input_ids", "attention_mask"]}
WITH_TYPES = {"model_input_names": ["input_ids", "attention_mask", "token_type_ids"]}
LAST = Recipe(
    file="spiece.model", roles=T5_ROLES, vocab=_t5, unk=2, extra=_t5_extra, around=_t5_around
)
SPLIT_AT_SPACES = split(" ", "MergedWithPrevious", regex=False)
TO_MARKS = replaced(" ", "▁", regex=False)

RECIPES: dict[str, Recipe] = {
    "AlbertTokenizer": Recipe(
        file="spiece.model",
        roles={**ALBERT_ROLES, **WITHOUT_TYPES},
        vocab=_albert,
        again=_albert,
        unk=1,
        normalizer=_albert_normalizer,
        pre_tokenizer=lambda found: _words(_scheme(found)),
        decoder=lambda found: metaspace(_scheme(found)),
        around=_albert_around,
        gives_way=True,
        unfollowed=("trim_offsets",),
    ),
    "BarthezTokenizer": Recipe(
        file="sentencepiece.bpe.model",
        roles=MASKED,
        vocab=_of_unigram,
        unk=3,
        normalizer=lambda _: normalizers(*CONTROLS),
        pre_tokenizer=lambda found: metaspace(_scheme(found)),
        decoder=lambda found: metaspace(_scheme(found)),
    ),
    "BigBirdTokenizer": Recipe(
        file="spiece.model",
        roles={
            **{"unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"},
            **{"pad_token": "<pad>", "sep_token": "[SEP]", "cls_token": "[CLS]"},
            **{"mask_token": Token("[MASK]", lstrip=True), **WITHOUT_TYPES},
        },
        unk=_by_text("unk_token", 100),
        normalizer=lambda _: normalizers(strip(left=False, right=False), replaced(" {2,}", "▁")),
        pre_tokenizer=lambda found: metaspace(_scheme(found)),
        decoder=lambda found: metaspace(_scheme(found)),
        around=_bert_around,
    ),
    "CamembertTokenizer": Recipe(
        file="sentencepiece.bpe.model",
        roles={**FAIRSEQ_ROLES, "mask_token": Token("<mask>", lstrip=True, special=True)},
        vocab=_camembert,
        unk=_first_of_text,
        usual_extra=("<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"),
        pre_tokenizer=lambda found: _words(_scheme(found)),
        decoder=lambda found: metaspace(_scheme(found)),
        around=_fairseq_around,
    ),
    "DebertaV2Tokenizer": Recipe(
        file="spm.model",
        roles={**ALBERT_ROLES, "unk_token": "[UNK]", "pad_token": "[PAD]", **WITH_TYPES},
        unk=_by_text("unk_token", None),
        normalizer=_deberta_normalizer,
        pre_tokenizer=_deberta_cuts,
        decoder=lambda found: metaspace(_deberta_scheme(found)),
        around=_bert_around,
        unfollowed=("unk_id",),
    ),
    "MBartTokenizer": Recipe(
        file="sentencepiece.bpe.model",
        roles=MASKED,
        vocab=partial(_mbart, languages=MBART_LANGUAGES),
        unk=3,
        normalizer=lambda _: None,
        extra=_mbart_extra,
        around=_mbart_around,
    ),
    "MBart50Tokenizer": Recipe(
        file="sentencepiece.bpe.model",
        roles={name: token for name, token in MASKED.items() if name != "bos_token"},
        vocab=_mbart50,
        again=_mbart50_again,
        unk=3,
        normalizer=lambda found: normalizers(*_charsmap(found), SPACES),
        pre_tokenizer=lambda _: metaspace(),
        extra=_mbart50_extra,
        around=_mbart50_around,
    ),
    "NllbTokenizer": Recipe(
        file="sentencepiece.bpe.model",
        roles={
            **FAIRSEQ_ROLES,
            "mask_token": Token("<mask>", lstrip=True, normalized=True, special=True),
        },
        vocab=_nllb,
        usual_extra=NLLB_LANGUAGES,
        model={"unk_token": "=unk_token"},
        normalizer=_charsmap_and_spaces,
        pre_tokenizer=lambda _: metaspace(),
        around=_nllb_around,
    ),
    "PegasusTokenizer": Recipe(
        file="spiece.model",
        roles={
            **{"pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"},
            **{"mask_token": "<mask_2>"},
        },
        vocab=_pegasus,
        unk=_of_pegasus,
        normalizer=_pegasus_normalizer,
        pre_tokenizer=lambda _: metaspace(),
        extra=_pegasus_extra,
        around=_pegasus_around,
    ),
    "ReformerTokenizer": Recipe(
        file="spiece.model",
        roles={"eos_token": "</s>", "unk_token": "<unk>"},
        model={"unk_token": "=unk_token"},
        normalizer=_charsmap_and_spaces,
        pre_tokenizer=lambda _: metaspace(),
        twice=True,
    ),
    "RemBertTokenizer": Recipe(
        file="sentencepiece.model",
        roles={**ALBERT_ROLES, **WITHOUT_TYPES},
        unk=2,
        normalizer=lambda found: _albert_normalizer(found, SPACES, accents=True),
        pre_tokenizer=lambda found: metaspace(_scheme(found)),
        decoder=lambda found: metaspace(_scheme(found)),
        instead=_bert_around,
        twice=True,
        unfollowed=("remove_space",),
    ),
    "SeamlessM4TTokenizer": Recipe(
        file="sentencepiece.bpe.model",
        roles={name: token for name, token in FAIRSEQ_ROLES.items() if name != "mask_token"},
        vocab=_seamless,
        model={"unk_token": "=unk_token"},
        normalizer=_seamless_normalizer,
        pre_tokenizer=lambda _: metaspace("first"),
        decoder=lambda _: metaspace("first"),
        around=_seamless_around,
        unfollowed=("keep_accents",),
    ),
    "T5Tokenizer": LAST,
    "LasrTokenizer": Recipe(
        file="spiece.model", roles=T5_ROLES, unk=3, extra=_t5_extra, around=_t5_around
    ),
    "VideoPrismTokenizer": Recipe(
        file="spiece.model", roles=T5_ROLES, vocab=_t5, unk=2, extra=_t5_extra
    ),
    "XLMRobertaTokenizer": Recipe(
        file="sentencepiece.bpe.model",
        roles=FAIRSEQ_ROLES,
        vocab=_fairseq,
        unk=3,
        pre_tokenizer=lambda found: _words(_scheme(found)),
        decoder=lambda found: metaspace(_scheme(found)),
        around=_fairseq_around,
    ),
    "XLNetTokenizer": Recipe(
        file="spiece.model",
        roles={
            **{"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"},
            **{"sep_token": "<sep>", "pad_token": "<pad>", "cls_token": "<cls>"},
            **{"mask_token": Token("<mask>", lstrip=True), "padding_side": "left"},
            **WITHOUT_TYPES,
        },
        unk=lambda found, _: found.unk_id(0),
        usual_extra=("<eop>", "<eod>"),
        normalizer=_xlnet_normalizer,
        around=_xlnet_around,
        unfollowed=("remove_space", "keep_accents", "unk_id"),
    ),
    "XGLMTokenizer": Recipe(
        file="tokenizer.model",
        roles={name: token for name, token in FAIRSEQ_ROLES.items() if name != "mask_token"},
        unk=3,
        normalizer=lambda found: normalizers(*_charsmap(found), SPACES),
        pre_tokenizer=lambda found: metaspace(_scheme(found)),
        decoder=lambda found: metaspace(_scheme(found)),
        extra=_xglm_extra,
        around=_xglm_around,
    ),
    "LlamaTokenizer": Recipe(
        file="tokenizer.model",
        roles=LLAMA_ROLES,
        model={"byte_fallback": True},
        normalizer=lambda _: None,
        pre_tokenizer=lambda found: metaspace(_llama_scheme(found), cut=False),
        decoder=lambda found: _from_bytes(
            *([FIRST_SPACE] if found.flag("add_prefix_space", True) else [])
        ),
    ),
    "CodeLlamaTokenizer": Recipe(
        file="tokenizer.model",
        roles={**LLAMA_ROLES, **INFILL, "add_bos_token": True},
        model={"byte_fallback": True, "unk_token": "=unk_token"},
        normalizer=lambda _: None,
        pre_tokenizer=lambda found: metaspace(
            "first" if found.flag("add_prefix_space", True) else "never", cut=False
        ),
        decoder=lambda _: _from_bytes(FIRST_SPACE),
        extra=_code_llama_extra,
        by_settings=True,
    ),
    "GemmaTokenizer": Recipe(
        file="tokenizer.model",
        roles=GEMMA_ROLES,
        model={"byte_fallback": True, "unk_token": "=unk_token"},
        normalizer=lambda _: TO_MARKS,
        pre_tokenizer=lambda _: SPLIT_AT_SPACES,
        decoder=lambda _: _from_bytes(),
    ),
    "Siglip2Tokenizer": Recipe(
        file="tokenizer.model",
        roles=GEMMA_ROLES,
        model={"byte_fallback": True, "unk_token": "=unk_token"},
        normalizer=lambda _: normalizers(LOWER, TO_MARKS),
        pre_tokenizer=lambda _: SPLIT_AT_SPACES,
        decoder=lambda _: _from_bytes(),
    ),
    "Tipsv2Tokenizer": Recipe(
        file="tokenizer.model",
        roles={"unk_token": "<unk>", "pad_token": "<pad>", "model_max_length": 64},
        model={"byte_fallback": True},
        normalizer=lambda found: normalizers(
            *([LOWER] if found.flag("do_lower_case", True) else []), *_charsmap(found)
        ),
        decoder=lambda _: {
            "type": "Sequence",
            "decoders": [metaspace(), {"type": "ByteFallback"}, {"type": "Fuse"}],
        },
    ),
}
"""The classes by name, and how each puts a tokenizer together."""

CLASSES: dict[str, ModelClass] = {
    name: ModelClass(
        files=(recipe.file,), read=partial(read, recipe), rebuild=partial(read, recipe)
    )
    for name, recipe in RECIPES.items()
} | {
    "CpmTokenizer": ModelClass(
        files=("spiece.model",), refusal="which cuts words by a program, rjieba"
    ),
    "LayoutXLMTokenizer": ModelClass(
        files=("sentencepiece.bpe.model",),
        refusal="which takes words and their places on a page, and no plain text",
    ),
    "MLukeTokenizer": ModelClass(
        files=("sentencepiece.bpe.model", "entity_vocab.json"),
        refusal="which takes entities beside a text, that are no tokens of it",
    ),
    "UdopTokenizer": ModelClass(
        files=("spiece.model",),
        refusal="which takes words and their places on a page, and no plain text",
    ),
}
