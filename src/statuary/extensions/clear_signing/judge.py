"""What is wrong with the descriptors of a folder, and which of their deployments are shown, for all of them together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Final, NamedTuple

from statuary.domain.contracts.proof import ClaimStatus, PinnedBy
from statuary.domain.findings import Finding, Severity, has_errors
from statuary.domain.primitives import keccak256
from statuary.domain.work import attempt, spend
from statuary.extensions.clear_signing.attestations import Attestation, read_attestation
from statuary.extensions.clear_signing.descriptors import (
    FOLDER,
    BoundContract,
    Descriptor,
    DescriptorError,
    DescriptorFolder,
    SigningFileKind,
    attested_descriptor,
    deployments_of,
)
from statuary.extensions.clear_signing.hidden import hidden
from statuary.extensions.clear_signing.limits import STEPS_OF_A_FORMAT
from statuary.extensions.clear_signing.records import NO_CODE, DeployedCode, SiteRecords
from statuary.extensions.clear_signing.rules import (
    ATTESTED,
    DEPLOYMENT_RULES,
    DESCRIPTOR_RULES,
    ONE_DESCRIPTOR,
    UNVERIFIED,
    Binding,
    Reading,
    findings_of,
)

CHECKING: Final = "checking the descriptor"

ABI_STATUS: Final[Mapping[PinnedBy, ClaimStatus]] = {
    PinnedBy.CHAIN: ClaimStatus.VERIFIED,
    PinnedBy.HASH: ClaimStatus.VERIFIED,
    PinnedBy.STATED: ClaimStatus.STATED,
    PinnedBy.CONSISTENT: ClaimStatus.NOT_SHOWN,
    PinnedBy.CLAIMED: ClaimStatus.NOT_SHOWN,
}


@dataclass(frozen=True)
class Judgement:
    """A descriptor at one of its deployments."""

    reading: Reading
    deployment: BoundContract
    code: DeployedCode | None  # None if the site has no verified record
    reason: str = ""  # why it has none
    findings: tuple[Finding, ...] = ()  # about this deployment; those about the descriptor are not repeated

    @property
    def binding(self) -> Binding | None:
        """The descriptor and the code that it was checked against."""
        return None if self.code is None else Binding(self.reading, self.deployment, self.code)

    @cached_property
    def fits(self) -> ClaimStatus:
        """Whether the formats fit the verified code."""
        if has_errors(self.findings):
            return ClaimStatus.CONTRADICTED
        binding = self.binding
        if binding is None or any(owner.unknown for owner in binding.owners.values()):
            return ClaimStatus.NOT_SHOWN
        return ClaimStatus.VERIFIED

    @cached_property
    def abi(self) -> ClaimStatus:
        """Whether the ABIs are those of the code: the weakest of all that were compared."""
        return (
            ClaimStatus.NOT_SHOWN
            if self.code is None
            else _weakest([ABI_STATUS[code.abi_pinned_by] for code in self.code.all])
        )

    @cached_property
    def on_chain(self) -> ClaimStatus:
        """Whether the code is that at the addresses: the weakest of all that were compared."""
        return (
            ClaimStatus.NOT_SHOWN
            if self.code is None
            else _weakest([code.on_chain for code in self.code.all])
        )

    @property
    def status(self) -> ClaimStatus:
        """What is said first: the weakest of the three."""
        return _weakest([self.fits, self.abi, self.on_chain])


_ORDER: Final = (ClaimStatus.CONTRADICTED, ClaimStatus.NOT_SHOWN, ClaimStatus.STATED, ClaimStatus.VERIFIED)


def _weakest(statuses: list[ClaimStatus]) -> ClaimStatus:
    return min(statuses, key=_ORDER.index)


class JudgedDescriptor(NamedTuple):
    """A descriptor and all of its deployments; without a reading it cannot be read or breaks a rule by itself."""

    path: str
    reading: Reading | None
    findings: tuple[Finding, ...]  # about the descriptor itself
    deployments: tuple[Judgement, ...] = ()


@dataclass(frozen=True)
class JudgedFolder:
    """All descriptors of a folder, judged."""

    folder: DescriptorFolder
    descriptors: tuple[JudgedDescriptor, ...]
    attestations: tuple[Attestation, ...]
    other_findings: tuple[
        Finding, ...
    ]  # about files, attestations, and descriptors that contradict each other
    # whether deployments without a verified record are published too, as not shown
    with_unverified: bool = False
    withheld: frozenset[tuple[str, str]] = field(default_factory=frozenset)  # path and key that several claim

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings."""
        own = [finding for item in self.descriptors for finding in (*item.findings, *_notes(item))]
        bound = [
            finding
            for item in self.descriptors
            for judgement in item.deployments
            for finding in judgement.findings
        ]
        return (*self.other_findings, *own, *bound)

    def published(self) -> Iterator[Judgement]:
        """Yield what is published, by descriptor: no errors, and a verified record unless all are published."""
        for item in self.descriptors:
            for judgement in item.deployments:
                is_claimed_twice = (item.path, judgement.deployment.caip) in self.withheld
                is_shown = judgement.code is not None or self.with_unverified
                if judgement.fits is not ClaimStatus.CONTRADICTED and is_shown and not is_claimed_twice:
                    yield judgement


