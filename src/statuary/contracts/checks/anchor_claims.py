"""Claims D and E, proved by the chain under a block hash.

No header names its chain: the claims are verified here where a checkpoint of the site names the block, and
stated by the anchor's file elsewhere. A whole proof of other code, or of another word in a proxy's slot,
under a block that is newer than the record, contradicts it; a proof that does not hold shows nothing.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from types import MappingProxyType, ModuleType
from typing import Final, NamedTuple

from typing_extensions import override

from statuary.base.json_values import Json, as_list, as_object, as_text
from statuary.base.limits import LARGEST_BLOCK
from statuary.base.optional import RECOVERING_SENDERS, MissingExtraError, import_optional
from statuary.base.primitives import (
    Address,
    InvalidValueError,
    checksum_address,
    format_utc,
    keccak256,
    parse_instant,
)
from statuary.base.reasons import EvidenceError, Reason, make_reason
from statuary.contracts.chain.anchor import (
    NO_CHECKPOINTS,
    NO_CODE,
    Account,
    Anchor,
    AnchoredBlock,
    Checkpoints,
    DeploymentEvidence,
    decode_block_header,
    is_checkpoint,
    verify_account,
    verify_storage_word,
    verify_transaction,
)
from statuary.contracts.chain.transaction import (
    BlockHeader,
    RecoverableSignature,
    SignedTransaction,
    address_from_public_key,
    compute_create2_address,
    compute_create_address,
    find_creation_nonce,
)
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.model.proof import (
    ANCHOR_ALONE,
    CHECKPOINT,
    NO_EVIDENCE,
    Claim,
    ClaimName,
    ClaimStatus,
    EvidenceValue,
    PinnedBy,
)
from statuary.contracts.model.proxy_detection import BEACON_SLOT, EIP_1167, find_proxy_evidence, proxy_slots


class AnchoredProxy(NamedTuple):
    """The result of comparing a contract's recorded proxy with the chain."""

    is_shown: bool  # whether the proofs confirm all of `proxyResolution`; a value in a storage slot does not
    evidence: Mapping[str, EvidenceValue] = NO_EVIDENCE  # the storage slot, and the address in it
    is_other: bool = False  # whether a slot of the record's type of proxy contains another address


_CALLS_OTHER_CODE: Final = (0xF4, 0xF2)  # DELEGATECALL, CALLCODE


def compare_proxy_with_chain(record: RecordView, account: Account, anchor: Anchor) -> AnchoredProxy:
    """Compare the proxy in a record with Merkle proofs from its chain.

    The proofs settle two cases: a minimal clone (EIP-1167) contains the address of its implementation, and code without
    DELEGATECALL is not a proxy. Any other contract may look like a proxy without being one. It is only checked whether a
    storage slot in which proxies keep their implementation contradicts the record.

    Args:
        record: the record, whose `proxyResolution` is compared.
        account: the proven account of the contract.
        anchor: the Merkle proofs.

    Returns:
        Whether the proofs confirm or contradict the record, with the evidence, such as a storage slot.

    Raises:
        EvidenceError: if the proof of a storage slot is invalid.
    """
    resolution = as_object(record.value.get("proxyResolution"))
    code = record.runtime.onchain_code or b""
    if clone := EIP_1167.fullmatch(code):
        clone_of = checksum_address(f"0x{clone[1].hex()}")
        return AnchoredProxy(
            _recorded_implementations(resolution) == [clone_of], {"implementation": clone_of}
        )
    if not any(opcode in code for opcode in _CALLS_OTHER_CODE):
        return AnchoredProxy(resolution.get("isProxy") is False)
    words = _read_proxy_slots(record, code, account, anchor)
    evidence = next((_slot_evidence(slot, word) for slot, word in words.items() if word), NO_EVIDENCE)
    return AnchoredProxy(
        is_shown=False, evidence=evidence, is_other=_contradicts_implementation(words, record)
    )


def _read_proxy_slots(record: RecordView, code: bytes, account: Account, anchor: Anchor) -> Mapping[str, int]:
    # Return nothing if one of the slots has no proof.
    slots = [
        slot for kind in find_proxy_evidence(code).candidates for slot in proxy_slots(kind, record.address)
    ]
    if not set(slots) <= anchor.storage.keys():
        return {}
    return {slot: verify_storage_word(account, slot, anchor.storage[slot]) for slot in slots}


