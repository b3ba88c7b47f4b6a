"""The registry of extensions: every target is what its column says."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import statuary
from architecture.code import Module, modules
from statuary.base.findings import Rule
from statuary.cli.init import NewContent
from statuary.cli.main import CORE_COMMANDS
from statuary.cli.publication import PublishFolder
from statuary.contracts.incremental.bulk import BulkReader
from statuary.contracts.sources.contract_source import BulkForm
from statuary.publish.fingerprint import FINGERPRINTED
from statuary.publish.locations import MayReplace, SiteLocation
from statuary.registry import EXTENSIONS, Command, load, providers
from statuary.section import Section
from statuary.site.pages.page_parts import PageParts
from statuary.site.url_table import match_url
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


PROVIDED = {
    "section": lambda target: Section in inspect.getmro(target),
    "status": lambda target: (
        [*inspect.signature(target).parameters] == ["content", "settings", "status", "findings", "language"]
    ),
    "record documents": lambda target: (
        [*inspect.signature(target).parameters] == ["checked_record", "settings", "source"]
    ),
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

KEYED = tuple(row for row in EXTENSIONS if row.section)
"""The rows with a section that a key of site.yaml enables."""


def targets() -> Iterator[tuple[str, str]]:
    for row in EXTENSIONS:
        commands = (command.target for command in row.commands.values())
        for target in filter(None, (row.section, *commands, *row.provides.values())):
            yield row.name, target


@pytest.mark.parametrize(("name", "target"), sorted(set(targets())))
def test_registry_target_is_inside_its_extension(name, target):
    assert target.startswith(f"statuary.extensions.{name}.")
    assert load(target)


@pytest.mark.parametrize("row", KEYED, ids=lambda row: row.name)
def test_extension_section_reads_only_own_key(row):
    section = load(row.section)
    assert Section in inspect.getmro(section)
    model = section.settings_model()
    if model is None:
        assert row.name == "hosting"
    else:
        assert [*model.model_fields] == [row.name], "the key of site.yaml is the only member of the model"
    assert section.parts is None or isinstance(section.parts, PageParts)
    assert all(isinstance(rule, Rule) for rule in section.rules())


@pytest.mark.parametrize(
    ("need", "target"), [pair for row in EXTENSIONS for pair in row.provides.items()], ids=str
)
def test_registered_provider_has_required_interface(need, target):
    checks = [check for name, check in PROVIDED.items() if need == name or need.startswith(f"{name} ")]
    assert checks
    assert all(check(load(target)) for check in checks)


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
def test_registry_row_matches_extension_package(row):
    assert (PACKAGE / "extensions" / row.name / "__init__.py").is_file()
    urls = load(row.section).urls if row.section else ()
    own = [(url.pattern, url.pattern.partition("/")[0]) for url in urls]
    assert all({*names} & {*row.folders} for names in own)  # a folder of its own, or one path in another's
    assert {*row.folders} <= {name for names in own for name in names}
    makes_documents = row.section or {"section of own pages", "bulk JSONL"} & {*row.provides}
    assert (f"extensions/{row.name}" in FINGERPRINTED) == bool(makes_documents)


@pytest.mark.parametrize("path", providers("section of published"))
def test_extension_file_path_is_registered_url(path):
    assert match_url(path)
    assert path in providers("replacement")


def test_extensions_never_register_same_name_twice():
    for column in ("commands", "folders", "provides"):
        names = [name for row in EXTENSIONS for name in getattr(row, column)]
        assert len(names) == len(set(names)), column


def test_every_bulk_file_format_has_reader():
    assert {*providers("bulk")} == {*BulkForm}


def test_every_extension_folder_is_registered():
    folders = {folder.parent.name for folder in (PACKAGE / "extensions").glob("*/__init__.py")}
    assert {row.name for row in EXTENSIONS} == folders


def texts_of(module: Module) -> Iterator[ast.Constant]:
    """Yield the literal texts of a module, but for docstrings."""
    documents = {
        id(node.value)
        for node in module.nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in module.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documents:
            yield node


def test_only_registry_contains_extension_module_names():
    """Neither in whole nor in parts: what a reader cannot search for is not found."""
    for name, module in modules().items():
        is_table = name in ("statuary", "statuary.registry")
        if not is_table and "statuary.extensions" in module.text:
            assert not [one.value for one in texts_of(module) if "statuary.extensions" in one.value], name


def test_only_registry_imports_modules_by_variable():
    """`import_module` of a variable hides its callers; only `load` reads names, those of the table."""
    hidden = {
        module.path.relative_to(PACKAGE).as_posix()
        for module in modules().values()
        if re.search("import_module|__import__", module.text)
        for node in module.nodes
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] in ("import_module", "__import__")
        and not isinstance(node.args[0], ast.Constant)
    }
    assert hidden == {
        "registry.py",
        "base/optional.py",  # libraries of extras, by their names
    }
