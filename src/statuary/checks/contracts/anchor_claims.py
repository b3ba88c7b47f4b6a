"""Claims D and E, from the chain's own proofs: they hold under the hash of a block.

An anchor never contradicts a record: no header names its chain, so a proof that does not fit may be about
another chain.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import ModuleType
from typing import Final, NamedTuple

from typing_extensions import override

from statuary.checks.contracts.record_view import RecordView
from statuary.domain.chain.anchor import (
    Account,
    Anchor,
    AnchoredBlock,
    DeploymentEvidence,
    account_under,
    header_of,
    transaction_in,
    word_in_slot,
)
from statuary.domain.chain.transaction import (
    RecoverableSignature,
    SignedTransaction,
    address_of_key,
    create2_address,
    create_address,
    creating_nonce,
)
from statuary.domain.contracts.proof import NO_EVIDENCE, Claim, ClaimName, ClaimStatus, EvidenceValue
from statuary.domain.contracts.proxy_detection import BEACON_SLOT, EIP_1167, proxy_evidence, proxy_slots
from statuary.domain.json_values import Json, as_list, as_object, as_text
from statuary.domain.primitives import Address, checksum_address, keccak256
from statuary.domain.reasons import EvidenceError, Reason, because
from statuary.optional import RECOVERING_SENDERS, MissingExtraError, optional


class AnchoredProxy(NamedTuple):
    """What the chain shows of a contract's implementation."""

    is_shown: bool  # whether it shows all that the record says: a word in a slot does not
    evidence: Mapping[str, EvidenceValue] = NO_EVIDENCE  # the slot and the address in it


_CALLS_OTHER_CODE: Final = (0xF4, 0xF2)  # DELEGATECALL, CALLCODE


def anchored_proxy(record: RecordView, account: Account, anchor: Anchor) -> AnchoredProxy:
    """Return what the chain shows of a contract whose code is shown.

    Code that is a clone and nothing else shows its implementation, and code that cannot run other code is no proxy. For
    any other, patterns in the code and the words in conventional slots are Sourcify's way to find out, and can mislead.

    Raises:
        EvidenceError: if a storage proof does not hold.
    """
    resolution, code = as_object(record.value.get("proxyResolution")), record.runtime.onchain or b""
    if clone := EIP_1167.fullmatch(code):
        clone_of = checksum_address(f"0x{clone[1].hex()}")
        return AnchoredProxy(_named(resolution) == [clone_of], {"implementation": clone_of})
    if not any(opcode in code for opcode in _CALLS_OTHER_CODE):
        return AnchoredProxy(resolution.get("isProxy") is False)
    slots = [slot for kind in proxy_evidence(code).candidates for slot in proxy_slots(kind, record.address)]
    return AnchoredProxy(is_shown=False, evidence=_in_storage(slots, account, anchor))


def _in_storage(slots: list[str], account: Account, anchor: Anchor) -> Mapping[str, EvidenceValue]:
    """Return what the first slot in use holds."""
    if not slots or not set(slots) <= anchor.storage.keys():
        return NO_EVIDENCE
    words = {slot: word_in_slot(account, slot, anchor.storage[slot]) for slot in slots}
    return next((_in_slot(slot, word) for slot, word in words.items() if word), NO_EVIDENCE)


def _named(resolution: Mapping[str, Json]) -> list[Json]:
    return [as_object(item).get("address") for item in as_list(resolution.get("implementations"))]


def _in_slot(slot: str, word: int) -> Mapping[str, EvidenceValue]:
    address = checksum_address(f"0x{word % (1 << 160):040x}")
    if slot == f"0x{BEACON_SLOT}":
        # what the beacon returns depends on its code
        return {"beaconSlot": slot, "beacon": address}
    return {"implementationSlot": slot, "implementation": address}


PURPOSE = "recovering the sender of a transaction"


def require_sender_recovery() -> None:
    """Make sure that senders can be recovered; raise MissingExtraError if the extra is not installed."""
    _library()


def _library() -> ModuleType:
    return optional(*RECOVERING_SENDERS, extra="chain", purpose=PURPOSE)


def recover_sender(signature: RecoverableSignature) -> Address:
    """Return the address whose key made a signature.

    Raises:
        EvidenceError: if no key made it.
        MissingExtraError: if the extra is not installed.
    """
    library = _library()
    try:
        if library.__name__ == "coincurve":
            key = library.PublicKey.from_signature_and_message(
                signature.compact, signature.digest, hasher=None
            )
            return address_of_key(key.format(compressed=False)[1:])
        signed = library.keys.Signature(signature_bytes=signature.compact)
        return address_of_key(signed.recover_public_key_from_msg_hash(signature.digest).to_bytes())
    except Exception as error:  # the libraries have no common class of errors
        raise EvidenceError("no_key") from error


MAX_CREATOR_NONCE: Final = 500
"""The nonces of a factory that are tried for the address of what it created."""

