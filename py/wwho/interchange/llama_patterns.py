r"""The pretokenizers of llama.cpp, by the names that GGUF files give them.

llama.cpp rewrites the patterns of the models for the engine that it has: classes of characters are
those of Unicode 15.1, `\p{Lu}` and its like are any letter, white space outside of ASCII is in no
range of characters, `$` is the end of the pretoken. What a pattern leaves between two matches is a
pretoken, too.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from wwho.compile.codepoints import CodePointSet
from wwho.compile.normal_forms import lower_case, normal_form
from wwho.compile.parse import RegexParser
from wwho.compile.pattern_characters import CharReader
from wwho.compile.scanners import Scanner
from wwho.compile.syntax import Chars, Node, many
from wwho.compile.unicode import category, white_space
from wwho.format.steps import Action, Cut, Map
from wwho.interchange.bert import IDEOGRAPHS

LATER = CodePointSet.of(
    *(0x897, (0x1B4E, 0x1B4F), 0x1B7F, (0x1C89, 0x1C8A), (0x2427, 0x2429), (0x31E4, 0x31E5)),
    *((0xA7CB, 0xA7CD), (0xA7DA, 0xA7DC), (0x105C0, 0x105F3), (0x10D40, 0x10D65)),
    *((0x10D69, 0x10D85), (0x10D8E, 0x10D8F), (0x10EC2, 0x10EC4), 0x10EFC, (0x11380, 0x11389)),
    *(0x1138B, 0x1138E, (0x11390, 0x113B5), (0x113B7, 0x113C0), 0x113C2, 0x113C5),
    *((0x113C7, 0x113CA), (0x113CC, 0x113D5), (0x113D7, 0x113D8), (0x113E1, 0x113E2)),
    *((0x116D0, 0x116E3), (0x11BC0, 0x11BE1), (0x11BF0, 0x11BF9), 0x11F5A, (0x13460, 0x143FA)),
    *((0x16100, 0x16139), (0x16D40, 0x16D79), 0x18CFF, (0x1CC00, 0x1CCF9), (0x1CD00, 0x1CEB3)),
    *((0x1E5D0, 0x1E5FA), 0x1E5FF, (0x1F8B2, 0x1F8BB), (0x1F8C0, 0x1F8C1), 0x1FA89, 0x1FA8F),
    *(0x1FABE, 0x1FAC6, 0x1FADC, 0x1FADF, 0x1FAE9, (0x1FBCB, 0x1FBEF)),
)
"""The characters that Unicode 16.0 added to 15.1."""


ANY = r"[\s\S]"
"""Any character; those side by side are one pretoken where a pattern has it between its matches."""


@dataclass(frozen=True)
class Pattern:
    """A pattern by which a pretokenizer cuts.

    Attributes:
        matches: what it matches: each match is a piece.
        between: what lies between two matches, where there may be any: a pattern that matches all
            of a stretch in which no match begins, or a character of it.
    """

    matches: str
    between: str | None = None

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions of a cut for the rules of the pretokenizer's scanner, in their order."""
        if self.between is None:
            return (Action.KEEP,)
        return (Action.KEEP, Action.GROUP if self.between == ANY else Action.KEEP)

    @property
    def rules(self) -> tuple[Node, ...]:
        """The rules of its scanner: rule 0 is a match, rule 1 what lies between two."""
        texts = (self.matches, self.between)
        return tuple(_parse(text) for text in texts if text is not None)


@dataclass(frozen=True)
class Groups:
    """Digits that are counted from the end of their run, and cut before all else, by threes.

    Attributes:
        digits: the characters that count.
        between: whether it only cuts before whole groups, so that a shorter first group stays with
            what stands before it, and the last group with what follows. Else it cuts after each
            group, so that the first one stays with what stands before it.
    """

    digits: CodePointSet
    between: bool = False


@dataclass(frozen=True)
class Pretokenizer:
    """How a model's text is cut.

    Attributes:
        cuts: the patterns; each cuts what the one before it leaves.
        whole: whether a pretoken that is a token is that token, even where merges do not make it.
        add_bos: whether a text begins with bos, where the file does not say.
        groups: how digits are cut before the patterns; None: not at all.
    """

    cuts: tuple[Pattern, ...]
    whole: bool = False
    add_bos: bool = False
    groups: Groups | None = None


