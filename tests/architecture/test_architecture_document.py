"""src/ARCHITECTURE.md is true of the code: its files and names exist, and what it calls exclusive is."""

import re
from functools import cache

import pytest

from architecture.code import SRC, modules
from architecture.picture import BLOCK, picture

PACKAGE = SRC / "statuary"
MAP = (SRC / "ARCHITECTURE.md").read_text("utf-8")
CLOCK = re.compile(r"\b(datetime\.now|date\.today|time\.time|time\.time_ns|datetime\.utcnow)\(")
READING = re.search(r"^\*\*To read first\*\*(.*?)\n\n", MAP, re.MULTILINE | re.DOTALL)[1]
OUTPUT = re.compile(r"^ +(print|click\.echo|sys\.exit)\(", re.MULTILINE)
COMMANDS = re.compile(r"statuary\.extensions\.\w+\.(\w+_)?(commands|options)(\.\w+)*")
TABLES = re.compile(
    r"\b(FROM|INTO|UPDATE|JOIN)\s+(main\.|work\.)(documents|notes|folders|removals|offered)\b"
)

DOCUMENTS = (
    "statuary.site.",
    "statuary.status.api",
    "statuary.status.feeds",
    "statuary.contracts.api",
    "statuary.engine.openapi",
)
"""The packages that make documents."""


def steps():
    """Return each numbered step of the two ways: its text."""
    return re.findall(r"^\d+\. (.*)$", MAP, re.MULTILINE)


@cache
def files():
    """Return the path of every file of the package and its tests."""
    return [file.as_posix() for folder in (PACKAGE, SRC.parent / "tests") for file in folder.rglob("*")]


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:\w+/)*\w+\.(?:py|js))`", MAP))))
def test_architecture_document_names_existing_files(path):
    assert any(file.endswith(f"/{path}") for file in files())


@pytest.mark.parametrize("step", steps(), ids=lambda step: step[:40])
def test_architecture_document_names_defined_functions(step):
    places, _, _ = step.partition(":")
    files = re.findall(r"`((?:\w+/)*\w+(?:\.py|/))`", places)
    names = [name for name in re.findall(r"`(\w+)(?:\.\w+)?`", places) if not name.endswith("py")]
    texts = "\n".join(
        module.text
        for module in modules().values()
        if any(f"/statuary/{file}" in module.path.as_posix() for file in files)
    )
    assert texts
    assert [name for name in names if not re.search(rf"^\s*(def|class) {name}\b", texts, re.MULTILINE)] == []


def lines_of(name):
    """Return the lines of a module of the package."""
    found = [module for module in modules().values() if f"/statuary/{name}" in module.path.as_posix()]
    assert found
    return sum(module.text.count("\n") for module in found)


def test_reading_list_fits_three_hours():
    names = re.findall(r"`([\w/]+\.py)`", READING)
    assert len(names) == 27
    assert sum(map(lines_of, names)) <= 3 * 60 * 30  # three hours of thirty lines a minute


def test_reading_list_contains_every_build_module():
    """Of a build: the command, each module of the engine that `build_site` uses, and what writes."""
    text = modules()["statuary.engine.build"].text
    steps = {
        f"engine/{name}.py"
        for name in re.findall(r"^from statuary\.engine\.(\w+) import", text, re.MULTILINE)
    }
    assert len(steps) >= 5
    read = {"cli/build.py", "engine/build.py", "section.py", "publish/folder/folder_target.py", *steps}
    assert [name for name in sorted(read) if f"`{name}`" not in READING] == []


def outside(package, pattern):
    """Return the modules outside a package that match a pattern."""
    return [
        name
        for name, module in modules().items()
        if not name.startswith(f"statuary.{package}") and pattern.search(module.text)
    ]


def is_command(name):
    """Whether a module is a part of the command line: `cli`, or the commands and options of an extension."""
    return name == "statuary.__main__" or bool(COMMANDS.fullmatch(name))


def test_only_clock_module_reads_time():
    assert outside("base.clock", CLOCK) == []


def test_only_cli_prints_and_exits():
    assert [name for name in outside("cli", OUTPUT) if not is_command(name)] == []


def test_only_ledger_contains_sql_table_names():
    assert outside("publish.ledger", TABLES) == []


def test_only_encoder_module_serializes_json():
    assert [
        name
        for name in outside("site.document", re.compile(r"orjson\.dumps"))
        if name.startswith(DOCUMENTS) and ".pages." not in name
    ] == []


def test_architecture_diagram_matches_imports_in_code():
    block = BLOCK.search(MAP)
    assert block is not None
    assert block[0] == picture(), "python tests/architecture/picture.py --write"
