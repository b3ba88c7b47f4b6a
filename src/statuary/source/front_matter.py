"""The keys at the beginning of a page in Markdown."""

import re

from statuary.source.unreadable import UnreadableError

FRONT_MATTER = re.compile(r"---[ \t]*\n.*?(?=^---[ \t]*$)", re.DOTALL | re.MULTILINE)
"""The keys of a page, up to the line that ends them."""


NO_KEYS = "{}"
"""The YAML of a page that does not begin with keys."""


def front_matter(text: str) -> str:
    """Return the YAML at the beginning of a Markdown page.

    Returns:
        The YAML; an empty mapping if the page has no front matter.

    Raises:
        UnreadableError: if the line that ends the front matter is missing.
    """
    match = FRONT_MATTER.match(text)
    if match is None and text.startswith("---"):
        raise UnreadableError("the front matter of the page has no end", "end it with a line ---")
    return match[0] if match else NO_KEYS
