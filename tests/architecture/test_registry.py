"""The registry of extensions: every target is what its column says."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import statuary
from statuary.base.findings import Rule
from statuary.cli.init import NewContent
from statuary.cli.main import CORE_COMMANDS
from statuary.cli.publication import PublishFolder
from statuary.contracts.incremental.bulk import BulkReader
from statuary.contracts.sources.contract_source import BulkForm
from statuary.engine.extension_settings import ExtensionSource
from statuary.engine.providers import DocumentProvider, MarkdownPageProvider
from statuary.engine.stages import SiteStage
from statuary.publish.fingerprint import FINGERPRINTED
from statuary.publish.locations import MayReplace, SiteLocation
from statuary.registry import EXTENSIONS, Command, Extension, load, providers
from statuary.site.pages.page_parts import PageParts
from statuary.site.url_table import Url, match_url
from statuary.source.remote_files import RemoteFiles
from statuary.workers.executor import Executor

PACKAGE = Path(statuary.__file__).parent
COMMANDS = {
    **CORE_COMMANDS,
    **{name: command for row in EXTENSIONS for name, command in row.commands.items()},
}


def is_command(target: object, command: Command) -> bool:
    return isinstance(target, click.Command) and (target.help or "").partition("\n")[0] == command.help


def has_protocol(protocol: type):
    return lambda target: protocol in inspect.getmro(target)


def is_called_like(protocol: type):
    """Say whether a function takes what the protocol's function does, by the same names."""
    wanted = list(inspect.signature(protocol.__call__).parameters.values())[1:]

    def takes(target: object) -> bool:
        signature = inspect.signature(target)
        names = [one for one in wanted if one.kind is not one.KEYWORD_ONLY]
        keywords = {one.name: None for one in wanted if one.kind is one.KEYWORD_ONLY}
        bound = signature.bind(*names, **keywords)
        return [*bound.arguments] == [one.name for one in wanted]

    return takes


def opens_a_stage(target: object) -> bool:
    (parameter,) = inspect.signature(target).parameters.values()
    return parameter.name == "inputs" and SiteStage.__name__ in str(inspect.signature(target))


CHECKS = {
    "urls": lambda target: all(isinstance(url, Url) for url in target),
    "documents": has_protocol(DocumentProvider),
    "settings": has_protocol(ExtensionSource),
    "status": lambda target: (
        [*inspect.signature(target).parameters]
        == [
            "content",
            "settings",
            "status",
            "findings",
            "language",
        ]
    ),
    "pages": lambda target: isinstance(target, PageParts),
    "stage": opens_a_stage,
    "apis": lambda target: [*inspect.signature(target).parameters] == ["settings", "example"],
    "of_record": lambda target: [*inspect.signature(target).parameters] == ["judged", "settings", "source"],
    "recompiler": lambda target: [*inspect.signature(target).parameters] == ["options"],
    "rules": lambda target: all(isinstance(rule, Rule) for rule in target),
    "own_pages": has_protocol(MarkdownPageProvider),
}
"""What the targets of a column must be; `commands` are checked with the core's."""

PROVIDED = {
    "text per language": lambda target: [*inspect.signature(target).parameters] == ["value", "validate"],
    "new content": is_called_like(NewContent),
    "manifest by workers": lambda target: (
        [*inspect.signature(target).parameters] == ["executor", "target", "origin"]
    ),
    "bulk": has_protocol(BulkReader),
    "sources": has_protocol(RemoteFiles),
    "place": has_protocol(SiteLocation),
    "publication": is_called_like(PublishFolder),
    "workers": has_protocol(Executor),
    "documents": lambda target: [*inspect.signature(target).parameters] == ["source"],
    "replacement": is_called_like(MayReplace),
}
"""What must be provided under a name, or under one that begins with it."""

PLAIN = {"name", "commands", "key", "marker", "folders", "is_unserved", "options", "provides"}
"""The columns without targets of their own."""