_S = r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_SPACES = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_WORDS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_OTHERS = r" ?[^\s\p{L}\p{N}]+[\r\n]*"
_GPT2 = Pattern(
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
)
_DIGIT = Pattern(r"\p{N}", r"\P{N}+")
_DIGITS = Pattern(r"\p{N}+", r"\P{N}+")
_DIGITS_3 = Pattern(r"\p{N}{1,3}", r"\P{N}+")
_ASCII_3 = Pattern(r"[0-9][0-9][0-9]", r"(?:[^0-9]|[0-9]{1,2}(?![0-9]))+")
_LINE_BREAK = Pattern(r"[\r\n]", r"[^\r\n]+")
_LINES = Pattern(r"[^\n]+|[\n]+")
_LLAMA3 = Pattern(rf"{_S}|{_WORDS}|\p{{N}}{{1,3}}|{_OTHERS}|{_SPACES}")
_QWEN2 = Pattern(rf"{_S}|{_WORDS}|\p{{N}}|{_OTHERS}|{_SPACES}")
_CJK = "[一-龥぀-ゟ゠-ヿ]"
_CJK_CUT = Pattern(f"{_CJK}+", f"[^{_CJK[1:]}+")
_HAN_AND_MORE = "一-龥ࠀ-一가-퟿"
_HAN_CUT = Pattern(rf"(?:(?!\s)[{_HAN_AND_MORE}])+", rf"(?:[^{_HAN_AND_MORE}]|\s)+")
_SYMBOLS = r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+"
_V3_WORDS = r"[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
_V3_BETWEEN = r"(?:[^\s\p{L}\p{M}\p{P}\p{S}](?![\p{L}\p{M}]))+"
_V3 = Pattern(
    rf"{_SYMBOLS}|{_V3_WORDS}| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_SPACES}",
    _V3_BETWEEN,
)
_SENTENCE_ENDS = r"(\s|.,!?…。，、।۔،)"
_BLOOM = Pattern(
    f" ?[^{_SENTENCE_ENDS}]+",
    f"(?:(?! )[{_SENTENCE_ENDS}]| (?![^{_SENTENCE_ENDS}]))+",
)
_LETTERS = (
    "A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ"
    "-ᴫᵫ-ᵷᵹ-ᶚḀ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK"
    "-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄⰀ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-"
    "𐳲𑢠-𑣟𞤀-𞥃"
)
_MARKS = "!-/:-~！-／：-～‘-‟、-。"


def _with_space(chars: str) -> Pattern:
    """Return a run of characters and a space before it."""
    return Pattern(rf"\s?[{chars}]+", rf"(?:[^\s{chars}]|\s(?![{chars}]))+")


def _cased_words(letters: str, tail: str, rest: str) -> Pattern:
    """Return the pattern of words whose case changes but once, as far as it is that of ASCII.

    Args:
        letters: the letters of words, as the inside of a set.
        tail: a pattern of what may follow a word.
        rest: a pattern of all that is no word.
    """
    upper, lower = rf"(?:(?=[{letters}])[^a-z])", rf"(?:(?=[{letters}])[^A-Z])"
    start = r"[^\r\n\p{L}\p{N}]?"
    return Pattern(f"{start}{upper}*{lower}+{tail}|{start}{upper}+{lower}*{tail}|{rest}")


_GPT4O_REST = rf"\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"
_YOUTU = "[가-힣ㄱ-ㆎ]+|[！…“”‘’—：；，、-〿︰-﹏]+|[ㄅ-ㄯ]+"
_YOUTU_WORD = r"[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+"
_HAN = (
    "\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002ebef"
    "\U0002f800-\U0002fa1f"
)
_JAIS_SPACES = "|".join(rf"(?:\s{{{n // 128}}}){{128}}(?!\S)" for n in (512, 256, 128))

_ASIAN = (
    "\u0e40-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u2f00-\u2fdf\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\ufaff\uff65-\uff9f"
)
"""In llama.cpp, the range of compatibility ideographs begins with U+8C48 instead of U+F900."""


