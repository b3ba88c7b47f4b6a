"""One owner formats each kind of value that people read: dates and durations, percentages."""

import ast
import re
from collections.abc import Iterable, Iterator

from architecture.code import SRC, modules

PACKAGE = SRC / "statuary"

FORMATTERS = {
    "site/pages/site_context.py": "the dates and durations of pages, messages and edits",
    "site/pages/page_texts.py": "the percentages of pages and reports",
    "status/feeds/feed.py": "the times in entries of feeds, as Statuspage writes them",
    "extensions/clear_signing/formats.py": "the dates that a wallet shows, as ERC-7730 writes them",
    "extensions/metrics/documents.py": "the hours of an axis",
    "extensions/serving/commands.py": "the access log of a server",
    "cli/schedules.py": "the timers of systemd",
}
"""The modules that may, and what for."""

CLOCK = re.compile(r"%H:%M|%[IbBp]")
UNIT = re.compile(r" (?:d|h|hr|hrs|hours|min|mins|minutes) ?")


def formats_of(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Yield what the code of these nodes formats by itself: a time of day, a duration, a percentage."""
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            yield from _in_text(node)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "strftime"
        ):
            yield f"{node.lineno}: strftime"


def _in_text(text: ast.JoinedStr) -> Iterator[str]:
    previous: ast.expr | None = None
    for part in text.values:
        if isinstance(part, ast.FormattedValue):
            if part.format_spec is not None and CLOCK.search(ast.unparse(part.format_spec)):
                yield f"{text.lineno}: a time"
        elif isinstance(part, ast.Constant) and isinstance(previous, ast.FormattedValue):
            if UNIT.fullmatch(str(part.value)):
                yield f"{text.lineno}: a duration"
            if str(part.value).startswith(("%", " %")) and previous.format_spec is not None:
                yield f"{text.lineno}: a percentage"
        previous = part


def test_only_formatter_modules_format_dates() -> None:
    found = {
        path: formats
        for module in modules().values()
        if (formats := list(formats_of(module.nodes)))
        and (path := module.path.relative_to(PACKAGE).as_posix()) not in FORMATTERS
    }
    assert found == {}


def test_inline_date_formats_are_detected() -> None:
    for line in (
        'f"{at:%H:%M}"',
        'f"{at:%d %b %Y}"',
        'at.strftime("%d")',
        'f"{hours} h {minutes} min"',
        'f"{minutes} min"',
        'f"{share:.2f}%"',
        'f"{share:.2f} %"',
    ):
        assert list(formats_of(ast.walk(ast.parse(line)))), line
    assert list(formats_of(ast.walk(ast.parse('f"{name}: {count} files"')))) == []