def targets() -> Iterator[tuple[str, str, str]]:
    for row in EXTENSIONS:
        for column in CHECKS:
            value = getattr(row, column)
            listed = [*filter(None, [value])] if isinstance(value, str) else [*value.values()]
            for target in listed:
                named = [target] if isinstance(target, str) else target.values()
                yield from ((column, row.name, name) for name in named)
        yield from (("provides", row.name, target) for target in row.provides.values())
        yield from (("commands", row.name, command.target) for command in row.commands.values())


def test_every_column_has_check():
    assert {*CHECKS, *PLAIN} == {*Extension._fields}
    assert {column for column, _, _ in targets()} == {*CHECKS, "commands", "provides"}


@pytest.mark.parametrize(("column", "name", "target"), sorted(set(targets())))
def test_target_matches_column_and_extension(column, name, target):
    assert target.startswith(f"statuary.extensions.{name}.")
    assert column in {"commands", "provides"} or CHECKS[column](load(target))


@pytest.mark.parametrize(
    ("need", "target"), [pair for row in EXTENSIONS for pair in row.provides.items()], ids=str
)
def test_provided_target_fits_its_need(need, target):
    check = PROVIDED.get(need) or PROVIDED[need.partition(" ")[0]]
    assert check(load(target))


@pytest.mark.parametrize("name", ["build", "check", "tick"])
def test_core_command_declares_extension_options(name):
    rows = [option for row in EXTENSIONS for option in row.options.get(name, ())]
    options = {option.name: option for option in load(CORE_COMMANDS[name].target).params}
    assert rows
    for row in rows:
        assert (options[row.name].opts, options[row.name].help) == ([row.flag], row.help)
    assert {command for row in EXTENSIONS for command in row.options} == {"build", "check", "tick"}


@pytest.mark.parametrize("name", COMMANDS)
def test_command_summary_matches_docstring(name):
    assert is_command(load(COMMANDS[name].target), COMMANDS[name])


@pytest.mark.parametrize("row", EXTENSIONS, ids=lambda row: row.name)
def test_row_matches_extension_package(row):
    assert (PACKAGE / "extensions" / row.name / "__init__.py").is_file()
    if row.urls:
        own = [(url.pattern, url.pattern.partition("/")[0]) for url in load(row.urls)]
        assert all(
            {*names} & {*row.folders} for names in own
        )  # a folder of its own, or one path in another's
        assert {*row.folders} <= {name for names in own for name in names}
    assert bool(row.documents) <= bool(row.key)
    assert not row.marker or (match_url(row.marker) and row.marker.partition("/")[0] in row.folders)
    assert (f"extensions/{row.name}" in FINGERPRINTED) == bool(
        row.documents or row.of_record or row.pages or row.own_pages or "bulk JSONL" in row.provides
    )


def test_rows_share_no_values():
    for column in ("commands", "folders", "provides"):
        names = [name for row in EXTENSIONS for name in getattr(row, column)]
        assert len(names) == len(set(names)), column


def test_every_bulk_form_has_reader():
    assert {*providers("bulk")} == {*BulkForm}


def test_every_extension_folder_has_row():
    folders = {folder.parent.name for folder in (PACKAGE / "extensions").glob("*/__init__.py")}
    assert {row.name for row in EXTENSIONS} == folders


def texts_of(file: Path) -> Iterator[ast.Constant]:
    """Yield the literal texts of a module, but for docstrings."""
    tree = ast.parse(file.read_text("utf-8"))
    documents = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node


def test_modules_outside_table_name_no_extension():
    """Neither in whole nor in parts: what a reader cannot search for is not found."""
    for file in PACKAGE.rglob("*.py"):
        if file not in (PACKAGE / "registry.py", PACKAGE / "__init__.py"):
            assert not [one.value for one in texts_of(file) if "statuary.extensions" in one.value], file


def test_only_loader_imports_by_variable():
    """`import_module` of a variable hides its callers; only `load` reads names, those of the table."""
    hidden = {
        file.relative_to(PACKAGE).as_posix()
        for file in PACKAGE.rglob("*.py")
        if re.search("import_module|__import__", text := file.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] in ("import_module", "__import__")
        and not isinstance(node.args[0], ast.Constant)
    }
    assert hidden == {
        "registry.py",
        "base/optional.py",  # libraries of extras, by their names
    }
