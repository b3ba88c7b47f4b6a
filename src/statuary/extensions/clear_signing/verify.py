"""What is wrong with descriptors, each looked at alone, and with each of their deployments."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final, NamedTuple

from statuary.base.budget import attempt, spend
from statuary.base.findings import Finding, has_errors
from statuary.base.primitives import keccak256
from statuary.contracts.model.proof import ClaimStatus, PinnedBy
from statuary.extensions.clear_signing.descriptors import (
    FOLDER,
    BoundContract,
    Descriptor,
    DescriptorError,
    DescriptorFolder,
    deployments_of,
)
from statuary.extensions.clear_signing.limits import STEPS_OF_A_FORMAT
from statuary.extensions.clear_signing.records import NO_CODE, DeployedCode, SiteRecords
from statuary.extensions.clear_signing.rules import (
    DEPLOYMENT_RULES,
    DESCRIPTOR_RULES,
    Binding,
    Reading,
    findings_of,
)
from statuary.extensions.clear_signing.undisplayed import hidden

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


def judged_descriptors(
    folder: DescriptorFolder, records: SiteRecords, paths: Iterable[str]
) -> tuple[JudgedDescriptor, ...]:
    """Judge descriptors, each alone, against the records of a site; records are read in two passes at most."""
    read = [_read(folder, path) for path in paths]
    places = {
        (deployment.chain_id, deployment.address)
        for item in read
        if item.reading is not None
        for deployment in deployments_of(item.reading.descriptor)
    }
    records.read(places)
    return tuple(_bound(item, records) for item in read)


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


def type_hashes(descriptor: Descriptor) -> dict[str, list[str]]:
    """Return the type hashes of a descriptor's messages, by their primary type."""
    hashes: dict[str, list[str]] = {}
    for key in descriptor.formats:
        primary = key.partition("(")[0]
        if primary and "(" in key:
            hashes.setdefault(primary, []).append("0x" + keccak256(key.encode()).hex())
    return hashes
