"""Checks of proxyResolution against the bytecode (MEASUREMENTS.md, proxies).

proxyResolution is the state of the chain at some time. Bytecode can contradict it; if the implementation is in the
contract's storage, bytecode can only name the candidates, and the claim is not shown.
"""

from collections.abc import Iterator, Mapping

from statuary.base.findings import Finding, Severity
from statuary.base.json_values import Json, as_object
from statuary.base.primitives import InvalidValueError, parse_address
from statuary.base.rules import check
from statuary.contracts.checks.check import Evidence, NotKnown, Observation, Violation
from statuary.contracts.checks.record_view import RecordView, format_json_line, is_same_json
from statuary.contracts.model.proxy_detection import (
    SLOTS,
    ProxyEvidence,
    ProxyVerdict,
    find_proxy_evidence,
    has_delegatecall,
)
from statuary.contracts.model.record import RecordValue

_ERROR = "proxyResolutionError"
_MEMBERS = ("isProxy", "proxyType", "implementations")

EIP_1167 = "EIP1167Proxy"

PROXY_TYPES = frozenset((*SLOTS.values(), EIP_1167, "FixedProxy", "SequenceWalletProxy"))
"""The types whose patterns are known here; Sourcify adds others."""

_OF_MANY = "DiamondProxy"
"""The type of proxies that may have any number of implementations."""

_NO_ADDRESS = "0x" + "0" * 40


@check
def incomplete_proxy_resolution(record: RecordView) -> Iterator[Observation]:
    """A proxy must have a type and other contracts as implementations; other contracts must have neither.

    A proxy forwards calls to its implementations.
    """
    resolution = record.value.get("proxyResolution")
    if not isinstance(resolution, dict):
        return
    if _ERROR in resolution:
        yield Evidence({"error": "given"})
        if len(resolution) > 1:
            yield Violation("a proxyResolution with an error has no other members", ("proxyResolution",))
        return
    if missing_members := [member for member in _MEMBERS if member not in resolution]:
        yield Violation(f"{missing_members[0]} is missing", ("proxyResolution",))
        return
    yield from _resolution_observations(record, resolution)


def _resolution_observations(record: RecordView, resolution: Mapping[str, Json]) -> Iterator[Observation]:
    yield Evidence({"isProxy": str(resolution["isProxy"]).lower()})
    proxy_type = resolution["proxyType"]
    if isinstance(proxy_type, str) and proxy_type not in PROXY_TYPES:
        yield NotKnown("proxy type", proxy_type, ("proxyResolution", "proxyType"))
    if fault := _proxy_resolution_contradiction(resolution):
        yield Violation(fault, ("proxyResolution",))
    for place, implementation in enumerate(_listed_implementations(resolution)):
        if fault := _implementation_address_fault(
            as_object(implementation).get("address"), record.address, proxy_type
        ):
            yield Violation(fault, ("proxyResolution", "implementations", place, "address"))


def _implementation_address_fault(address: Json, contract_address: Json, proxy_type: Json) -> str:
    text = format_json_line(address)
    if not _is_checksummed(address):
        return f"implementation {text} is not an address with its EIP-55 checksum"
    if address == contract_address:
        return f"implementation {text} is the address of the contract itself"
    if address == _NO_ADDRESS and proxy_type != EIP_1167:
        return f"implementation {text} is the address of nobody"
    return ""


def unresolved_proxy_findings(record: RecordValue) -> tuple[Finding, ...]:
    """Return a note if a record does not name its proxy's implementation.

    This is not an error, because Sourcify servers send such records. The owner of the contract can add the
    implementation.
    """
    if _ERROR not in (record["proxyResolution"] or {}):
        return ()
    return (
        Finding(
            rule=incomplete_proxy_resolution.__name__.replace("_", "-"),
            message="the code looks like a proxy's, but the record does not name an implementation",
            hint="add the contract again with --rpc and --force, or write `proxy:` into contract.yaml",
            pointer=("proxyResolution",),
            severity=Severity.NOTE,
        ),
    )


def _listed_implementations(resolution: Mapping[str, Json]) -> list[Json]:
    implementations = resolution.get("implementations")
    return implementations if isinstance(implementations, list) else []


