"""WWHO on a device with a WebAssembly engine alone: the core imports nothing, not even WASI."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from wasmtime import Instance, Module, Store


def open_encoder(core: str, model: str, longest: int = 4096) -> Callable[[bytes], list[int]]:
    """A function that gives the ids of a text in UTF-8 of at most `longest` bytes."""
    store, blob = Store(), Path(model).read_bytes()
    exports: Any = Instance(store, Module.from_file(store.engine, core), []).exports(store)
    memory, top = exports["memory"], -(-exports["__heap_base"].value(store) // 16) * 16

    def take(size: int) -> int:  # the address of so many bytes, zero and aligned; never given back
        nonlocal top
        start, top = top, -(-(top + size) // 16) * 16
        memory.grow(store, max(0, -(-(top - memory.data_len(store)) // 65536)))
        return int(start)

    def call(name: str, *arguments: int, at: int = 0) -> int:  # gives the number written there
        if status := exports[name](store, *arguments, out):
            raise ValueError(f"wwho_{name} returned status {status}: see wwho.h")
        return int.from_bytes(memory.read(store, out + at, out + at + 4), "little")

    def encode(text: bytes) -> list[int]:
        if len(text) > longest:
            raise ValueError(f"{len(text)} bytes are more than {longest}: open with longest=")
        memory.write(store, text, data)
        end = ids + 4 * call("encode", opened, data, len(text), 0, at=52)  # n of the wwho_job
        return memoryview(memory.read(store, ids, end)).cast("I").tolist()

    out, artifact, data, ids = take(64), take(len(blob)), take(longest), take(4 * longest)
    memory.write(store, blob, artifact)
    size = call("workspace_size", artifact, len(blob))
    opened = call("open", artifact, len(blob), take(size), size)
    job = (take(size := exports["scratch_size"](store, opened)), size, ids, 0, 0, longest)
    memory.write(store, b"".join(field.to_bytes(4, "little") for field in job), out)
    return encode