def _contradicts_implementation(slot_words: Mapping[str, int], record: RecordView) -> bool:
    # A record that says "not a proxy" is contradicted if a slot has a value and the code has the patterns
    # of a proxy. Another record is contradicted if no slot contains the implementation that it names.
    resolution = as_object(record.value.get("proxyResolution"))
    if not slot_words or slot_words.get(_BEACON):
        return False
    if resolution.get("isProxy") is False:
        code = record.creation.onchain_code or record.runtime.onchain_code or b""
        return any(slot_words.values()) and bool(find_proxy_evidence(code).candidates)
    slots = proxy_slots(as_text(resolution.get("proxyType")), record.address)
    in_slots = [[_address_from_word(slot_words[slot])] for slot in slots if slot in slot_words]
    named_addresses = _recorded_implementations(resolution)
    return bool(in_slots) and named_addresses not in ([], *in_slots)


def _recorded_implementations(proxy_resolution: Mapping[str, Json]) -> list[Json]:
    return [as_object(item).get("address") for item in as_list(proxy_resolution.get("implementations"))]


_BEACON: Final = f"0x{BEACON_SLOT}"


def _address_from_word(storage_word: int) -> Address:
    return checksum_address(f"0x{storage_word % (1 << 160):040x}")


def _slot_evidence(slot: str, storage_word: int) -> Mapping[str, EvidenceValue]:
    if slot == _BEACON:
        # In a proxy with a beacon (EIP-1967), this slot holds the address of the beacon contract. Only the
        # beacon's code can tell the address of the implementation.
        return {"beaconSlot": slot, "beacon": _address_from_word(storage_word)}
    return {"implementationSlot": slot, "implementation": _address_from_word(storage_word)}


PURPOSE = "recovering the sender of a transaction"


def require_signature_library() -> None:
    """Check early that the library for transaction signatures is installed.

    It recovers the sender of a transaction.

    Raises:
        MissingExtraError: if the extra that contains the library is not installed.
    """
    _import_signature_library()


def _import_signature_library() -> ModuleType:
    return import_optional(*RECOVERING_SENDERS, extra="chain", purpose=PURPOSE)


def recover_sender(signature: RecoverableSignature) -> Address:
    """Return the address that signed a transaction.

    Raises:
        EvidenceError: if no key can have made the signature.
        MissingExtraError: if the extra that contains the library is not installed.
    """
    library = _import_signature_library()
    try:
        if library.__name__ == "coincurve":
            key = library.PublicKey.from_signature_and_message(
                signature.compact, signature.digest, hasher=None
            )
            return address_from_public_key(key.format(compressed=False)[1:])
        signed = library.keys.Signature(signature_bytes=signature.compact)
        return address_from_public_key(signed.recover_public_key_from_msg_hash(signature.digest).to_bytes())
    except Exception as error:  # the libraries have no common class of errors
        raise EvidenceError("no_key") from error


MAX_CREATOR_NONCE: Final = 500
"""The nonces of a factory that are tried for the address of what it created."""

MAX_SALT_WORDS: Final = 16
"""The words of a call that are tried as the salt of CREATE2."""


class AnchorClaims(NamedTuple):
    """The claims about a contract's on-chain code and deployment.

    Merkle proofs from the chain decide them.
    """

    claims: tuple[Claim, Claim]  # D and E
    pinned: Mapping[str, PinnedBy] = MappingProxyType({})  # how strongly members of the record are proven
    problems: tuple[tuple[Reason, str], ...] = ()
    """The reasons why Merkle proofs do not prove a claim, each with what to do about it."""


class _Outcome(NamedTuple):
    block: AnchoredBlock
    time: int  # the block's timestamp, in seconds since 1970
    evidence: Mapping[str, EvidenceValue]
    pinned: tuple[str, ...] = ()
    reason: Reason | None = None
    is_contradicted: bool = False


