"""What is built for publication: modules for other systems, the bill of materials, the report."""

from __future__ import annotations

import json
import os
import sys
import zipfile
from pathlib import Path

import oracle  # puts tools/ on the path
import pytest

pytest.importorskip("lief", reason="needs lief")
pytest.importorskip("ziglang", reason="needs ziglang")
pytest.importorskip("cyclonedx", reason="needs cyclonedx-python-lib")
sys.path.append(str(oracle.ROOT / "tools" / "release"))
import bill
import binaries
import build
import build_npm
import gen_notice
import licences
import materials
import trials
from cross_module import PLATFORMS, BuildCrossModule, list_exports
from setuptools import Distribution, Extension

EXHAUSTIVE = bool(os.environ.get("WWHO_EXHAUSTIVE"))
# The others have a libc that zig compiles first, which takes minutes.
QUICK = ("manylinux2014_aarch64", "macosx_11_0_arm64")
MODULE = """
#include <Python.h>
#include <alloca.h>
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "tiny"};
PyMODINIT_FUNC PyInit_tiny(void) {
    PyObject *module = PyModule_Create(&definition);
    if (module && PyModule_AddObjectRef(module, "nothing", Py_None)) Py_CLEAR(module);
    return module;
}
"""


def cross_compile(folder: Path, platform: str, source: str = MODULE) -> tuple[str, bytes]:
    """The name in a wheel, and the bytes, of a module for a platform."""
    if platform.startswith("win"):
        source = source.replace("alloca.h", "malloc.h")
    (folder / "tiny.c").write_text(source, "ascii")
    macros: list[tuple[str, str | None]] = [("Py_LIMITED_API", "0x030b0000")]
    extension = Extension("tiny", [str(folder / "tiny.c")], define_macros=macros)
    kind = type("BuildModule", (BuildCrossModule,), {"platform": platform})
    command = kind(Distribution({"ext_modules": [extension]}))
    command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "temp")
    (folder / "temp").mkdir()
    command.ensure_finalized()
    command.build_extension(extension)
    (path,) = (folder / "lib").iterdir()
    return path.name, path.read_bytes()


@pytest.mark.parametrize("platform", PLATFORMS if EXHAUSTIVE else QUICK)
def test_a_module_for_another_system(tmp_path: Path, platform: str) -> None:
    name, data = cross_compile(tmp_path, platform)
    assert name == ("tiny.pyd" if platform.startswith("win") else "tiny.abi3.so")
    assert binaries.find_faults(platform, name, data) == []
    other = next(each for each in PLATFORMS if each != platform and each[-4:] != platform[-4:])
    faults = binaries.find_faults(other, name, data)
    assert any("is for " in fault for fault in faults), faults
    assert "wrong.so does not export PyInit_wrong" in binaries.find_faults(
        platform, "wrong.so", data
    )


def test_what_is_no_module() -> None:
    faults = binaries.find_faults("win_amd64", "_core.pyd", b"not a module")
    assert faults == ["_core.pyd is no module of any system"]


def test_names_of_python3_dll() -> None:
    import sysconfig

    lines = list_exports(Path(sysconfig.get_path("include"))).splitlines()
    assert lines[:2] == ["LIBRARY python3.dll", "EXPORTS"]
    assert {"PyModule_Create2", "_Py_Dealloc", "_Py_NoneStruct DATA"} <= {*lines}


def test_the_notice_and_the_bill_have_all_materials() -> None:
    found = materials.read_materials().of_others
    notice = (oracle.ROOT / "NOTICE").read_text("utf-8")
    assert notice == gen_notice.make_notice()
    assert notice.count("\n    Source: ") == len(found) >= 8
    made = bill.make_bill("1.2.3")
    assert made == bill.make_bill("1.2.3")
    document = json.loads(made)
    assert document["metadata"]["component"]["version"] == "1.2.3"
    licences = {
        each["name"]: {licence["license"]["id"] for licence in each["licenses"]}
        for each in document["components"]
    }
    assert {each.name: {*each.licences} for each in found}.items() <= licences.items()


