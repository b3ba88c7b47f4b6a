"""Turn the joined rows of a Sourcify export into records."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from statuary.base.findings import Finding, Position
from statuary.base.json_values import Json, as_object, as_text, sort_keys_as_jsonb
from statuary.base.primitives import checksum_address
from statuary.contracts.model.abi import abi_signatures
from statuary.contracts.model.derivation import standard_json_members
from statuary.contracts.model.matching import MatchLevel, overall_match_level
from statuary.contracts.model.proxy_detection import proxy_resolution_from_bytecode
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.parse_record import ParsedContract, validate_record
from statuary.source.parse_json import parse_json
from statuary.source.unreadable import UnreadableError
from statuary.system.databases import open_read_only_database

Row = tuple[Any, ...]
"""A row of SQL, whose values are as its query gives them."""

LEVELS = {"perfect": MatchLevel.EXACT_MATCH.value, "partial": MatchLevel.MATCH.value}
"""Match levels, by their names in `sourcify_matches`."""


class ExportedSide(NamedTuple):
    """The creation or runtime code of a contract in Sourcify's export."""

    match: str | None  # `perfect`, `partial` or None, as in `sourcify_matches`
    onchain: bytes | None  # `code.code` of the deployment; None if unknown
    recompiled: bytes | None  # `code.code` of the compilation; None if it has none
    artifacts: Json  # `compiled_contracts.<side>_code_artifacts`
    transformations: Json  # `verified_contracts.<side>_transformations`
    values: Json  # `verified_contracts.<side>_values`


class ExportedCompilation(NamedTuple):
    """A compilation in Sourcify's export: a row of the table `compiled_contracts`."""

    language: str  # the language in lower case
    compiler: str  # `solc`, `vyper` or `fe`
    version: str  # the version without a leading `v`
    name: str
    fully_qualified_name: str  # path and name
    settings: Json  # `compiler_settings`
    artifacts: Json
    """The compiler's outputs in the column `compilation_artifacts`, such as `abi` and `storageLayout`."""
    additional_input: Json  # other members of the standard JSON input, or None
    metadata: Json  # from `compiled_contracts_metadata`, in older exports from `sourcify_matches`


class ExportedMatch(NamedTuple):
    """All rows about one verified contract in Sourcify's export."""

    match_id: int  # `sourcify_matches.id`
    verified_at: str  # `sourcify_matches.created_at`, in the format of `verifiedAt`
    chain_id: int  # `contract_deployments.chain_id`
    address: bytes  # 20 bytes
    transaction_hash: bytes | None
    block_number: int | None  # -1 for the genesis block
    transaction_index: int | None
    deployer: bytes | None
    creation: ExportedSide
    runtime: ExportedSide
    compilation: ExportedCompilation
    sources: Iterable[tuple[str, str]]  # path and content, in the order of `compiled_contracts_sources`
    signatures: Iterable[tuple[str, str, bytes, bytes]] | None
    """The type, text, 4-byte and 32-byte hash of each signature; None if the export has no such table."""


