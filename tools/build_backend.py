"""The build backend of the package: setuptools, with arguments that pyproject.toml cannot give.

pyproject.toml cannot name cffi builders, nor add data folders to the packages that are found under
``py/``, nor make several kinds of wheel from one tree. All are arguments of ``setup()``, so this
backend calls it with them. The config setting `wheel` chooses the kind:

    pip wheel .                                      native: for this machine's Python
    pip wheel . -C wheel=any                         py3-none-any: wwho.wasm, for every Pyodide
    pip wheel . -C wheel=pyemscripten_2026_0_wasm32  for one Pyodide, compiled by zig
    pip wheel . -C wheel=win_amd64                   for another system, compiled by zig

A build by pyodide-build is native to this backend: the compiler is another, and it says so.
"""

from __future__ import annotations

import gzip
import os
import shutil
import tarfile
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

import build_wasm
from cross_module import PLATFORMS, BuildCrossModule
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
    "build", ".*",
)  # fmt: skip

# The time of all files in what is built, in seconds since 1970: the first that a zip archive can
# hold. The environment may name another (https://reproducible-builds.org/specs/source-date-epoch).
EPOCH = os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")

Settings = Mapping[str, Any] | None
StrPath = str | os.PathLike[str]


class SourceDistribution(sdist):
    """A source distribution that can build and test itself: it holds the whole project.

    Its bytes depend on those of the project's files alone, and on EPOCH.
    """

    def make_distribution(self) -> None:
        """Make the distribution, with the rest of the project that setuptools does not find."""
        self.filelist.extend(list_sources())
        super().make_distribution()

    def make_archive(  # type: ignore[override]
        self,
        base_name: str,
        format: str,
        root_dir: str | None = None,
        base_dir: str | None = None,
        owner: str | None = None,
        group: str | None = None,
    ) -> str:
        """Write `base_name`.tar.gz of the folder `base_dir`, sorted, and return the file's name.

        Times, owners and permissions are the same on every machine.

        Raises:
            ValueError: another format than gztar is asked for.
        """
        if format != "gztar" or base_dir is None:
            raise ValueError(f"a source distribution is a .tar.gz, not {format!r}")
        name = f"{base_name}.tar.gz"
        with (
            open(name, "wb") as file,
            gzip.GzipFile("", "wb", 9, file, mtime=int(EPOCH)) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for folder, folders, names in os.walk(base_dir):
                folders.sort()
                for each in ("", *sorted(names)):
                    archive.add(
                        os.path.join(folder, each) if each else folder,
                        recursive=False,
                        filter=same_everywhere,
                    )
        return name


def same_everywhere(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Return a member of an archive without its owner, its time and the machine's permissions."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = int(EPOCH)
    member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
    return member


class Backend(_BuildMetaBackend):
    """setuptools' backend, with the call of ``setup()`` that a setup.py would make."""

    kind = NATIVE

    def run_setup(self, setup_script: str = "setup.py") -> None:
        """Call ``setup()`` for this kind of wheel, with the command in ``sys.argv``.

        There is no script to run: `setup_script` is ignored.
        """
        packages = [*find_packages("py"), *DATA_PACKAGES]
        setup(packages=packages, py_modules=["wwho_command"], **setup_arguments(self.kind))

    def get_requires_for_build_wheel(self, config_settings: Settings = None) -> list[str]:
        """Return what a build of the kind in the settings needs besides pyproject.toml's list."""
        self.kind = wheel_kind(config_settings)
        found = super().get_requires_for_build_wheel(config_settings)
        return [*found, ZIG] if self.kind in (*PYODIDE, *PLATFORMS) else found

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
        name = super().build_wheel(wheel_directory, config_settings, metadata_directory)
        set_usual_modes(os.path.join(wheel_directory, name))
        return name


def set_usual_modes(wheel: str) -> None:
    """Give the files in a wheel, in place, the permissions that they have on most machines.

    setuptools takes those of the sources, which depend on the umask under which they were cloned.
    """
    with zipfile.ZipFile(wheel) as archive:
        members = [(each, archive.read(each)) for each in archive.infolist()]
    part = f"{wheel}.part"
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, data in members:
            is_program = each.external_attr >> 16 & 0o100
            each.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(each, data)
    os.replace(part, wheel)


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
    kinds = (NATIVE, ANY, *PYODIDE, *PLATFORMS)
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
    if kind in PLATFORMS:
        command = type("BuildModule", (BuildCrossModule,), {"platform": kind})
        return {
            "install_requires": [CFFI],
            "cffi_modules": [CORE, TRAIN],
            "cmdclass": {**commands, "build_ext": command},
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
