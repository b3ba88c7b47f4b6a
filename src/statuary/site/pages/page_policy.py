"""The content security policy, and the markup that themes must avoid.

The policy is written after rendering, so that no template can omit it: on hosts without headers, nothing else
keeps a theme's script from running.
"""

import re

from statuary.site.settings import ThemeError

POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'{nodes}; base-uri 'none'; form-action 'none'"
)

NODES = " https: http://localhost:* http://127.0.0.1:*"
"""The sources of pages whose reader may name an Ethereum node."""

HEAD = re.compile(
    r"\s*<!doctype html>\s*<html(?:\s[^<>]*)?>\s*<head>"
    r"(?:\s*<meta charset=\"utf-8\">)?(?:\s*<meta name=\"viewport\"[^<>]*>)?",
    re.IGNORECASE,
)
"""The beginning of a page up to a place that is certainly in its head."""

DOCTYPE = re.compile(r"\s*<!doctype[^<>]*>", re.IGNORECASE)

FORBIDDEN = (
    (
        re.compile(r"<script(?![^<>]*\ssrc=)", re.IGNORECASE),
        "a script in a page",
        "the policy of pages blocks it",
    ),
    (
        re.compile(r"<meta[^<>]*\bhttp-equiv", re.IGNORECASE),
        "`meta http-equiv`",
        "statuary writes the policy itself",
    ),
    (re.compile(r"<base\b", re.IGNORECASE), "`base`", "links begin with `{{ root }}`"),
    (
        re.compile(r"<[a-z][^<>]*\son[a-z]+\s*=", re.IGNORECASE),
        "an event attribute",
        "the policy of pages blocks it",
    ),
    (re.compile(r"javascript:", re.IGNORECASE), "a script in a link", "the policy of pages blocks it"),
)
"""Markup that theme templates must not have: a pattern, its name, and the reason."""


def insert_security_policy(page: str, *, asks_nodes: bool) -> bytes:
    """Insert a content security policy (CSP) into the head of a page.

    Args:
        page: the HTML of the page.
        asks_nodes: whether the policy allows scripts to query an Ethereum node.

    Returns:
        The page in UTF-8; half a character (a surrogate) becomes a question mark.
    """
    meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY.format(nodes=NODES if asks_nodes else "")}">'
    head = HEAD.match(page)
    if head is None:
        # If the page has no <head> tag, put the <meta> tag first. Browsers then create the head and put the
        # tag into it.
        return _encode_utf8(f"<!DOCTYPE html>\n{meta}\n{DOCTYPE.sub('', page, count=1)}")
    text = _encode_utf8(page)  # many pages are large, so none is copied as a string
    begin = _encode_utf8(head[0])
    return b"".join((begin, f"\n{meta}".encode(), memoryview(text)[len(begin) :]))


def _encode_utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def forbidden_markup_error(name: str, text: str) -> ThemeError | None:
    """Return the error about markup that a theme's template may not contain.

    For example, scripts are forbidden.

    Args:
        name: the name of the theme's template.
        text: the text of the template.

    Returns:
        The error, or None if the template is allowed.
    """
    for pattern, what, reason in FORBIDDEN:
        found = pattern.search(text)
        if found is not None:
            line = text.count("\n", 0, found.start()) + 1
            return ThemeError(f"a theme must not write {what}: {reason}", name, line)
    return None