def convert_to_record(match: ExportedMatch) -> dict[str, Json]:
    """Convert a contract in Sourcify's database export to a record.

    A record is the JSON that Sourcify's API serves for a contract.

    Raises:
        AttributeError, TypeError, ValueError: if a column has another type than in Sourcify's schema.
    """
    compilation = match.compilation
    artifacts = as_object(compilation.artifacts)
    sources = {path: {"content": content} for path, content in match.sources}
    creation = _creation_bytecode_members(match.creation)
    runtime = _creation_bytecode_members(match.runtime)
    # Sourcify serves `immutableReferences` before the two members about transformations. A dict keeps the
    # order of insertion, so remove these two members and add them again at the end.
    ending = {member: runtime.pop(member) for member in ("transformations", "transformationValues")}
    runtime |= {
        "immutableReferences": as_object(match.runtime.artifacts).get("immutableReferences"),
        **ending,
    }
    levels = LEVELS.get(match.creation.match or ""), LEVELS.get(match.runtime.match or "")
    record = {
        "matchId": str(match.match_id),
        "creationMatch": levels[0],
        "runtimeMatch": levels[1],
        "verifiedAt": match.verified_at,
        "creationBytecode": creation,
        "runtimeBytecode": runtime,
        "deployment": _deployment_members(match),
        "sources": sources,
        "compilation": _compilation_members(compilation),
        "abi": artifacts.get("abi"),
        "metadata": compilation.metadata,
        **{
            member: artifacts.get(member)
            for member in ("storageLayout", "transientStorageLayout", "userdoc", "devdoc")
        },
        "sourceIds": artifacts.get("sources"),
        "additionalInput": compilation.additional_input,
        "stdJsonInput": None,
        "stdJsonOutput": None,
        "signatures": _group_signatures_by_kind(match, artifacts.get("abi")),
        "proxyResolution": proxy_resolution_from_bytecode(
            match.creation.onchain or match.runtime.onchain or b""
        ),
        "match": overall_match_level(*levels),
        "chainId": str(match.chain_id),
        "address": checksum_address("0x" + match.address.hex()),
    }
    if record["proxyResolution"] is None:
        del record["proxyResolution"]
    repeated = standard_json_members(record)
    return record | repeated | {"stdJsonInput": sort_keys_as_jsonb(repeated["stdJsonInput"])}


def _encode_hex(data: bytes | None) -> str | None:
    return "0x" + data.hex() if data else None


def _creation_bytecode_members(creation: ExportedSide) -> dict[str, Json]:
    artifacts = as_object(creation.artifacts)
    return {
        "onchainBytecode": _encode_hex(creation.onchain),
        "recompiledBytecode": _encode_hex(creation.recompiled),
        **{member: artifacts.get(member) for member in ("sourceMap", "linkReferences", "cborAuxdata")},
        "transformations": creation.transformations,
        "transformationValues": creation.values,
    }


def _deployment_members(match: ExportedMatch) -> dict[str, Json]:
    return {
        "transactionHash": _encode_hex(match.transaction_hash),
        "blockNumber": None if match.block_number is None else str(match.block_number),
        "transactionIndex": None if match.transaction_index is None else str(match.transaction_index),
        "deployer": checksum_address("0x" + match.deployer.hex()) if match.deployer else None,
    }


def _compilation_members(compilation: ExportedCompilation) -> dict[str, Json]:
    return {
        "language": compilation.language.capitalize(),
        "compiler": compilation.compiler,
        "compilerVersion": compilation.version,
        "compilerSettings": compilation.settings,
        "name": compilation.name,
        "fullyQualifiedName": compilation.fully_qualified_name,
    }


def _group_signatures_by_kind(match: ExportedMatch, abi: Json) -> Json:
    if match.signatures is None:
        return abi_signatures(abi)
    kinds: dict[str, dict[str, Json]] = {"function": {}, "event": {}, "error": {}}
    for kind, text, digest_4, digest_32 in match.signatures:
        hashes = {"signatureHash4": "0x" + digest_4.hex(), "signatureHash32": "0x" + digest_32.hex()}
        kinds.setdefault(kind, {})[text] = {"signature": text, **hashes}
    return {kind: [entries[text] for text in sorted(entries)] for kind, entries in kinds.items()}


class ExportBucket(NamedTuple):
    """A part of a Sourcify export, in its own SQLite database.

    Several workers can read the parts (buckets) at once.
    """

    path: str  # the export, relative to the content folder, or a URL
    scratch_dir: Path  # the folder of the bucket's file
    number: int
    matches: int
    has_signatures: bool = True
    """Whether the export has tables of signatures. Without them, the signatures are derived from the ABI."""

    def read(self, root: Path) -> Iterator["RowContract"]:
        """Read the contracts in this bucket, sorted by chain and address.

        Args:
            root: the content folder.
        """
        return read_bucket(root, self)


