"""The ledger is one place: no other module reaches its database, and only a table's owner names it."""

import ast
import re
from pathlib import Path

import pytest

import statuary
from statuary.contracts.incremental import table_schema
from statuary.publish.ledger import schema

PACKAGE = Path(statuary.__file__).parent
OWNERS = {
    "publish/ledger/": schema,
    "contracts/incremental/built_rows.py": table_schema,
    "contracts/incremental/contract_table.py": table_schema,
    "contracts/incremental/table_schema.py": table_schema,
}
"""The modules that may name the tables of a schema: files, or folders with a slash at the end."""


def modules(word):
    """Return the syntax trees of the modules outside of the ledger whose text has a word."""
    texts = {
        file.relative_to(PACKAGE).as_posix(): file.read_text("utf-8")
        for file in PACKAGE.rglob("*.py")
        if PACKAGE / "publish/ledger" not in file.parents
    }
    return {path: ast.parse(text) for path, text in texts.items() if re.search(word, text)}


def tables(owned):
    """Return the pattern of the names in a schema that are no words of other languages."""
    text = "\n".join(text for text in vars(owned).values() if isinstance(text, str))
    names = re.findall(r"CREATE (?:TEMP )?(?:TABLE|VIEW) (?:IF NOT EXISTS )?([\w.]+)", text)
    return re.compile("|".join(rf"\b{name}\b" for name in sorted(set(names)) if "." in name or "_" in name))


def test_only_ledger_uses_database_connection():
    reached = {
        path
        for path, tree in modules(r"\bconnection\b").items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "connection"
        and isinstance(node.value, ast.Attribute | ast.Name)
        and getattr(node.value, "attr", getattr(node.value, "id", "")) in ("ledger", "sources", "documents")
    }
    assert reached == set()


@pytest.mark.parametrize(("owned", "least"), [(schema, 4), (table_schema, 8)], ids=["ledger", "contracts"])
def test_only_owner_queries_sql_tables(owned, least):
    pattern = tables(owned)
    assert len(pattern.pattern.split("|")) >= least
    files = {file.relative_to(PACKAGE).as_posix(): file for file in PACKAGE.rglob("*.py")}
    owners = tuple(path for path, owner in OWNERS.items() if owner is owned)
    named = {
        (path, found.group())
        for path, file in files.items()
        if not path.startswith(owners) and re.search("SELECT|INSERT", text := file.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for found in pattern.finditer(node.value)
        if "SELECT" in node.value or "INSERT" in node.value
    }
    assert named == set()
