"""Blockscout's `api/v2/smart-contracts/<address>`, derived from a record."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from statuary.base.json_values import Json, JsonObject, as_list, as_object, as_text
from statuary.contracts.model.record import RecordValue
from statuary.contracts.model.record_with_proof import RecordWithProof
from statuary.extensions.apis import urls
from statuary.extensions.apis.addressed import make_contract_document
from statuary.extensions.apis.etherscan import (
    collect_linked_libraries,
    find_source_license,
    get_constructor_arguments,
    get_optimizer_runs,
    is_optimizer_enabled,
)
from statuary.extensions.apis.repository import belongs_in_full_match
from statuary.site.document import Document, encode_unchecked

PROXY_TYPES: Final = {
    "EIP1167Proxy": "eip1167",
    "EIP1967Proxy": "eip1967",
    "PROXIABLEProxy": "eip1822",
    "DiamondProxy": "eip2535",
    "GnosisSafeProxy": "master_copy",
    "ZeppelinOSProxy": "eip1967_oz",
}
"""Blockscout's names of proxy types; others are `unknown`."""

LICENSES: Final = {
    "UNLICENSED": "none",
    "Unlicense": "unlicense",
    "MIT": "mit",
    "GPL-2.0-only": "gnu_gpl_v2",
    "GPL-2.0-or-later": "gnu_gpl_v2",
    "GPL-3.0": "gnu_gpl_v3",
    "GPL-3.0-only": "gnu_gpl_v3",
    "GPL-3.0-or-later": "gnu_gpl_v3",
    "LGPL-2.1-only": "gnu_lgpl_v2_1",
    "LGPL-3.0-only": "gnu_lgpl_v3",
    "LGPL-3.0-or-later": "gnu_lgpl_v3",
    "BSD-2-Clause": "bsd_2_clause",
    "BSD-3-Clause": "bsd_3_clause",
    "MPL-2.0": "mpl_2_0",
    "OSL-3.0": "osl_3_0",
    "Apache-2.0": "apache_2_0",
    "AGPL-3.0-only": "gnu_agpl_v3",
    "AGPL-3.0": "gnu_agpl_v3",
    "AGPL-3.0-or-later": "gnu_agpl_v3",
    "BUSL-1.1": "bsl_1_1",
}
"""Blockscout's names of licences by SPDX identifier; others are `none`."""


NOT_VERIFIED: Final[JsonObject] = {"message": "Not found"}
"""Blockscout's answer about a contract that is not verified."""


def blockscout_documents(checked_record: RecordWithProof, record_path: str) -> Iterator[Document]:
    """Make a contract's JSON in the format of the block explorer Blockscout.

    Args:
        checked_record: the record of the contract, with the results of its checks.
        record_path: the path of the content file with the record.
    """
    body = encode_unchecked(make_blockscout_contract(checked_record))
    yield make_contract_document(urls.BLOCKSCOUT, checked_record.record, body, record_path)


def make_blockscout_contract(checked_record: RecordWithProof) -> JsonObject:
    """Convert a record to the JSON of a contract in Blockscout's API.

    Fields that the record does not have are null. If evidence contradicts the record, the JSON says that the
    contract's code has changed, and that it is neither fully nor partially verified.
    """
    record, is_contradicted = checked_record.record, checked_record.is_contradicted
    compilation = as_object(record["compilation"])
    settings = as_object(compilation.get("compilerSettings"))
    path, _, name = as_text(compilation.get("fullyQualifiedName")).rpartition(":")
    texts = {file: as_text(as_object(source).get("content")) for file, source in record["sources"].items()}
    proxy = _make_proxy_members(checked_record)
    arguments = get_constructor_arguments(record)
    creation_code = as_object(record["creationBytecode"]).get("onchainBytecode")
    return {
        "verified_twin_address_hash": None,
        "is_verified": True,
        "is_changed_bytecode": is_contradicted,
        "is_partially_verified": not is_contradicted and not belongs_in_full_match(record),
        "is_fully_verified": not is_contradicted and belongs_in_full_match(record),
        "is_verified_via_sourcify": False,
        "is_verified_via_eth_bytecode_db": False,
        "is_verified_via_verifier_alliance": False,
        "proxy_type": proxy.type,
        "implementations": proxy.implementations,
        "conflicting_implementations": None,
        "sourcify_repo_url": None,
        "can_be_visualized_via_sol2uml": False,
        "name": as_text(compilation.get("name")) or name,
        # Blockscout writes a `v` before the version of every compiler, even of Vyper, although Vyper does
        # not.
        "compiler_version": f"v{as_text(compilation.get('compilerVersion'))}",
        "optimization_enabled": is_optimizer_enabled(compilation),
        "optimization_runs": get_optimizer_runs(compilation),
        "evm_version": as_text(settings.get("evmVersion")) or "default",
        "verified_at": record["verifiedAt"],
        "abi": record["abi"],
        "source_code": texts.get(path, ""),
        "file_path": path,
        "additional_sources": [
            {"file_path": file, "source_code": text} for file, text in texts.items() if file != path
        ],
        "compiler_settings": settings,
        "external_libraries": _list_linked_libraries(record),
        "constructor_args": f"0x{arguments}" if arguments else None,
        "decoded_constructor_args": None,
        "language": as_text(compilation.get("language")).lower(),
        "license_type": LICENSES.get(find_source_license(record, path), "none"),
        "certified": False,
        "is_blueprint": False,
        "deployed_bytecode": as_object(record["runtimeBytecode"]).get("onchainBytecode"),
        "creation_bytecode": creation_code,
        "creation_status": "success" if creation_code else None,
    }


class _ProxyMembers(NamedTuple):
    type: str | None
    implementations: list[Json]


def _make_proxy_members(checked_record: RecordWithProof) -> _ProxyMembers:
    """Return the type and implementations of a proxy.

    Returns:
        No type and no implementations if the contract is not a proxy, or evidence contradicts its record without showing
        the current implementation.
    """
    resolution = as_object(checked_record.record.get("proxyResolution"))
    other = checked_record.unrecorded_implementation
    if resolution.get("isProxy") is not True or (checked_record.is_contradicted and not other):
        return _ProxyMembers(None, [])
    named = [{"address": other}] if other else as_list(resolution.get("implementations"))
    implementations = map(as_object, named)
    entries: list[Json] = [
        {"address_hash": item.get("address"), "name": item.get("name")} for item in implementations
    ]
    return _ProxyMembers(PROXY_TYPES.get(as_text(resolution.get("proxyType")), "unknown"), entries)


def _list_linked_libraries(record: RecordValue) -> list[Json]:
    return [
        {"name": path.rpartition(":")[2], "address_hash": address}
        for path, address in collect_linked_libraries(record).items()
    ]
