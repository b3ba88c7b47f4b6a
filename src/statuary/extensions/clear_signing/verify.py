"""Verify single descriptors and their deployments."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Final, NamedTuple

from statuary.base.budget import consume_steps, run_guarded
from statuary.base.findings import Finding, has_errors
from statuary.base.primitives import keccak256
from statuary.contracts.model.proof import ClaimStatus, PinnedBy
from statuary.extensions.clear_signing.descriptors import (
    FOLDER,
    DescribedContract,
    Descriptor,
    DescriptorError,
    DescriptorFolder,
    described_contracts,
)
from statuary.extensions.clear_signing.limits import STEPS_OF_A_FORMAT
from statuary.extensions.clear_signing.records import NO_CODE, DeployedCode, SiteRecords
from statuary.extensions.clear_signing.rules import (
    DEPLOYMENT_RULES,
    DESCRIPTOR_RULES,
    DeployedDescriptor,
    ParsedDescriptor,
    violation_findings,
)
from statuary.extensions.clear_signing.undisplayed import undisplayed_paths

CHECKING: Final = "checking the descriptor"

ABI_STATUS: Final[Mapping[PinnedBy, ClaimStatus]] = {
    PinnedBy.CHAIN: ClaimStatus.VERIFIED,
    PinnedBy.HASH: ClaimStatus.VERIFIED,
    PinnedBy.COMPILED: ClaimStatus.VERIFIED,
    PinnedBy.STATED: ClaimStatus.STATED,
    PinnedBy.CONSISTENT: ClaimStatus.NOT_SHOWN,
    PinnedBy.CLAIMED: ClaimStatus.NOT_SHOWN,
}


@dataclass(frozen=True)
class DeploymentCheck:
    """The check of a descriptor against one contract that it describes.

    A descriptor tells wallets how to show the contract's calls.
    """

    parsed: ParsedDescriptor
    deployment: DescribedContract
    code: DeployedCode | None  # None if the site has no verified record
    reason: str = ""  # why there is no verified record
    findings: tuple[Finding, ...] = ()  # those of the contract; the descriptor's are in `CheckedDescriptor`

    @property
    def deployed_descriptor(self) -> DeployedDescriptor | None:
        """The descriptor with the verified code of the contract.

        None if there is no verified code.
        """
        return None if self.code is None else DeployedDescriptor(self.parsed, self.deployment, self.code)

    @cached_property
    def fits(self) -> ClaimStatus:
        """Whether the descriptor agrees with the contract's verified code.

        `VERIFIED` if no error was found and the contract that runs each function is known.
        """
        if has_errors(self.findings):
            return ClaimStatus.CONTRADICTED
        binding = self.deployed_descriptor
        if binding is None or any(owner.unknown for owner in binding.owners_by_format.values()):
            return ClaimStatus.NOT_SHOWN
        return ClaimStatus.VERIFIED

    @cached_property
    def abi(self) -> ClaimStatus:
        """The strength of the evidence for the ABI (interface) of the contract.

        For a proxy, this is the weakest result among the proxy and its implementations.
        """
        return (
            ClaimStatus.NOT_SHOWN
            if self.code is None
            else _weakest_status([ABI_STATUS[code.abi_pinned_by] for code in self.code.all_codes])
        )

    @cached_property
    def on_chain(self) -> ClaimStatus:
        """Whether evidence shows that the verified code is on the chain.

        For a proxy, this is the weakest result among the proxy and its implementations.
        """
        return (
            ClaimStatus.NOT_SHOWN
            if self.code is None
            else _weakest_status([code.on_chain for code in self.code.all_codes])
        )

    @property
    def status(self) -> ClaimStatus:
        """The overall result: the weakest of `fits`, `abi` and `on_chain`.

        It is contradicted if evidence contradicts the record of the contract or of an implementation.
        """
        codes = () if self.code is None else self.code.all_codes
        if any(code.verdict is ClaimStatus.CONTRADICTED for code in codes):
            return ClaimStatus.CONTRADICTED
        return _weakest_status([self.fits, self.abi, self.on_chain])


_ORDER: Final = (ClaimStatus.CONTRADICTED, ClaimStatus.NOT_SHOWN, ClaimStatus.STATED, ClaimStatus.VERIFIED)


def _weakest_status(statuses: list[ClaimStatus]) -> ClaimStatus:
    return min(statuses, key=_ORDER.index)


class CheckedDescriptor(NamedTuple):
    """The check of a descriptor against every contract that it describes.

    `parsed` is None if the descriptor cannot be read, breaks a rule, or describes too many contracts.
    """

    path: str
    parsed: ParsedDescriptor | None
    findings: tuple[Finding, ...]  # about the descriptor itself
    deployments: tuple[DeploymentCheck, ...] = ()


def check_descriptors(
    folder: DescriptorFolder, records: SiteRecords, paths: Iterable[str]
) -> tuple[CheckedDescriptor, ...]:
    """Check descriptors against the site's verified contracts.

    Descriptors (ERC-7730) tell wallets how to show calls. Records are read at most twice: those of the contracts, then those
    of their implementations.

    Args:
        records: the verified contracts of the site.
        paths: the paths of the descriptors in the folder.
    """
    parsed_descriptors: list[CheckedDescriptor] = []
    for path in paths:
        outcome = run_guarded(partial(_check_descriptor, folder, path), f"{FOLDER}/{path}", CHECKING)
        if isinstance(outcome, Finding):
            outcome = CheckedDescriptor(path, None, (outcome,))
        parsed_descriptors.append(outcome)
    places = {
        (deployment.chain_id, deployment.address)
        for item in parsed_descriptors
        if item.parsed is not None
        for deployment in described_contracts(item.parsed.descriptor)
    }
    records.read_contracts(places)
    return tuple(_compare_with_deployments(item, records) for item in parsed_descriptors)


def _check_descriptor(folder: DescriptorFolder, path: str) -> CheckedDescriptor:
    try:
        descriptor = folder.read_descriptor(path)
    except DescriptorError as error:
        return CheckedDescriptor(path, None, (error.finding,))
    reading = ParsedDescriptor(descriptor)
    findings = list[Finding]()
    for rule in DESCRIPTOR_RULES:
        findings += violation_findings(descriptor, rule, rule(reading))
        if findings and has_errors(findings) and rule is DESCRIPTOR_RULES[0]:
            break  # the other rules rely on the schema
    else:
        for key in reading.types_by_format:
            undisplayed_paths(reading, key)  # computed here, where the work is bounded
    return CheckedDescriptor(path, None if has_errors(findings) else reading, tuple(findings))


def _compare_with_deployments(
    checked_descriptor: CheckedDescriptor, records: SiteRecords
) -> CheckedDescriptor:
    # The descriptor is excluded if it has too many pairs of formats and contracts.
    if checked_descriptor.parsed is None:
        return checked_descriptor
    outcome = run_guarded(
        partial(_check_all_deployments, checked_descriptor.parsed, records),
        f"{FOLDER}/{checked_descriptor.path}",
        CHECKING,
    )
    if isinstance(outcome, Finding):
        return checked_descriptor._replace(parsed=None, findings=(*checked_descriptor.findings, outcome))
    return checked_descriptor._replace(deployments=outcome)


def _check_all_deployments(parsed: ParsedDescriptor, records: SiteRecords) -> tuple[DeploymentCheck, ...]:
    lines = sum(map(len, parsed.undisplayed.values()))
    checks = []
    for deployment in described_contracts(parsed.descriptor):
        consume_steps(STEPS_OF_A_FORMAT * len(parsed.parsed_keys) + lines)
        checks.append(_check_deployment(parsed, deployment, records))
    return tuple(checks)


def _check_deployment(
    parsed: ParsedDescriptor, deployment: DescribedContract, records: SiteRecords
) -> DeploymentCheck:
    code = records.code_at((deployment.chain_id, deployment.address))
    if isinstance(code, str):
        # The site has no verified code of this contract. So apply only the first rule, which does not need
        # the code.
        rule = DEPLOYMENT_RULES[0]
        broken_rules = rule(DeployedDescriptor(parsed, deployment, NO_CODE))
        findings = tuple(violation_findings(parsed.descriptor, rule, broken_rules))
        return DeploymentCheck(parsed, deployment, None, f"the contract {code}", findings)
    deployed = DeployedDescriptor(parsed, deployment, code)

    def apply_rules() -> list[Finding]:
        checks = [(rule, rule(deployed)) for rule in DEPLOYMENT_RULES]
        return [
            found for rule, broken in checks for found in violation_findings(parsed.descriptor, rule, broken)
        ]

    outcome = run_guarded(apply_rules, f"{FOLDER}/{parsed.descriptor.path}", CHECKING)
    findings = (outcome,) if isinstance(outcome, Finding) else tuple(outcome)
    return DeploymentCheck(parsed, deployment, code, findings=findings)


def type_hashes(descriptor: Descriptor) -> dict[str, list[str]]:
    """Return the EIP-712 type hash of each message type in a descriptor.

    Returns:
        The hashes as 0x hex, by the name of the message's type.
    """
    hashes: dict[str, list[str]] = {}
    for key in descriptor.formats:
        primary = key.partition("(")[0]
        if primary and "(" in key:
            hashes.setdefault(primary, []).append("0x" + keccak256(key.encode()).hex())
    return hashes
