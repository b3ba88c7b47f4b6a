"""Read and write evidence about a contract: `anchor.json` and `compilation.json`.

The first has Merkle proofs of the chain, the second the result of an earlier recompilation.
"""

from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Annotated

import orjson
from pydantic import AfterValidator, Field

from statuary.base.findings import Finding
from statuary.base.limits import LARGEST_BLOCK, LARGEST_SOURCE_FILE
from statuary.base.primitives import InvalidValueError, is_hex_digits
from statuary.contracts.chain.anchor import (
    CREATION_CODE,
    Anchor,
    AnchoredBlock,
    DeploymentEvidence,
    merkle_proofs_as_json,
)
from statuary.contracts.model.proof import CompilationEvidence
from statuary.contracts.sources.contract_source import ContractSource, evidence_folder
from statuary.source.load_model import load_model
from statuary.source.source_files import SourceFile
from statuary.source.source_model import HexText, SourceModel, Text, WholeNumber, convert_model

COMPILATION_FILE = "compilation.json"
SHA256_DIGITS = 64


def _validate_digest(text: str) -> str:
    if len(text) != SHA256_DIGITS or not is_hex_digits(text):
        raise InvalidValueError(
            f"{text!r} is not a SHA-256 digest of 64 hex digits", "run `statuary contract compile` again"
        )
    return text


Digest = Annotated[Text, AfterValidator(_validate_digest)]


class CompilationSource(SourceModel):
    """The content of `compilation.json`."""

    record: Digest
    compiler_version: Text
    compiler_sha256: Digest
    input_sha256: Digest
    output_sha256: Digest
    statuary: Text
    members: tuple[Text, ...]


def compilation_file_path(source: ContractSource) -> str:
    """Return the path of a contract's `compilation.json` in the content.

    The file stores the result of compiling the contract's sources earlier.
    """
    return f"{evidence_folder(source)}/{COMPILATION_FILE}"


def read_compilation_evidence(
    root: Path, source: ContractSource, findings: list[Finding]
) -> CompilationEvidence | None:
    """Read the stored result of an earlier compilation of a contract.

    Args:
        root: the content folder.
        source: the contract in the content folder.
        findings: receives the errors in `compilation.json`.

    Returns:
        The result, or None if there is no `compilation.json`, or it has errors.
    """
    path = compilation_file_path(source)
    if not (root / path).is_file():
        return None
    model = load_model(SourceFile(root, path), CompilationSource, LARGEST_SOURCE_FILE, findings)
    return None if model is None else convert_model(CompilationEvidence, model)


def encode_compilation_evidence(evidence: CompilationEvidence) -> bytes:
    """Encode the result of a compilation as the JSON file `compilation.json`."""
    return orjson.dumps(evidence._asdict(), option=orjson.OPT_INDENT_2) + b"\n"


def hash_compilation_evidence(evidence: CompilationEvidence) -> str:
    """Return the SHA-256 of a `compilation.json`, as hex.

    site.yaml lists it under `contracts.compilations` to trust the file.
    """
    return sha256(encode_compilation_evidence(evidence)).hexdigest()


ANCHOR_FILE = "anchor.json"

Hash = Annotated[HexText, Field(min_length=66, max_length=66)]
Node = Annotated[
    Text, Field(pattern=rf"^0x[0-9a-f]*({CREATION_CODE.replace('{', '[{]').replace('}', '[}]')}[0-9a-f]*)?$")
]
HexNodes = tuple[HexText, ...]


class AnchoredBlockSource(SourceModel):
    """A block that contains what the Merkle proofs show."""

    number: Annotated[WholeNumber, Field(ge=0, lt=LARGEST_BLOCK)]
    """The block's number."""
    hash: Hash
    """The hash of the block, which is the Keccak-256 of its header. Compare it with a node that you trust."""
    header: HexText
    """The block's header in RLP."""
    agreed: tuple[Text, ...] = ()
    """The hosts of the nodes that returned this hash for this block number."""


class DeploymentEvidenceSource(SourceModel):
    """The transaction that created the contract, and its receipt."""

    block: AnchoredBlockSource
    """The block of the transaction."""
    transaction: tuple[Node, ...]
    """The Merkle proof that the block contains the signed transaction: its nodes, from the transactions root
    on. In place of `{creationBytecode}`, insert the hex digits of `creationBytecode.onchainBytecode` from the
    contract's record."""
    receipt: HexNodes
    """The Merkle proof that the block contains the receipt of the transaction: its nodes, from the receipts
    root on."""

    def to_evidence(self) -> DeploymentEvidence:
        """Convert the parsed member `deployment` of `anchor.json` to evidence.

        It has the Merkle proofs of the transaction that created the contract.
        """
        return convert_model(DeploymentEvidence, self, block=convert_model(AnchoredBlock, self.block))


class AnchorSource(SourceModel):
    """The chain's own Merkle proofs of one contract, as `statuary contract anchor` writes them."""

    record: Digest
    """The SHA-256 of the contract's published record. If the record changes, these proofs are no longer
    valid."""
    block: AnchoredBlockSource | None = None
    """The block whose state contains the account and its storage."""
    account: HexNodes = ()
    """The Merkle proof that the block's state contains the account (EIP-1186): its nodes, from the state root
    on."""
    storage: Annotated[dict[Text, HexNodes], Field(default={})]
    """The Merkle proof of each storage slot, by slot: its nodes, from the account's storage root on. A proxy
    stores the address of its implementation in such a slot."""
    deployment: DeploymentEvidenceSource | None = None
    """The transaction that created the contract, and its receipt."""
    missing: Annotated[dict[Text, Text], Field(default={})]
    """The reason why a claim about the contract (`onChain` or `deployed`) has no evidence, by claim."""

    def to_anchor(self) -> Anchor:
        """Convert the parsed `anchor.json` to the proofs that checks verify.

        An anchor is a chain's Merkle proofs about one contract.
        """
        block = None if self.block is None else convert_model(AnchoredBlock, self.block)
        deployment = None if self.deployment is None else self.deployment.to_evidence()
        return convert_model(Anchor, self, block=block, deployment=deployment)


def anchor_file_path(source: ContractSource) -> str:
    """Return the path of a contract's `anchor.json` in the content.

    The file stores Merkle proofs that the contract is on the chain.
    """
    return str(PurePosixPath(evidence_folder(source)) / ANCHOR_FILE)


def read_anchor(root: Path, source: ContractSource, findings: list[Finding]) -> Anchor | None:
    """Read the Merkle proofs of a contract from its `anchor.json`.

    Args:
        root: the content folder.
        source: the contract in the content folder.
        findings: receives the errors in the file.

    Returns:
        The proofs, or None if there is no `anchor.json`, or it has errors.
    """
    path = anchor_file_path(source)
    if not (root / path).is_file():
        return None
    model = load_model(SourceFile(root, path), AnchorSource, LARGEST_SOURCE_FILE, findings)
    return None if model is None else model.to_anchor()


def encode_anchor(anchor: Anchor) -> bytes:
    """Encode a contract's Merkle proofs as the JSON file `anchor.json`."""
    return orjson.dumps(merkle_proofs_as_json(anchor), option=orjson.OPT_INDENT_2) + b"\n"
