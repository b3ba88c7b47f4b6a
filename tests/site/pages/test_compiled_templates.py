"""Compiled templates of the package are kept where Python keeps compiled modules."""

import sys
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from statuary.site.pages.page_templates import CompiledTemplates

SOURCE = "Hello {{ name }}"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path


def rendered(source: str = SOURCE) -> tuple[str, bool]:
    """Return a rendered template, and whether it had to be compiled."""
    compiled = []

    class Observed(Environment):
        def _generate(self, *arguments: object, **options: object) -> str:
            compiled.append(arguments)
            return super()._generate(*arguments, **options)  # type: ignore[arg-type]

    environment = Observed(loader=DictLoader({"one.html": source}), bytecode_cache=CompiledTemplates())
    return environment.get_template("one.html").render(name="Ada"), bool(compiled)


def test_template_is_compiled_once_and_cached(folder: Path) -> None:
    assert rendered() == ("Hello Ada", True)
    assert rendered() == ("Hello Ada", False)
    assert len(list(folder.rglob("*.jinja-*.pyc"))) == 1


def test_changed_jinja_template_is_recompiled(folder: Path) -> None:
    rendered()
    assert rendered(SOURCE + "!") == ("Hello Ada!", True)


def test_damaged_template_cache_is_recompiled(folder: Path) -> None:
    rendered()
    [file] = folder.rglob("*.jinja-*.pyc")
    whole = file.read_bytes()
    for length in range(0, len(whole), 7):
        file.write_bytes(whole[:length])
        assert rendered() == ("Hello Ada", True)


def test_dont_write_bytecode_disables_template_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert rendered() == rendered() == ("Hello Ada", True)
    assert not list(folder.rglob("*.jinja-*"))


def test_unwritable_template_cache_folder_is_ignored(folder: Path) -> None:
    folder.rmdir()
    folder.write_text("a file")
    assert rendered() == ("Hello Ada", True)