def test_a_licence_that_nobody_has_read() -> None:
    table = materials.TABLE.read_text("utf-8")
    before, name, after = table.partition('name = "llama.cpp"')
    other = before + name + after.replace("MIT", "GPL-3.0-only", 1)
    with pytest.raises(SystemExit, match=r"llama\.cpp: the licence is 'GPL-3\.0-only', whose text"):
        materials.read_materials(other)
    with pytest.raises(SystemExit, match=r"llama\.cpp: .*unexpected keyword argument 'sourse'"):
        materials.read_materials(table.replace('ggml-org/llama.cpp"]', 'x"]\nsourse = 1'))


def test_what_a_package_states_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    known = materials.read_materials()
    assert licences.find_contradictions(known) == []
    assert licences.stated_licence("pypi:there is none") is None
    monkeypatch.setattr(licences, "stated_licence", lambda package: "EUPL-1.2")
    faults = licences.find_contradictions(known)
    assert "npm:typedoc states EUPL-1.2, and TypeDoc has Apache-2.0 and MIT" in faults


def test_a_file_that_nobody_named(tmp_path: Path) -> None:
    package = tmp_path / "x.whl"
    with zipfile.ZipFile(package, "w") as archive:
        for name in ("wwho/x.py", "wwho/models/x.wwho", "wwho/web/docs/assets/y.woff2", "z.bin"):
            archive.writestr(name, b"")
    paths = licences.list_files(package)
    found = licences.find_unnamed(paths, materials.read_materials())
    assert found == ["wwho/web/docs/assets/y.woff2", "z.bin"]


def test_a_version_needs_an_entry(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "py" / "wwho").mkdir(parents=True)
    (tmp_path / "py" / "wwho" / "version.py").write_text('__version__ = "7.0.0"\n', "ascii")
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n", "ascii")
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "npm_version", lambda: "7.0.0")
    assert build.check_version(draft=True) == "7.0.0"
    with pytest.raises(SystemExit, match=r"CHANGELOG\.md has no section '## 7\.0\.0'"):
        build.check_version(draft=False)
    monkeypatch.setattr(build, "npm_version", lambda: "6.9.9")
    with pytest.raises(SystemExit, match=r"npm package is 6\.9\.9, and the Python package 7\.0\.0"):
        build.check_version(draft=True)


def test_addresses_that_are_not_filled_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A project whose address nobody knows yet is not given one."""
    (tmp_path / "package.json").write_text('{"homepage": "https://example.org"}', "utf-8")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n", "utf-8")
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build_npm, "MANIFEST", tmp_path / "package.json")
    assert build.find_missing_addresses() == [
        "package.json: repository",
        "package.json: bugs",
        "pyproject.toml: [project.urls]",
    ]
    with (tmp_path / "pyproject.toml").open("a", encoding="utf-8") as file:
        file.write("[project.urls]\nSource = 'https://example.org'\n")
    assert build.find_missing_addresses()[-1] == "package.json: bugs"


def test_the_report_tells_failures_from_what_is_missing() -> None:
    def fail() -> str:
        raise RuntimeError("it broke\nin two lines")

    report = trials.Report()
    report.run("good", lambda: "fine")
    report.run("elsewhere", lambda: trials.run_wheel(Path("x.whl"), "python0.1"))
    assert not report.failed
    report.run("bad", fail)
    assert report.failed
    assert report.as_markdown().splitlines()[2:] == [
        "| good | passed | fine |",
        "| elsewhere | not tried | no python0.1 |",
        "| bad | failed | RuntimeError: it broke in two lines |",
    ]


def test_sums_and_archives_depend_on_contents_alone(tmp_path: Path) -> None:
    for name, time in (("one", 10**9), ("two", 2 * 10**9)):
        folder = tmp_path / name / "page"
        folder.mkdir(parents=True)
        for each in ("b", "a"):
            (folder / each).write_text(each, "ascii")
            os.utime(folder / each, (time, time))
        build.pack_folder(folder, tmp_path / name / "page.tar.gz")
        (tmp_path / name / "page").rename(tmp_path / f"{name}-page")
        build.write_sums(tmp_path / name)
    sums = [(tmp_path / name / build.SUMS).read_text("utf-8") for name in ("one", "two")]
    assert sums[0] == sums[1]
    assert sums[0].endswith("  page.tar.gz\n")


def test_a_wheel_with_one_module_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "wwho-1-cp311-abi3-win_amd64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("wwho/_core.pyd", b"no module")
    with pytest.raises(
        ValueError, match=r"(?s)no module of any system.*there are 1 modules, expected"
    ):
        trials.read_wheel(wheel, "win_amd64")