_PRETOKENIZERS: dict[tuple[str, ...], Pretokenizer] = {
    (
        *("llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0"),
        *("lfm2", "jina-v5-nano"),
    ): Pretokenizer((_LLAMA3,), whole=True, add_bos=True),
    ("dbrx", "smaug-bpe", "chatglm-bpe"): Pretokenizer((_LLAMA3,)),
    ("glm4", "glm5"): Pretokenizer((_LLAMA3,), whole=True),
    ("deepseek-llm",): Pretokenizer(
        (
            *(_LINE_BREAK, _with_space(_LETTERS), _with_space(_MARKS)),
            *(Pattern(r"\s+$", r"(?:\S|\s+(?=\S))+"), _HAN_CUT, _DIGITS),
        )
    ),
    ("deepseek-coder",): Pretokenizer(
        (_LINE_BREAK, _with_space(r"\p{L}"), _with_space(r"\p{P}"), _HAN_CUT, _DIGIT)
    ),
    ("deepseek-v3", "hunyuan-dense", "joyai-llm", "hy_v4"): Pretokenizer(
        (_DIGITS_3, _CJK_CUT, _V3)
    ),
    ("spark2_5",): Pretokenizer(
        (
            _DIGITS_3,
            _CJK_CUT,
            Pattern(
                rf"{_SYMBOLS}|{_V3_WORDS}| ?[\p{{P}}\p{{S}}]+|[\r\n]|\s+(?!\S)|\s+",
                _V3_BETWEEN,
            ),
            _DIGIT,
        )
    ),
    ("youtu",): Pretokenizer(
        (
            Pattern(
                f"{_YOUTU}|{_CJK}+",
                f"[^{_YOUTU.replace(']+|[', '')[1:-2]}{_CJK[1:]}+",
            ),
            Pattern(
                rf"{_YOUTU_WORD}{_S}?|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}",
            ),
        ),
        whole=True,
    ),
    ("falcon",): Pretokenizer(
        (Pattern(r"[\p{P}$+<=>\^~|`]+", r"[^\p{P}$+<=>\^~|`]+"), _GPT2, _ASCII_3)
    ),
    ("", "default"): Pretokenizer(
        (Pattern(r"[\p{P}$+<=>\^~|]+", r"[^\p{P}$+<=>\^~|]+"), _GPT2, _DIGITS, _ASCII_3)
    ),
    (
        *("starcoder", "refact", "command-r", "smollm", "codeshell", "exaone", "minerva-7b"),
        "mellum2",
    ): Pretokenizer((_DIGIT, _GPT2)),
    (
        *("gpt-2", "phi-2", "jina-es", "jina-de", "gigachat", "jina-v2-es", "jina-v2-de"),
        *("a.x-4.0", "mellum", "modern-bert", "jina-v1-en", "jina-v2-code", "roberta-bpe"),
        *("mpt", "olmo", "jais", "trillion", "granite-docling", "exaone4"),
    ): Pretokenizer((_GPT2,)),
    (
        *("qwen2", "deepseek-r1-qwen", "kormo", "f2llmv2", "megrez", "stablelm2", "hunyuan"),
        *("solar-open", "grok-2"),
    ): Pretokenizer((_QWEN2,)),
    ("qwen35",): Pretokenizer(
        (
            Pattern(
                rf"{_S}|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}|"
                rf" ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_SPACES}"
            ),
        )
    ),
    ("bloom", "poro-chat", "gpt3-finnish"): Pretokenizer((_BLOOM,)),
    ("viking",): Pretokenizer((_BLOOM, _DIGIT)),
    ("tekken",): Pretokenizer(
        (_cased_words(r"\p{L}", "", rf"\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_SPACES}"),),
        whole=True,
        add_bos=True,
    ),
    ("gpt-4o", "llama4", "kanana2", "talkie", "minimax-m2"): Pretokenizer(
        (_cased_words(r"\p{L}", f"{_S}?", _GPT4O_REST),)
    ),
    ("granite-embed-multi-97m",): Pretokenizer(
        (_cased_words(r"\p{L}\p{M}", f"{_S}?", _GPT4O_REST),), whole=True
    ),
    ("bailingmoe", "bailingmoe2", "llada-moe"): Pretokenizer(
        (
            Pattern(
                rf"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|{_WORDS}|\p{{N}}|{_OTHERS}|"
                r"\s*[\r\n]|\s+(?!\S)|\s+"
            ),
        )
    ),
    ("seed-coder",): Pretokenizer(
        (Pattern(rf"{_S}|{_WORDS}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_SPACES}"),)
    ),
    ("chameleon",): Pretokenizer(
        (
            Pattern("<sentinel:[0-9]+>", ANY),
            Pattern("IMGIMG[A-I]{1,4}Z", ANY),
            Pattern(r"[\t\n]|    |  ", ANY),
            _DIGIT,
            Pattern(r"[\p{P}!-/:-@\[-`{-~]", r"[^\p{P}!-/:-@\[-`{-~]+"),
            _GPT2,
        ),
        add_bos=True,
    ),
    ("kimi-k2",): Pretokenizer(
        (
            Pattern(
                rf"[{_HAN}]+|[^\r\n\p{{L}}\p{{N}}]?(?:(?![{_HAN}])\p{{L}})+{_S}?|\p{{N}}{{1,3}}|"
                rf"{_OTHERS}|{_SPACES}"
            ),
        )
    ),
    ("tiny_aya", "cohere2moe"): Pretokenizer(
        (Pattern(rf"{_YOUTU_WORD}{_S}?|{_GPT4O_REST}"),), groups=Groups(category("N") - LATER)
    ),
    ("afmoe",): Pretokenizer(
        (Pattern(f"[{_ASIAN}]+", f"[^{_ASIAN}]+"), _V3), groups=Groups(category("N") - LATER)
    ),
    ("superbpe",): Pretokenizer(
        (Pattern(r"\p{N}+", r"\P{N}+"),), groups=Groups(CodePointSet.of(("0", "9")), between=True)
    ),
    ("ufakzeka",): Pretokenizer((Pattern(rf"{_WORDS}|\p{{N}}|{_OTHERS}|{_SPACES}"),)),
    ("laguna",): Pretokenizer((_LINES, _QWEN2)),
    ("exaone-moe",): Pretokenizer(
        (
            Pattern(
                rf"{_S}|[^\r\n\p{{L}}\p{{N}}]?(?:\p{{L}}\p{{M}}*(?: \p{{L}}\p{{M}}*)*)+|\p{{N}}|"
                r" ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+"
            ),
        )
    ),
    ("minicpm5",): Pretokenizer(
        (_DIGITS_3, Pattern(rf"{_S}|{_WORDS}|\p{{N}}+|{_OTHERS}|{_SPACES}")), whole=True
    ),
    ("jais-2",): Pretokenizer(
        (
            Pattern(
                rf"{_S}|{_WORDS}|\p{{N}}{{1,3}}|{_OTHERS}|\s*[\r\n]+|{_JAIS_SPACES}|\s{{64}}(?!\S)|"
                r"\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s"
            ),
        )
    ),
}