def decide_chain_claims(
    record: RecordView, anchor: Anchor | None, record_digest: str, checkpoints: Checkpoints = NO_CHECKPOINTS
) -> AnchorClaims:
    """Decide what Merkle proofs from the chain show about a contract.

    They can show that the code in its record is at the address, and how it was deployed.

    Args:
        record: the record to compare with the proofs.
        anchor: the Merkle proofs; None if there are none.
        record_digest: the SHA-256 of the record as canonical JSON. Proofs made for another version of the
            record do not count.
        checkpoints: the blocks of the chain that site.yaml lists as trusted.
    """
    if anchor is None:
        return _unproven_claims(
            make_reason("no_account_proof"),
            _Deployed(record, None).missing_evidence_reason() or make_reason("no_signed_transaction"),
        )
    verifier = _Verifier(record_digest, checkpoints)
    if anchor.record != record_digest:
        verifier.problems.append((make_reason("other_anchor"), ""))
    claims = verifier.decide_claim(_OnChain(record, anchor)), verifier.decide_claim(_Deployed(record, anchor))
    return AnchorClaims(claims, verifier.pinned, tuple(verifier.problems))


@lru_cache(maxsize=64)
def _unproven_claims(on_chain_reason: Reason, deployed_reason: Reason) -> AnchorClaims:
    return AnchorClaims(
        (
            Claim(ClaimName.ON_CHAIN, ClaimStatus.NOT_SHOWN, on_chain_reason),
            Claim(ClaimName.DEPLOYED, ClaimStatus.NOT_SHOWN, deployed_reason),
        )
    )


class _ChainClaim:
    """A claim that Merkle proofs from the chain decide."""

    name: ClaimName  # the claim

    def __init__(self, record: RecordView, anchor: Anchor | None) -> None:
        self.record = record
        self.anchor = anchor

    def missing_evidence_reason(self) -> Reason | None:
        """Return the reason why evidence for the claim is missing, if any."""
        raise NotImplementedError

    def reason_in_anchor_file(self) -> Reason | None:
        """Return the reason that the anchor file gives for missing evidence."""
        words = "" if self.anchor is None else self.anchor.missing.get(self.name, "")
        return make_reason("stated", reason=words) if words else None

    def success_reason(self, proven_block: AnchoredBlock, *, is_vouched_for: bool) -> Reason:
        """Return the reason to publish if the claim is proven, with the block.

        Args:
            proven_block: the block whose Merkle proofs prove the claim.
            is_vouched_for: whether site.yaml lists the block as trusted.
        """
        raise NotImplementedError

    def verify(self) -> _Outcome:
        """Verify the evidence for the claim.

        Raises:
            EvidenceError: if the evidence does not prove the claim.
            MissingExtraError: if a library for the verification is not installed.
        """
        raise NotImplementedError


class _Verifier:
    def __init__(self, record_digest: str, checkpoints: Checkpoints) -> None:
        self.digest = record_digest
        self.checkpoints = checkpoints
        self.pinned: dict[str, PinnedBy] = {}
        self.problems: list[tuple[Reason, str]] = []

    def decide_claim(self, claim: _ChainClaim) -> Claim:
        """Verify the evidence for a claim about the chain.

        Returns:
            The claim; if it is not proven, with the reason.
        """
        reason = claim.missing_evidence_reason()
        if reason is None and claim.anchor is not None and claim.anchor.record != self.digest:
            reason = make_reason("other_anchor")
        if reason is not None:
            return Claim(claim.name, ClaimStatus.NOT_SHOWN, reason)
        try:
            return self._verify_claim(claim)
        except (EvidenceError, MissingExtraError) as error:
            reason = error.reason if isinstance(error, EvidenceError) else make_reason("missing_extra")
            self.problems.append((reason, error.hint))
            return Claim(claim.name, ClaimStatus.NOT_SHOWN, reason)

    def _verify_claim(self, claim: _ChainClaim) -> Claim:
        outcome = claim.verify()
        evidence, block = self._evidence_with_block(outcome), outcome.block
        is_vouched_for = evidence["vouchedBy"] == CHECKPOINT
        if outcome.is_contradicted and outcome.reason is not None:
            return Claim(claim.name, ClaimStatus.CONTRADICTED, outcome.reason, evidence)
        self.pinned |= dict.fromkeys(outcome.pinned, PinnedBy.CHAIN if is_vouched_for else PinnedBy.STATED)
        if outcome.reason is not None:
            return Claim(claim.name, ClaimStatus.NOT_SHOWN, outcome.reason, evidence)
        status = ClaimStatus.VERIFIED if is_vouched_for else ClaimStatus.STATED
        return Claim(claim.name, status, claim.success_reason(block, is_vouched_for=is_vouched_for), evidence)

    def _evidence_with_block(self, outcome: _Outcome) -> dict[str, EvidenceValue]:
        # Raise an error if a checkpoint has this number and another hash, or if a number is too large for Ethereum.
        block = outcome.block
        evidence: dict[str, EvidenceValue] = {
            "blockNumber": block.number,
            "blockHash": block.hash,
            "blockTime": outcome.time,
            "vouchedBy": CHECKPOINT if is_checkpoint(block, self.checkpoints) else ANCHOR_ALONE,
            **({"agreed": ", ".join(block.agreed)} if block.agreed else {}),
            **outcome.evidence,
        }
        for name, value in evidence.items():
            if isinstance(value, int) and value >= LARGEST_BLOCK:
                raise EvidenceError("number_too_large", member=name)
        try:
            return evidence | {"blockTime": format_utc(datetime.fromtimestamp(outcome.time, UTC))}
        except (ValueError, OverflowError):
            raise EvidenceError("number_too_large", member="blockTime") from None