class RowContract(NamedTuple):
    """A contract's record, made from its row in Sourcify's export."""

    source: ContractSource
    parsed_contract: ParsedContract

    def with_location(self, findings: list[Finding]) -> list[Finding]:
        """Add the row of the export to findings about the record."""
        return [add_row_position(finding, self.source) for finding in findings]


def bucket_database_path(folder: Path, bucket_number: int) -> Path:
    """Return the path of a SQLite database for part of an export.

    Args:
        folder: the folder of the databases.
        bucket_number: the number of the part, from 0 on.
    """
    return folder / f"bucket-{bucket_number}.sqlite3"


MATCHES = """
SELECT m.file, m.file_row, m.match_id, m.verified_at, m.chain_id, m.address,
    m.transaction_hash, m.block_number, m.transaction_index, m.deployer,
    m.creation_match, m.runtime_match, oc.code, o.code, rc.code, r.code,
    c.creation_code_artifacts, c.runtime_code_artifacts,
    s.creation_transformations, s.creation_values, s.runtime_transformations, s.runtime_values,
    c.language, c.compiler, c.version, c.name, c.fully_qualified_name, c.compiler_settings,
    c.compilation_artifacts, c.additional_input, COALESCE(d.metadata, e.metadata), m.compilation_id
FROM matches m
JOIN compilations c ON c.compilation_id = m.compilation_id
LEFT JOIN steps s ON s.match_id = m.match_id
LEFT JOIN metadata d ON d.compilation_id = m.compilation_id
LEFT JOIN match_metadata e ON e.match_id = m.match_id
LEFT JOIN code oc ON oc.code_hash = m.onchain_creation
LEFT JOIN code o ON o.code_hash = m.onchain_runtime
LEFT JOIN code rc ON rc.code_hash = m.recompiled_creation
LEFT JOIN code r ON r.code_hash = m.recompiled_runtime
WHERE m.rowid = ?
"""

ORDER = "SELECT rowid FROM matches ORDER BY chain_id, address"
"""The order of a bucket's matches; to sort only narrow rows, the wide ones are looked up one by one."""

SOURCES = """
SELECT path, content FROM paths JOIN sources USING (source_hash)
WHERE compilation_id = ? ORDER BY file_place, row_place
"""

SIGNATURES = """
SELECT signature_type, signature, signature_hash_4, signature_hash_32 FROM signatures WHERE compilation_id = ?
"""


def read_bucket_rows(
    database_file: Path,
) -> Iterator[tuple[Row, list[tuple[str, str]], list[tuple[str, str, bytes, bytes]]]]:
    """Yield the rows of each contract in a part of the export.

    They are sorted by chain and address.

    Yields:
        The contract's row, its sources, and its signatures.

    Raises:
        sqlite3.DatabaseError: if the database is damaged.
    """
    with closing(open_read_only_database(database_file)) as bucket:
        for (row,) in bucket.execute(ORDER):
            match = bucket.execute(MATCHES, (row,)).fetchone()
            compilation = match[-1:]
            sources = bucket.execute(SOURCES, compilation).fetchall()
            yield match[:-1], sources, bucket.execute(SIGNATURES, compilation).fetchall()


def read_bucket(root: Path, bucket: ExportBucket) -> Iterator[RowContract]:
    """Read the contracts in a part of an export.

    If its database is damaged, the last contract has an error instead of a record.

    Args:
        root: the content folder.
        bucket: the part, with the place of its database.
    """
    try:
        for (file, *row), sources, signatures in read_bucket_rows(
            bucket_database_path(bucket.scratch_dir, bucket.number)
        ):
            yield _convert_row_to_contract(
                (file.removeprefix(f"{root}/"), *row), sources, signatures if bucket.has_signatures else None
            )
    except sqlite3.DatabaseError as error:
        source = ContractSource(
            path=bucket.path, chain_id="", address="", form=ContractForm.ROW, line=bucket.number + 1
        )
        yield _contract_with_finding(source, f"cannot read the joined export: {error}")