PRETOKENIZERS = {name: each for names, each in _PRETOKENIZERS.items() for name in names}
"""What each name of `tokenizer.ggml.pre` stands for; "" is a file that has none."""

REFUSED = {
    "whitespace": "it is a model without merges",
}
"""Names that llama.cpp knows and this importer does not, and why."""

CHARACTER_NAMES = ("gemma4", "granite-embed-multi-311m", "sarvam-moe")
"""Names of models over code points: they are cut at line breaks alone."""


@cache
def cuts_of(pretokenizer: Pretokenizer) -> tuple[tuple[Scanner, Cut], ...]:
    """Return the cuts of a pretokenizer in order, each with the scanner of its automaton.

    The number of a cut's automaton is its place among these.
    """
    found: list[tuple[Scanner, Cut]] = []
    if groups := pretokenizer.groups:
        rules = many(Chars(groups.digits), 1), Chars(~groups.digits)
        cut = Cut(
            0,
            (Action.COUNT, Action.GROUP),
            (3, 0),
            short_joins=groups.between,
            first_joins=not groups.between,
            last_joins=groups.between,
        )
        found.append((Scanner("groups of digits", rules, longest=False), cut))
    for number, pattern in enumerate(pretokenizer.cuts, len(found)):
        scanner = Scanner(f"pretokenizer {number}", pattern.rules, longest=False)
        found.append((scanner, Cut(number, pattern.actions)))
    return tuple(found)


class _Reader(CharReader):
    """Characters as llama.cpp classes them."""

    def _property(self, at: int) -> CodePointSet:
        return super()._property(at) - LATER


def _parse(pattern: str) -> Node:
    return RegexParser(pattern, _Reader).parse()


def removed_characters() -> CodePointSet:
    """Return the characters that the model bert takes out of a text first."""
    gone = category("Cc") | category("Cf") | category("Co") | CodePointSet.of(0, 0xFFFD)
    return gone - white_space()


def words_apart() -> CodePointSet:
    """Return the characters each of which is a word to the model bert."""
    ascii_symbols = category("S") & CodePointSet.of((0, 0x7E))
    return category("P") - LATER | ascii_symbols | IDEOGRAPHS


def bert_map(*, lowercase: bool, strip_accents: bool) -> Map:
    """Return the step by which the model bert makes of a character its base, in lower case.

    Characters younger than llama.cpp's tables stay as they are. Without `strip_accents` it is a map
    to lower case alone; with it, each character becomes the first one of its decomposition, a
    syllable of Hangul its first letter, and combining marks vanish.

    Args:
        lowercase: whether letters become lower case, each one character.
        strip_accents: whether characters become their bases.
    """
    known = (category("L") | category("N") | category("S")) - LATER
    lower = {code: to[:1] for code, to in lower_case().mapping.items() if code in known}
    if not lowercase:
        lower = {}
    if not strip_accents:
        return Map(lower)
    apart = normal_form("nfd").decompositions
    base = {code: to[0] for code, to in apart.items() if code not in LATER}
    base |= {code: 0x1100 + (code - 0xAC00) // 588 for code in range(0xAC00, 0xD7A4)}
    mapping = lower | {code: lower.get(to, (to,)) for code, to in base.items() if to != code}
    return Map(mapping | dict.fromkeys(category("M") - LATER, ()))
