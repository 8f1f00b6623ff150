"""What wasm/include/wwho.h declares: numbers, names, and the layouts of structs.

Offsets are those in WebAssembly, in bytes. Written by tools/gen_header.mjs.
"""

VERSION_MAJOR = 4
VERSION_MINOR = 1

OK = 0
ARGUMENT = 1
BUFFER = 2
TOKEN = 3
MAGIC = 16
VERSION = 17
TRUNCATED = 18
TRAILING = 19
CHECKSUM = 20
SECTION_TABLE = 21
SECTION_ORDER = 22
SECTION_KIND = 23
SECTION_BOUNDS = 24
PADDING = 25
SECTION_MISSING = 26
CLASSES = 27
AUTOMATON_SHAPE = 28
AUTOMATON_TABLE = 29
AUTOMATON_TOTAL = 30
STEPS = 31
ROUTES = 32
MODEL = 33
SYMBOLS = 34
PAIRS = 35
PAIR_ORDER = 36
PAIR_DUPLICATE = 37
TOKEN_LENGTH = 38
TOKEN_DUPLICATE = 39
IDS = 40
ADDED = 41
SCORES = 42
NORMALIZER = 43
TEMPLATE = 44
DECODER = 45

SECTION_CLASSES = 1
SECTION_AUTOMATA = 2
SECTION_STEPS = 3
SECTION_ROUTES = 4
SECTION_MODEL = 5
SECTION_ADDED = 6
SECTION_NORMALIZER = 7
SECTION_TEMPLATE = 8
SECTION_DECODER = 9
SECTION_PROVENANCE = 10

UNK_TOKEN = 1
ONE_PIECE = 2
NO_ADDED = 4
GOES_ON = 8
CUT_ONLY = 16

SKIP_SPECIAL = 1
AFTER = 2
MORE = 4

ADDED_SPECIAL = 1
ADDED_LSTRIP = 2
ADDED_RSTRIP = 4
ADDED_SINGLE_WORD = 8
ADDED_NORMALIZED = 16
ADDED_HIDDEN = 32

SYLLABLE = 0
ORPHAN = 1
PASSTHROUGH = 2
PIECE = 3

OF_TOKENIZER = 0
OF_MODEL = 1
OF_ROUTE = 2
OF_STEP = 3
OF_AUTOMATON = 4
OF_TEMPLATE = 5

STATUSES = {
    0: "OK",
    1: "ARGUMENT",
    2: "BUFFER",
    3: "TOKEN",
    16: "MAGIC",
    17: "VERSION",
    18: "TRUNCATED",
    19: "TRAILING",
    20: "CHECKSUM",
    21: "SECTION_TABLE",
    22: "SECTION_ORDER",
    23: "SECTION_KIND",
    24: "SECTION_BOUNDS",
    25: "PADDING",
    26: "SECTION_MISSING",
    27: "CLASSES",
    28: "AUTOMATON_SHAPE",
    29: "AUTOMATON_TABLE",
    30: "AUTOMATON_TOTAL",
    31: "STEPS",
    32: "ROUTES",
    33: "MODEL",
    34: "SYMBOLS",
    35: "PAIRS",
    36: "PAIR_ORDER",
    37: "PAIR_DUPLICATE",
    38: "TOKEN_LENGTH",
    39: "TOKEN_DUPLICATE",
    40: "IDS",
    41: "ADDED",
    42: "SCORES",
    43: "NORMALIZER",
    44: "TEMPLATE",
    45: "DECODER",
}

NUMBERS = {
    0: (
        "n_vocab",
        "max_token_bytes",
        "n_models",
        "n_routes",
        "n_steps",
        "n_added",
        "n_normalizer",
        "n_automata",
        "n_classes",
        "router",
        "decoder",
    ),
    1: (
        "kind",
        "symbols",
        "unknown",
        "ids",
        "speller",
        "first_id",
        "n_ids",
        "n_symbols",
        "n_merges",
        "n_superwords",
        "space_id",
        "unk_id",
    ),
    2: (
        "model",
        "units",
        "steps",
    ),
    3: (
        "kind",
        "automaton",
        "actions",
    ),
    4: (
        "n_states",
        "n_rules",
    ),
    5: (),
}

SPAN = {
    "size": 12,
    "start": 0,
    "end": 4,
    "route": 8,
    "rule": 10,
    "first": 11,
}

JOB = {
    "size": 64,
    "scratch": 0,
    "scratch_len": 4,
    "ids": 8,
    "starts": 12,
    "ends": 16,
    "cap": 20,
    "spans": 24,
    "spans_cap": 28,
    "bounds": 32,
    "rows": 36,
    "n_texts": 40,
    "flags": 44,
    "place": 48,
    "n": 52,
    "n_spans": 56,
    "read": 60,
}

SAMPLING = {
    "size": 40,
    "seed": 0,
    "dropout": 8,
    "alpha": 16,
    "n_best": 24,
    "text": 28,
    "pretokens": 32,
}
