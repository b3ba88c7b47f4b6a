"""`statuary check RECORD`: check a record alone, offline, and print its claims."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

from statuary.base.findings import Finding, Severity, has_errors
from statuary.base.limits import LARGEST_RECORD
from statuary.cli.escape import escape_control_chars
from statuary.contracts.model.proof import ClaimName, ClaimStatus
from statuary.source.locate import locate_findings
from statuary.source.source_files import SourceFile
from statuary.source.unreadable import UnreadableError

if TYPE_CHECKING:
    from statuary.contracts.model.record_with_proof import RecordWithProof
    from statuary.contracts.sources.parse_record import ParsedContract


class CheckedRecord(NamedTuple):
    """The result of checking a single contract record."""

    findings: Sequence[Finding]  # located in the file
    with_proof: "RecordWithProof | None"  # None if the file is not a record

    def is_clean(self, *, strict: bool) -> bool:
        """Return whether the record passed all checks.

        A record that its own evidence contradicts has not passed.

        Args:
            strict: whether a warning counts as a failure, too.
        """
        if self.with_proof is None or self.with_proof.is_contradicted or has_errors(self.findings):
            return False
        return not strict or all(finding.severity is not Severity.WARNING for finding in self.findings)


def check_record(file: Path, skipped: frozenset[str]) -> CheckedRecord:
    """Check a single contract record in a file, as a build does.

    Args:
        file: the record in YAML, or as JSON with all fields, as `/v2/contract/` returns it.
        skipped: the names of checks to skip.
    """
    from statuary.contracts.checks.prove import (
        IDENTITY_CHECKS,
        prove,
        run_checks,
        runtime_mismatch_findings,
        unskipped_checks,
    )
    from statuary.contracts.model.record import sort_members_as_served
    from statuary.contracts.model.record_with_proof import RecordWithProof
    from statuary.site.document import encode_unchecked

    parsed = _parse_record(file)
    if parsed.record is None:
        return CheckedRecord(locate_findings(file.parent, parsed.findings), None)
    record = sort_members_as_served(parsed.record)
    digest = sha256(parsed.canonical or encode_unchecked(record)).hexdigest()
    proof = prove(record, unskipped_checks(skipped), record_digest=digest)
    of_identity = [finding for result in run_checks(record, IDENTITY_CHECKS) for finding in result.findings]
    of_runtime = runtime_mismatch_findings(record, proof, Severity.ERROR)
    findings = [finding.with_path(file.name) for finding in (*of_identity, *proof.findings, *of_runtime)]
    return CheckedRecord(locate_findings(file.parent, findings), RecordWithProof(record, proof))


def _parse_record(file: Path) -> "ParsedContract":
    from statuary.contracts.sources.parse_record import ParsedContract, parse_record_json
    from statuary.contracts.sources.parse_record_yaml import parse_record_yaml

    parse = parse_record_yaml if file.suffix in (".yaml", ".yml") else parse_record_json
    try:
        return parse(SourceFile(file.parent, file.name).load_bytes(LARGEST_RECORD), file.name)
    except UnreadableError as error:
        return ParsedContract(None, findings=[error.to_finding(file.name)])


def claim_lines(checked_record: "RecordWithProof") -> Iterator[str]:
    """Yield the lines that `statuary check RECORD` prints about a contract.

    They are the contract's name and address, the verdict, and the result of each check of its evidence.
    """
    from statuary.contracts.pages.trail import evidence_trail
    from statuary.site.pages.page_texts import english_sentence, page_texts
    from statuary.site.pages.site_context import DateFormatter, Localization

    record, proof = checked_record.record, checked_record.proof
    texts = page_texts("en")
    yield escape_control_chars(
        f"{record['compilation']['name']} at {record['address']} on chain {record['chainId']}"
    )
    if proof.verdict is not None:
        yield " ".join(map(english_sentence, proof.verdict.sentences))
    claims = {claim.name: claim for claim in proof.claims}
    for part in evidence_trail(checked_record, Localization(texts, DateFormatter(ZoneInfo("UTC"), texts))):
        yield escape_control_chars(f"  {part.name}: {part.note}".rstrip(": "))
        for strand in part.strands:
            claim = claims[ClaimName[strand.claim.upper()]]
            yield escape_control_chars(
                f"    {strand.status}: {strand.check} ({english_sentence(claim.reason)})"
            )
    consistent = claims.get(ClaimName.CONSISTENT)
    if consistent is not None and consistent.status is not ClaimStatus.VERIFIED:
        yield escape_control_chars(english_sentence(consistent.reason))