class _OnChain(_ChainClaim):
    """Claim D: the code at the address, and a proxy's implementation."""

    name = ClaimName.ON_CHAIN

    @override
    def missing_evidence_reason(self) -> Reason | None:
        if self.anchor is None or self.anchor.block is None:
            return self.reason_in_anchor_file() or make_reason("no_account_proof")
        return None if self.record.runtime.onchain_code else make_reason("no_onchain_code")

    @override
    def success_reason(self, proven_block: AnchoredBlock, *, is_vouched_for: bool) -> Reason:
        return make_reason(
            "account_proof" if is_vouched_for else "account_proof_stated", block=proven_block.number
        )

    @override
    def verify(self) -> _Outcome:
        if self.anchor is None or self.anchor.block is None:
            raise EvidenceError("no_account_proof")
        block = self.anchor.block
        header = decode_block_header(block)
        account = verify_account(header, self.record.address, self.anchor.account)
        its = f"0x{account.code_hash.hex()}"
        ours = f"0x{keccak256(self.record.runtime.onchain_code or b'').hex()}"
        outcome = _Outcome(block, header.timestamp, {"codeHash": its})
        if its != ours:
            if not self._is_newer_than_deployment(header):
                raise EvidenceError("older_block", block=block.number)
            if account.code_hash == NO_CODE:
                reason = make_reason("no_code_since", block=block.number)
            else:
                reason = make_reason("other_code_since", block=block.number, code=its, record=ours)
            return outcome._replace(reason=reason, is_contradicted=True)
        proxy = compare_proxy_with_chain(self.record, account, self.anchor)
        outcome = outcome._replace(evidence={**outcome.evidence, **proxy.evidence})
        if proxy.is_other and self._is_later_than_verification(header):
            word = str(proxy.evidence.get("implementation", "0x"))
            reason = make_reason("other_implementation_since", block=block.number, address=word)
            return outcome._replace(reason=reason, is_contradicted=True)
        if proxy.is_shown:
            return outcome._replace(pinned=("runtimeBytecode.onchainBytecode", "proxyResolution"))
        return outcome._replace(pinned=("runtimeBytecode.onchainBytecode",))

    def _is_newer_than_deployment(self, header: BlockHeader) -> bool:
        deployed = as_text(as_object(self.record.value.get("deployment")).get("blockNumber"))
        if deployed == "-1" or (deployed.isascii() and deployed.isdigit() and len(deployed) < 20):
            return header.number >= int(deployed)
        return self._is_later_than_verification(header)

    def _is_later_than_verification(self, header: BlockHeader) -> bool:
        try:
            verified = parse_instant(as_text(self.record.value.get("verifiedAt")))
        except InvalidValueError:
            return True
        return header.timestamp >= verified.timestamp()


