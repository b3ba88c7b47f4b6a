"""Syntax highlighting by Pygments."""

from collections.abc import Iterator
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, String, _TokenType

from statuary.documents.pages.contracts.yul_lexer import YulLexer

STYLE_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "cc"),
    (Keyword.Type, "ct"),
    (Keyword, "ck"),
    (String, "cs"),
    (Number, "cn"),
    (Name.Builtin, "ct"),
    (Name.Function, "cf"),
    (Name.Class, "cf"),
    (Name.Decorator, "ck"),
)
"""The style class of a kind of token; the first that holds it counts."""


def highlighted(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield the tokens of a source with the style class of each, or an empty one."""
    for kind, value in _lexer(language).get_tokens(text):
        yield _style(kind), value


@cache
def _style(kind: _TokenType) -> str:
    return next((style for held, style in STYLE_CLASSES if kind[: len(held)] == held), "")


@cache
def _lexer(language: str) -> Lexer:
    """Return the lexer of a language; Fe is similar to Python, and unknown languages are not highlighted."""
    if language == "Yul":
        return YulLexer(stripnl=False, ensurenl=True)
    alias = {"Solidity": "solidity", "Vyper": "vyper", "Fe": "python"}.get(language, "text")
    return get_lexer_by_name(alias, stripnl=False, ensurenl=True)
