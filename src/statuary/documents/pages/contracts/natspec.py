"""NatSpec: the documentation of a contract's functions, events and errors by its authors."""

import re
from collections.abc import Mapping

from markupsafe import Markup, escape

from statuary.documents.pages.contracts.lenient_json import as_object, as_text
from statuary.documents.pages.visible_text import one_line
from statuary.domain.json_values import Json


class Natspec:
    """The documentation of functions, events and errors, by signature."""

    def __init__(self, userdoc: Mapping[str, Json], devdoc: Mapping[str, Json]) -> None:
        self._user = userdoc
        self._dev = devdoc

    def of(self, kind: str, signature: str) -> tuple[Markup, tuple[Markup, ...], Mapping[str, Json]]:
        """Return the notice, the developers' details, and the notices of parameters and returned values by name."""
        member = {"function": "methods", "event": "events", "error": "errors"}[kind]
        user, dev = (_first(as_object(doc.get(member)).get(signature)) for doc in (self._user, self._dev))
        details = (as_text(text) for name, text in dev.items() if name == "details" or name[:7] == "custom:")
        return (
            natspec_text(user.get("notice")),
            tuple(map(natspec_text, filter(None, details))),
            {**as_object(dev.get("returns")), **as_object(dev.get("params"))},
        )


def _first(value: Json) -> Mapping[str, Json]:
    return as_object(value[0]) if isinstance(value, list) and value else as_object(value)


NATSPEC_CODE = re.compile(r"`+([^`]+)`+|\{([A-Za-z_][\w.-]*)\}")
"""Code in NatSpec: in backticks, or in OpenZeppelin's references to other items, `{IERC20-transfer}`."""


def natspec_text(text: Json) -> Markup:
    """Return a NatSpec text as one paragraph with marked code."""
    shown = str(escape(one_line(as_text(text))))
    return Markup(NATSPEC_CODE.sub(lambda found: f"<code>{found[1] or found[2]}</code>", shown))  # noqa: S704 - escaped
