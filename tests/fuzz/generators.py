"""Random texts of many kinds for differential.py: what people write, and what tokenizers get wrong.

Each function makes one text. They use only the numbers of the generator they are given, so that a
seed gives the same texts again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

Strategy = Callable[[Random], str]

LONGEST_WORD = 5000
SENTENCES = (
    "The kettle sings; nobody's home, and it'LL boil over at 10:45.",
    "Zoë’s naïve café sells crème brûlée — for £3.50, they've said…",
    "Über größere Flüsse führen kürzere Brücken, als man dächte.",
    "Вечером мы пойдём в кино, если не будет дождя.",
    "Το πρωί έβρεχε, αλλά το απόγευμα βγήκε ο ήλιος.",
    "في المساء ذهبنا إلى السوق واشترينا ثلاثة كتب.",
    "בערב הלכנו לשוק וקנינו שלושה ספרים.",
    "शाम को हम टहलने निकले, और हवा चल रही थी। ऋतु बदल गई ॐ",
    "ගෙදර යන පාරේ මල් පිපිලා තිබුණා. ශ්‍රී ලංකාවේ විද්‍යාලය, චන්ද්‍රයාගේ!",
    "மாலையில் நாங்கள் நடைப்பயிற்சி செய்தோம்.",
    "বিকেলে আমরা হাঁটতে বেরিয়েছিলাম, আর বাতাস বইছিল।",
    "ตอนเย็นเราไปเดินเล่นที่ตลาดและซื้อหนังสือสามเล่ม",
    "晚上我们去了市场，买了三本书。",
    "夕方、市場へ行って本を三冊買いました。カタカナもﾊﾝｶｸも。",
    "저녁에 시장에 가서 책 세 권을 샀어요.",
    "ở chợ Bến Thành, chúng tôi đã mua ba quyển sách",
    "for (let i = 0; i < n; i++) {\n    total += row[i] * 2; // sum\n}\n",
    'def f(x: int) -> str:\n\treturn f"{x!r:>{width}}"  # TODO\r\n',
    '{"id": 12345678, "tags": ["a", "b"], "ok": null}\n',
    "https://example.org/a/b?x=1&y=%E0%B6%9A#frag  user.name+tag@example.co.uk",
)
# First and last code points. Lone surrogates have a strategy of their own.
BLOCKS = (
    *((0x00, 0x7F), (0x20, 0x7E), (0x80, 0xFF), (0x100, 0x24F), (0x250, 0x2FF), (0x300, 0x36F)),
    *((0x370, 0x3FF), (0x400, 0x52F), (0x530, 0x5FF), (0x600, 0x77F), (0x780, 0x8FF)),
    *((0x900, 0x97F), (0x980, 0xA7F), (0xB80, 0xBFF), (0xC00, 0xD7F), (0xD80, 0xDFF)),
    *((0xE00, 0xEFF), (0xF00, 0x109F), (0x10A0, 0x10FF), (0x1100, 0x11FF), (0x1200, 0x139F)),
    *((0x13A0, 0x167F), (0x1680, 0x18AF), (0x1C80, 0x1CFF), (0x1E00, 0x1FFF), (0x2000, 0x206F)),
    *((0x2070, 0x20CF), (0x2100, 0x218F), (0x2190, 0x2BFF), (0x2C00, 0x2DFF), (0x2E00, 0x303F)),
    *((0x3040, 0x30FF), (0x4E00, 0x9FFF), (0xA640, 0xA7FF), (0xA8E0, 0xA8FF), (0xAC00, 0xD7A3)),
    *((0xE000, 0xF8FF), (0xF900, 0xFAFF), (0xFB00, 0xFDFF), (0xFE00, 0xFE6F), (0xFF00, 0xFFFF)),
    *((0x10000, 0x103FF), (0x10400, 0x1044F), (0x111E0, 0x111FF), (0x11B00, 0x11B0F)),
    *((0x1D400, 0x1D7FF), (0x1E900, 0x1E95F), (0x1F000, 0x1FAFF), (0x20000, 0x2FFFF)),
    *((0xE0000, 0xE01EF), (0x10FF00, 0x10FFFF)),
)
SPACES = " \t\n\r\v\f\x1c\x85\xa0\u1680\u2000\u2003\u2009\u200b\u2028\u2029\u202f\u3000\ufeff"
DIGITS = "0123456789", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "෦෧෨෩෪෫෬෭෮෯", "０１２３４５６７８９", "²³½Ⅷ௰㉈"
APOSTROPHES = "''''’ʼ＇`′"
ENDINGS = ("s", "t", "re", "ve", "m", "ll", "d", "n't", "em")
FOLDED = {
    "s": "sS\u017f",
    "k": "kK\u212a",
    "i": "iI\u0130\u0131",
    "e": "eEé",
    "m": "mMµ",
    "a": "aAåÅ",
}
# Consonants, vowel signs and other marks, virama, digits and signs of a script.
INDIC = (
    ("කගචජටඩණතදනපබමයරලවශෂසහළඤඥඳ", "ාැෑිීුූෘෙේෛොෝෞෟං", "්", "අආඉඊඋඑඔංඃ෴"),
    ("कखगघचजटडणतदनपबमयरलवशषसहळक़", "ािीुूृेैोौंँः़", "्", "अआइईउऋएओॐऽ।॥१"),
    ("কখগচজটডতদনপবমযরলশষসহড়", "ািীুূেৈোৌঁং", "্", "অআইউএওৎ৳"),
    ("கஙசஞடணதநபமயரலவழளறன", "ாிீுூெேைொோௌ", "்", "அஆஇஉஎஒஃ"),
    ("కగచజటడతదనపబమయరలవశసహ", "ాిీుూెేైొో", "్", "అఆఇఉఎఒ"),
    ("ကခဂငစဆဇညတထဒနပဖဗမယရလဝသဟ", "ာိီုူေဲံးျြွှ", "္်", "အဣဥ၊။"),
    ("កខគងចជញតថទនបផពមយរលវសហ", "ាិីុូេែៃោៅំះ", "្", "អឥឧ។៕"),
)
JOINERS = ("", "", "", "\u200d", "\u200c")
EMOJI = "👩👨🧑👧❤😀🏳🐈🤝👋🙏🫱✊☝🇱🇰🇮🇳🇺1#*©™㊗"
EMOJI_PARTS = ("\u200d", "\ufe0f", "\ufe0e", "\U0001f3fb", "\U0001f3ff", "\u20e3", "♀", "➡", "⬛")
WORDS = ("the", "of", "ing", "Straße", "TODO", "isn", "McDonald", "OpenAI", "x", "naïve", "ﬁ")
OPERATORS = (
    "==",
    "!=",
    "->",
    "=>",
    "::",
    "&&",
    "||",
    "<<=",
    "//",
    "/*",
    "*/",
    "#!",
    "</",
    "/>",
    "${",
)
BRACKETS = (
    "()",
    "[]",
    "{}",
    "<>",
    "();",
    "]}",
    "({",
    '"""',
    "'''",
    "``",
    "\\n",
    "\\u0041",
    "%s",
    ";\n",
)
SPECIALS = (
    "<|endoftext|>",
    "<|endofprompt|>",
    "<|fim_prefix|>",
    "<|endoftext",
    "|>",
    "[UNK]",
    "[PAD]",
)


