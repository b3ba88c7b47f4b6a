"""Check a record of another server by every rule before it becomes content."""

from statuary.checks.contracts.prove import CONTRACT_CHECKS, IDENTITY_CHECKS, prove
from statuary.content.parse_record import parse_record_json
from statuary.content.unreadable import UnreadableError
from statuary.documents.encode import encode_unchecked
from statuary.domain.contracts.record import RecordValue
from statuary.domain.findings import Severity
from statuary.domain.limits import MAX_QUOTED
from statuary.domain.primitives import Address, ChainId
from statuary.importing.import_error import ContractImportError


def checked_record(raw: bytes, chain_id: ChainId, address: Address, path: str) -> RecordValue:
    """Return a record whose bytes may be written.

    Raises:
        ContractImportError: if the bytes are not the record of this contract, or it breaks a rule.
    """
    try:
        parsed = parse_record_json(raw, path)
    except UnreadableError as error:
        raise ContractImportError(f"the server's response is not a record: {error}", error.hint) from None
    record, findings = parsed.record, parsed.findings
    if record is not None:
        if (str(record["chainId"]), str(record["address"]).lower()) != (chain_id, address.lower()):
            found = f"{record['address']} on chain {record['chainId']}"
            raise ContractImportError(f"the server responds with the record of {found[:MAX_QUOTED]}")
        findings = prove(record, (*IDENTITY_CHECKS, *CONTRACT_CHECKS)).findings
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    if record is None or errors:
        raise ContractImportError(
            f"the record breaks the rule {errors[0].rule}: {errors[0].message}", errors[0].hint
        )
    return record


def record_with_match_id(record: RecordValue, match_id: str) -> bytes:
    """Return the bytes of a record with another match id."""
    return encode_unchecked({**record, "matchId": match_id})
