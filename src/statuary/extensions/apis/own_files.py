"""Files of the content folder `apis/`: pictures of contracts, and what a chain is called and counts in."""

import json
from functools import partial
from pathlib import Path

from statuary.content.source_files import SourceFile
from statuary.documents.document import Document, encode_json
from statuary.domain.findings import Finding
from statuary.domain.primitives import InvalidValueError, parse_address
from statuary.domain.work import attempt
from statuary.extensions.apis import urls

FOLDER = "apis"
LARGEST = 256 * 1024
PNG = b"\x89PNG\r\n\x1a\n"
"""The first bytes of such a picture."""


def own_files(root: Path) -> tuple[list[Document], list[Finding]]:
    """Return the documents of `apis/logos/<chainId>/<address>.png` and `apis/chains/eip155-<chainId>.json`, and what is wrong."""
    documents, findings = list[Document](), list[Finding]()
    for file in sorted((root / FOLDER).rglob("*")):
        if file.is_dir():
            continue
        path = file.relative_to(root).as_posix()
        document = attempt(partial(_document, root, path), path, "reading the file")
        if isinstance(document, Finding):
            findings.append(document)
        elif isinstance(document, str):
            findings.append(
                Finding(
                    rule="api-file",
                    message=document,
                    hint="write it as the manual says, or remove it",
                    path=path,
                )
            )
        else:
            documents.append(document)
    return documents, findings


def _document(root: Path, path: str) -> Document | str:
    """Return the document of a file, or what is wrong with it."""
    body = SourceFile(root, path).bytes(LARGEST)
    parts = path.split("/")[1:]
    match parts:
        case ["logos", chain, name] if name.endswith(".png") and chain.isdecimal():
            return _logo(chain, name.removesuffix(".png"), body, path)
        case ["chains", name] if name.startswith("eip155-") and name.endswith(".json"):
            return _chain(name.removeprefix("eip155-").removesuffix(".json"), body, path)
        case _:
            return "neither logos/<chainId>/<address>.png nor chains/eip155-<chainId>.json"


def _logo(chain: str, text: str, body: bytes, path: str) -> Document | str:
    try:
        address = parse_address(text)
    except InvalidValueError as error:
        return f"the name is no address: {error}"
    if not body.startswith(PNG):
        return "the file is no PNG picture"
    target = urls.OTTERSCAN_LOGO.path(chain_id=chain, address=address)
    media_type = urls.OTTERSCAN_LOGO.media_type
    return Document(path=target, body=body, media_type=media_type, sources=(path,), persistent=True)


def _chain(chain: str, body: bytes, path: str) -> Document | str:
    try:
        entry = json.loads(body)
    except ValueError as error:
        return f"the file is no JSON: {error}"
    if not isinstance(entry, dict) or str(entry.get("chainId")) != chain:
        return f"`chainId` of the file is not {chain}"
    target = urls.OTTERSCAN_CHAIN.path(chain_id=chain)
    return Document(path=target, body=encode_json(entry), sources=(path,), persistent=True)