def length(rng: Random, longest: int) -> int:
    """From 1 to the longest; each order of magnitude as often as another."""
    return min(longest, int((longest + 1) ** rng.random()))


def some(rng: Random, parts: Sequence[str], most: int) -> str:
    """Up to so many of these."""
    return "".join(rng.choices(parts, k=length(rng, most)))


def char(rng: Random) -> str:
    """Any character, of blocks that are equally likely."""
    first, last = rng.choice(BLOCKS)
    return chr(rng.randint(first, last))


def block(rng: Random) -> str:
    """Characters of one block, or of two, some with spaces between them."""
    blocks = rng.choices(BLOCKS, k=rng.randint(1, 2))
    between = rng.choice(("", "", " ", "'"))
    chosen = (chr(rng.randint(*rng.choice(blocks))) for _ in range(length(rng, 200)))
    return "".join(one + (between if rng.random() < 0.2 else "") for one in chosen)


def any_characters(rng: Random) -> str:
    """Characters of all blocks."""
    return "".join(char(rng) for _ in range(length(rng, 100)))


def mutate_sentence(rng: Random) -> str:
    """A part of a sentence, changed in a few places."""
    sentence = rng.choice(SENTENCES)
    start = rng.randrange(len(sentence))
    text = sentence[start : start + length(rng, 2 * len(sentence))] * rng.choice((1, 1, 1, 3))
    for _ in range(rng.randint(0, 6)):
        at = rng.randrange(len(text) + 1)
        end = at + rng.randint(0, 5)
        part = text[at:end]
        others = ("", char(rng), part + part, part[::-1], part.swapcase(), " " + part, part.upper())
        text = text[:at] + rng.choice(others) + text[end:]
    return text


