"""The shape of the code: one name for one thing, imports that only point down, functions and files of a size to read."""

import ast

from radon.complexity import cc_visit

from architecture.code import modules, public_classes, rings, undefined_docstring_entries

LONGEST_FILE = 600
"""Lines of a file, its docstrings and blank lines included."""

MOST_COMPLEX = 10
"""Cyclomatic complexity of a function as radon counts it: branches, loops, comprehensions, `and` and `or`."""


def test_no_two_public_classes_have_one_name():
    assert {name: where for name, where in public_classes(modules()).items() if len(where) > 1} == {}


def test_no_modules_import_each_other_in_a_ring():
    assert rings(modules()) == []


def test_files_are_of_a_size_to_read():
    sizes = {name: module.text.count("\n") for name, module in modules().items()}
    assert {name: size for name, size in sizes.items() if size > LONGEST_FILE} == {}


def test_functions_are_simple():
    found = {
        f"{name}.{block.fullname}": block.complexity
        for name, module in modules().items()
        for block in cc_visit(module.text)
        if block.letter in "FM" and block.complexity > MOST_COMPLEX
    }
    assert found == {}


def test_docstrings_name_what_exists():
    assert undefined_docstring_entries(modules()) == []


def test_a_build_takes_its_documents_from_the_one_list():
    known = modules()
    other = {
        f"{module.name}: {alias.name}"
        for module in known.values()
        if module.name.startswith("statuary.pipeline.")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("statuary.documents.")
        for alias in node.names
        if node.module != "statuary.documents.all_documents"
        and alias.name.endswith(("_document", "_documents"))
    }
    # a tick has no list but what was built
    assert other == {"statuary.pipeline.tick: changes_document"}
