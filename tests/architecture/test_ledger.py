"""The ledger is one place: no module outside of its package reaches its database or names its tables."""

import ast
import re
from pathlib import Path

import statuary
from statuary.publish.ledger import schema

PACKAGE = Path(statuary.__file__).parent
LEDGER = PACKAGE / "publish/ledger"
SCHEMA = "\n".join(text for text in vars(schema).values() if isinstance(text, str))
NAMES = re.findall(r"CREATE (?:TEMP )?(?:TABLE|VIEW) (?:IF NOT EXISTS )?([\w.]+)", SCHEMA)
TABLES = re.compile("|".join(rf"\b{name}\b" for name in NAMES if "." in name or "_" in name))


def modules(word):
    """Return the syntax trees of the modules whose text has a word."""
    texts = {
        file.relative_to(PACKAGE).as_posix(): file.read_text("utf-8")
        for file in PACKAGE.rglob("*.py")
        if LEDGER not in file.parents
    }
    return {path: ast.parse(text) for path, text in texts.items() if re.search(word, text)}


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


def test_only_ledger_names_tables():
    assert len(TABLES.pattern.split("|")) > 10
    named = {
        (path, found.group())
        for path, tree in modules("SELECT|INSERT").items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for found in TABLES.finditer(node.value)
        if "SELECT" in node.value or "INSERT" in node.value
    }
    assert named == set()
