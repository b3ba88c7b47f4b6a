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
    attested_descriptor,
)
from statuary.extensions.clear_signing.verdicts import (
    EMPTY_CACHE,
    CachedResults,
    DescriptorVerdict,
    ExampleBasis,
    finding_from_json,
    read_attestation_verdict,
    read_basis,
    read_descriptor,
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
    """The last build's results about descriptors, with their inputs."""

    def __init__(self, ledger: Ledger, folder: DescriptorFolder, basis: str) -> None:
        """Prepare the cache of a site.

        Args:
            ledger: the ledger of the site, which stores the results.
            folder: the folder of descriptors.
            basis: the fingerprint of the program and the settings.
        """
        self._ledger, self._folder, self._basis = ledger, folder, basis

    def _fingerprint(self, places: Iterable[Sequence[str]]) -> str:
        """Return the fingerprint of all inputs.

        Args:
            places: the compared contracts, by chain id and address.
        """
        files = tuple((path, self._folder.file_digest(path)) for path in self._folder.listing.paths)
        return digest_of(
            self._basis, repr(self._folder.listing.findings), files, self._record_digests(places)
        )

    def _record_digests(self, places: Iterable[Sequence[str]]) -> str:
        return digest_of(tuple(self._digests(*place) for place in places))

    def _digests(self, chain_id: str, address: str) -> tuple[str, ...]:
        """Return the digests of a record and its proof in this build.

        Returns:
            The digests; none if the site does not have the contract.
        """
        checksummed = checksum_address(address)
        if self._ledger.table(ContractTable).contract_at(chain_id, checksummed) is None:
            return ()
        urls = (CONTRACT, PROOF)
        paths = (url.path(chain_id=chain_id, address=checksummed) for url in urls)
        return tuple(digest_at(self._ledger.documents, path) for path in paths)

    def load_if_unchanged(self) -> SectionResult | None:
        """Return the last build's result, if no input has changed since.

        Returns:
            The findings and the line of the report; None if the descriptors have to be checked again.
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
        return SectionResult(skipped=tuple(map(finding_from_json, cached["findings"])), line=cached["line"])

    def load_unchanged(self) -> CachedResults:
        """Return the last build's results for each file whose inputs have not changed."""
        note = self._ledger.get_meta(VERDICTS)
        cached = orjson.loads(note) if note else {}
        if cached.get("basis") != self._basis:
            return EMPTY_CACHE
        return CachedResults(
            descriptors=dict(self._unchanged_descriptors(cached["descriptors"])),
            attestations={
                path: read_attestation_verdict(value)
                for path, digests, value in cached["attestations"]
                if self._attestation_digests(path) == digests
            },
            tests={
                path: descriptor_path
                for path, digest, descriptor_path in cached["tests"]
                if self._folder.file_digest(path) == digest
            },
            examples={path: read_basis(value) for path, value in cached["examples"].items()},
        )

    def _unchanged_descriptors(
        self, rows: Iterable[Sequence[Any]]
    ) -> Iterator[tuple[str, DescriptorVerdict]]:
        """Yield the results about descriptors with unchanged files and records."""
        for records, value in rows:
            item = read_descriptor(value)
            is_unchanged = all(self._folder.file_digest(path) == digest for path, digest in item.inputs)
            if is_unchanged and self._record_digests(item.places) == records:
                yield item.path, item

    def _attestation_digests(self, path: str) -> list[str]:
        """Return the digests of an attestation and its descriptor."""
        about = attested_descriptor(path)
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

        A result with an unexpected exception is not saved, so that the next build tries again.

        Args:
            verification: the results of checking the descriptors.
            tests: the path of the descriptor that each test file tests.
            examples: the inputs of the document with examples, by descriptor.
            result: the result of the section in this build.
            has_defect: whether an unexpected exception occurred outside of the verification.
        """
        places = sorted({place for item in verification.descriptors for place in item.places})
        has_defect = has_defect or _are_defects(verification.findings)
        self._ledger.save_group(GROUP, "" if has_defect else self._fingerprint(places))
        cached = {"places": places, "line": result.line, "findings": result.skipped}
        verdicts = {
            "basis": self._basis,
            "descriptors": [
                (self._record_digests(item.places), tuple(item))
                for item in verification.descriptors
                if not _is_defect(item)
            ],
            "attestations": [
                (path, self._attestation_digests(path), item)
                for path, item in verification.attested.items()
                if not _are_defects([item.finding])
            ],
            "tests": [
                (path, self._folder.file_digest(path), descriptor_path)
                for path, descriptor_path in tests.items()
            ],
            "examples": examples,
        }
        self._ledger.set_meta({GROUP: _encode_row(cached), VERDICTS: _encode_row(verdicts)})


def _encode_row(value: dict[str, Any]) -> str:
    return orjson.dumps(value, default=tuple).decode()  # orjson leaves named tuples to its caller


def _is_defect(item: DescriptorVerdict) -> bool:
    return _are_defects([*item.findings, *(finding for at in item.deployments for finding in at.findings)])


def _are_defects(findings: Iterable[Finding | None]) -> bool:
    return any(finding is not None and finding.rule == DEFECT for finding in findings)
