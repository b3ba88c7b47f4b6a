"""Cache the results about descriptors between builds.

A result stays valid until one of its inputs changes.

A result depends on the files of a descriptor, on the settings and the program, and on the records that were
compared. Records are identified by the digests of their documents in the ledger, so that none is read. If
nothing in the whole folder changed, not even the results are read.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import orjson

from statuary.base.budget import DEFECT
from statuary.base.findings import Finding
from statuary.base.primitives import checksum_address
from statuary.contracts.incremental.contract_table import ContractTable
from statuary.contracts.urls import CONTRACT, PROOF
from statuary.extensions.clear_signing.descriptors import (
    DescriptorFolder,
    parse_attestation_path,
)
from statuary.extensions.clear_signing.verdicts import (
    EMPTY_CACHE,
    CachedResults,
    DescriptorVerdict,
    ExampleBasis,
    restore_attestation_verdict,
    restore_descriptor_verdict,
    restore_example_basis,
    restore_finding,
)
from statuary.publish.fingerprint import digest_of
from statuary.publish.ledger.ledger import Ledger
from statuary.publish.ledger.lookups import digest_at
from statuary.section import SectionResult

if TYPE_CHECKING:
    from statuary.extensions.clear_signing.verification import FolderVerification

GROUP: Final = "clear signing"
"""The group of these documents in the ledger, and the metadata with their findings."""

VERDICTS: Final = "clear signing: verdicts"
"""The metadata with the result about each descriptor."""


class VerificationCache:
    """Results about descriptors, saved in the build database for the next build.

    Each result is stored with the digests of its inputs. It is reused while they stay the same.
    """

    def __init__(self, ledger: Ledger, folder: DescriptorFolder, basis: str) -> None:
        """Prepare the cache of a site.

        Args:
            ledger: the ledger of the site, which stores the results.
            basis: the fingerprint of the program and the settings.
        """
        self._ledger, self._folder, self._basis = ledger, folder, basis

    def _fingerprint(self, compared_contracts: Iterable[Sequence[str]]) -> str:
        files = tuple((path, self._folder.file_digest(path)) for path in self._folder.listing.paths)
        return digest_of(
            self._basis,
            repr(self._folder.listing.findings),
            files,
            self._digest_of_records(compared_contracts),
        )

    def _digest_of_records(self, compared_contracts: Iterable[Sequence[str]]) -> str:
        return digest_of(tuple(self._record_and_proof_digests(*place) for place in compared_contracts))

    def _record_and_proof_digests(self, chain_id: str, address: str) -> tuple[str, ...]:
        checksummed = checksum_address(address)
        if self._ledger.table(ContractTable).contract_at(chain_id, checksummed) is None:
            return ()
        urls = (CONTRACT, PROOF)
        paths = (url.path(chain_id=chain_id, address=checksummed) for url in urls)
        return tuple(digest_at(self._ledger.documents, path) for path in paths)

    def load_result_if_unchanged(self) -> SectionResult | None:
        """Load the whole folder's last result if no input has changed.

        Returns:
            The errors and warnings, and the line of the report. None if the descriptors must be checked
            again.
        """
        group = self._ledger.cached_group(GROUP)
        note = self._ledger.get_meta(GROUP)
        if not group.fingerprint or not note:
            return None
        cached = orjson.loads(note)
        if group.fingerprint != self._fingerprint(cached["places"]):
            return None
        self._ledger.save_group(GROUP, group.fingerprint)
        self._ledger.set_meta({GROUP: note})
        return SectionResult(skipped=tuple(map(restore_finding, cached["findings"])), line=cached["line"])

    def load_unchanged_results(self) -> CachedResults:
        """Load the results of the last build whose inputs have not changed."""
        note = self._ledger.get_meta(VERDICTS)
        cached = orjson.loads(note) if note else {}
        if cached.get("basis") != self._basis:
            return EMPTY_CACHE
        return CachedResults(
            descriptors=dict(self._unchanged_descriptors(cached["descriptors"])),
            attestations={
                path: restore_attestation_verdict(value)
                for path, digests, value in cached["attestations"]
                if self._attestation_digests(path) == digests
            },
            tests={
                path: descriptor_path
                for path, digest, descriptor_path in cached["tests"]
                if self._folder.file_digest(path) == digest
            },
            examples={path: restore_example_basis(value) for path, value in cached["examples"].items()},
        )

    def _unchanged_descriptors(
        self, rows: Iterable[Sequence[Any]]
    ) -> Iterator[tuple[str, DescriptorVerdict]]:
        for records, value in rows:
            item = restore_descriptor_verdict(value)
            is_unchanged = all(self._folder.file_digest(path) == digest for path, digest in item.inputs)
            if is_unchanged and self._digest_of_records(item.places) == records:
                yield item.path, item

    def _attestation_digests(self, path: str) -> list[str]:
        about = parse_attestation_path(path)
        return [self._folder.file_digest(path), "" if about is None else self._folder.file_digest(about[0])]

    def save(
        self,
        verification: "FolderVerification",
        tests: Mapping[str, str],
        examples: Mapping[str, ExampleBasis],
        result: SectionResult,
        *,
        has_defect: bool,
    ) -> None:
        """Save the results and their inputs for the next build.

        If checking a descriptor raised an unexpected exception, its result is not saved. The next build then
        tries again.

        Args:
            verification: the results of checking the descriptors.
            tests: the path of the tested descriptor, by path of the test file.
            examples: the inputs from which each descriptor's document with examples was made.
            result: the report of this build about all descriptors.
            has_defect: whether an unexpected exception occurred outside of the verification.
        """
        places = sorted({place for item in verification.descriptors for place in item.places})
        has_defect = has_defect or _is_any_defect(verification.findings)
        self._ledger.save_group(GROUP, "" if has_defect else self._fingerprint(places))
        cached = {"places": places, "line": result.line, "findings": result.skipped}
        verdicts = {
            "basis": self._basis,
            "descriptors": [
                (self._digest_of_records(item.places), tuple(item))
                for item in verification.descriptors
                if not _has_defect(item)
            ],
            "attestations": [
                (path, self._attestation_digests(path), item)
                for path, item in verification.attested.items()
                if not _is_any_defect([item.finding])
            ],
            "tests": [
                (path, self._folder.file_digest(path), descriptor_path)
                for path, descriptor_path in tests.items()
            ],
            "examples": examples,
        }
        self._ledger.set_meta({GROUP: _encode_stored_row(cached), VERDICTS: _encode_stored_row(verdicts)})


def _encode_stored_row(value: dict[str, Any]) -> str:
    return orjson.dumps(value, default=tuple).decode()  # orjson leaves named tuples to its caller


def _has_defect(verdict: DescriptorVerdict) -> bool:
    return _is_any_defect(
        [*verdict.findings, *(finding for at in verdict.deployments for finding in at.findings)]
    )


def _is_any_defect(findings: Iterable[Finding | None]) -> bool:
    return any(finding is not None and finding.rule == DEFECT for finding in findings)
