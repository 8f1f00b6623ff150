"""Check that an installed wheel of wwho runs by its compiled core: cibuildwheel's test command."""

from importlib.resources import files

import wwho
from wwho.compile.schema_loader import read_document

TEXT, IDS = "ඔයා 1 special अद्भुत", [267431, 220, 16, 3582, 218041]

enc = wwho.get_encoding("wwho_328k")
assert enc.backend == "native", f"the backend is {enc.backend!r}, not 'native'"
assert enc.encode(TEXT) == IDS, f"{TEXT!r} gives {enc.encode(TEXT)}, not {IDS}"
assert enc.decode(IDS) == TEXT
assert files("wwho").joinpath("web", "package", "wwho.wasm").is_file(), "wwho.wasm is missing"
schema = files("wwho").joinpath("schemas", "sinhala.json")
assert read_document(str(schema)) == read_document("sinhala"), f"{schema} is another"
print(f"wwho {wwho.__version__} from {wwho.__file__} works")