MAX_SALT_WORDS: Final = 16
"""The words of a call that are tried as the salt of CREATE2."""


class AnchorClaims(NamedTuple):
    """The result of an anchor for a record."""

    claims: tuple[Claim, Claim]  # D and E
    pinned: tuple[str, ...] = ()  # the members that the chain pins
    # why given evidence does not show the claims, and what to do
    problems: tuple[tuple[Reason, str], ...] = ()


class _Shown(NamedTuple):
    """The result of one part of an anchor: its claim is shown unless there is a reason."""

    evidence: Mapping[str, EvidenceValue]
    pinned: tuple[str, ...]
    reason: Reason | None = None


def anchor_claims(record: RecordView, anchor: Anchor | None, digest: str) -> AnchorClaims:
    """Return the status of claims D and E.

    Args:
        record: the record.
        anchor: the chain's proofs; None if there are none.
        digest: SHA-256 of the record's canonical bytes, which the anchor must name.
    """
    if anchor is None:
        return _without_anchor(
            because("no_account_proof"), _Deployed(record, None).missing() or because("no_signed_transaction")
        )
    problems: list[tuple[Reason, str]] = []
    pinned: list[str] = []
    if anchor.record != digest:
        problems.append((because("other_anchor"), ""))
    claims = (
        _claim(_OnChain(record, anchor), digest, pinned, problems),
        _claim(_Deployed(record, anchor), digest, pinned, problems),
    )
    return AnchorClaims(claims, tuple(pinned), tuple(problems))


@lru_cache(maxsize=64)
def _without_anchor(on_chain: Reason, deployed: Reason) -> AnchorClaims:
    """Return the claims of a record without proofs of the chain, of the reasons why there are none."""
    return AnchorClaims(
        (
            Claim(ClaimName.ON_CHAIN, ClaimStatus.NOT_SHOWN, on_chain),
            Claim(ClaimName.DEPLOYED, ClaimStatus.NOT_SHOWN, deployed),
        )
    )


class _ChainClaim:
    """One of the two claims."""

    name: ClaimName  # the claim
    shown_by: Reason  # what shows it, where it is shown

    def __init__(self, record: RecordView, anchor: Anchor | None) -> None:
        self.record = record
        self.anchor = anchor

    def missing(self) -> Reason | None:
        """Return why there is no evidence; None if there is some."""
        raise NotImplementedError

    def stated(self) -> Reason | None:
        """Return what the anchor says about missing evidence, in words of the program that wrote it."""
        words = "" if self.anchor is None else self.anchor.missing.get(self.name, "")
        return because("stated", reason=words) if words else None

    def verify(self) -> _Shown:
        """Return what the evidence shows.

        Raises:
            EvidenceError: if it does not show the claim.
            MissingExtraError: if a library is not installed.
        """
        raise NotImplementedError


def _claim(claim: _ChainClaim, digest: str, pinned: list[str], problems: list[tuple[Reason, str]]) -> Claim:
    """Return the status of a claim; add the members that it pins, and the reason if it is not shown."""
    reason = claim.missing()
    if reason is None and claim.anchor is not None and claim.anchor.record != digest:
        reason = because("other_anchor")
    if reason is not None:
        return Claim(claim.name, ClaimStatus.NOT_SHOWN, reason)
    try:
        result = claim.verify()
    except (EvidenceError, MissingExtraError) as error:
        reason = error.reason if isinstance(error, EvidenceError) else because("missing_extra")
        problems.append((reason, error.hint))
        return Claim(claim.name, ClaimStatus.NOT_SHOWN, reason)
    pinned += result.pinned
    status = ClaimStatus.SHOWN if result.reason is None else ClaimStatus.NOT_SHOWN
    return Claim(claim.name, status, result.reason or claim.shown_by, result.evidence)


def _block_evidence(block: AnchoredBlock) -> dict[str, EvidenceValue]:
    agreed = {"agreed": ", ".join(block.agreed)} if block.agreed else {}
    return {"blockNumber": block.number, "blockHash": block.hash, **agreed}


class _OnChain(_ChainClaim):
    """Claim D: `onchainBytecode` is the code at the address, and the storage of a proxy names its implementation."""

    name = ClaimName.ON_CHAIN
    shown_by = because("account_proof")

    @override
    def missing(self) -> Reason | None:
        if self.anchor is None or self.anchor.block is None:
            return self.stated() or because("no_account_proof")
        return None if self.record.runtime.onchain else because("no_onchain_code")

    @override
    def verify(self) -> _Shown:
        if self.anchor is None or self.anchor.block is None:
            raise EvidenceError("no_account_proof")
        block = self.anchor.block
        account = account_under(header_of(block), self.record.address, self.anchor.account)
        code_hash = keccak256(self.record.runtime.onchain or b"")
        if account.code_hash != code_hash:
            its, ours = f"0x{account.code_hash.hex()}", f"0x{code_hash.hex()}"
            raise EvidenceError("other_code", block=block.number, code=its, record=ours)
        evidence = _block_evidence(block) | {"codeHash": f"0x{code_hash.hex()}"}
        proxy = anchored_proxy(self.record, account, self.anchor)
        pinned = ("runtimeBytecode.onchainBytecode", *(("proxyResolution",) if proxy.is_shown else ()))
        return _Shown({**evidence, **proxy.evidence}, pinned)


