"""Read the content's folder `apis`: pictures, chains and earlier implementations."""

import json
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeGuard

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding
from statuary.base.json_values import as_non_negative_integer
from statuary.base.primitives import InvalidValueError, format_utc_milliseconds, parse_address, parse_instant
from statuary.extensions.apis import urls
from statuary.extensions.apis.proxies import ContractLocation, ProxyVersion
from statuary.site.document import Document, encode_json
from statuary.source.source_files import SourceFile

FOLDER = "apis"
LARGEST = 256 * 1024
PNG = b"\x89PNG\r\n\x1a\n"
"""The first bytes of a PNG file."""


class CustomFiles(NamedTuple):
    """The files in the content's folder `apis`, and errors in them."""

    documents: list[Document]  # pictures and descriptions of chains, for Otterscan
    versions: dict[ContractLocation, list[ProxyVersion]]  # implementations of proxies, oldest first
    findings: list[Finding]  # errors in invalid files, which are skipped


def read_apis_folder(content_folder: Path) -> CustomFiles:
    """Read the files that the site's owner wrote into the folder `apis`.

    The files are `logos/<chainId>/<address>.png`, `chains/eip155-<chainId>.json` and
    `proxies/<chainId>/<address>.json`, which lists a proxy's earlier implementations. Invalid files are reported.
    """
    output = CustomFiles([], {}, [])
    for file in sorted((content_folder / FOLDER).rglob("*")):
        if file.is_dir():
            continue
        path = file.relative_to(content_folder).as_posix()
        content = run_guarded(partial(_parse_custom_file, content_folder, path), path, "reading the file")
        if isinstance(content, Finding):
            output.findings.append(content)
        elif isinstance(content, str):
            output.findings.append(
                Finding(
                    rule="invalid-api-file",
                    message=content,
                    hint="correct or remove the file; the manual's page about explorers describes its format",
                    path=path,
                )
            )
        elif isinstance(content, Document):
            output.documents.append(content)
        else:
            place, versions = content
            output.versions[place] = versions
    return output


def _parse_custom_file(
    content_folder: Path, file_path: str
) -> Document | tuple[ContractLocation, list[ProxyVersion]] | str:
    body = SourceFile(content_folder, file_path).load_bytes(LARGEST)
    parts = file_path.split("/")[1:]
    match parts:
        case ["logos", chain, name] if name.endswith(".png") and chain.isdecimal():
            return _parse_logo(chain, name.removesuffix(".png"), body, file_path)
        case ["chains", name] if name.startswith("eip155-") and name.endswith(".json"):
            return _parse_chain_description(
                name.removeprefix("eip155-").removesuffix(".json"), body, file_path
            )
        case ["proxies", chain, name] if name.endswith(".json") and chain.isdecimal():
            return _parse_proxy_versions(chain, name.removesuffix(".json"), body)
        case _:
            return (
                "neither logos/<chainId>/<address>.png nor chains/eip155-<chainId>.json nor "
                "proxies/<chainId>/<address>.json"
            )


def _parse_proxy_versions(
    chain_id: str, address_text: str, body: bytes
) -> tuple[ContractLocation, list[ProxyVersion]] | str:
    try:
        entries = json.loads(body)
        place = (chain_id, parse_address(address_text))
    except InvalidValueError as error:
        return f"the name is not an address: {error}"
    except ValueError as error:
        return f"the file is not JSON: {error}"
    if not isinstance(entries, list):
        return "the file is not a list of implementations, oldest first"
    versions = list[ProxyVersion]()
    for number, item in enumerate(entries, 1):
        version = _parse_proxy_version(item)
        if isinstance(version, str):
            return f"entry {number} of the list: {version}"
        versions.append(version)
    return place, versions


MEMBERS = {"implementation", "facets", "since", "block"}


def _parse_proxy_version(version_entry: object) -> ProxyVersion | str:
    if not isinstance(version_entry, dict) or version_entry.keys() - MEMBERS:
        return f"write an object with `implementation` or `facets`, and `since` or `block`: {json.dumps(version_entry)[:80]}"
    addresses = version_entry.get("facets", [version_entry.get("implementation")])
    block = version_entry.get("block")
    if not _is_nonempty_string_list(addresses):
        return "it names no `implementation`, and no `facets`"
    if block is not None and as_non_negative_integer(block) is None:
        return f"`block` is {json.dumps(block)[:80]}, which is not a block number"
    try:
        since = (
            format_utc_milliseconds(parse_instant(str(version_entry["since"])))
            if "since" in version_entry
            else ""
        )
        return ProxyVersion(tuple(map(parse_address, addresses)), since, block, "file")
    except InvalidValueError as error:
        return str(error)


def _is_nonempty_string_list(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and bool(value) and all(isinstance(item, str) for item in value)


def _parse_logo(chain_id: str, address_text: str, body: bytes, logo_path: str) -> Document | str:
    try:
        address = parse_address(address_text)
    except InvalidValueError as error:
        return f"the name is not an address: {error}"
    if not body.startswith(PNG):
        return "the file is not a PNG picture"
    target = urls.OTTERSCAN_LOGO.path(chain_id=chain_id, address=address)
    media_type = urls.OTTERSCAN_LOGO.media_type
    return Document(path=target, body=body, media_type=media_type, sources=(logo_path,), persistent=True)


def _parse_chain_description(chain_id: str, body: bytes, file_path: str) -> Document | str:
    try:
        entry = json.loads(body)
    except ValueError as error:
        return f"the file is not JSON: {error}"
    if not isinstance(entry, dict) or str(entry.get("chainId")) != chain_id:
        return f"`chainId` of the file is not {chain_id}"
    target = urls.OTTERSCAN_CHAIN.path(chain_id=chain_id)
    return Document(path=target, body=encode_json(entry), sources=(file_path,), persistent=True)
