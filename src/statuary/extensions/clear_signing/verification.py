"""All descriptors of a folder together: which of their deployments are published, and what contradicts another."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from statuary.base.budget import attempt
from statuary.base.findings import Finding, Severity
from statuary.contracts.model.proof import ClaimStatus
from statuary.extensions.clear_signing.attestations import Attestation, read_attestation
from statuary.extensions.clear_signing.descriptors import (
    FOLDER,
    DescriptorError,
    DescriptorFolder,
    SigningFileKind,
    attested_descriptor,
    kind_of,
)
from statuary.extensions.clear_signing.proofs import descriptor_proof
from statuary.extensions.clear_signing.records import SiteRecords
from statuary.extensions.clear_signing.rules import ATTESTED, ONE_DESCRIPTOR, UNVERIFIED
from statuary.extensions.clear_signing.verdicts import (
    NOTHING,
    AttestationVerdict,
    DeploymentVerdict,
    DescriptorVerdict,
    Recollection,
)
from statuary.extensions.clear_signing.verify import (
    JudgedDescriptor,
    Judgement,
    judged_descriptors,
    type_hashes,
)


@dataclass(frozen=True)
class JudgedFolder:
    """All descriptors of a folder, judged."""

    folder: DescriptorFolder
    descriptors: tuple[DescriptorVerdict, ...]
    attested: Mapping[str, AttestationVerdict]  # by path
    other_findings: tuple[Finding, ...]  # about files, and descriptors that contradict each other
    # whether deployments without a verified record are published too, as not shown
    with_unverified: bool = False
    withheld: frozenset[tuple[str, str]] = field(default_factory=frozenset)  # path and key that several claim

    @property
    def attestations(self) -> tuple[Attestation, ...]:
        """All attestations."""
        return tuple(item.attestation for item in self.attested.values() if item.attestation is not None)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings."""
        about_attestations = [item.finding for item in self.attested.values() if item.finding is not None]
        own = [finding for item in self.descriptors for finding in item.findings]
        bound = [
            finding
            for item in self.descriptors
            for verdict in item.deployments
            for finding in verdict.findings
        ]
        return (*self.other_findings, *about_attestations, *own, *bound)

    def published(self) -> Iterator[tuple[DescriptorVerdict, DeploymentVerdict]]:
        """Yield what is published, by descriptor: no errors, and a verified record unless all are published."""
        for item in self.descriptors:
            for verdict in item.deployments:
                is_claimed_twice = (item.path, verdict.deployment.caip) in self.withheld
                is_shown = verdict.is_compared or self.with_unverified
                if verdict.fits is not ClaimStatus.CONTRADICTED and is_shown and not is_claimed_twice:
                    yield item, verdict


def judge(
    folder: DescriptorFolder,
    records: SiteRecords,
    *,
    with_unverified: bool,
    recollection: Recollection = NOTHING,
) -> JudgedFolder:
    """Judge the descriptors of a folder against the records of a site: those of which nothing is remembered.

    What they contradict of each other is looked for among all of them.
    """
    paths = list(folder.paths(SigningFileKind.CALLDATA, SigningFileKind.MESSAGES))
    verdicts = dict(recollection.descriptors)
    for item in judged_descriptors(folder, records, [path for path in paths if path not in verdicts]):
        verdicts[item.path] = _verdict(item, folder, with_unverified=with_unverified)
    descriptors = tuple(verdicts[path] for path in paths)
    withheld, repeated = _claimed_twice(descriptors)
    return JudgedFolder(
        folder=folder,
        descriptors=descriptors,
        attested={
            path: recollection.attestations.get(path) or _attested(folder, path)
            for path in folder.paths(SigningFileKind.ATTESTATION)
        },
        other_findings=(*folder.listing[1], *repeated),
        with_unverified=with_unverified,
        withheld=withheld,
    )


def _verdict(item: JudgedDescriptor, folder: DescriptorFolder, *, with_unverified: bool) -> DescriptorVerdict:
    descriptor = None if item.reading is None else item.reading.descriptor
    is_of_messages = kind_of(item.path) is SigningFileKind.MESSAGES
    return DescriptorVerdict(
        path=item.path,
        kind=kind_of(item.path),
        is_sound=descriptor is not None,
        files=() if descriptor is None else descriptor.files,
        type_hashes=type_hashes(descriptor) if descriptor is not None and is_of_messages else {},
        findings=(*item.findings, *_notes(item)),
        deployments=tuple(_at(judgement, with_unverified) for judgement in item.deployments),
        inputs=folder.inputs(item.path),
        places=tuple(sorted({place for judgement in item.deployments for place in _places(judgement)})),
    )


