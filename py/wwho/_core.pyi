# The compiled core; cffi makes it from the declarations in wasm/wwho.h.
from typing import Any

ffi: Any
lib: Any
