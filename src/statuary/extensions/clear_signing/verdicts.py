"""Results about descriptors as values that a cache can store.

Documents are made only of these, so that they have the same bytes in both cases.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from statuary.base.findings import Finding, Pointer, Severity
from statuary.base.json_values import JsonObject
from statuary.contracts.model.proof import ClaimStatus
from statuary.extensions.clear_signing.descriptors import (
    FOLDER,
    DescribedContract,
    IncludedFile,
    SigningFileKind,
)

if TYPE_CHECKING:
    from statuary.extensions.clear_signing.attestations import Attestation


class DeploymentVerdict(NamedTuple):
    """The result of comparing a descriptor with one contract.

    A descriptor tells wallets how to show the contract's calls.
    """

    deployment: DescribedContract
    is_compared: bool  # whether the site has a verified record of the contract
    fits: ClaimStatus
    status: ClaimStatus
    file: str  # the file below the folder in which the deployment is written, which may be an included one
    pointer: Pointer  # pointer in that file
    findings: tuple[Finding, ...]
    proof: JsonObject  # the proof without attestations and earlier proofs; empty if none is published

    def make_finding(self, rule: str, message: str, hint: str) -> Finding:
        """Report an error about this contract, at its place in the descriptor.

        Args:
            rule: the id of the broken rule.
            message: the description of the error.
            hint: how to correct the error.
        """
        return Finding(
            rule=rule, message=message, hint=hint, path=f"{FOLDER}/{self.file}", pointer=self.pointer
        )


class DescriptorVerdict(NamedTuple):
    """The result of checking a descriptor (ERC-7730), and the check's inputs.

    If the inputs are the same in the next build, the result is reused.
    """

    path: str
    kind: SigningFileKind
    is_valid: bool  # whether the descriptor is readable and breaks no rule by itself
    files: tuple[IncludedFile, ...]
    """The descriptor's own file, followed by the files that it includes; empty if it is invalid."""
    type_hashes: Mapping[str, list[str]]  # type hashes of messages, by primary type; empty for calls
    findings: tuple[Finding, ...]  # about the descriptor itself
    deployments: tuple[DeploymentVerdict, ...]
    inputs: tuple[IncludedFile, ...]  # all files that were read; a missing one has an empty digest
    places: tuple[tuple[str, str], ...]  # contracts whose records were looked for, by chain id and address


class AttestationVerdict(NamedTuple):
    """The result of checking an auditor's attestation: valid or a finding."""

    attestation: "Attestation | None"
    finding: Finding | None


class ExampleBasis(NamedTuple):
    """The inputs of a document with a descriptor's examples.

    If they have not changed, the published document is reused.
    """

    called_contracts: tuple[tuple[str, str], ...]  # address and chain id of each called within a call
    basis: str  # a digest of the descriptor, its tests, and the descriptors of these contracts
    sha256: str  # SHA-256 of the document


class CachedResults(NamedTuple):
    """Results of the last build that are still valid.

    Their inputs have not changed.
    """

    descriptors: Mapping[str, DescriptorVerdict] = MappingProxyType({})
    attestations: Mapping[str, AttestationVerdict] = MappingProxyType({})
    tests: Mapping[str, str] = MappingProxyType({})  # the descriptor that each file of tests names
    examples: Mapping[str, ExampleBasis] = MappingProxyType({})
    """The inputs of each document of examples, by the descriptor's path.

    They are compared when the examples are rendered.
    """


EMPTY_CACHE: Final = CachedResults()
"""The cache of a first build."""


def restore_finding(stored_finding: dict[str, Any]) -> Finding:
    """Convert JSON from the last build's cache back to a finding."""
    severity = Severity(stored_finding["severity"])
    pointer = tuple(stored_finding["pointer"])
    return Finding(**stored_finding | {"severity": severity, "pointer": pointer, "position": None})


def _restore_deployment_verdict(stored_row: list[Any]) -> DeploymentVerdict:
    bound, is_compared, fits, status, file, pointer, findings, proof = stored_row
    chain_id, address, address_text, place = bound
    return DeploymentVerdict(
        DescribedContract(chain_id, address, address_text, tuple(place)),
        is_compared,
        ClaimStatus(fits),
        ClaimStatus(status),
        file,
        tuple(pointer),
        tuple(map(restore_finding, findings)),
        proof,
    )


def restore_descriptor_verdict(stored_row: list[Any]) -> DescriptorVerdict:
    """Convert JSON from the last build's cache to a descriptor's result."""
    path, kind, is_valid, files, type_hashes, findings, deployments, inputs, places = stored_row
    return DescriptorVerdict(
        path,
        SigningFileKind(kind),
        is_valid,
        tuple(IncludedFile(*file) for file in files),
        type_hashes,
        tuple(map(restore_finding, findings)),
        tuple(map(_restore_deployment_verdict, deployments)),
        tuple(IncludedFile(*file) for file in inputs),
        tuple((chain_id, address) for chain_id, address in places),
    )


def restore_attestation_verdict(stored_row: list[Any]) -> AttestationVerdict:
    """Convert JSON from the last build's cache to an attestation's result."""
    from statuary.extensions.clear_signing.attestations import Attestation  # an unchanged build reads none

    attestation, finding = stored_row
    return AttestationVerdict(
        None
        if attestation is None
        else Attestation(*attestation)._replace(status=ClaimStatus(attestation[3])),
        None if finding is None else restore_finding(finding),
    )


def restore_example_basis(stored_row: list[Any]) -> ExampleBasis:
    """Convert JSON from the last build's cache to an example's inputs.

    If these inputs have not changed, the example is not rendered again.
    """
    called_contracts, basis, sha256 = stored_row
    return ExampleBasis(tuple((address, chain_id) for address, chain_id in called_contracts), basis, sha256)
