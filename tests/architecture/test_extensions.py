"""The core imports no extension, not even by a string of its own: the table of extensions names what is theirs."""

import ast
import re
from collections.abc import Mapping

import pytest

from architecture.code import modules
from statuary.documents.url_table import all_urls, match_url
from statuary.extension_table import EXTENSIONS, load

NAMED = re.compile(r"statuary\.extensions\.\w+|statuary/extensions/")
TARGET = re.compile(r"statuary(\.\w+)+:\w+")

STILL_NAMED = {
    "statuary": "the public name `open_snapshot`, which is imported on first use",
    "statuary.pipeline.fingerprint": "the folders of code that documents depend on",
}
"""Modules of the core that name an extension in a string, with the reason."""


def strings(value: object) -> list[str]:
    """Return every "module:name" of a row."""
    if isinstance(value, str):
        return [value] if TARGET.fullmatch(value) else []
    if isinstance(value, Mapping):
        value = tuple(value.values())
    return [text for part in value for text in strings(part)] if isinstance(value, tuple) else []


@pytest.mark.parametrize("target", sorted(set(strings(EXTENSIONS))))
def test_what_a_row_names_exists(target):
    assert load(target, "a test") is not None


def test_every_target_of_a_row_is_in_the_folder_of_its_extension():
    foreign = [
        (extension.name, text)
        for extension in EXTENSIONS
        for text in strings(extension)
        if not text.startswith(f"statuary.extensions.{extension.name}.")
    ]
    assert foreign == []


def test_no_string_of_the_core_names_a_module_of_an_extension():
    named = {
        name
        for name, module in modules().items()
        if not name.startswith(("statuary.extensions", "statuary.extension_table"))
        for node in ast.walk(ast.parse(module.text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED.search(node.value)
    }
    assert named <= set(STILL_NAMED)


def test_no_module_is_imported_by_a_name_that_is_put_together():
    """`import_module` of a variable hides its callers; only `load` reads names, those of the table."""
    hidden = {
        name
        for name, module in modules().items()
        if not name.startswith("statuary.extensions")
        for node in ast.walk(ast.parse(module.text))
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", getattr(node.func, "attr", "")) in ("import_module", "__import__")
        and not isinstance(node.args[0], ast.Constant)
    }
    assert hidden == {
        "statuary",  # its public names, one of two modules
        "statuary.extension_table",
        "statuary.optional",  # libraries of extras, by their names
    }


def test_markers_and_folders_are_those_of_urls():
    for extension in EXTENSIONS:
        assert not extension.marker or match_url(extension.marker) is not None
        assert not extension.marker or extension.marker.partition("/")[0] in extension.folders
        first_names = {url.pattern.partition("/")[0] for url in all_urls()}
        assert set(extension.folders) <= first_names
