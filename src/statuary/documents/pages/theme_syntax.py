"""The syntax of templates of a theme: constructs with exponential cost are rejected, or go through a filter."""

from collections.abc import Callable

from jinja2 import nodes
from jinja2.exceptions import TemplateSyntaxError
from jinja2.visitor import NodeTransformer
from typing_extensions import override

Rule = Callable[..., nodes.Node]


class BoundedSyntax(NodeTransformer):
    """Adds the filters of `theme_sandbox` where a template loops, joins, compares and writes lists."""

    def __init__(self, template: str | None) -> None:
        self.template = template
        self._rules: dict[type[nodes.Node], Rule] = {
            nodes.For: self._for,
            nodes.Concat: self._concat,
            nodes.Compare: self._compare,
            nodes.List: lambda node: _filtered(node, "_literal"),
            nodes.Tuple: lambda node: _filtered(node, "_literal") if node.ctx == "load" else node,
            nodes.Dict: self._dict,
            nodes.Name: self._name,
        }

    @override
    def visit(self, node: nodes.Node, *arguments: object, **options: object) -> nodes.Node:
        """Return the bounded form of a node, and of all in it."""
        self.generic_visit(node)
        rule = self._rules.get(type(node))
        return node if rule is None else rule(node)

    def _for(self, node: nodes.For) -> nodes.Node:
        if node.recursive:
            raise self._error("recursive loops are not available in a theme", node)
        node.iter = _filtered(node.iter, "_loop")
        return node

    def _concat(self, node: nodes.Concat) -> nodes.Node:
        return _filtered(nodes.List(node.nodes, lineno=node.lineno), "_concat")

    def _compare(self, node: nodes.Compare) -> nodes.Node:
        node.expr = _filtered(node.expr, "_operand")
        for operand in node.ops:
            if operand.op not in ("in", "notin"):
                operand.expr = _filtered(operand.expr, "_operand")
        return node

    def _dict(self, node: nodes.Dict) -> nodes.Node:
        if not all(isinstance(pair.key, nodes.Const) for pair in node.items):
            raise self._error("the keys of a mapping must be literal", node)
        return _filtered(node, "_literal")

    def _name(self, node: nodes.Name) -> nodes.Node:
        if node.name in ("varargs", "kwargs"):
            raise self._error(f"{node.name} is not available in a theme", node)
        return node

    def _error(self, message: str, node: nodes.Node) -> TemplateSyntaxError:
        return TemplateSyntaxError(message, node.lineno, self.template)


def _filtered(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)