def run(rng: Random) -> str:
    """One character, or one short text, many times over."""
    part = rng.choice((char(rng), rng.choice("aAzZ 0\n#=-_.*x"), some(rng, "abAB 1", 4)))
    return rng.choice(("", "a", " ")) + part * length(rng, LONGEST_WORD // len(part)) + char(rng)


def letters(rng: Random) -> str:
    """A word of random letters, of few different ones or of many."""
    few = rng.sample("abcdefghijklmnopqrstuvwxyz", rng.randint(1, 5))
    alphabet = rng.choice(
        ("".join(few), "abcdefghijklmnopqrstuvwxyz", "etaoinsrhl", "actg", "абвгд")
    )
    text = some(rng, alphabet, LONGEST_WORD)
    return rng.choice((text, text.capitalize(), text.upper(), " " + text, text.title()))


def emoji(rng: Random) -> str:
    """Emoji, with and without what joins and colours them."""
    return some(rng, (*EMOJI, *EMOJI, *EMOJI_PARTS, " "), 60)


def syllable(rng: Random, script: tuple[str, str, str, str]) -> str:
    """One syllable, or what nearly is one."""
    consonants, signs, viramas, others = script
    if rng.random() < 0.15:
        return rng.choice(others + signs + viramas)
    text = rng.choice(consonants)
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2, 5))):
        text += rng.choice(viramas) + rng.choice(JOINERS) + rng.choice(consonants)
    return (
        text + some(rng, signs, 3) * rng.randint(0, 1) + rng.choice(("", "", rng.choice(JOINERS)))
    )


def indic(rng: Random) -> str:
    """Words of syllables, most in one script."""
    script, other = rng.choices(INDIC, k=2)
    if rng.random() < 0.5:
        script = rng.choice(INDIC[:2])
    text = ""
    for _ in range(length(rng, 80)):
        text += syllable(rng, script if rng.random() < 0.95 else other)
        text += (
            " " if rng.random() < 0.2 else rng.choice(", .\n\u200d\u200cA1") * (rng.random() < 0.05)
        )
    return text


def whitespace(rng: Random) -> str:
    """Spaces of all sorts, and a little between them."""
    spaces = rng.choice((SPACES, " \n", " \t\r\n", "  "))
    words = ("a", "The", ".", "1", "'s", "ක", "")
    return "".join(some(rng, spaces, 30) + rng.choice(words) for _ in range(rng.randint(1, 8)))


def digits(rng: Random) -> str:
    """Numbers, dates, amounts."""
    found = rng.choice(DIGITS) if rng.random() < 0.3 else DIGITS[0]
    between = (*found, *found, *found, *".,:-/ +%$€eE\u202f")
    return rng.choice(("", " ", "$", "x")) + some(rng, between, 200)


def change_case(rng: Random, word: str) -> str:
    """The word in any case, and in letters that are the same but for their case."""
    return "".join(rng.choice(FOLDED.get(letter, letter + letter.upper())) for letter in word)


def contractions(rng: Random) -> str:
    """Words and what is cut off behind an apostrophe, in odd case."""
    text = ""
    for _ in range(length(rng, 15)):
        text += rng.choice((change_case(rng, rng.choice(WORDS)), char(rng), "", "1", "ක"))
        text += rng.choice(APOSTROPHES) + change_case(rng, rng.choice(ENDINGS))
        text += rng.choice(("", " ", "a", "'", "\u0301", "\n"))
    return text


def surrogates(rng: Random) -> str:
    """Halves of pairs alone, in the right order, and in the wrong one."""
    halves = ("\ud83d", "\ude00", "\ud800", "\udfff", "\ud83d\ude00", "\ude00\ud83d", "😀")
    return some(rng, (*halves, "a", " ", "ක", "'s", "\n"), 20)


def code(rng: Random) -> str:
    """Lines that look like a program."""
    text = ""
    for _ in range(rng.randint(1, 12)):
        text += rng.choice(("", "    ", "\t", "  ")) * rng.randint(0, 4)
        for _ in range(rng.randint(0, 8)):
            name = rng.choice(("_", "", "-")).join(rng.choices(WORDS, k=rng.randint(1, 3)))
            text += rng.choice((name, name.title(), name.upper(), str(rng.randrange(10**6))))
            text += rng.choice((*OPERATORS, *BRACKETS, *" =.,:+-*/()[]{}\"'#"))
        text += rng.choice(("\n", "\r\n", "\n\n", ""))
    return text


def specials(rng: Random) -> str:
    """Special tokens and what is nearly one."""
    return "".join(
        rng.choice((rng.choice(SPECIALS), mutate_sentence(rng)[:9]))
        for _ in range(rng.randint(1, 8))
    )


def join_others(rng: Random) -> str:
    """Several of the others, one behind another."""
    others = [make for make in STRATEGIES.values() if make is not join_others]
    texts = (rng.choice(others)(rng)[: length(rng, 300)] for _ in range(rng.randint(2, 5)))
    return rng.choice(("", " ", "\n")).join(texts)


STRATEGIES: dict[str, Strategy] = {
    "block": block,
    "any characters": any_characters,
    "mutated sentences": mutate_sentence,
    "runs": run,
    "letters": letters,
    "emoji": emoji,
    "indic": indic,
    "whitespace": whitespace,
    "digits": digits,
    "contractions": contractions,
    "surrogates": surrogates,
    "code": code,
    "special tokens": specials,
    "joined": join_others,
}