def judge(folder: DescriptorFolder, records: SiteRecords, *, with_unverified: bool) -> JudgedFolder:
    """Judge all descriptors of a folder against the records of a site; records are read in two passes at most."""
    read = [_read(folder, path) for path in folder.paths(SigningFileKind.CALLDATA, SigningFileKind.MESSAGES)]
    places = {
        (deployment.chain_id, deployment.address)
        for item in read
        if item.reading is not None
        for deployment in deployments_of(item.reading.descriptor)
    }
    records.read(places)
    descriptors = tuple(_bound(item, records) for item in read)
    withheld, repeated = _claimed_twice(descriptors)
    attestations, faults = _attestations(folder)
    return JudgedFolder(
        folder=folder,
        descriptors=descriptors,
        attestations=attestations,
        other_findings=(*folder.listing[1], *repeated, *faults),
        with_unverified=with_unverified,
        withheld=withheld,
    )


def _read(folder: DescriptorFolder, path: str) -> JudgedDescriptor:
    """Read a descriptor and check it alone."""
    outcome = attempt(partial(_checked, folder, path), f"{FOLDER}/{path}", CHECKING)
    return JudgedDescriptor(path, None, (outcome,)) if isinstance(outcome, Finding) else outcome


def _checked(folder: DescriptorFolder, path: str) -> JudgedDescriptor:
    try:
        descriptor = folder.descriptor(path)
    except DescriptorError as error:
        return JudgedDescriptor(path, None, (error.finding,))
    reading, findings = Reading(descriptor), list[Finding]()
    for rule in DESCRIPTOR_RULES:
        findings += findings_of(descriptor, rule, rule(reading))
        if findings and has_errors(findings) and rule is DESCRIPTOR_RULES[0]:
            break  # the other rules take the shape for granted
    else:
        for key in reading.types:
            hidden(reading, key)  # here, where the work on it is bounded
    return JudgedDescriptor(path, None if has_errors(findings) else reading, tuple(findings))


def _bound(item: JudgedDescriptor, records: SiteRecords) -> JudgedDescriptor:
    """Compare a descriptor with the code at all of its deployments: too many of too many formats withhold it."""
    if item.reading is None:
        return item
    outcome = attempt(partial(_judgements, item.reading, records), f"{FOLDER}/{item.path}", CHECKING)
    if isinstance(outcome, Finding):
        return item._replace(reading=None, findings=(*item.findings, outcome))
    return item._replace(deployments=outcome)


def _judgements(reading: Reading, records: SiteRecords) -> tuple[Judgement, ...]:
    lines = sum(map(len, reading.hidden.values()))
    judged = []
    for deployment in deployments_of(reading.descriptor):
        spend(STEPS_OF_A_FORMAT * len(reading.keys) + lines)
        judged.append(_judgement(reading, deployment, records))
    return tuple(judged)


def _judgement(reading: Reading, deployment: BoundContract, records: SiteRecords) -> Judgement:
    code = records.code_at((deployment.chain_id, deployment.address))
    if isinstance(code, str):
        return Judgement(
            reading, deployment, None, f"the contract {code}", _address_findings(reading, deployment)
        )
    path = f"{FOLDER}/{reading.descriptor.path}"
    outcome = attempt(partial(_binding_findings, Binding(reading, deployment, code)), path, CHECKING)
    findings = (outcome,) if isinstance(outcome, Finding) else tuple(outcome)
    return Judgement(reading, deployment, code, findings=findings)


