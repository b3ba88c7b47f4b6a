"""Verify all descriptors of a folder together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from statuary.base.budget import run_guarded
from statuary.base.findings import Finding, Severity
from statuary.contracts.model.proof import ClaimStatus
from statuary.extensions.clear_signing.attestations import Attestation, read_attestation
from statuary.extensions.clear_signing.descriptors import (
    FOLDER,
    DescriptorError,
    DescriptorFolder,
    SigningFileKind,
    parse_attestation_path,
    signing_file_kind,
)
from statuary.extensions.clear_signing.proofs import descriptor_proof
from statuary.extensions.clear_signing.records import SiteRecords
from statuary.extensions.clear_signing.rules import ATTESTED, ONE_DESCRIPTOR, UNVERIFIED
from statuary.extensions.clear_signing.verdicts import (
    EMPTY_CACHE,
    AttestationVerdict,
    CachedResults,
    DeploymentVerdict,
    DescriptorVerdict,
)
from statuary.extensions.clear_signing.verify import (
    CheckedDescriptor,
    DeploymentCheck,
    check_descriptors,
    type_hashes,
)


@dataclass(frozen=True)
class FolderVerification:
    """The results of checking all descriptors in a folder."""

    folder: DescriptorFolder
    descriptors: tuple[DescriptorVerdict, ...]
    attested: Mapping[str, AttestationVerdict]  # results of attestations by path
    other_findings: tuple[Finding, ...]
    """Findings about files in the folder, and about contracts to which several descriptors apply."""
    with_unverified: bool = False
    """Whether deployments without a verified record on the site are published too."""
    excluded: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    """Path and CAIP-10 id of each descriptor and contract that are left out, because several apply."""

    @property
    def attestations(self) -> tuple[Attestation, ...]:
        """The attestations of all descriptors, except unreadable ones.

        An attestation is an auditor's signed statement about a descriptor.
        """
        return tuple(item.attestation for item in self.attested.values() if item.attestation is not None)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All errors and warnings about descriptors, their files, contracts and attestations."""
        about_attestations = [item.finding for item in self.attested.values() if item.finding is not None]
        own_findings = [finding for item in self.descriptors for finding in item.findings]
        bound = [
            finding
            for item in self.descriptors
            for verdict in item.deployments
            for finding in verdict.findings
        ]
        return (*self.other_findings, *about_attestations, *own_findings, *bound)

    def published(self) -> Iterator[tuple[DescriptorVerdict, DeploymentVerdict]]:
        """Yield each published descriptor with each contract that it describes.

        A descriptor is not published for a contract if it contradicts the verified code, or if several
        descriptors are for that contract. If the site has no verified record of the contract, the settings
        decide.
        """
        for item in self.descriptors:
            for verdict in item.deployments:
                is_claimed_twice = (item.path, verdict.deployment.caip10_id) in self.excluded
                is_shown = verdict.is_compared or self.with_unverified
                if verdict.status is not ClaimStatus.CONTRADICTED and is_shown and not is_claimed_twice:
                    yield item, verdict


def verify_folder(
    folder: DescriptorFolder,
    records: SiteRecords,
    *,
    with_unverified: bool,
    cached: CachedResults = EMPTY_CACHE,
) -> FolderVerification:
    """Check the descriptors in a folder against the site's contracts.

    Descriptors (ERC-7730) tell wallets how to show calls. It is an error if several are for the same contract and the same
    calls or message type.

    Args:
        records: the verified contracts of the site.
        with_unverified: whether descriptors are published for contracts without a verified record.
        cached: the results of the last build that are still valid.
    """
    paths = list(folder.paths_of_kinds(SigningFileKind.CALLDATA, SigningFileKind.MESSAGES))
    verdicts = dict(cached.descriptors)
    for item in check_descriptors(folder, records, [path for path in paths if path not in verdicts]):
        verdicts[item.path] = _make_descriptor_verdict(item, folder, with_unverified=with_unverified)
    descriptors = tuple(verdicts[path] for path in paths)
    duplicates = _find_duplicate_claims(descriptors)
    return FolderVerification(
        folder=folder,
        descriptors=descriptors,
        attested={
            path: cached.attestations.get(path) or _verify_attestation(folder, path)
            for path in folder.paths_of_kinds(SigningFileKind.ATTESTATION)
        },
        other_findings=(*folder.listing.findings, *duplicates.findings),
        with_unverified=with_unverified,
        excluded=duplicates.deployments,
    )


