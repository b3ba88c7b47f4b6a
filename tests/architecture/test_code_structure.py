"""The shape of the code: one name for one thing, imports that only point down, functions and files of a size to read."""

import ast
import re

import pytest
from radon.complexity import cc_visit_ast

from architecture.code import imports, modules, public_classes, rings, undefined_docstring_entries

LONGEST_FILE = 600
"""Lines of a file, its docstrings and blank lines included."""

MOST_COMPLEX = 10
"""Cyclomatic complexity of a function as radon counts it: branches, loops, comprehensions, `and` and `or`."""


def test_public_class_names_are_unique():
    assert {name: where for name, where in public_classes(modules()).items() if len(where) > 1} == {}


def test_modules_have_no_import_cycles():
    assert rings(modules()) == []


def test_import_cycle_through_string_is_detected(tmp_path):
    texts = {
        "pages.py": 'module = import_module("statuary.viewer")\n',
        "viewer.py": "def made():\n    from statuary.scripts import script\n",
        "scripts.py": 'TARGET = "statuary.pages:module"\n',
        "registry.py": 'TARGET = "statuary.command:run"\n',
        "command.py": "import statuary.registry\n",
    }
    for name, text in texts.items():
        (tmp_path / "statuary" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "statuary" / name).write_text(text, "utf-8")
    assert rings(modules(tmp_path)) == [["statuary.pages", "statuary.scripts", "statuary.viewer"]]


def test_core_never_imports_contracts_and_status():
    """Extensions may know both; the registry names them by strings."""
    known = modules()
    both = {
        name
        for name, module in known.items()
        if not name.startswith("statuary.extensions.")
        and {"contracts", "status"}
        <= {imported.split(".")[1] for imported in imports(module, known) if "." in imported}
    }
    assert both == set()


def test_findings_never_hardcode_settings_file_name():
    """The settings and the components may be YAML or JSON, under three names each."""
    fixed = [
        (module.name, call.lineno)
        for module in modules().values()
        for call in ast.walk(module.tree)
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("Finding", "Violation")
        for value in (*call.args, *(keyword.value for keyword in call.keywords))
        if isinstance(value, ast.Constant) and re.fullmatch(r"(site|components)\.\w+", str(value.value))
    ]
    assert fixed == []


def test_file_length_is_limited():
    sizes = {name: module.text.count("\n") for name, module in modules().items()}
    assert {name: size for name, size in sizes.items() if size > LONGEST_FILE} == {}


def test_function_complexity_is_limited():
    found = {
        f"{name}.{block.fullname}": block.complexity
        for name, module in modules().items()
        for block in cc_visit_ast(module.tree)
        if block.letter in "FM" and block.complexity > MOST_COMPLEX
    }
    assert found == {}


def test_docstrings_name_existing_parameters():
    assert undefined_docstring_entries(modules()) == []


BUILD = {
    "statuary.contracts.incremental.build_contract",
    "statuary.engine.build",
    "statuary.status.moved_status",
    "statuary.status.write_status",
}
"""The modules that offer documents to a target."""

LISTS = (
    "statuary.engine.config_documents",
    "statuary.status.site_status",
    "statuary.contracts.documents",
    "statuary.contracts.incremental.lists",
)
"""The lists of all documents: of the site, of its status, of a contract, and of the lists of contracts."""


def test_build_uses_only_listed_document_functions():
    known = modules()
    other = {
        f"{module.name}: {alias.name}"
        for module in known.values()
        if module.name in BUILD
        for node in module.nodes
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("statuary.")
        for alias in node.names
        if node.module not in {*LISTS, "statuary.status.isolate_faulty_records"}
        and re.match(r"(?!add_|remove_|record_documents).*_documents?$", alias.name)
    }
    # a tick has no list but what was built
    assert other == {"statuary.status.moved_status: changes_document"}


CONSUMERS = {"all", "any", "deque", "dict", "list", "set", "sorted", "sum", "tuple"}
"""What runs an iterator to its end; as a statement, it does so for its side effects."""


def is_hard_to_read(node: ast.AST) -> bool:
    """Return whether a node is a loop or a branch that does not look like one, or a tuple in pieces."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))):
            return name in CONSUMERS
        case ast.Expr(value=ast.ListComp() | ast.IfExp() | ast.BoolOp() | ast.GeneratorExp()):
            return True
        case ast.Call(func=ast.Name(id="itemgetter" | "attrgetter"), args=[*arguments]) if any(
            isinstance(argument, ast.Starred) for argument in arguments
        ):
            return True
        case ast.AugAssign(value=ast.IfExp(body=body, orelse=other)):
            return any(isinstance(one, (ast.List, ast.Tuple, ast.Dict)) for one in (body, other))
        case ast.Starred(value=ast.Tuple() | ast.List() as pieces):
            return isinstance(pieces.ctx, ast.Load)
    return False


def test_source_code_contains_no_hidden_loops():
    found = [
        f"{name}:{node.lineno}"
        for name, module in modules().items()
        for node in module.nodes
        if is_hard_to_read(node)
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    ["list(lines())", "x += [] if y else [z]", "x = (*(1, 2), 3)", "itemgetter(*names)", "[f(x) for x in y]"],
)
def test_loop_hidden_in_expression_is_detected(text):
    assert any(is_hard_to_read(node) for node in ast.walk(ast.parse(text)))
