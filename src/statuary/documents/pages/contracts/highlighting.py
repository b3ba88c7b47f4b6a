"""The colours of sources: one table of words for a language, read here and by the script of contract pages.

The expressions mean the same to `re` and JavaScript, and none backtracks: a comment or
string that is not closed continues to the end. Unknown languages have no colours; Fe has those of Vyper.
"""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

LANGUAGES = Path(__file__).parents[1] / "assets" / "languages.json"


class Highlighter:
    """Divides a source into tokens with style classes.

    `cc` is a comment, `cs` a string, `cn` a number, `ck` a keyword, `ct` a type, `cf` a name that is declared.
    """

    def __init__(self, grammar: Mapping[str, str]) -> None:
        kinds = (grammar[kind] for kind in ("comment", "string", "number", "word"))
        self._token = re.compile("|".join(f"({kind})" for kind in kinds), re.ASCII)
        self._declares, self._keyword, self._type = (
            re.compile(f"(?:{grammar[key]})", re.ASCII) for key in ("declares", "keyword", "type")
        )

    def highlighted(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the pieces of a text with the style class of each, or an empty one."""
        at, declared = 0, False
        for found in self._token.finditer(text):
            if found.start() > at:
                yield text[at : found.start()], ""
            at, word = found.end(), found[0]
            if found.lastindex != 4:
                yield word, ("cc", "cs", "cn")[(found.lastindex or 1) - 1]
                continue
            yield word, "cf" if declared and not self._keyword.fullmatch(word) else self._style(word)
            declared = self._declares.fullmatch(word) is not None
        if at < len(text):
            yield text[at:], ""

    def _style(self, word: str) -> str:
        if self._keyword.fullmatch(word):
            return "ck"
        return "ct" if self._type.fullmatch(word) else ""


@cache
def highlighter(language: str) -> Highlighter | None:
    """Return the highlighter of a language; None for one without colours."""
    table = json.loads(LANGUAGES.read_bytes())
    grammar = table["languages"].get("Vyper" if language == "Fe" else language)
    return None if grammar is None else Highlighter(table | grammar)