def _convert_row_to_contract(
    row: Row, sources: list[tuple[str, str]], signatures: list[tuple[str, str, bytes, bytes]] | None
) -> RowContract:
    file, file_row, match_id, _, chain_id, *_ = row
    source = ContractSource(
        path=file, chain_id=str(chain_id), address="", form=ContractForm.ROW, line=file_row + 1
    )
    try:
        record = convert_to_record(_exported_match_of_row(row, sources, signatures))
    except UnreadableError as error:
        return _contract_with_finding(source, f"cannot read a JSON column of match {match_id}: {error}")
    except (AttributeError, TypeError, ValueError) as error:  # a column whose type differs from the schema
        return _contract_with_finding(
            source, f"the rows of match {match_id} do not follow the schema: {error}"
        )
    source = source._replace(address=as_text(record["address"]))
    parsed_contract = validate_record(record, None, file)
    located = [add_row_position(finding, source) for finding in parsed_contract.findings]
    return RowContract(source, parsed_contract._replace(findings=located))


def _contract_with_finding(source: ContractSource, message: str) -> RowContract:
    finding = Finding(
        rule="damaged-export", path=source.path, message=message, position=Position(max(source.line, 1), 1)
    )
    return RowContract(source, ParsedContract(None, findings=[finding]))


def _exported_match_of_row(
    row: Row, sources: list[tuple[str, str]], signatures: list[tuple[str, str, bytes, bytes]] | None
) -> ExportedMatch:
    match_id, verified_at, chain_id, address, *other_columns = row[2:]
    transaction_hash, block_number, transaction_index, deployer, *other_columns = other_columns
    levels = other_columns[:2]
    codes = other_columns[2:6]
    artifacts = other_columns[6:8]
    steps = other_columns[8:12]
    compilation = other_columns[12:]
    sides = [
        ExportedSide(
            match=levels[side],
            onchain=codes[side],
            recompiled=codes[side + 2],
            artifacts=_parse_json_column(artifacts[side]),
            transformations=_parse_json_column(steps[2 * side]),
            values=_parse_json_column(steps[2 * side + 1]),
        )
        for side in (0, 1)
    ]
    return ExportedMatch(
        match_id=match_id,
        verified_at=verified_at,
        chain_id=chain_id,
        address=address,
        transaction_hash=transaction_hash,
        block_number=block_number,
        transaction_index=transaction_index,
        deployer=deployer,
        creation=sides[0],
        runtime=sides[1],
        compilation=_exported_compilation(tuple(compilation)),
        sources=sources,
        signatures=signatures,
    )


def _exported_compilation(columns: Row) -> ExportedCompilation:
    *texts, settings, artifacts, additional_input, metadata = columns
    language, compiler, version, name, fully_qualified_name = texts
    return ExportedCompilation(
        language=language,
        compiler=compiler,
        version=version,
        name=name,
        fully_qualified_name=fully_qualified_name,
        settings=_parse_json_column(settings),
        artifacts=_parse_json_column(artifacts),
        additional_input=_parse_json_column(additional_input),
        # Use orjson, which is fast but makes large integers inexact. Metadata contains no such integers.
        metadata=None if metadata is None else orjson.loads(metadata),
    )


def _parse_json_column(column_text: str | None) -> Json:
    """Parse a JSON column.

    SQL null and the JSON text `null` are both None.

    Raises:
        UnreadableError: if it is not JSON.
    """
    return None if column_text is None else parse_json(column_text)


def add_row_position(finding: Finding, source: ContractSource) -> Finding:
    """Add the row of Sourcify's export to an error about a contract.

    A row has no line numbers, so the message names the part of the record instead.

    Args:
        finding: the error or warning; its pointer leads to the part of the record.
        source: the file and the row of the contract.
    """
    member = "".join(f"/{step}" for step in finding.pointer)
    message = f"{finding.message} (at {member})" if member else finding.message
    return replace(finding, message=message, path=source.path, position=Position(source.line, 1))
