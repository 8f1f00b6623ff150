"""The build backend of the package: setuptools, told what pyproject.toml has no words for.

pyproject.toml cannot name cffi builders, nor add data folders to the packages that are found under
``py/``. Both are arguments of ``setup()``, so this backend calls it with them.
"""

from __future__ import annotations

from pathlib import Path

from setuptools import find_packages, setup
from setuptools.build_meta import _BuildMetaBackend
from setuptools.command.sdist import sdist

BUILDERS = ["tools/build_native.py:core", "tools/build_native.py:train"]
# Data at the top of the repository that is installed inside the package; pyproject.toml says where
# each one lies.
DATA_PACKAGES = ["wwho.schemas", "wwho.web"]


class SourceDistribution(sdist):
    """A source distribution that can build itself: it holds this folder too."""

    def make_distribution(self) -> None:
        """Add the build scripts to what setuptools has found by itself."""
        self.filelist.extend(str(path) for path in sorted(Path("tools").glob("*.py")))
        super().make_distribution()


class Backend(_BuildMetaBackend):
    """setuptools' backend, with the call of ``setup()`` that a setup.py would make."""

    def run_setup(self, setup_script: str = "setup.py") -> None:
        """Build: setuptools has put the command into ``sys.argv``; there is no script to run."""
        setup(
            packages=[*find_packages("py"), *DATA_PACKAGES],
            cffi_modules=BUILDERS,
            cmdclass={"sdist": SourceDistribution},
        )


_BACKEND = Backend()
build_wheel = _BACKEND.build_wheel
build_sdist = _BACKEND.build_sdist
build_editable = _BACKEND.build_editable
get_requires_for_build_wheel = _BACKEND.get_requires_for_build_wheel
get_requires_for_build_sdist = _BACKEND.get_requires_for_build_sdist
get_requires_for_build_editable = _BACKEND.get_requires_for_build_editable
prepare_metadata_for_build_wheel = _BACKEND.prepare_metadata_for_build_wheel
prepare_metadata_for_build_editable = _BACKEND.prepare_metadata_for_build_editable
