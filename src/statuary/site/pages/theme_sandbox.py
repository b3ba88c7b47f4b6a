"""The environment of theme templates, which are not trusted, and their syntax.

A theme can use the package's templates and its own, the page's data, and the filters, tests and methods
listed here. It reaches no file and no Python object, and rendering a page is bounded in steps, time and size.
"""

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any
from zoneinfo import ZoneInfo

from jinja2 import BaseLoader, StrictUndefined, Undefined, nodes
from jinja2.environment import Template, TemplateModule
from jinja2.exceptions import SecurityError, TemplateSyntaxError
from jinja2.runtime import BlockReference, Context, LoopContext, Macro
from jinja2.sandbox import ImmutableSandboxedEnvironment, safe_range
from jinja2.utils import Namespace
from jinja2.visitor import NodeTransformer
from typing_extensions import override

from statuary.site.pages.page_texts import PageTexts
from statuary.site.pages.theme_filters import (
    concat_texts,
    count_calls_as_steps,
    count_loop_steps,
    count_step,
    join_page,
    join_texts,
    reject_list_argument,
    replace_text,
    require_literal_size,
    require_number,
    require_printable,
    require_scalar,
    require_string_length,
)

Rule = Callable[..., nodes.Node]


class BoundedSyntax(NodeTransformer):
    """Rewrites a template so that its loops, joins and comparisons count steps."""

    def __init__(self, template: str | None) -> None:
        self.template = template
        self._rules: dict[type[nodes.Node], Rule] = {
            nodes.For: self._limit_for_loop,
            nodes.Concat: lambda node: _wrap_in_filter(nodes.List(node.nodes, lineno=node.lineno), "_concat"),
            nodes.Compare: self._limit_comparison,
            nodes.List: lambda node: _wrap_in_filter(node, "_literal"),
            nodes.Tuple: lambda node: _wrap_in_filter(node, "_literal") if node.ctx == "load" else node,
            nodes.Dict: self._limit_dict,
            nodes.Name: self._check_variable_name,
        }

    @override
    def visit(self, node: nodes.Node, *arguments: object, **options: object) -> nodes.Node:
        """Change a template's loops, comparisons and lists so that they count steps.

        Args:
            node: the node of the template, whose children are changed first.
            arguments: not used.
            options: not used.
        """
        self.generic_visit(node)
        rule = self._rules.get(type(node))
        return node if rule is None else rule(node)

    def _limit_for_loop(self, node: nodes.For) -> nodes.Node:
        if node.recursive:
            raise self._syntax_error_at("recursive loops are not available in a theme", node)
        node.iter = _wrap_in_filter(node.iter, "_loop")
        return node

    def _limit_comparison(self, node: nodes.Compare) -> nodes.Node:
        node.expr = _wrap_in_filter(node.expr, "_operand")
        for operand in node.ops:
            if operand.op not in ("in", "notin"):
                operand.expr = _wrap_in_filter(operand.expr, "_operand")
        return node

    def _limit_dict(self, node: nodes.Dict) -> nodes.Node:
        if not all(isinstance(pair.key, nodes.Const) for pair in node.items):
            raise self._syntax_error_at("the keys of a mapping must be literal, such as {'a': 1}", node)
        return _wrap_in_filter(node, "_literal")

    def _check_variable_name(self, node: nodes.Name) -> nodes.Node:
        if node.name in ("varargs", "kwargs"):
            raise self._syntax_error_at(f"{node.name} is not available in a theme", node)
        return node

    def _syntax_error_at(self, message: str, node: nodes.Node) -> TemplateSyntaxError:
        return TemplateSyntaxError(message, node.lineno, self.template)


def _wrap_in_filter(node: nodes.Node, name: str) -> nodes.Filter:
    return nodes.Filter(node, name, [], [], None, None, lineno=node.lineno)


MAX_TEMPLATE_LENGTH = 32_000
"""Characters of a template's source; the package's largest has 14,000. Compiling this many takes seconds."""

MAX_NUMBER_BITS = 256

TEXT_FILTERS = frozenset(
    {
        "abs",
        "capitalize",
        "e",
        "escape",
        "float",
        "int",
        "lower",
        "safe",
        "string",
        "striptags",
        "title",
        "trim",
        "upper",
        "urlencode",
        "wordcount",
    }
)

LIST_FILTERS = frozenset(
    {
        "count",
        "d",
        "default",
        "first",
        "items",
        "last",
        "length",
        "list",
        "map",
        "reject",
        "rejectattr",
        "reverse",
        "select",
        "selectattr",
    }
)
"""Jinja filters whose result is not much larger than their input; `join` and `replace` are ours."""

TESTS = frozenset(
    {
        "boolean",
        "defined",
        "divisibleby",
        "even",
        "false",
        "float",
        "integer",
        "iterable",
        "lower",
        "mapping",
        "none",
        "number",
        "odd",
        "sequence",
        "string",
        "true",
        "undefined",
        "upper",
    }
)

