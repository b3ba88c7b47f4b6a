"""The URL table as a module of the edge code.

python tests/support/edge_table.py        writes src/statuary/edge/file-headers.js again
"""

import json
from collections.abc import Iterable
from pathlib import Path

from statuary.extensions.hosting.documents import url_regex
from statuary.site.url_table import all_urls
from statuary.site.urls import (
    COMMON_HEADERS,
    FRAMED_HEADERS,
    MEDIA_TYPES,
    OCTET_STREAM,
    REVALIDATE,
    SHORT_LIVED,
    Url,
)
from statuary.status.urls import EPOCH_DOCUMENT, FEED

FILE_HEADERS = Path(__file__).parents[2] / "src" / "statuary" / "edge" / "file-headers.js"

LINE = 112
"""Characters of an entry that the edge module's formatter leaves on one line."""

HEAD = """\
// @ts-check
/** The headers of the site's files: the URL table, as `tests/support/edge_table.py` writes it. */
"""

FUNCTION = """\
/**
 * The headers of a file, by its path below the site's root.
 * @param {string} path
 */
export function headersOf(path) {
  // later instants have the headers of the present one
  const present = path.replace(/^api\\/v2\\/_epochs\\/[^/]+\\//, "");
  const [, extension = "json"] = /\\.([a-z0-9]+)$/.exec(present) ?? [];
  const type = present === FEED ? FEED_TYPE : MEDIA_TYPES[extension] ?? OCTET_STREAM;
  const cache = present !== path || TIMED.some((shape) => shape.test(`/${present}`)) ? SHORT_LIVED : REVALIDATE;
  const common = FRAMED.some((shape) => shape.test(`/${present}`)) ? FRAMED_HEADERS : COMMON_HEADERS;
  return { ...common, "Content-Type": type, "Cache-Control": cache };
}
"""


def file_headers_js() -> str:
    """Return the text of `file-headers.js`."""
    texts = {
        "FEED": FEED.pattern,
        "FEED_TYPE": FEED.media_type,
        "OCTET_STREAM": OCTET_STREAM,
        "SHORT_LIVED": SHORT_LIVED,
        "REVALIDATE": REVALIDATE,
    }
    blocks = [
        HEAD,
        _mapping("COMMON_HEADERS", COMMON_HEADERS),
        _mapping("FRAMED_HEADERS", FRAMED_HEADERS),
        _mapping("MEDIA_TYPES", MEDIA_TYPES),
        "".join(f"const {name} = {json.dumps(text)};\n" for name, text in texts.items()),
        "const TIMED = [\n" + "".join(f"  {shape},\n" for shape in _timed_regexes()) + "];\n",
        f"const FRAMED = [{', '.join(_regexes(url for url in all_urls() if url.framed))}];\n",
        FUNCTION,
    ]
    return "\n".join(blocks)


def _timed_regexes() -> list[str]:
    return _regexes(url for url in all_urls() if url.changes_with_time and url is not EPOCH_DOCUMENT)


def _regexes(urls: Iterable[Url]) -> list[str]:
    return [f"/{_escaped(url_regex(url))}/" for url in urls]


def _mapping(name: str, values: dict[str, str]) -> str:
    lines = "".join(f"  {_entry(key, text)},\n" for key, text in values.items())
    return f"/** @type {{Record<string, string>}} */\nconst {name} = {{\n{lines}}};\n"


def _entry(key: str, text: str) -> str:
    line = f"{json.dumps(key)}: {json.dumps(text)}"
    return line if len(line) < LINE else line.replace(": ", ":\n    ", 1)


def _escaped(expression: str) -> str:
    return expression.replace("/", r"\/").replace(r"\-", "-")


if __name__ == "__main__":
    FILE_HEADERS.write_text(file_headers_js(), encoding="utf-8", newline="\n")
