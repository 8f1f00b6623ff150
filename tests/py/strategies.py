"""Random texts made of what tokenizers get wrong."""

from __future__ import annotations

from hypothesis import strategies as st

PARTS = (
    *("it's", " the", "    ", "\n", "\t", "1234", "ක්‍ර", " हिन्दी", "é", "👍🏽", "--", "'"),
    "x" * 40,
)
"""What a text is put together from where its words, and its end, stand at any place."""
HARD = (
    *(
        "'",
        "\u2019",
        "s",
        "S",
        "\u017f",
        "\u212a",
        "k",
        "t",
        "re",
        "VE",
        "ll",
        "'S",
        "'\u017f",
        "a",
        "Z",
    ),
    *(
        " ",
        "  ",
        "\r",
        "\n",
        "\r\n",
        "\t",
        "\x85",
        "\u00a0",
        "\u3000",
        "\ufeff",
        "\u2028",
        "\u180e",
        "\0",
    ),
    *(
        "\u0301",
        "\u0903",
        "\u20dd",
        "\u01c5",
        "\u1f88",
        "\u02b0",
        "\u00df",
        "\u0130",
        "\u4f60",
        "\u0e01",
    ),
    *(
        "0",
        "12",
        "345",
        "\u0967",
        "\u0de7",
        "\u00bd",
        "\u2167",
        "/",
        "_",
        "-",
        ".",
        "<",
        "|",
        ">",
        "#",
        "(",
    ),
    *(
        "\U0001f469",
        "\u200d",
        "\u200c",
        "\ufe0f",
        "\U0001f600",
        "\U0001f1f1",
        "\u0378",
        "\ue000",
        "\U0010ffff",
    ),
    *(
        "\u0d9a",
        "\u0dbb",
        "\u0da0",
        "\u0db1",
        "\u0dba",
        "\u0dc1",
        "\u0dca",
        "\u0dcf",
        "\u0dd2",
        "\u0d82",
        "\u0d94",
        "\u0df4",
    ),
    *(
        "\u0dca\u200d",
        "\u200d\u0dca",
        "\u0d9a\u0dca\u200d\u0dbb",
        "\u0ddd",
        "\u0dd9",
        "\u0d9c\u0dda",
        "\u0dba\u0dcf",
    ),
    *(
        "\u0915",
        "\u0930",
        "\u092f",
        "\u0932",
        "\u094d",
        "\u093c",
        "\u0940",
        "\u0902",
        "\u0950",
        "\u093d",
        "\u0964",
        "\u0905",
    ),
    *(
        "\u0935\u093f",
        "\u0926\u094d\u092f\u093e",
        "\u094d\u200c",
        "\u0939\u094b",
        "\u1cd0",
        "\ua8e0",
        "\u0c95",
        "\ufffd",
    ),
    *("the", " the", "ing", "<|end|>", "<|end|>x", "<|\u0d9a|>", "[PAD]", "[UNK]", "<|endoftext|>"),
)

hard_text = st.lists(st.sampled_from(HARD), max_size=60).map("".join)
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
texts = st.one_of(hard_text, any_text)

BROKEN = (
    *(
        b"\xff",
        b"\x80",
        b"\xc3",
        b"\xe0\xb6",
        b"\xe0\xa4",
        b"\xf0\x9f\x98",
        b"\xed\xa0\x80",
        b"\xc0\x80",
    ),
    *(b"\xf4\x90\x80\x80", b"\xe0\x80\x80", b"\xf8"),
)
raw_parts = st.one_of(
    st.sampled_from(HARD).map(str.encode), st.sampled_from(BROKEN), st.binary(max_size=4)
)
raw = st.lists(raw_parts, max_size=40).map(b"".join)