def _proxy_resolution_contradiction(resolution: Mapping[str, Json]) -> str:
    is_proxy = resolution["isProxy"]
    proxy_type = resolution["proxyType"]
    count = len(_listed_implementations(resolution))
    if is_proxy != (proxy_type is not None) or (not is_proxy and count):
        return (
            f"isProxy is {format_json_line(is_proxy)}, but proxyType is {format_json_line(proxy_type)},"
            f" with {count} implementations"
        )
    if is_proxy and not isinstance(proxy_type, str):
        return f"the proxy type {format_json_line(proxy_type)} is not text"
    return _implementation_count_fault(count, proxy_type) if is_proxy else ""


def _implementation_count_fault(implementation_count: int, proxy_type: Json) -> str:
    if proxy_type == _OF_MANY:
        return ""
    if not implementation_count:
        return "a proxy has no implementation"
    if implementation_count > 1 and proxy_type in PROXY_TYPES:
        return f"a proxy of the type {proxy_type} has one implementation, not {implementation_count}"
    return ""


@check
def contradicted_proxy_resolution(record: RecordView) -> Iterator[Observation]:
    """The bytecode must not contradict `proxyResolution`.

    Factories are not proxies, EIP-1167 clones are, and other types of proxy have known patterns. Code of an
    unknown type must at least contain a DELEGATECALL.
    """
    code = record.creation.onchain_code or record.runtime.onchain_code
    claim = record.value.get("proxyResolution")
    if not code or not isinstance(claim, dict):
        return
    proxy_type = claim.get("proxyType")
    if isinstance(proxy_type, str) and proxy_type not in PROXY_TYPES:
        yield Evidence({"verdict": f"{proxy_type[:80]} is not known here"})
        contradiction = (
            "" if has_delegatecall(_code_without_auxdata(record)) else "the bytecode delegates to no contract"
        )
    else:
        evidence = find_proxy_evidence(code)
        yield Evidence({"verdict": evidence.verdict.value, "candidates": ", ".join(evidence.candidates)})
        contradiction = _bytecode_contradiction(evidence, claim)
    if contradiction:
        yield Violation(
            contradiction, ("proxyResolution",), "leave proxyResolution out, or resolve the proxy again"
        )


def _code_without_auxdata(record: RecordView) -> bytes:
    code = record.runtime.onchain_code or record.creation.onchain_code or b""
    own = record.runtime.trailing_auxdata
    return code[: own.offset] if own is not None and record.runtime.onchain_code else code


def _bytecode_contradiction(evidence: ProxyEvidence, resolution: Mapping[str, Json]) -> str:
    proxy_type = resolution.get("proxyType")
    if evidence.verdict is ProxyVerdict.NEEDS_CHAIN:
        return _pattern_contradiction(evidence, resolution)
    if _ERROR in resolution:
        return f"the chain is not needed: the contract is {evidence.verdict.value}"
    if evidence.verdict is ProxyVerdict.EIP_1167_PROXY:
        return _clone_contradiction(evidence, resolution)
    return (
        f"the bytecode shows no proxy, the record claims {format_json_line(proxy_type)}"
        if resolution.get("isProxy")
        else ""
    )


def _pattern_contradiction(evidence: ProxyEvidence, resolution: Mapping[str, Json]) -> str:
    if resolution.get("isProxy") and resolution.get("proxyType") not in evidence.candidates:
        claimed = format_json_line(resolution.get("proxyType"))
        return f"the bytecode has patterns of {', '.join(evidence.candidates)}, not of {claimed}"
    return ""


def _clone_contradiction(evidence: ProxyEvidence, resolution: Mapping[str, Json]) -> str:
    if resolution.get("isProxy") is False and not evidence.is_plain_clone:
        return ""  # some versions of Sourcify do not find a clone with other code around it
    addresses = [
        as_object(implementation).get("address") for implementation in _listed_implementations(resolution)
    ]
    if resolution.get("proxyType") == EIP_1167 and is_same_json(addresses, [evidence.implementation]):
        return ""
    return (
        f"the bytecode is an EIP-1167 clone of {evidence.implementation},"
        f" the record claims {format_json_line(resolution.get('proxyType'))} of {format_json_line(addresses)}"
    )


def _is_checksummed(address: Json) -> bool:
    try:
        return isinstance(address, str) and parse_address(address) == address
    except InvalidValueError:
        return False