STRING_METHODS = frozenset(
    {
        "capitalize",
        "count",
        "endswith",
        "find",
        "isdigit",
        "lower",
        "lstrip",
        "partition",
        "removeprefix",
        "removesuffix",
        "rpartition",
        "rstrip",
        "split",
        "startswith",
        "strip",
        "title",
        "upper",
    }
)

LOOP_ATTRIBUTES = frozenset(
    {
        "changed",
        "cycle",
        "depth",
        "depth0",
        "first",
        "index",
        "index0",
        "last",
        "length",
        "nextitem",
        "previtem",
        "revindex",
        "revindex0",
    }
)

ATTRIBUTES: tuple[tuple[type, frozenset[str]], ...] = (
    (str, STRING_METHODS),
    (Mapping, frozenset(("get", "items", "keys", "values"))),
    (PageTexts, frozenset(("count", "direction", "language", "number"))),
    (ZoneInfo, frozenset(("key",))),
    (LoopContext, LOOP_ATTRIBUTES),
)
"""The attributes that a template can read, by the type of the object; of views, all fields."""


class ThemeEnvironment(ImmutableSandboxedEnvironment):
    """Renders templates of a theme, with limited access and work."""

    intercepted_binops = frozenset(("+", "*", "%", "**"))
    concat = staticmethod(join_page)

    def __init__(self, loader: BaseLoader) -> None:
        super().__init__(
            loader=loader,
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            auto_reload=False,
            finalize=require_printable,
        )
        self.globals = {"range": safe_range, "namespace": Namespace}
        own_filters: dict[str, Callable[..., object]] = {
            "join": join_texts,
            "replace": replace_text,
            "_concat": concat_texts,
            "_literal": require_literal_size,
            "_operand": require_scalar,
        }
        own_filters |= {name: reject_list_argument(self.filters[name]) for name in TEXT_FILTERS}
        own_filters |= {name: self.filters[name] for name in LIST_FILTERS}
        self.filters = {name: count_calls_as_steps(function) for name, function in own_filters.items()}
        self.filters["_loop"] = count_loop_steps
        self.tests = {name: self.tests[name] for name in TESTS}
        self.tests |= dict.fromkeys(("eq", "equalto"), lambda a, b: require_scalar(a) == require_scalar(b))

    @override
    def _parse(self, source: str, name: str | None, filename: str | None) -> nodes.Template:
        if len(source) > MAX_TEMPLATE_LENGTH:
            raise TemplateSyntaxError(
                f"the template has more than {MAX_TEMPLATE_LENGTH:,} characters", 1, name
            )
        tree = super()._parse(source, name, filename)
        BoundedSyntax(name).visit(tree)
        return tree

    @override
    def get_template(self, *arguments: Any, **options: Any) -> Template:
        """Return a template by its name, and count a step of rendering.

        A template can include itself, so including must count towards the limit.
        """
        count_step()
        return super().get_template(*arguments, **options)

    @override
    def is_safe_attribute(self, obj: object, attr: str, value: object) -> bool:
        """Return whether a template may read an attribute of an object.

        Args:
            obj: the object.
            attr: the name of the attribute.
            value: the value of the attribute.
        """
        if attr.startswith("_"):
            return False
        for kind, names in ATTRIBUTES:
            if isinstance(obj, kind):
                return attr in names
        if isinstance(obj, Namespace | TemplateModule):
            return True
        return (isinstance(obj, tuple) or is_dataclass(obj)) and not callable(value)

    @override
    def is_safe_callable(self, obj: object) -> bool:
        """Return whether a template may call an object.

        It may call macros, methods of strings and mappings, and the global functions of templates.
        """
        return (
            isinstance(obj, Macro | BlockReference | PageTexts | Undefined)
            or isinstance(getattr(obj, "__self__", None), str | Mapping | LoopContext | PageTexts)
            or any(obj is value for value in self.globals.values())
        )

    @override
    def call(self, context: Context, obj: object, *arguments: object, **options: object) -> object:
        """Call an object for a template, and count a step of rendering."""
        count_step()
        return super().call(context, obj, *arguments, **options)

    @override
    def call_binop(self, context: Context, operator: str, left: object, right: object) -> object:
        """Calculate with two values, such as `left + right`, for a template.

        Raises:
            SecurityError: if the operator is `**`, or a number is too large.
        """
        if operator == "+" and isinstance(left, str) and isinstance(right, str):
            require_string_length(len(left) + len(right))
        elif operator == "*" and isinstance(left, str):
            require_string_length(len(left) * require_number(right))
        elif operator == "*" and isinstance(right, str):
            require_string_length(len(right) * require_number(left))
        elif operator == "**":
            raise SecurityError("the operator ** is not available in a theme")
        elif max(require_number(left).bit_length(), require_number(right).bit_length()) > MAX_NUMBER_BITS:
            raise SecurityError("the number is too large")
        return super().call_binop(context, operator, left, right)

    @override
    def getitem(self, obj: object, argument: object) -> object:
        """Return an item of a value, as `obj[argument]` in a template does.

        Args:
            obj: the value.
            argument: a name, an index or a slice.
        """
        return super().getitem(obj, argument if isinstance(argument, slice) else require_scalar(argument))
