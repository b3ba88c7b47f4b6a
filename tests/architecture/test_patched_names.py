"""What tests replace exists, also in tests that rarely run."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

TESTS = Path(__file__).parents[1]


def imported_modules(tree: ast.Module) -> Iterator[tuple[str, ModuleType]]:
    """Yield the modules of statuary that a test imports from their package, by the name that it uses."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("statuary"):
            package = importlib.import_module(node.module or "")
            for alias in node.names:
                module = getattr(package, alias.name, None)
                if module is None:
                    module = importlib.import_module(f"{node.module}.{alias.name}")
                if isinstance(module, ModuleType):
                    yield alias.asname or alias.name, module


def missing_names(file: Path) -> Iterator[str]:
    """Yield the names that a test replaces in modules that do not have them."""
    tree = ast.parse(file.read_text())
    modules = dict(imported_modules(tree))
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="setattr"),
                args=[ast.Name(id=name), ast.Constant(value=str(member)), *_],
            ) if name in modules and not hasattr(modules[name], member):
                yield f"{file.relative_to(TESTS)}:{node.lineno}: {name} has no {member}"


@pytest.mark.parametrize(
    "folder", sorted({str(file.parent.relative_to(TESTS)) for file in TESTS.rglob("test_*.py")})
)
def test_replaced_names_exist(folder):
    assert not [name for file in sorted((TESTS / folder).glob("test_*.py")) for name in missing_names(file)]


def test_missing_name_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.TESTS", tmp_path)
    file = tmp_path / "test_example.py"
    file.write_text("from statuary.base import clock as c\n\n\ndef test(m):\n    m.setattr(c, 'gone', 1)\n")
    assert list(missing_names(file)) == ["test_example.py:5: c has no gone"]
