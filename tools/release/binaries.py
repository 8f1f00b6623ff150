"""What a compiled module in a wheel asks of its system, read from the module's bytes."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lief

lief.disable_leak_warning()

# For each platform, how its wheels' modules may differ from "needs Python's stable ABI alone":
# the system and processor of the module, and the libraries that every such system has.
MACHINES = {
    "manylinux2014_x86_64": "Linux X86_64",
    "manylinux2014_aarch64": "Linux AARCH64",
    "musllinux_1_2_x86_64": "Linux X86_64",
    "musllinux_1_2_aarch64": "Linux AARCH64",
    "macosx_11_0_x86_64": "macOS X86_64",
    "macosx_11_0_arm64": "macOS ARM64",
    "win_amd64": "Windows AMD64",
    "win_arm64": "Windows ARM64",
}
LIBRARIES = {
    "manylinux": ("libc.so.6",),
    "musllinux": ("libc.so",),
    "macosx": ("/usr/lib/libSystem.B.dylib",),
    "win": ("python3.dll", "KERNEL32.dll", "api-ms-win-crt-"),
}
GLIBC = (2, 17)
"""The newest version of glibc that a manylinux2014 module may ask for."""
MACOS = [11, 0]
"""The version of macOS that modules are for."""


def list_modules(wheel: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of each compiled module in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            if name.endswith((".so", ".pyd")):
                yield name, archive.read(name)


def find_faults(platform: str, name: str, data: bytes) -> list[str]:
    """Return what would keep a module from being loaded on a platform, a sentence for each; or [].

    Args:
        platform: a key of `MACHINES`.
        name: the module's path in the wheel.
        data: the module.
    """
    module: Any = lief.parse(list(data))
    if module is None:
        return [f"{name} is no module of any system"]
    machine = _machine(module)
    if machine != MACHINES[platform]:
        return [f"{name} is for {machine}, expected {MACHINES[platform]}"]
    faults = []
    kind = platform.partition("_")[0].removesuffix("2014")
    allowed = LIBRARIES[kind]
    for library in _libraries(module):
        if not library.startswith(allowed):
            faults.append(f"{name} needs {library}, expected {', '.join(allowed)} alone")
    start = "PyInit_" + name.rpartition("/")[2].partition(".")[0]
    if start not in _exports(module):
        faults.append(f"{name} does not export {start}")
    faults += [f"{name} {fault}" for fault in _version_faults(kind, module)]
    return faults


def _machine(module: Any) -> str:
    """Return the system and the processor that a module's header names."""
    header = module.header
    if isinstance(module, lief.ELF.Binary):
        return f"Linux {header.machine_type.name}"
    if isinstance(module, lief.PE.Binary):
        return f"Windows {header.machine.name}"
    return f"macOS {header.cpu_type.name}"


def _is_macos(module: Any) -> bool:
    """Return whether a module is for macOS."""
    return isinstance(module, lief.MachO.Binary)


def _libraries(module: Any) -> list[str]:
    """Return the names of the libraries that a module is linked to, without its own."""
    own = lief.MachO.LoadCommand.TYPE.ID_DYLIB
    if _is_macos(module):
        return [each.name for each in module.libraries if each.command != own]
    return [str(each) for each in module.libraries]


def _exports(module: Any) -> set[str]:
    """Return the names that a module exports, as C has them."""
    if isinstance(module, lief.PE.Binary):
        exported = module.get_export()
        return {str(entry.name) for entry in exported.entries} if exported else set()
    names = {str(each.name) for each in module.exported_functions}
    # The linker of macOS puts a line before each name of C.
    return {name.removeprefix("_") for name in names} if _is_macos(module) else names


def _version_faults(kind: str, module: Any) -> list[str]:
    """Return what a module asks of the version of its system beyond what the platform promises."""
    if kind == "manylinux":
        needed = [
            each.name
            for requirement in module.symbols_version_requirement
            for each in requirement.get_auxiliary_symbols()
        ]
        versions = [tuple(map(int, each.removeprefix("GLIBC_").split("."))) for each in needed]
        if any(version > GLIBC for version in versions):
            return [f"needs {max(needed)}, expected glibc 2.17 at most"]
    if kind == "macosx":
        found = list(module.build_version.minos[:2])
        if found != MACOS:
            return [f"is for macOS {found}, expected {MACOS}"]
        if _machine(module).endswith("ARM64") and not module.has_code_signature:
            return ["has no signature, without which Apple's processors run nothing"]
    return []
