"""The table of URLs for the edge module, where it serves plain files by itself."""

import json

from statuary.documents.hosting.globs import regex_of
from statuary.documents.media_types import MEDIA_TYPES, OCTET_STREAM
from statuary.documents.url_table import COMMON_HEADERS, EPOCH_DOCUMENT, FEED, REVALIDATE, SHORT_LIVED, URLS

LINE = 112
"""Characters of an entry that the edge module's formatter leaves on one line."""

HEAD = """\
// @ts-check
/** How the site's files are served: the table of URLs, as `tests/edge_table.py` writes it. */
"""

FUNCTION = """\
/**
 * The headers of a file, by its path below the site's root.
 * @param {string} path
 */
export function headersOf(path) {
  const present = path.replace(/^api\\/v2\\/_epochs\\/[^/]+\\//, ""); // later instants have what the present one has
  const [, extension = "json"] = /\\.([a-z0-9]+)$/.exec(present) ?? [];
  const type = present === FEED ? FEED_TYPE : MEDIA_TYPES[extension] ?? BYTES;
  const cache = BRIEFLY.some((shape) => shape.test(`/${present}`)) ? KEPT_BRIEFLY : REVALIDATED;
  return { ...EVERYWHERE, "Content-Type": type, "Cache-Control": cache };
}
"""


def served_as_js() -> str:
    """Return the text of `served-as.js`."""
    texts = {
        "FEED": FEED.pattern,
        "FEED_TYPE": FEED.media_type,
        "OCTET_STREAM": OCTET_STREAM,
        "KEPT_BRIEFLY": SHORT_LIVED,
        "REVALIDATED": REVALIDATE,
    }
    blocks = [
        HEAD,
        _mapping("COMMON_HEADERS", COMMON_HEADERS),
        _mapping("MEDIA_TYPES", MEDIA_TYPES),
        "".join(f"const {name} = {json.dumps(text)};\n" for name, text in texts.items()),
        "const BRIEFLY = [\n" + "".join(f"  {shape},\n" for shape in _brief_shapes()) + "];\n",
        FUNCTION,
    ]
    return "\n".join(blocks)


def _brief_shapes() -> list[str]:
    rows = (url for url in URLS if url.is_timed and url is not EPOCH_DOCUMENT)
    return [f"/{_escaped(regex_of(url))}/" for url in rows]


def _mapping(name: str, values: dict[str, str]) -> str:
    lines = "".join(f"  {_entry(key, text)},\n" for key, text in values.items())
    return f"/** @type {{Record<string, string>}} */\nconst {name} = {{\n{lines}}};\n"


def _entry(key: str, text: str) -> str:
    line = f"{json.dumps(key)}: {json.dumps(text)}"
    return line if len(line) < LINE else line.replace(": ", ":\n    ", 1)


def _escaped(expression: str) -> str:
    return expression.replace("/", r"\/").replace(r"\-", "-")
