"""Make the table of every place that opens something, and the function of `statuary.system` that it calls for it.

usage: python tests/architecture/doors.py          prints the table
       python tests/architecture/doors.py --write  writes it into tests/architecture/doors.txt
"""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from architecture.code import Function, Module, modules
from architecture.openings import HARMLESS, SYSTEM, imported_names, is_forbidden, names_at

FILE = Path(__file__).with_name("doors.txt")


def used_names(nodes: Iterable[ast.AST], imported: dict[str, str]) -> set[str]:
    """Return the full names that a part of a module uses, its imports left out."""
    return {
        name
        for node in nodes
        if not isinstance(node, ast.Import | ast.ImportFrom)
        for name in names_at(node, imported)
    }


def doors(known: dict[str, Module]) -> set[str]:
    """Return the full names of the functions and classes of `statuary.system` that open something.

    A function that calls one of them opens something too.
    """
    uses = {
        f"{module.name}.{node.name}": used_names(ast.walk(node), _bound_names(module))
        for module in known.values()
        if is_of_system(module.name)
        for node in module.tree.body
        if isinstance(node, Function | ast.ClassDef)
    }
    found = {door for door, names in uses.items() if any(is_forbidden(name) for name in names - HARMLESS)}
    while more := {door for door, names in uses.items() if names & found} - found:
        found |= more
    return {door for door in found if not door.rpartition(".")[2].startswith("_")}


def users(known: dict[str, Module]) -> dict[str, set[str]]:
    """Return the modules outside of `statuary.system` that use each door."""
    found: dict[str, set[str]] = defaultdict(set)
    all_doors = doors(known)
    for module in known.values():
        # most modules name nothing of it, and need no look at their trees
        if not is_of_system(module.name) and re.search(r"\bsystem\b", module.text):
            for door in used_names(module.nodes, dict(imported_names(module))) & all_doors:
                found[door].add(module.name)
    return found


def table(known: dict[str, Module]) -> str:
    """Return the table: each door, and below it the modules that use it."""
    rows = (
        "\n  ".join([door.removeprefix(f"{SYSTEM}."), *sorted(names)])
        for door, names in sorted(users(known).items())
    )
    return "".join(f"{row}\n" for row in rows)


def is_of_system(name: str) -> bool:
    """Return whether a module is one of those that open things."""
    return f"{name}.".startswith(f"{SYSTEM}.")


def _bound_names(module: Module) -> dict[str, str]:
    """Return what the names of a module stand for: its imports, functions and classes."""
    own = {
        node.name: f"{module.name}.{node.name}"
        for node in module.tree.body
        if isinstance(node, Function | ast.ClassDef)
    }
    return dict(imported_names(module)) | own


if __name__ == "__main__":
    text = table(modules())
    if "--write" in sys.argv:
        FILE.write_text(text, "utf-8")
    print(text, end="")
