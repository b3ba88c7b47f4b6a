"""Check the signatures of auditors' attestations about descriptors.

What is signed is the Keccak-256 of the descriptor's JSON in the canonical form of RFC 8785, without what it
includes.
"""

import json
import math
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from statuary.base.budget import consume_steps
from statuary.base.json_values import Json, JsonObject, NumberText, as_list, as_object
from statuary.base.optional import MissingExtraError
from statuary.base.primitives import InvalidValueError, is_hex_digits, keccak256
from statuary.base.reasons import EvidenceError
from statuary.contracts.chain.transaction import CURVE_ORDER, RecoverableSignature
from statuary.contracts.checks.anchor_claims import recover_sender
from statuary.contracts.model.proof import ClaimStatus
from statuary.extensions.clear_signing.descriptors import parse_attestation_path

SCHEMA: Final = "0xe023eef113c1670774801c34b377fdf612dd8a4d2fa92fe382e15bd91fafb5c2"
"""The schema of attestations of descriptors on EAS: one member, `bytes32 descriptorHash`."""

DOMAIN_NAME: Final = "EAS Attestation"
_DOMAIN: Final = (
    ("name", "string"),
    ("version", "string"),
    ("chainId", "uint256"),
    ("verifyingContract", "address"),
)
_MESSAGE: Final = (
    ("version", "uint16"),
    ("schema", "bytes32"),
    ("recipient", "address"),
    ("time", "uint64"),
    ("expirationTime", "uint64"),
    ("revocable", "bool"),
    ("refUID", "bytes32"),
    ("data", "bytes"),
    ("salt", "bytes32"),
)
_PACKED: Final = (
    "version",
    "schema",
    "recipient",
    "attester",
    "time",
    "expirationTime",
    "revocable",
    "refUID",
    "data",
    "salt",
)
LARGEST_EXACT: Final = 1 << 53


class Attestation(NamedTuple):
    """An auditor's signed statement about a descriptor, and its validity.

    A descriptor is the ERC-7730 file that tells wallets how to show a contract's calls.
    """

    path: str
    descriptor: str  # the path of the descriptor
    signer: str  # the address in the name of the file
    status: ClaimStatus
    reason: str
    time: str = ""  # the stated time in seconds since 1970; empty unless the signature is verified


def canonical_json(value: Json) -> bytes:
    """Encode JSON in the canonical form of RFC 8785, for hashing.

    Raises:
        InvalidValueError: if the JSON contains a number that is too large.
    """
    return _encode_canonical_json(value).encode("utf-8", "surrogatepass")