class _Deployed(_ChainClaim):
    """Claim E: transaction, block, index and deployer are those of the deployment."""

    name = ClaimName.DEPLOYED

    def __init__(self, record: RecordView, anchor: Anchor | None) -> None:
        super().__init__(record, anchor)
        self.deployment: Mapping[str, Json] = as_object(record.value.get("deployment"))

    @override
    def missing_evidence_reason(self) -> Reason | None:
        if self.deployment.get("transactionHash") is None:
            return make_reason("no_transaction")
        absent = [
            member
            for member in ("blockNumber", "transactionIndex", "deployer")
            if not self._deployment_text(member)
        ]
        if absent:
            return make_reason("no_deployment_member", member=absent[0])
        if self.anchor is None or self.anchor.deployment is None:
            return self.reason_in_anchor_file() or make_reason("no_signed_transaction")
        return None

    @override
    def success_reason(self, proven_block: AnchoredBlock, *, is_vouched_for: bool) -> Reason:
        return make_reason("deployed" if is_vouched_for else "deployed_stated", block=proven_block.number)

    def _deployment_text(self, member: str) -> str:
        return as_text(self.deployment.get(member))

    @override
    def verify(self) -> _Outcome:
        if self.anchor is None or self.anchor.deployment is None:
            raise EvidenceError("no_signed_transaction")
        deployment = self.anchor.deployment
        transaction = self._verify_recorded_transaction(deployment)
        sender = recover_sender(transaction.signature)
        self._require_same_member("deployer", sender)
        evidence: dict[str, EvidenceValue] = {
            "transactionHash": f"0x{transaction.hash.hex()}",
            "transactionIndex": int(self._deployment_text("transactionIndex")),
            "sender": sender,
            "nonce": transaction.nonce,
        }
        outcome = _Outcome(deployment.block, decode_block_header(deployment.block).timestamp, evidence)
        if not transaction.to and compute_create_address(sender, transaction.nonce) == self.record.address:
            return outcome._replace(pinned=tuple(self._members_proven_by_creation(transaction)))
        creator = dict(_search_creation_by_factory(self.record, transaction, sender))
        evidence |= creator
        if "salt" in creator:
            pinned = ("creationBytecode.onchainBytecode",)
            return outcome._replace(evidence=evidence, pinned=pinned, reason=make_reason("by_contract_salt"))
        reason = make_reason("by_contract_nonce" if creator else "by_contract")
        return outcome._replace(evidence=evidence, reason=reason)

    def _verify_recorded_transaction(self, deployment: DeploymentEvidence) -> SignedTransaction:
        self._require_same_member("blockNumber", str(deployment.block.number))
        creation = as_text(self.record.creation.value.get("onchainBytecode"))
        index = int(self._deployment_text("transactionIndex"))
        transaction, receipt = verify_transaction(deployment, index, creation or "0x")
        self._require_same_member("transactionHash", f"0x{transaction.hash.hex()}")
        chain_id = self.record.value.get("chainId")
        if transaction.chain_id is not None and str(transaction.chain_id) != chain_id:
            raise EvidenceError("other_chain", signed=str(transaction.chain_id), chain=str(chain_id))
        if receipt.succeeded is False:
            raise EvidenceError("transaction_failed")
        return transaction

    def _require_same_member(self, member: str, value: str) -> None:
        if self._deployment_text(member) != value:
            raise EvidenceError(
                "other_member", member=member, block=value, record=self._deployment_text(member)
            )

    def _members_proven_by_creation(self, transaction: SignedTransaction) -> Iterator[str]:
        code = self.record.creation.onchain_code
        if code is not None:
            if transaction.data != code:
                raise EvidenceError("other_creation_code")
            yield "creationBytecode.onchainBytecode"
        yield from (f"deployment.{member}" for member in DEPLOYMENT)


DEPLOYMENT: Final = ("transactionHash", "blockNumber", "transactionIndex", "deployer")


def _search_creation_by_factory(
    record: RecordView, transaction: SignedTransaction, sender: Address
) -> Iterator[tuple[str, EvidenceValue]]:
    # CREATE2 derives the address of a new contract from a salt, CREATE from a nonce.
    creator = (
        checksum_address(f"0x{transaction.to.hex()}")
        if transaction.to
        else compute_create_address(sender, transaction.nonce)
    )
    code = record.creation.onchain_code or b""
    factory = bytes.fromhex(creator[2:])
    # The call of a factory may contain the salt of CREATE2. Try the first 32 bytes of the call data, and then
    # each 32-byte word after a 4-byte selector.
    for start in (0, *range(4, 4 + 32 * MAX_SALT_WORDS, 32)) if code else ():
        salt = transaction.data[start : start + 32]
        if len(salt) == 32 and compute_create2_address(factory, salt, code) == record.address:
            yield from (("creator", creator), ("salt", f"0x{salt.hex()}"))
            return
    if (nonce := find_creation_nonce(creator, record.address, MAX_CREATOR_NONCE)) is not None:
        yield from (("creator", creator), ("creatorNonce", nonce))