def _make_descriptor_verdict(
    checked_descriptor: CheckedDescriptor, folder: DescriptorFolder, *, with_unverified: bool
) -> DescriptorVerdict:
    descriptor = None if checked_descriptor.parsed is None else checked_descriptor.parsed.descriptor
    is_of_messages = signing_file_kind(checked_descriptor.path) is SigningFileKind.MESSAGES
    places = set[tuple[str, str]]()
    for check in checked_descriptor.deployments:
        deployment = check.deployment
        implementations = () if check.code is None else check.code.own_code.implementations
        places |= {(deployment.chain_id, address) for address in (deployment.address, *implementations)}
    return DescriptorVerdict(
        path=checked_descriptor.path,
        kind=signing_file_kind(checked_descriptor.path),
        is_valid=descriptor is not None,
        files=() if descriptor is None else descriptor.files,
        type_hashes=type_hashes(descriptor) if descriptor is not None and is_of_messages else {},
        findings=(*checked_descriptor.findings, *_notes_about_unverified_deployments(checked_descriptor)),
        deployments=tuple(
            _make_deployment_verdict(check, with_unverified) for check in checked_descriptor.deployments
        ),
        inputs=folder.included_files(checked_descriptor.path),
        places=tuple(sorted(places)),
    )


def _make_deployment_verdict(check: DeploymentCheck, with_unverified: bool) -> DeploymentVerdict:
    file, pointer = check.parsed.descriptor.origins.find_origin(check.deployment.pointer)
    return DeploymentVerdict(
        deployment=check.deployment,
        is_compared=check.code is not None,
        fits=check.fits,
        status=check.status,
        file=file,
        pointer=pointer,
        findings=check.findings,
        proof=descriptor_proof(check) if check.code is not None or with_unverified else {},
    )


def _notes_about_unverified_deployments(checked_descriptor: CheckedDescriptor) -> Iterator[Finding]:
    missing_checks = [check for check in checked_descriptor.deployments if check.code is None]
    if missing_checks and checked_descriptor.parsed is not None:
        first_check = missing_checks[0]
        other_text = f" and {len(missing_checks) - 1:,} more" if len(missing_checks) > 1 else ""
        yield checked_descriptor.parsed.descriptor.make_finding(
            UNVERIFIED,
            f"not proven: {first_check.deployment.caip10_id}{other_text}: {first_check.reason}",
            first_check.deployment.pointer,
            hint="add the records of these contracts, or publish the descriptors anyway: `clear_signing: {unverified: publish}`",
            severity=Severity.NOTE,
        )


Claims = dict[tuple[str, str], list[tuple[str, DeploymentVerdict]]]
"""The descriptors that claim a contract, by its CAIP-10 id and the hash of a message type; empty for calls."""


def _collect_deployment_claims(descriptors: tuple[DescriptorVerdict, ...]) -> Claims:
    claims: Claims = {}
    for descriptor in descriptors:
        is_of_calls = descriptor.kind is SigningFileKind.CALLDATA
        hashes = [digest for digests in descriptor.type_hashes.values() for digest in digests]
        for verdict in descriptor.deployments:
            if verdict.fits is ClaimStatus.CONTRADICTED:
                continue
            for digest in [""] if is_of_calls else hashes:
                claims.setdefault((verdict.deployment.caip10_id, digest), []).append(
                    (descriptor.path, verdict)
                )
    return claims


class _DuplicateClaims(NamedTuple):
    deployments: frozenset[tuple[str, str]]  # path of a descriptor, and CAIP-10 id
    findings: list[Finding]


def _find_duplicate_claims(descriptors: tuple[DescriptorVerdict, ...]) -> _DuplicateClaims:
    excluded, findings = set(), []
    for (caip, digest), claimed in _collect_deployment_claims(descriptors).items():
        for path, verdict in claimed if len(claimed) > 1 else ():
            excluded.add((path, caip))
            other_paths = sorted({other_path for other_path, _ in claimed} - {path})
            what = f"the type {digest} at {caip}" if digest else caip
            message = f"{what} is also claimed by {', '.join(other_paths)}"
            findings.append(
                verdict.make_finding(
                    ONE_DESCRIPTOR, message, "keep this deployment in only one of the descriptors"
                )
            )
    return _DuplicateClaims(frozenset(excluded), findings)


def _verify_attestation(folder: DescriptorFolder, path: str) -> AttestationVerdict:
    place = f"{FOLDER}/{path}"
    outcome = run_guarded(partial(_read_attestation, folder, path), place, "checking the attestation")
    if isinstance(outcome, Finding):
        return AttestationVerdict(None, outcome)
    if outcome is None:
        message = "the file does not have the name of an attestation"
        return AttestationVerdict(
            None, _folder_warning(place, message, "name the file DESCRIPTOR.eip155-CHAIN-0xSIGNER.json")
        )
    if outcome.status is not ClaimStatus.CONTRADICTED:
        return AttestationVerdict(outcome, None)
    message = f"contradicted: {outcome.reason}"
    return AttestationVerdict(
        outcome, _folder_warning(place, message, "remove the attestation, or attest again")
    )


def _folder_warning(folder_name: str, message: str, hint: str) -> Finding:
    return Finding(rule=ATTESTED, message=message, hint=hint, path=folder_name, severity=Severity.WARNING)


def _read_attestation(folder: DescriptorFolder, path: str) -> Attestation | Finding | None:
    try:
        about = parse_attestation_path(path)
        is_there = about is not None and about[0] in folder.listing.paths
        descriptor = folder.read_json(about[0]) if about is not None and is_there else None
        return read_attestation(path, folder.read_json(path), descriptor)
    except DescriptorError as error:
        return error.finding
