"""Second stage of reading an export: the rows of a bucket to records, one at a time, by chain and address."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from statuary.content.bulk.bucket_files import bucket_file, read_rows
from statuary.content.bulk.export_join import ExportBucket
from statuary.content.bulk.jsonl import BulkContract
from statuary.content.parse_json import parse_json
from statuary.content.parse_record import ParsedContract, validate_record
from statuary.content.unreadable import UnreadableError
from statuary.domain.catalogue import ContractForm, ContractSource
from statuary.domain.contracts.exported_record import (
    ExportedCompilation,
    ExportedMatch,
    ExportedSide,
    exported_record,
)
from statuary.domain.findings import Finding, Position
from statuary.domain.json_values import Json


def read_bucket(root: Path, bucket: ExportBucket) -> Iterator[BulkContract]:
    """Yield the contracts of a bucket."""
    try:
        for (file, *row), sources, signatures in read_rows(bucket_file(bucket.scratch_dir, bucket.number)):
            row.insert(0, file.removeprefix(f"{root}/"))
            yield _contract(row, sources, signatures if bucket.has_signatures else None)
    except sqlite3.DatabaseError as error:
        source = ContractSource(path=bucket.path, chain_id="", address="", form=ContractForm.ROW)
        yield _failed(source, f"cannot read the joined export: {error}")


def _contract(
    row: list[Any], sources: list[tuple[str, str]], signatures: list[tuple[str, str, bytes, bytes]] | None
) -> BulkContract:
    file, file_row, match_id, _, chain_id, *_ = row
    source = ContractSource(
        path=file, chain_id=str(chain_id), address="", form=ContractForm.ROW, line=file_row + 1
    )
    try:
        record = exported_record(_match(row, sources, signatures))
    except UnreadableError as error:
        return _failed(source, f"cannot read a JSON column of match {match_id}: {error}")
    except (AttributeError, TypeError, ValueError) as error:  # a column whose type differs from the schema
        return _failed(source, f"the rows of match {match_id} do not follow the schema: {error}")
    source = source._replace(address=record["address"])
    read = validate_record(record, None, file)
    located = [locate_in_row(finding, source) for finding in read.findings]
    return BulkContract(source, read._replace(findings=located))


def _failed(source: ContractSource, message: str) -> BulkContract:
    finding = Finding(
        rule="whole-export", path=source.path, message=message, position=Position(max(source.line, 1), 1)
    )
    return BulkContract(source, ParsedContract(None, findings=[finding]))


def _match(
    row: list[Any], sources: list[tuple[str, str]], signatures: list[tuple[str, str, bytes, bytes]] | None
) -> ExportedMatch:
    match_id, verified_at, chain_id, address, *rest = row[2:]
    transaction_hash, block_number, transaction_index, deployer, *rest = rest
    levels, codes, artifacts, steps, compilation = rest[:2], rest[2:6], rest[6:8], rest[8:12], rest[12:]
    sides = [
        ExportedSide(
            match=levels[side],
            onchain=codes[side],
            recompiled=codes[side + 2],
            artifacts=_json(artifacts[side]),
            transformations=_json(steps[2 * side]),
            values=_json(steps[2 * side + 1]),
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
        compilation=_compilation(*compilation),
        sources=sources,
        signatures=signatures,
    )


def _compilation(*columns: Any) -> ExportedCompilation:
    *texts, settings, artifacts, additional_input, metadata = columns
    language, compiler, version, name, fully_qualified_name = texts
    return ExportedCompilation(
        language=language,
        compiler=compiler,
        version=version,
        name=name,
        fully_qualified_name=fully_qualified_name,
        settings=_json(settings),
        artifacts=_json(artifacts),
        additional_input=_json(additional_input),
        # metadata has only small numbers, and orjson writes its text again
        metadata=None if metadata is None else orjson.loads(metadata),
    )


def _json(text: str | None) -> Json:
    """Return the value of a JSON column; null is null or the text `null`."""
    return None if text is None else parse_json(text)


def locate_in_row(finding: Finding, source: ContractSource) -> Finding:
    """Return a finding about a record at the row of its match; the message names the member."""
    member = "".join(f"/{step}" for step in finding.pointer)
    message = f"{finding.message} (at {member})" if member else finding.message
    return replace(finding, message=message, path=source.path, position=Position(source.line, 1))