def _encode_canonical_json(value: Json) -> str:
    consume_steps(1)
    if isinstance(value, dict):
        keys = sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
        return (
            "{"
            + ",".join(f"{_quote_json_string(key)}:{_encode_canonical_json(value[key])}" for key in keys)
            + "}"
        )
    if isinstance(value, list):
        return "[" + ",".join(map(_encode_canonical_json, value)) + "]"
    if isinstance(value, NumberText):
        return _format_json_number(float(value))
    if isinstance(value, str):
        return _quote_json_string(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _format_json_number(value)
    return json.dumps(value)


def _quote_json_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _format_json_number(value: float) -> str:
    """Format a number as JavaScript does.

    Raises:
        InvalidValueError: if it is too large.
    """
    if isinstance(value, int) and abs(value) <= LARGEST_EXACT:
        return str(value)
    number = float(value)
    if not math.isfinite(number):
        raise InvalidValueError("the attestation has a number that is too large for JSON")
    if number == int(number) and abs(number) < 1e21:
        return str(int(number))
    digits, _, exponent = repr(number).partition("e")
    if not exponent:
        return digits
    power = int(exponent)
    if -7 < power < 0:
        integer_digits, _, fraction_digits = digits.removeprefix("-").partition(".")
        sign = "-" if number < 0 else ""
        return f"{sign}0.{'0' * (-power - 1)}{integer_digits}{fraction_digits}"
    return f"{digits}e{'+' if power > 0 else '-'}{abs(power)}"


def descriptor_hash(descriptor: Json) -> str:
    """Return the hash of a descriptor, which auditors sign.

    A descriptor tells wallets how to show a contract's calls.

    Returns:
        The Keccak-256 of the JSON in canonical form (RFC 8785), as 0x hex.

    Raises:
        InvalidValueError: if the JSON contains a number that is too large.
    """
    return "0x" + keccak256(canonical_json(descriptor)).hex()


def _parse_hex_bytes(value: Json, length: int | None) -> bytes:
    if not (
        isinstance(value, str) and value.startswith("0x") and is_hex_digits(value[2:]) and len(value) % 2 == 0
    ):
        raise InvalidValueError(f"{value!r} should be 0x and hex digits")
    raw = bytes.fromhex(value[2:])
    if length is not None and len(raw) != length:
        raise InvalidValueError(f"{value!r} has {len(raw)} bytes, but {length} are expected")
    return raw


def _parse_uint256(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).isdecimal():
        raise InvalidValueError(f"{value!r} is not a whole number")
    number = int(value)
    if number >> 256:
        raise InvalidValueError(f"{value!r} is too large for a uint256")
    return number


def _require_json_boolean(value: Json) -> bool:
    if not isinstance(value, bool):
        raise InvalidValueError(f"{value!r} is not true or false")
    return value


def _encode_uint256(value: Json) -> bytes:
    return _parse_uint256(value).to_bytes(32, "big")


_WORDS: Final[Mapping[str, Callable[[Json], bytes]]] = {
    "string": lambda value: keccak256(str(value).encode()),
    "bytes": lambda value: keccak256(_parse_hex_bytes(value, None)),
    "bytes32": lambda value: _parse_hex_bytes(value, 32),
    "address": lambda value: _parse_hex_bytes(value, 20).rjust(32, b"\0"),
    "bool": lambda value: _require_json_boolean(value).to_bytes(32, "big"),
}


def _hash_eip712_struct(struct_name: str, members: tuple[tuple[str, str], ...], values: JsonObject) -> bytes:
    """Hash a struct as EIP-712 does (`hashStruct`).

    Raises:
        InvalidValueError: if a value is not of its type.
    """
    type_members = ",".join(f"{kind} {member}" for member, kind in members)
    words = [keccak256(f"{struct_name}({type_members})".encode())]
    words += [_WORDS.get(kind, _encode_uint256)(values.get(member)) for member, kind in members]
    return keccak256(b"".join(words))


def attestation_signing_digest(signed_attestation: JsonObject) -> bytes:
    """Return the 32 bytes that an auditor's key signs for an attestation.

    They are the EIP-712 digest of the attestation.

    Args:
        signed_attestation: the member `sig` of the attestation's file, which has the domain and message.

    Raises:
        InvalidValueError: if a value does not have its declared type.
    """
    domain = _hash_eip712_struct("EIP712Domain", _DOMAIN, as_object(signed_attestation.get("domain")))
    return keccak256(
        b"\x19\x01"
        + domain
        + _hash_eip712_struct("Attest", _MESSAGE, as_object(signed_attestation.get("message")))
    )


def _attestation_uid(message: JsonObject) -> str:
    """Compute the id of an attestation of the Ethereum Attestation Service.

    Its signature is valid only with the right id. The attestation is off-chain, in version 2 of their format.

    Raises:
        InvalidValueError: if a value is not of its type.
    """
    sizes = {"version": 2, "time": 8, "expirationTime": 8}
    parts = []
    for member in _PACKED:
        value = message.get(member)
        if member in sizes:
            parts.append(_parse_uint256(value).to_bytes(32, "big")[-sizes[member] :])
        elif member == "revocable":
            parts.append(_require_json_boolean(value).to_bytes(1, "big"))
        elif member == "attester":
            parts.append(bytes(20))
        elif member == "schema":
            parts.append(str(value).encode())
        else:
            parts.append(_parse_hex_bytes(value, None))
    return "0x" + keccak256(b"".join([*parts, bytes(4)])).hex()


def _parse_attestation_signature(signed_attestation: JsonObject) -> RecoverableSignature:
    signature = as_object(signed_attestation.get("signature"))
    v = _parse_uint256(signature.get("v"))
    r = _parse_hex_bytes(signature.get("r"), 32)
    s = _parse_hex_bytes(signature.get("s"), 32)
    if v not in (0, 1, 27, 28):
        raise InvalidValueError(f"`v` of the signature is {v}; it should be 0, 1, 27 or 28")
    numbers = [int.from_bytes(part, "big") for part in (r, s)]
    if not (0 < numbers[0] < CURVE_ORDER and 0 < numbers[1] <= CURVE_ORDER // 2):
        raise InvalidValueError(
            "the values r and s of the signature should be above 0, r below the order of the curve, s at most half of it"
        )
    return RecoverableSignature(attestation_signing_digest(signed_attestation), r + s + bytes([v % 27]))


def read_attestation(path: str, file_json: Json, own_descriptor: Json | None) -> Attestation | None:
    """Read an auditor's signed statement about a descriptor, and verify it.

    The status is `CONTRADICTED` if the signature is invalid or is for another descriptor, and `NOT_SHOWN` if
    the library that verifies signatures is not installed.

    Args:
        path: the path of the file in the folder of descriptors.
        own_descriptor: the JSON of the attested descriptor; None if the descriptor does not exist.

    Returns:
        The attestation with its status, or None if `path` is not the path of an attestation.
    """
    about = parse_attestation_path(path)
    if about is None:
        return None
    descriptor, signer_name = about
    _, chain_id, signer = signer_name.split("-")
    contradicted = Attestation(path, descriptor, signer, ClaimStatus.CONTRADICTED, "")
    try:
        file = as_object(file_json)
        signed = as_object(file.get("sig"))
        fault = _find_attestation_fault(signed, str(file.get("signer")), signer, chain_id, own_descriptor)
        if fault:
            return contradicted._replace(reason=fault)
        recovered = recover_sender(_parse_attestation_signature(signed))
    except (InvalidValueError, EvidenceError) as error:
        reason = "no key made the signature" if isinstance(error, EvidenceError) else str(error)
        return contradicted._replace(reason=reason)
    except MissingExtraError as error:
        return contradicted._replace(status=ClaimStatus.NOT_SHOWN, reason=f"{error}: {error.hint}")
    if recovered.lower() != signer.lower():
        return contradicted._replace(reason=f"{recovered} signed it, and not {signer}")
    time = str(as_object(signed.get("message")).get("time"))
    reason = f"{recovered} signed the hash of this descriptor"
    return contradicted._replace(status=ClaimStatus.VERIFIED, reason=reason, time=time)


def _find_attestation_fault(
    signed_attestation: JsonObject, stated_uid: str, signer: str, chain_id: str, own_descriptor: Json | None
) -> str:
    """Explain why an attestation is not for its descriptor, if so.

    Returns:
        The fault; empty if there is none.

    Raises:
        InvalidValueError: if a value is not of its type.
    """
    message = as_object(signed_attestation.get("message"))
    domain = as_object(signed_attestation.get("domain"))
    expected = "" if own_descriptor is None else descriptor_hash(own_descriptor)
    is_of_eas = domain.get("name") == DOMAIN_NAME and str(domain.get("chainId")) == chain_id
    type_members = map(as_object, as_list(as_object(signed_attestation.get("types")).get("Attest")))
    types = tuple((str(member.get("name")), str(member.get("type"))) for member in type_members)
    has_types = types == _MESSAGE and signed_attestation.get("primaryType") == "Attest"
    faults = {
        f"the file's name has the signer {signer}, and `signer` is {stated_uid}": stated_uid.lower()
        != signer.lower(),
        f"its domain is not that of EAS on chain {chain_id}": not is_of_eas,
        "its types are not those of EAS's off-chain attestations of version 2": not has_types,
        f"its schema is {message.get('schema')!r}, and not that of descriptors": message.get("schema")
        != SCHEMA,
        "there is no descriptor beside it": own_descriptor is None,
        f"it is about {message.get('data')}, and the descriptor's hash is {expected}": message.get("data")
        != expected,
    }
    fault = next((text for text, is_so in faults.items() if is_so), "")
    return fault or (
        ""
        if signed_attestation.get("uid") == _attestation_uid(message)
        else "its uid is not that of its members"
    )