class _Deployed(_ChainClaim):
    """Claim E: transaction, block, index and deployer are those of the deployment."""

    name = ClaimName.DEPLOYED
    shown_by = because("deployed")

    def __init__(self, record: RecordView, anchor: Anchor | None) -> None:
        super().__init__(record, anchor)
        self.named: Mapping[str, Json] = as_object(record.value.get("deployment"))

    @override
    def missing(self) -> Reason | None:
        if self.named.get("transactionHash") is None:
            return because("no_transaction")
        absent = [
            member for member in ("blockNumber", "transactionIndex", "deployer") if not self._text(member)
        ]
        if absent:
            return because("no_deployment_member", member=absent[0])
        if self.anchor is None or self.anchor.deployment is None:
            return self.stated() or because("no_signed_transaction")
        return None

    def _text(self, member: str) -> str:
        return as_text(self.named.get(member))

    @override
    def verify(self) -> _Shown:
        if self.anchor is None or self.anchor.deployment is None:
            raise EvidenceError("no_signed_transaction")
        deployment = self.anchor.deployment
        transaction = self._transaction(deployment)
        sender = recover_sender(transaction.signature)
        self._compare("deployer", sender)
        evidence = _block_evidence(deployment.block) | {
            "transactionHash": f"0x{transaction.hash.hex()}",
            "transactionIndex": int(self._text("transactionIndex")),
            "sender": sender,
            "nonce": transaction.nonce,
        }
        if not transaction.to and create_address(sender, transaction.nonce) == self.record.address:
            return _Shown(evidence, tuple(self._pinned_by_creation(transaction)))
        creator = dict(_creator(self.record, transaction, sender))
        pinned = ("creationBytecode.onchainBytecode",) if "salt" in creator else ()
        return _Shown(evidence | creator, pinned, _by_contract(creator))

    def _transaction(self, deployment: DeploymentEvidence) -> SignedTransaction:
        """Return the transaction that the record names.

        Raises:
            EvidenceError: if the evidence is about another one, or it failed.
        """
        self._compare("blockNumber", str(deployment.block.number))
        creation = as_text(self.record.creation.value.get("onchainBytecode"))
        index = int(self._text("transactionIndex"))
        transaction, receipt = transaction_in(deployment, index, creation or "0x")
        self._compare("transactionHash", f"0x{transaction.hash.hex()}")
        chain_id = self.record.value.get("chainId")
        if transaction.chain_id is not None and str(transaction.chain_id) != chain_id:
            raise EvidenceError("other_chain", signed=str(transaction.chain_id), chain=str(chain_id))
        if receipt.succeeded is False:
            raise EvidenceError("transaction_failed")
        return transaction

    def _compare(self, member: str, value: str) -> None:
        if self._text(member) != value:
            raise EvidenceError("other_member", member=member, block=value, record=self._text(member))

    def _pinned_by_creation(self, transaction: SignedTransaction) -> Iterator[str]:
        code = self.record.creation.onchain
        if code is not None:
            if transaction.data != code:
                raise EvidenceError("other_creation_code")
            yield "creationBytecode.onchainBytecode"
        yield from (f"deployment.{member}" for member in DEPLOYMENT)


DEPLOYMENT: Final = ("transactionHash", "blockNumber", "transactionIndex", "deployer")


def _creator(
    record: RecordView, transaction: SignedTransaction, sender: Address
) -> Iterator[tuple[str, EvidenceValue]]:
    """Yield the ways in which a contract may have created the address that the address itself confirms."""
    creator = (
        checksum_address(f"0x{transaction.to.hex()}")
        if transaction.to
        else create_address(sender, transaction.nonce)
    )
    for salt in _salts(transaction.data) if record.creation.onchain else ():
        if (
            create2_address(bytes.fromhex(creator[2:]), salt, record.creation.onchain or b"")
            == record.address
        ):
            yield from (("creator", creator), ("salt", f"0x{salt.hex()}"))
            return
    if (nonce := creating_nonce(creator, record.address, MAX_CREATOR_NONCE)) is not None:
        yield from (("creator", creator), ("creatorNonce", nonce))


def _salts(data: bytes) -> Iterable[bytes]:
    """Yield the words of a call's data: from the start, and after a selector."""
    starts = (0, *range(4, 4 + 32 * MAX_SALT_WORDS, 32))
    return (data[start : start + 32] for start in starts if len(data) >= start + 32)


def _by_contract(creator: Mapping[str, EvidenceValue]) -> Reason:
    if "salt" in creator:
        return because("by_contract_salt")
    return because("by_contract_nonce" if creator else "by_contract")
