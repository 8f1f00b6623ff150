"""The compiled trainer: the declarations of wwho.h and native/train.h."""

from typing import Any

ffi: Any
lib: Any
