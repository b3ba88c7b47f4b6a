"""One verified contract of a site; its record is read on first access."""

import json
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from hashlib import sha256
from typing import Any

from typing_extensions import override

from statuary.domain.contracts.proof import Claim
from statuary.domain.json_values import Json
from statuary.domain.primitives import Address, ChainId, parse_instant
from statuary.snapshots.errors import DamagedSnapshotError
from statuary.snapshots.verify_anchors import verify_anchor


class Contract:
    """A verified contract, with Sourcify's member names.

    Attributes:
        chain_id: as decimal text.
        address: checksummed.
    """

    def __init__(
        self, chain_id: ChainId, address: Address, read: Callable[[], bytes], read_proof: Callable[[], bytes]
    ) -> None:
        self.chain_id = chain_id
        self.address = address
        self._read = read
        self._read_proof = read_proof

    @override
    def __repr__(self) -> str:
        return f"<Contract {self.chain_id}/{self.address}>"

    @cached_property
    def body(self) -> bytes:
        """The record as it is published: compact JSON, every byte."""
        return self._read()

    @cached_property
    def record(self) -> dict[str, Any]:
        """The whole record as Python values, members in published order."""
        value: dict[str, Any] = json.loads(self.body)
        return value

    @cached_property
    def proof(self) -> dict[str, Any]:
        """The published proof: the site's statement about the record's claims."""
        value: dict[str, Any] = json.loads(self._read_proof())
        return value

    @property
    def on_chain(self) -> Claim:
        """Whether the chain's own proofs show the code at the address, verified again here, and in which block.

        Raises:
            DamagedSnapshotError: if the published proof claims more than they show.
        """
        return self._chain_claims[0]

    @property
    def deployed(self) -> Claim:
        """Whether the chain's own proofs show the deployment; needs the extra `chain`.

        Raises:
            DamagedSnapshotError: if the published proof claims more than they show.
            MissingExtraError: if the extra is not installed.
        """
        return self._chain_claims[1]

    @cached_property
    def _chain_claims(self) -> tuple[Claim, ...]:
        claims, findings = verify_anchor(self.proof, self.record, sha256(self.body).hexdigest())
        if findings:
            raise DamagedSnapshotError(f"{self.chain_id}/{self.address}: {findings[0].message}")
        return claims

    @property
    def match(self) -> str | None:
        """`exact_match`, `match`, or None: the better of both sides."""
        return self._text("match")

    @property
    def creation_match(self) -> str | None:
        """How the creation bytecode matches."""
        return self._text("creationMatch")

    @property
    def runtime_match(self) -> str | None:
        """How the runtime bytecode matches."""
        return self._text("runtimeMatch")

    @property
    def verified_at(self) -> datetime:
        """When it was verified, an aware time."""
        return parse_instant(self.record["verifiedAt"])

    @property
    def abi(self) -> list[dict[str, Json]] | None:
        """The ABI; None if the compiler gave none."""
        abi: list[dict[str, Json]] | None = self.record.get("abi")
        return abi

    @property
    def sources(self) -> dict[str, str]:
        """The texts of the sources, by path."""
        return {path: source["content"] for path, source in (self.record.get("sources") or {}).items()}

    @property
    def metadata(self) -> dict[str, Json] | None:
        """The compiler's metadata; None if it gave none."""
        metadata: dict[str, Json] | None = self.record.get("metadata")
        return metadata

    @property
    def name(self) -> str | None:
        """The contract's name in its source."""
        return self._of_compilation("name")

    @property
    def fully_qualified_name(self) -> str | None:
        """Path of the source and name, as in `contracts/Bridge.sol:Bridge`."""
        return self._of_compilation("fullyQualifiedName")

    @property
    def language(self) -> str | None:
        """Solidity, Vyper or Yul."""
        return self._of_compilation("language")

    @property
    def compiler_version(self) -> str | None:
        """The compiler's full version."""
        return self._of_compilation("compilerVersion")

    def _text(self, member: str) -> str | None:
        value: str | None = self.record.get(member)
        return value

    def _of_compilation(self, member: str) -> str | None:
        value: str | None = (self.record.get("compilation") or {}).get(member)
        return value
