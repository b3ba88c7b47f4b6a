"""What the tests of this folder read from the code: modules, imports, classes and functions."""

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A module of the package: its dotted name, its file, its text and its syntax tree."""

    name: str
    path: Path
    text: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node of the tree, as `ast.walk` yields them: to walk takes longer than to parse."""
        return list(ast.walk(self.tree))


@cache
def modules(src: Path = SRC) -> dict[str, Module]:
    """Return every module below a source folder, by its dotted name."""
    found = {}
    for path in sorted(src.rglob("*.py")):
        name = ".".join(path.relative_to(src).with_suffix("").parts).removesuffix(".__init__")
        text = path.read_text("utf-8")
        found[name] = Module(name, path, text, ast.parse(text))
    return found


BY_STRING = re.compile(r"(statuary(?:\.\w+)+)(?::\w+)?")
"""A module, or a name in one, as a string that is imported when something asks for it."""

COMPOSITION_ROOT = ("statuary", "statuary.registry", "statuary.cli.main")
"""Modules whose strings name everything that there is: public names, extensions, commands."""


def imports(module: Module, known: dict[str, Module]) -> set[str]:
    """Return the modules of the package that a module imports.

    Imports inside functions, for types alone and by a string count too.
    """
    names = set()
    for node in module.nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            below = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= below & known.keys() or {node.module}
        elif isinstance(node, ast.Constant) and module.name not in COMPOSITION_ROOT:
            named = BY_STRING.fullmatch(str(node.value))
            names |= {named[1]} if named else set()
    return (names & known.keys()) - {module.name}


def rings(known: dict[str, Module]) -> list[list[str]]:
    """Return the groups of modules that import each other, directly or through others."""
    graph = {name: imports(module, known) for name, module in known.items()}
    reach = {name: _reachable(graph, name) for name in graph}
    found = {tuple(sorted(other for other in reach[name] if name in reach[other])) for name in graph}
    return [list(ring) for ring in sorted(found) if ring]


def _reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    waiting = list(graph[start])
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += graph[name]
    return seen


def public_classes(known: dict[str, Module]) -> dict[str, list[str]]:
    """Return the public classes by name, each with the modules that define one of that name."""
    found: dict[str, list[str]] = {}
    for module in known.values():
        for node in module.nodes:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found.setdefault(node.name, []).append(module.name)
    return found


SECTIONS = ("Args:", "Attributes:", "Raises:")


def undefined_docstring_entries(known: dict[str, Module]) -> list[str]:
    """Return what docstrings list under `Args:`, `Attributes:` and `Raises:` that the code does not have."""
    classes = {name for module in known.values() for name in _names(module)} | set(dir(builtins))
    return [
        f"{module.name}.{node.name}: {entry}"
        for module in known.values()
        for node in module.nodes
        if isinstance(node, Function | ast.ClassDef)
        if any(word in (ast.get_docstring(node, clean=False) or "") for word in (*SECTIONS, "raise "))
        for section, entry in _entries(ast.get_docstring(node) or "")
        if entry not in (classes if section == "Raises" else _members(node))
    ]


def _names(module: Module) -> Iterator[str]:
    for node in module.nodes:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)


def _entries(docstring: str) -> Iterator[tuple[str, str]]:
    for section, body in re.findall(r"^(Args|Attributes|Raises):\n((?: +.*\n?)+)", docstring, re.MULTILINE):
        for entry in re.findall(r"^    (\w+):|^    click\.\w+:", body, re.MULTILINE):
            yield from [(section, entry)] if entry else []
    yield from (("Raises", name) for name in re.findall(r"\braise (\w+Error)\b", docstring, re.IGNORECASE))


def _members(node: Function | ast.ClassDef) -> set[str]:
    """Return the arguments of a function, or the attributes that a class annotates, assigns or defines."""
    found = set()
    for part in ast.walk(node):
        match part:
            case (
                ast.arg(arg=name)
                | ast.Attribute(attr=name)
                | ast.Name(id=name)
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
            ):
                found.add(name)
    return found
