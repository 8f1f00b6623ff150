"""The examples in the docstrings run, and every public name has one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil

import pytest

import wwho
from wwho import Tokenizer

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(wwho.__path__, "wwho.")
    if not module.name.endswith(("_core", "_native", "__main__"))
)


@pytest.mark.parametrize("name", ["wwho", *MODULES])
def test_examples(name: str) -> None:
    if name == "wwho.lm.torch_learner":
        pytest.importorskip("torch", reason="PyTorch is large: it is tried by hand")
    module = (
        pytest.importorskip(name)
        if name.startswith(("wwho.hf", "wwho.serve"))
        else importlib.import_module(name)
    )
    assert doctest.testmod(module).failed == 0


def test_every_public_method_has_an_example() -> None:
    members = inspect.getmembers(Tokenizer)
    public = [member for name, member in members if not name.startswith("_")]
    assert len(public) > 25
    assert [each for each in public if ">>>" not in (inspect.getdoc(each) or "")] == []
    functions = (wwho.get_encoding, wwho.list_encoding_names, Tokenizer)
    assert all(">>>" in (inspect.getdoc(each) or "") for each in functions)
