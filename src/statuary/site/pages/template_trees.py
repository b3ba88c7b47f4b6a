"""Templates as trees that a script renders in the browser.

`viewer_script/template.js` knows the same kinds of nodes. A template that uses anything else raises an error, so
that pages look the same in both.

A body is a list of statements: a string is markup, a list of one item an expression whose value is written, and a longer
list begins with its kind. An expression is a string if it is a name with its attributes (`view.proof.claims`), a list of one
item if it is that constant, and else a list that begins with its kind.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import singledispatch, singledispatchmethod
from typing import Any

from jinja2 import Environment, nodes
from markupsafe import escape

from statuary.base.json_values import Json

Tree = list[Json]


class UnknownNodeError(ValueError):
    """A template uses Jinja syntax that the script in the browser cannot render."""

    def __init__(self, node: nodes.Node) -> None:
        super().__init__(f"{type(node).__name__} in line {node.lineno}")


class TemplateTrees:
    """Converts page templates to JSON trees, which a script renders in the browser."""

    def __init__(self, source: Callable[[str], str]) -> None:
        self._environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
        self._source = source
        self.bodies: dict[str, Tree] = {}
        self.macros: dict[str, tuple[Tree, Tree]] = {}

    def convert_page_template(self, name: str) -> None:
        """Convert a page's template for the script that renders it in the browser.

        The templates that it includes are converted, too.

        Raises:
            UnknownNodeError: if the page uses syntax that the script cannot render.
        """
        template = self._parse_template(name)
        main = next(block for block in template.find_all(nodes.Block) if block.name == "main")
        self.bodies[name] = self._convert_statements(main.body)
        self._add_macros(template, None)

    def _parse_template(self, name: str) -> nodes.Template:
        return self._environment.parse(self._source(name))

    def _add_macros(self, template: nodes.Template, macro_names: Iterable[str] | None) -> None:
        for macro in template.find_all(nodes.Macro):
            if macro_names is None or macro.name in macro_names:
                names: Tree = [argument.name for argument in macro.args]
                self.macros[macro.name] = (names, self._convert_statements(macro.body))
        for imported in template.find_all(nodes.FromImport) if macro_names is None else ():
            if not isinstance(imported.template, nodes.Const):
                raise UnknownNodeError(imported)
            self._add_macros(
                self._parse_template(imported.template.value), [str(name) for name in imported.names]
            )

    def _convert_statements(self, statements: Iterable[nodes.Node]) -> Tree:
        return [tree for statement in statements for tree in self._convert_statement(statement)]

    @singledispatchmethod
    def _convert_statement(self, node: nodes.Node) -> Tree:
        raise UnknownNodeError(node)

    @_convert_statement.register
    def _convert_output(self, node: nodes.Output) -> Tree:
        return [
            part.data if isinstance(part, nodes.TemplateData) else [convert_expression(part)]
            for part in node.nodes
        ]

    @_convert_statement.register
    def _convert_if(self, node: nodes.If) -> Tree:
        else_nodes = node.else_
        for branch in reversed(node.elif_):
            else_nodes = [nodes.If(branch.test, branch.body, [], else_nodes, lineno=branch.lineno)]
        return [
            [
                "if",
                convert_expression(node.test),
                self._convert_statements(node.body),
                self._convert_statements(else_nodes),
            ]
        ]

    @_convert_statement.register
    def _convert_for(self, node: nodes.For) -> Tree:
        if node.test is not None or node.recursive:
            raise UnknownNodeError(node)
        targets = node.target.items if isinstance(node.target, nodes.Tuple) else [node.target]
        names: Tree = [_node_name(target) for target in targets]
        return [
            [
                "for",
                names,
                convert_expression(node.iter),
                self._convert_statements(node.body),
                self._convert_statements(node.else_),
            ]
        ]

    @_convert_statement.register
    def _convert_assign(self, node: nodes.Assign) -> Tree:
        if isinstance(node.target, nodes.NSRef):
            return [["set", node.target.name, node.target.attr, convert_expression(node.node)]]
        return [["set", _node_name(node.target), None, convert_expression(node.node)]]

    @_convert_statement.register
    def _convert_include(self, node: nodes.Include) -> Tree:
        if not isinstance(node.template, nodes.Const):
            return [["include", convert_expression(node.template)]]
        name = str(node.template.value)
        if name not in self.bodies:
            self.bodies[name] = []  # a template that includes itself ends here
            self.bodies[name] = self._convert_statements(self._parse_template(name).body)
        return [["include", name]]

    @_convert_statement.register(nodes.Macro)
    @_convert_statement.register(nodes.FromImport)
    def _skip_definition(self, node: nodes.Node) -> Tree:  # noqa: ARG002 - macros are read by `_add_macros`
        return []


def _node_name(node: nodes.Node) -> str:
    if not isinstance(node, nodes.Name):
        raise UnknownNodeError(node)
    return node.name


FILTERS = ("length", "list", "join", "selectattr", "rejectattr")
COMPARISONS = ("eq", "ne", "lt", "gt", "lteq", "gteq", "in", "notin")


@singledispatch
def convert_expression(node: nodes.Node) -> Json:
    """Convert a Jinja expression to a JSON tree that a script can evaluate.

    For example, `view.name` becomes the string `view.name`, and `a == 1` becomes `["compare", "a", "eq", [1]]`.

    Raises:
        UnknownNodeError: if the script cannot evaluate the expression.
    """
    raise UnknownNodeError(node)


@convert_expression.register
def _convert_const(node: nodes.Const) -> Tree:
    return [node.value]


@convert_expression.register
def _convert_name(node: nodes.Name) -> str:
    return node.name


@convert_expression.register
def _convert_getattr(node: nodes.Getattr) -> Json:
    value = convert_expression(node.node)
    return f"{value}.{node.attr}" if isinstance(value, str) else ["attr", value, node.attr]


@convert_expression.register
def _convert_getitem(node: nodes.Getitem) -> Tree:
    if isinstance(node.arg, nodes.Slice):
        return [
            "slice",
            convert_expression(node.node),
            _convert_node_or_none(node.arg.start),
            _convert_node_or_none(node.arg.stop),
        ]
    return ["item", convert_expression(node.node), convert_expression(node.arg)]


@convert_expression.register(nodes.Tuple)
@convert_expression.register(nodes.List)
def _convert_tuple_or_list(node: nodes.Tuple | nodes.List) -> Tree:
    return ["list", _convert_nodes(node.items)]


@convert_expression.register
def _convert_call(node: nodes.Call) -> Tree:
    if node.dyn_args is not None or node.dyn_kwargs is not None:
        raise UnknownNodeError(node)
    keyword_arguments: dict[str, Json] = {pair.key: convert_expression(pair.value) for pair in node.kwargs}
    call: Tree = ["call", convert_expression(node.node), _convert_nodes(node.args)]
    return [*call, keyword_arguments] if keyword_arguments else call


@convert_expression.register
def _convert_filter(node: nodes.Filter) -> Tree:
    if node.name not in FILTERS or node.kwargs or node.node is None:
        raise UnknownNodeError(node)
    return ["filter", node.name, convert_expression(node.node), _convert_nodes(node.args)]


@convert_expression.register
def _convert_test(node: nodes.Test) -> Tree:
    if node.name != "none":
        raise UnknownNodeError(node)
    return ["none", convert_expression(node.node)]


@convert_expression.register
def _convert_not(node: nodes.Not) -> Tree:
    return ["not", convert_expression(node.node)]


@convert_expression.register(nodes.And)
@convert_expression.register(nodes.Or)
def _convert_and_or(node: nodes.And | nodes.Or) -> Tree:
    return [
        "and" if isinstance(node, nodes.And) else "or",
        convert_expression(node.left),
        convert_expression(node.right),
    ]


@convert_expression.register
def _convert_concat(node: nodes.Concat) -> Tree:
    return ["cat", _convert_nodes(node.nodes)]


@convert_expression.register
def _convert_conditional(node: nodes.CondExpr) -> Tree:
    return [
        "choice",
        convert_expression(node.test),
        convert_expression(node.expr1),
        _convert_node_or_none(node.expr2),
    ]


@convert_expression.register
def _convert_compare(node: nodes.Compare) -> Tree:
    operand = node.ops[0]
    if len(node.ops) > 1 or operand.op not in COMPARISONS:
        raise UnknownNodeError(node)
    return ["compare", convert_expression(node.expr), operand.op, convert_expression(operand.expr)]


def _convert_nodes(items: Iterable[nodes.Node]) -> Tree:
    return [convert_expression(item) for item in items]


def _convert_node_or_none(node: nodes.Node | None) -> Json:
    return None if node is None else convert_expression(node)


def fill_constant_texts(body: Any, texts: Callable[[str], str]) -> Tree:
    """Insert the translated texts that need no values into a template tree.

    Args:
        body: the statements of the tree.
        texts: returns the text with a key.
    """
    filled: Tree = []
    for statement in body:
        piece = statement if isinstance(statement, str) else _fill_statement_texts(statement, texts)
        if isinstance(piece, str) and filled and isinstance(filled[-1], str):
            filled[-1] += piece
        else:
            filled.append(piece)
    return filled


def _fill_statement_texts(statement: Any, texts: Callable[[str], str]) -> Json:
    match statement:
        case [written]:
            match value := _fill_expression_texts(written, texts):
                case [str(constant)]:
                    return str(escape(constant))
            return [value]
        case ["if", test, body, other]:
            return [
                "if",
                _fill_expression_texts(test, texts),
                fill_constant_texts(body, texts),
                fill_constant_texts(other, texts),
            ]
        case ["for", [str(name)], ["list", items], body, []] if (
            text := _unroll_constant_loop(name, items, body, texts)
        ) is not None:
            return text
        case ["for", names, items, body, other]:
            listed = _fill_expression_texts(items, texts)
            return ["for", names, listed, fill_constant_texts(body, texts), fill_constant_texts(other, texts)]
        case _:
            return [_fill_expression_texts(part, texts) for part in statement]


def _unroll_constant_loop(name: str, items: Any, body: Any, texts: Callable[[str], str]) -> str | None:
    """Return the HTML that a loop over constants writes.

    Returns:
        The HTML, or None if the loop writes more than the constants, their texts and markup.
    """
    written = ""
    for item in items:
        for statement in body:
            match statement, item:
                case str(), _:
                    written += statement
                case [str(variable)], [str(value)] if variable == name:
                    written += str(escape(value))
                case [["call", "t", [["cat", [[str(beginning)], str(variable)]]]]], [str(value)] if (
                    variable == name
                ):
                    written += str(escape(texts(beginning + value)))
                case _:
                    return None
    return written


def _fill_expression_texts(tree: Any, texts: Callable[[str], str]) -> Any:
    match tree:
        case ["call", "t", [[str(key)]]]:
            return [texts(key)]
        case list():
            return [_fill_expression_texts(part, texts) for part in tree]
        case dict():
            return {name: _fill_expression_texts(part, texts) for name, part in tree.items()}
        case _:
            return tree


def used_text_keys(tree: Any) -> Iterator[str]:
    """Yield the keys of translated texts that a template tree uses.

    If a key is computed, only its constant beginning is yielded; an empty string means that any text may be
    used.
    """
    match tree:
        case [
            "call",
            "t" | "t_markup" | "t.count" | "t.has",
            [["cat", [[str(beginning)], *_]] | [str(beginning)], *_],
            *_,
        ]:
            yield beginning
        case ["call", "t" | "t_markup" | "t.count" | "t.has", *_]:
            yield ""
    parts = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    for part in parts:
        yield from used_text_keys(part)
