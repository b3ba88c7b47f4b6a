"""The design of the pages that README's and the manual's pictures show, as one digest."""

from hashlib import sha256

from support.requirements import CHECKOUT

PACKAGE = CHECKOUT / "src/statuary"
FOLDERS = tuple(
    f"{part}/pages/{kind}"
    for part in ("site", "status", "contracts", "engine")
    for kind in ("styles", "templates")
)

RECORDED = CHECKOUT / "tests/browser/pictures.sha256"
"""The digest of the design that the pictures show."""


def design_digest() -> str:
    """Return the digest of the core's templates and style sheets, as hex."""
    digest = sha256()
    for folder in FOLDERS:
        for file in sorted((PACKAGE / folder).glob("*.*")):
            digest.update(f"{folder}/{file.name}\n".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()