def _binding_findings(binding: Binding) -> list[Finding]:
    descriptor = binding.reading.descriptor
    return [finding for rule in DEPLOYMENT_RULES for finding in findings_of(descriptor, rule, rule(binding))]


def _address_findings(reading: Reading, deployment: BoundContract) -> tuple[Finding, ...]:
    """Return what is wrong with a deployment whatever its code is."""
    nothing = Binding(reading, deployment, NO_CODE)
    rule = DEPLOYMENT_RULES[0]
    return tuple(findings_of(reading.descriptor, rule, rule(nothing)))


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


def type_hashes(descriptor: Descriptor) -> dict[str, list[str]]:
    """Return the type hashes of a descriptor's messages, by their primary type."""
    hashes: dict[str, list[str]] = {}
    for key in descriptor.formats:
        primary = key.partition("(")[0]
        if primary and "(" in key:
            hashes.setdefault(primary, []).append("0x" + keccak256(key.encode()).hex())
    return hashes


Claims = dict[tuple[str, str], list[tuple[Descriptor, BoundContract]]]
"""Who claims a contract, or a type of its messages, by the contract's key and the type's hash."""


def _claims(descriptors: tuple[JudgedDescriptor, ...]) -> Claims:
    claims: Claims = {}
    for judgement in (judgement for item in descriptors for judgement in item.deployments):
        if judgement.fits is ClaimStatus.CONTRADICTED:
            continue
        descriptor, deployment = judgement.reading.descriptor, judgement.deployment
        is_of_calls = descriptor.kind is SigningFileKind.CALLDATA
        listed = (
            [""]
            if is_of_calls
            else [type_hash for hashes in type_hashes(descriptor).values() for type_hash in hashes]
        )
        for digest in listed:
            claims.setdefault((deployment.caip, digest), []).append((descriptor, deployment))
    return claims


def _claimed_twice(
    descriptors: tuple[JudgedDescriptor, ...],
) -> tuple[frozenset[tuple[str, str]], list[Finding]]:
    """Return which deployments of which descriptors others claim too, and the findings about them."""
    withheld, findings = set(), []
    for (caip, digest), claimed in _claims(descriptors).items():
        for descriptor, deployment in claimed if len(claimed) > 1 else ():
            withheld.add((descriptor.path, caip))
            others = sorted({other.path for other, _ in claimed} - {descriptor.path})
            what = f"the type {digest} at {caip}" if digest else caip
            message = f"{what} is also claimed by {', '.join(others)}"
            findings.append(
                descriptor.finding(
                    ONE_DESCRIPTOR, message, deployment.pointer, hint="remove it from one of them"
                )
            )
    return frozenset(withheld), findings


def _attestations(folder: DescriptorFolder) -> tuple[tuple[Attestation, ...], list[Finding]]:
    read, findings = [], []
    for path in folder.paths(SigningFileKind.ATTESTATION):
        place = f"{FOLDER}/{path}"
        outcome = attempt(partial(_attestation, folder, path), place, "checking the attestation")
        if isinstance(outcome, Finding):
            findings.append(outcome)
        elif outcome is None:
            message = "the file's name is that of no attestation"
            hint = "write it as DESCRIPTOR.eip155-CHAIN-0xSIGNER.json"
            findings.append(_attested(place, message, hint))
        else:
            read.append(outcome)
            if outcome.status is ClaimStatus.CONTRADICTED:
                findings.append(
                    _attested(place, f"contradicted: {outcome.reason}", "remove it, or attest again")
                )
    return tuple(read), findings


def _attested(place: str, message: str, hint: str) -> Finding:
    return Finding(rule=ATTESTED, message=message, hint=hint, path=place, severity=Severity.WARNING)


def _attestation(folder: DescriptorFolder, path: str) -> Attestation | Finding | None:
    try:
        about = attested_descriptor(path)
        is_there = about is not None and about[0] in folder.listing[0]
        own = folder.value(about[0]) if about is not None and is_there else None
        return read_attestation(path, folder.value(path), own)
    except DescriptorError as error:
        return error.finding
