"""The build backend of the package: setuptools, with arguments that pyproject.toml cannot give.

pyproject.toml cannot name cffi builders, nor add data folders to the packages that are found under
``py/``, nor make several kinds of wheel from one tree. All are arguments of ``setup()``, so this
backend calls it with them. The config setting `wheel` chooses the kind:

    pip wheel .                                      native: for this machine's Python
    pip wheel . -C wheel=any                         py3-none-any: wwho.wasm, for every Pyodide
    pip wheel . -C wheel=pyemscripten_2026_0_wasm32  for one Pyodide, compiled by zig

A build by pyodide-build is native to this backend: the compiler is another, and it says so.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

import build_wasm
from setuptools import find_packages, setup
from setuptools.build_meta import _BuildMetaBackend
from setuptools.command.sdist import sdist

CORE = "tools/build_native.py:core"
TRAIN = "tools/build_native.py:train"
NATIVE, ANY = "native", "any"
PYODIDE = ("pyemscripten_2026_0_wasm32", "pyodide_2025_0_wasm32")
# The systems that PyPI has it for.
ZIG = f"ziglang=={build_wasm.ZIG}; sys_platform in 'linux darwin win32'"
CFFI = "cffi>=1.17"
# Data at the top of the repository that is installed inside the package; pyproject.toml says where
# each one lies.
DATA_PACKAGES = ["wwho.schemas", "wwho.web"]
FOLDERS = ("py", "schemas", "tests", "tools", "wasm", "web")
# Patterns of the names of what builds, tests and installations leave in these folders.
LEFT_BEHIND = (
    "*.so", "*.pyd", "*.o", "*.egg-info", "_core.c", "_native.c", "__pycache__", "node_modules",
    ".*",
)  # fmt: skip

Settings = Mapping[str, Any] | None
StrPath = str | os.PathLike[str]


class SourceDistribution(sdist):
    """A source distribution that can build and test itself: it holds the whole project."""

    def make_distribution(self) -> None:
        """Make the distribution, with the rest of the project that setuptools does not find."""
        self.filelist.extend(list_sources())
        super().make_distribution()


class Backend(_BuildMetaBackend):
    """setuptools' backend, with the call of ``setup()`` that a setup.py would make."""

    kind = NATIVE

    def run_setup(self, setup_script: str = "setup.py") -> None:
        """Call ``setup()`` for this kind of wheel, with the command in ``sys.argv``.

        There is no script to run: `setup_script` is ignored.
        """
        setup(packages=[*find_packages("py"), *DATA_PACKAGES], **setup_arguments(self.kind))

    def get_requires_for_build_wheel(self, config_settings: Settings = None) -> list[str]:
        """Return what a build of the kind in the settings needs besides pyproject.toml's list."""
        self.kind = wheel_kind(config_settings)
        found = super().get_requires_for_build_wheel(config_settings)
        return [*found, ZIG] if self.kind in PYODIDE else found

    def prepare_metadata_for_build_wheel(
        self, metadata_directory: StrPath, config_settings: Settings = None
    ) -> str:
        """Write the metadata of the kind of wheel in the settings, and return its folder's name."""
        self.kind = wheel_kind(config_settings)
        return super().prepare_metadata_for_build_wheel(metadata_directory, config_settings)

    def build_wheel(
        self,
        wheel_directory: StrPath,
        config_settings: Settings = None,
        metadata_directory: StrPath | None = None,
    ) -> str:
        """Build a wheel of the kind in the settings, and return its file's name."""
        self.kind = wheel_kind(config_settings)
        return super().build_wheel(wheel_directory, config_settings, metadata_directory)


def list_sources() -> Iterator[str]:
    """Yield the paths of the project's files in `FOLDERS`, sorted, without `LEFT_BEHIND`."""
    ignored = shutil.ignore_patterns(*LEFT_BEHIND)
    for top in FOLDERS:
        for folder, folders, names in os.walk(top):
            left = ignored(folder, [*folders, *names])
            folders[:] = sorted(set(folders) - left)
            yield from (os.path.join(folder, name) for name in sorted(set(names) - left))


def wheel_kind(config_settings: Settings) -> str:
    """Return the kind of wheel that the config setting `wheel` names; without one, a native wheel.

    Raises:
        SystemExit: there is no such kind.
    """
    found = str((config_settings or {}).get("wheel", NATIVE))
    kinds = (NATIVE, ANY, *PYODIDE)
    if found not in kinds:
        raise SystemExit(f"there is no wheel {found!r}; -C wheel= takes {', '.join(kinds)}")
    return found


def setup_arguments(kind: str) -> dict[str, Any]:
    """Return the arguments of ``setup()`` for a kind of wheel, apart from the packages."""
    if kind == ANY:
        # Nothing in it imports cffi. A resolver that reads one wheel's metadata for all of them
        # must still see what the others need.
        return {"install_requires": [f'{CFFI}; sys_platform != "emscripten"']}
    commands: dict[str, Any] = {"sdist": SourceDistribution}
    if kind in PYODIDE:
        from side_module import BuildSideModule

        return {
            "install_requires": [CFFI],
            "cffi_modules": [CORE],
            "cmdclass": {**commands, "build_ext": BuildSideModule},
            "options": {"bdist_wheel": {"plat_name": kind}},
        }
    # Nobody trains in a browser; pyodide-build sets this variable.
    builders = [CORE] if "PYODIDE" in os.environ else [CORE, TRAIN]
    return {"install_requires": [CFFI], "cffi_modules": builders, "cmdclass": commands}


_BACKEND = Backend()
build_wheel = _BACKEND.build_wheel
build_sdist = _BACKEND.build_sdist
build_editable = _BACKEND.build_editable
get_requires_for_build_wheel = _BACKEND.get_requires_for_build_wheel
get_requires_for_build_sdist = _BACKEND.get_requires_for_build_sdist
get_requires_for_build_editable = _BACKEND.get_requires_for_build_editable
prepare_metadata_for_build_wheel = _BACKEND.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = _BACKEND.prepare_metadata_for_build_editable
