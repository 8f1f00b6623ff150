"""The wheels in Pyodide, installed by name as `micropip.install("wwho")` does it, and used."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from exhaustive import EXHAUSTIVE
from releases import RELEASES, ROOT, Release, in_node

# Where Pyodide runs, which release of it, and what micropip finds: each of them once, or all pairs.
CASES = [("node", "314", "any"), ("node", "0.29", "all"), ("chromium", "314", "all")]
if EXHAUSTIVE:
    CASES += [("node", "314", "all"), ("node", "0.29", "any"), ("chromium", "314", "any")]
KINDS = {"all": "native", "any": "wasm"}  # what runs the core then
VECTORS = ROOT / "tests" / "vectors"
ENCODINGS = {path.stem for kind in ("jsonl", "wwho") for path in VECTORS.glob(f"*.{kind}")}
Report = dict[str, Any]
RUN_IN_PAGE = """async (job) => {
  const { loadPyodide } = await import(job.entry);
  const { run } = await import("/session.mjs");
  return run({ loadPyodide, ...job });
}"""


def test_wheels_are_what_they_say(wheels: dict[str, Path]) -> None:
    """Tags, requirements and contents of each kind of wheel."""
    assert set(wheels) == {"any", *(release.platform for release in RELEASES.values())}
    for platform, path in wheels.items():
        with ZipFile(path) as wheel:
            names = set(wheel.namelist())
            (metadata,) = (
                wheel.read(name).decode() for name in names if name.endswith("/METADATA")
            )
        native = platform != "any"
        assert path.name.split("-", 2)[2] == (
            f"cp311-abi3-{platform}.whl" if native else "py3-none-any.whl"
        )
        assert ("wwho/_core.abi3.so" in names) == native
        assert not [name for name in names if name.endswith(".so") and "/_core." not in name]
        assert {"wwho/web/package/wwho.wasm", "wwho/models/wwho_328k.wwho"} <= names
        marker = "" if native else '; sys_platform != "emscripten"'
        assert f"\nRequires-Dist: cffi>=1.17{marker}\n" in metadata


def test_wheels_are_reproducible(
    wheels: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From another folder; a compiled one, or all with `WWHO_EXHAUSTIVE`."""
    import build_wheels

    tree = tmp_path / "tree"
    build_wheels.copy_sources(tree)
    monkeypatch.setattr(build_wheels, "ROOT", tree)
    kinds = [*wheels] if EXHAUSTIVE else [RELEASES["314"].platform]
    again = build_wheels.build(tmp_path / "again", kinds)
    assert {path.name: digest(path) for path in again} == {
        wheels[kind].name: digest(wheels[kind]) for kind in kinds
    }


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture(
    scope="module",
    params=CASES,
    ids=lambda case: "-".join(case),
)
def case(request: pytest.FixtureRequest) -> tuple[str, str, str]:
    """Node or Chromium, the release, the index that wwho is installed from."""
    found: tuple[str, str, str] = request.param
    return found


@pytest.fixture(scope="module")
def report(
    case: tuple[str, str, str],
    releases: dict[str, Release],
    job_of: Callable[..., dict[str, Any]],
    request: pytest.FixtureRequest,
) -> Report:
    """What inside.py found there."""
    place, release, index = case
    job = job_of(release, index, "import inside; await inside.report()")
    if place == "node":
        found: Report = json.loads(in_node(job, releases[release]))
    else:
        job["entry"] = f"{job['server']}/{release}/pyodide/pyodide.mjs"
        found = json.loads(in_page(request.getfixturevalue("browser"), job))
    return found


def in_page(browser: Any, job: dict[str, Any]) -> str:
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(job["server"])
    found: str = page.evaluate(RUN_IN_PAGE, job)
    context.close()
    # Nothing came from elsewhere, no tokenizer from anywhere.
    assert all(url.startswith((job["server"], "data:", "blob:")) for url in asked), asked
    assert not [url for url in asked if url.endswith((".wwho", ".wasm")) and "pyodide" not in url]
    return found


def test_each_import_came_from_the_wheel(
    case: tuple[str, str, str], report: Report, wheels: dict[str, Path]
) -> None:
    """loadPackage fails silently, and another backend would take over: so this one is sure."""
    place, release, index = case
    platform = RELEASES[release].platform if index == "all" else "any"
    origins = report["origins"]
    assert report["python"].startswith(RELEASES[release].python + ".")
    assert report["backend"] == KINDS[index], place
    assert origins["modules"] > 10
    assert origins["not_of_the_wheel"] == {}
    with ZipFile(wheels[platform]) as wheel:
        core = [name for name in wheel.namelist() if name.startswith("wwho/_core.abi3")]
        built = [hashlib.sha256(wheel.read(name)).hexdigest() for name in core]
        assert (
            origins["wasm"] == hashlib.sha256(wheel.read("wwho/web/package/wwho.wasm")).hexdigest()
        )
    assert ([origins["core"]] if origins["core"] else []) == built
    assert origins["cffi"] == (index == "all")
    assert origins["tags"].endswith(platform)


def test_vectors(case: tuple[str, str, str], report: Report) -> None:
    assert report["vectors"] == dict.fromkeys(ENCODINGS, KINDS[case[2]])


def test_training_says_where_it_can_be_done(report: Report) -> None:
    assert report["training"].startswith("BackendError: ")
    assert "Pyodide" in report["training"]


def test_speed_is_shown(
    case: tuple[str, str, str], report: Report, capsys: pytest.CaptureFixture[str]
) -> None:
    """Times are printed, not judged: machines differ."""
    shown = (
        f"import {report['import_ms']:.0f} ms, open {report['open_ms']:.0f} ms, "
        f"20 characters {report['call_us']:.1f} us, 5 MB {report['encode_5mb_ms']:.0f} ms"
    )
    with capsys.disabled():
        print(f"\n  {'-'.join(case)} ({report['backend']}): {shown}")
    assert report["tokens"] > 500_000
