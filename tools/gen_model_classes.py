"""Write py/wwho/importers/transformers/classes.json and README.md from the installed transformers.

    python tools/gen_model_classes.py

The JSON has what AutoTokenizer knows of kinds of models. The page lists every class of tokenizers
that transformers has, with its files, and whether we read it exactly or refuse it, and why.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import transformers
from transformers.models.auto import configuration_auto as configs
from transformers.models.auto import tokenization_auto as auto
from transformers.models.m2m_100 import tokenization_m2m_100 as m2m100
from transformers.models.mbart import tokenization_mbart as mbart
from transformers.models.mbart50 import tokenization_mbart50 as mbart50
from transformers.models.nllb import tokenization_nllb as nllb
from transformers.models.plbart import tokenization_plbart as plbart
from transformers.models.speech_to_text import tokenization_speech_to_text as speech
from transformers.models.whisper.tokenization_whisper import LANGUAGES, TO_LANGUAGE_CODE

from wwho.hf.joins import JOINS
from wwho.importers.transformers.class_document import AS_IT_IS
from wwho.importers.transformers.classes import CLASSES

FOLDER = Path(__file__).parents[1] / "py" / "wwho" / "importers" / "transformers"
TABLES = FOLDER / "classes.json"
PAGE = FOLDER / "README.md"
EXPECTED = "5.24.0"


def tables() -> str:
    """Return the JSON: the class of each kind of model, Whisper's languages, and so on."""
    found = {
        "transformers": transformers.__version__,
        "model_types": {
            kind: name for kind, name in sorted(auto.TOKENIZER_MAPPING_NAMES.items()) if name
        },
        "without_class": without_class(),
        "mbart_languages": mbart.FAIRSEQ_LANGUAGE_CODES,
        "mbart50_languages": mbart50.FAIRSEQ_LANGUAGE_CODES,
        "m2m100_languages": m2m100.FAIRSEQ_LANGUAGE_CODES,
        "nllb_languages": nllb.FAIRSEQ_LANGUAGE_CODES,
        "plbart_languages": plbart.FAIRSEQ_LANGUAGE_CODES,
        "speech_languages": speech.LANGUAGES,
        "whisper_languages": LANGUAGES,
        "whisper_names": TO_LANGUAGE_CODE,
        "wrong_in_settings": sorted(auto.MODELS_WITH_INCORRECT_HUB_TOKENIZER_CLASS),
    }
    return json.dumps(found, indent=1) + "\n"


def without_class() -> dict[str, str]:
    """Return the kinds of models for which AutoTokenizer takes another class than the registered.

    It does so where no settings name a class: it then goes by the class of the model's settings,
    which several kinds may share, and which some kinds have no more.
    """
    kinds = dict(configs.CONFIG_MAPPING_NAMES)
    names = {kind: name for kind, name in auto.TOKENIZER_MAPPING_NAMES.items() if name}
    last = {settings: kind for kind, settings in kinds.items()}
    found = {}
    for kind, name in sorted(names.items()):
        settings = kinds.get(kind)
        alike = [each for each, other in kinds.items() if settings and other == settings]
        first = [last[settings]] if settings else []
        every = (names[each] for each in [*first, *alike] if each in names)
        taken = next(every, "TokenizersBackend")
        if taken != name:
            found[kind] = taken
    return found


def page() -> str:
    """Return the page: a table of all classes that are known."""
    apart = [f"`{name}`" for name, joins in sorted(JOINS.items()) if joins.stretches]
    lines = [
        "# The tokenizers of transformers",
        "",
        "`wwho import FOLDER` reads a model's folder by the class of transformers "
        f"{EXPECTED[:4]} that",
        "its settings name: `tokenizer_class` in tokenizer_config.json, then `model_type` in",
        "config.json. *Exact*: ids, template, pairs and decoded text are AutoTokenizer's; the",
        "tests compare them on 300 texts for random settings of each class. *But for* is in the",
        "notes of an import, too. Others are refused by name.",
        "`wwho import FOLDER --as FILE` takes one file as it is.",
        "",
        "Of a folder with a tokenizer.json, a class that *builds* takes the vocabulary, the",
        "merges, a charsmap, mostly the template and, where no settings list them by ids, the",
        "added tokens from that file, and nothing else: its normalizer, pre-tokenizer, decoder",
        "and model are its own, by the settings. A note of the import names those that differ",
        "from the file's. A class that takes the *file* reads it as it is. A class without an",
        "entry reads its own files, and only added tokens from there. Where these are missing,",
        "where a class is refused and where what it builds cannot be told, the file is taken as",
        "it is, too, with a note; `--check` compares with AutoTokenizer.",
        "",
        "Some classes decode each stretch of text between two special tokens alone. `wwho.hf` does",
        "so, too; elsewhere a `.wwho` file decodes all ids as one text, which is the same where",
        "special tokens are left out, but for white space at the ends of decoded text:",
        f"{', '.join(apart)}.",
        "",
        "| class | files | state | tokenizer.json |",
        "|---|---|---|---|",
    ]
    for name, each in sorted(CLASSES.items()):
        files = ", ".join(f"`{file}`" for file in each.files) or "none"
        exact = f"exact, but for {each.but}" if each.but else "exact"
        state = f"refused: {each.refusal}" if each.refusal else exact
        with_document = "builds" if each.rebuild else "file" if name in AS_IT_IS else ""
        lines.append(f"| `{name}` | {files} | {state} | {with_document} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write both files."""
    if transformers.__version__ != EXPECTED:
        sys.exit(f"transformers {transformers.__version__} is installed; {EXPECTED} is expected")
    TABLES.write_text(tables(), "utf-8")
    PAGE.write_text(page(), "utf-8")


if __name__ == "__main__":
    main()