def _at(judgement: Judgement, with_unverified: bool) -> DeploymentVerdict:
    file, pointer = judgement.reading.descriptor.origins.of(judgement.deployment.pointer)
    return DeploymentVerdict(
        deployment=judgement.deployment,
        is_compared=judgement.code is not None,
        fits=judgement.fits,
        status=judgement.status,
        file=file,
        pointer=pointer,
        findings=judgement.findings,
        proof=descriptor_proof(judgement) if judgement.code is not None or with_unverified else {},
    )


def _places(judgement: Judgement) -> Iterator[tuple[str, str]]:
    """Yield the contracts whose records were looked for: the deployment, and what it delegates to."""
    yield judgement.deployment.chain_id, judgement.deployment.address
    for address in () if judgement.code is None else judgement.code.own.implementations:
        yield judgement.deployment.chain_id, address


def _notes(item: JudgedDescriptor) -> Iterator[Finding]:
    """Yield the note that some deployments of a descriptor are not on the site."""
    missing = [judgement for judgement in item.deployments if judgement.code is None]
    if missing and item.reading is not None:
        first = missing[0]
        others = f" and {len(missing) - 1:,} more" if len(missing) > 1 else ""
        yield item.reading.descriptor.finding(
            UNVERIFIED,
            f"not shown: {first.deployment.caip}{others}: {first.reason}",
            first.deployment.pointer,
            hint="add their records, or publish them all the same: `clear_signing: {unverified: publish}`",
            severity=Severity.NOTE,
        )


Claims = dict[tuple[str, str], list[tuple[str, DeploymentVerdict]]]
"""Which descriptors claim a contract, or a type of its messages, by the contract's key and the type's hash."""


def _claims(descriptors: tuple[DescriptorVerdict, ...]) -> Claims:
    claims: Claims = {}
    for descriptor in descriptors:
        is_of_calls = descriptor.kind is SigningFileKind.CALLDATA
        hashes = [digest for listed in descriptor.type_hashes.values() for digest in listed]
        for verdict in descriptor.deployments:
            if verdict.fits is ClaimStatus.CONTRADICTED:
                continue
            for digest in [""] if is_of_calls else hashes:
                claims.setdefault((verdict.deployment.caip, digest), []).append((descriptor.path, verdict))
    return claims


def _claimed_twice(
    descriptors: tuple[DescriptorVerdict, ...],
) -> tuple[frozenset[tuple[str, str]], list[Finding]]:
    """Return which deployments of which descriptors others claim too, and the findings about them."""
    withheld, findings = set(), []
    for (caip, digest), claimed in _claims(descriptors).items():
        for path, verdict in claimed if len(claimed) > 1 else ():
            withheld.add((path, caip))
            others = sorted({other for other, _ in claimed} - {path})
            what = f"the type {digest} at {caip}" if digest else caip
            message = f"{what} is also claimed by {', '.join(others)}"
            findings.append(verdict.finding(ONE_DESCRIPTOR, message, "remove it from one of them"))
    return frozenset(withheld), findings


def _attested(folder: DescriptorFolder, path: str) -> AttestationVerdict:
    """Return what a file in `sigs/` shows, and what is wrong with it."""
    place = f"{FOLDER}/{path}"
    outcome = attempt(partial(_attestation, folder, path), place, "checking the attestation")
    if isinstance(outcome, Finding):
        return AttestationVerdict(None, outcome)
    if outcome is None:
        message = "the file's name is that of no attestation"
        return AttestationVerdict(
            None, _warning(place, message, "write it as DESCRIPTOR.eip155-CHAIN-0xSIGNER.json")
        )
    if outcome.status is not ClaimStatus.CONTRADICTED:
        return AttestationVerdict(outcome, None)
    message = f"contradicted: {outcome.reason}"
    return AttestationVerdict(outcome, _warning(place, message, "remove it, or attest again"))


def _warning(place: str, message: str, hint: str) -> Finding:
    return Finding(rule=ATTESTED, message=message, hint=hint, path=place, severity=Severity.WARNING)


def _attestation(folder: DescriptorFolder, path: str) -> Attestation | Finding | None:
    try:
        about = attested_descriptor(path)
        is_there = about is not None and about[0] in folder.listing[0]
        own = folder.value(about[0]) if about is not None and is_there else None
        return read_attestation(path, folder.value(path), own)
    except DescriptorError as error:
        return error.finding
