"""`_headers`, which Netlify and Cloudflare read from the site: globs, each with its headers below it."""

from statuary.documents.hosting.header_rules import header_rules


def headers_file() -> str:
    """Return the text of `_headers`.

    Cloudflare takes up to 100 rules of at most 2,000 characters a line; there are some thirty.
    """
    blocks = (
        "\n".join((rule.glob, *(f"  {name}: {text}" for name, text in rule.headers.items())))
        for rule in header_rules()
    )
    return "\n\n".join(blocks) + "\n"
