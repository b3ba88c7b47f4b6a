"""Checks of proxyResolution against the bytecode (MEASUREMENTS.md, proxies).

proxyResolution is the state of the chain at some time. Bytecode can contradict it; if the implementation is in the
contract's storage, bytecode can only name the candidates, and the claim is not shown.
"""

from collections.abc import Iterator, Mapping

from statuary.base.findings import Finding, Severity
from statuary.base.json_values import Json, as_object
from statuary.base.primitives import InvalidValueError, parse_address
from statuary.base.rules import check
from statuary.contracts.checks.check import Evidence, Observation, Violation
from statuary.contracts.checks.record_view import RecordView, as_json_text, same_json
from statuary.contracts.model.proxy_detection import SLOTS, ProxyEvidence, ProxyVerdict, proxy_evidence
from statuary.contracts.model.record import RecordValue

_ERROR = "proxyResolutionError"
_MEMBERS = ("isProxy", "proxyType", "implementations")

PROXY_TYPES = frozenset((*SLOTS.values(), "EIP1167Proxy", "FixedProxy", "SequenceWalletProxy"))
"""The types that Sourcify gives."""


@check
def incomplete_proxy_resolution(record: RecordView) -> Iterator[Observation]:
    """A proxy has a known type and checksummed implementations; any other contract has neither."""
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
    yield Evidence({"isProxy": str(resolution["isProxy"]).lower()})
    if fault := _type_fault(resolution):
        yield Violation(fault, ("proxyResolution",))
    for place, implementation in enumerate(_listed_implementations(resolution)):
        address = as_object(implementation).get("address")
        if not _is_checksummed(address):
            yield Violation(
                f"implementation {as_json_text(address)} is not an address with its EIP-55 checksum",
                ("proxyResolution", "implementations", place, "address"),
            )


def unresolved_proxy(record: RecordValue) -> tuple[Finding, ...]:
    """Return the note that a record does not say whether its contract is a proxy.

    Servers send such records, so it is no rule of a record; who keeps a workspace can resolve its proxy.
    """
    if _ERROR not in (record["proxyResolution"] or {}):
        return ()
    return (
        Finding(
            rule=incomplete_proxy_resolution.__name__.replace("_", "-"),
            message="the code has a proxy's patterns, and nothing says what the chain answers for them",
            hint="add the contract again with --rpc and --force, or write `proxy:` into contract.yaml",
            pointer=("proxyResolution",),
            severity=Severity.NOTE,
        ),
    )


def _listed_implementations(resolution: Mapping[str, Json]) -> list[Json]:
    implementations = resolution.get("implementations")
    return implementations if isinstance(implementations, list) else []


def _type_fault(resolution: Mapping[str, Json]) -> str:
    """Return how a resolution's members contradict each other; empty if they do not."""
    is_proxy, proxy_type = resolution["isProxy"], resolution["proxyType"]
    count = len(_listed_implementations(resolution))
    if is_proxy != (proxy_type is not None) or (not is_proxy and count):
        return (
            f"isProxy is {as_json_text(is_proxy)}, but proxyType is {as_json_text(proxy_type)},"
            f" with {count} implementations"
        )
    if is_proxy and proxy_type not in PROXY_TYPES:
        return f"unknown proxy type {as_json_text(proxy_type)}"
    if is_proxy and not count and proxy_type != "DiamondProxy":
        return "a proxy has no implementation"
    return ""


@check
def contradicted_proxy_resolution(record: RecordView) -> Iterator[Observation]:
    """The bytecode does not contradict proxyResolution.

    Factories are no proxies, EIP-1167 clones are, others need their patterns.
    """
    code = record.creation.onchain or record.runtime.onchain
    claim = record.value.get("proxyResolution")
    if not code or not isinstance(claim, dict):
        return
    evidence = proxy_evidence(code)
    yield Evidence({"verdict": evidence.verdict.value, "candidates": ", ".join(evidence.candidates)})
    if contradiction := _contradiction(evidence, claim):
        yield Violation(
            contradiction, ("proxyResolution",), "leave proxyResolution out, or resolve the proxy again"
        )


def _contradiction(evidence: ProxyEvidence, resolution: Mapping[str, Json]) -> str:
    """Return how the bytecode contradicts a resolution; empty if it does not."""
    is_proxy, claimed = resolution.get("isProxy"), as_json_text(resolution.get("proxyType"))
    if evidence.verdict is ProxyVerdict.NEEDS_CHAIN:
        if is_proxy and resolution.get("proxyType") not in evidence.candidates:
            return f"the bytecode has patterns of {', '.join(evidence.candidates)}, not of {claimed}"
        return ""
    if _ERROR in resolution:
        return f"the chain is not needed: the contract is {evidence.verdict.value}"
    if evidence.verdict is ProxyVerdict.NOT_PROXY:
        return f"the bytecode shows no proxy, the record claims {claimed}" if is_proxy else ""
    addresses = [
        as_object(implementation).get("address") for implementation in _listed_implementations(resolution)
    ]
    if claimed == "'EIP1167Proxy'" and same_json(addresses, [evidence.implementation]):
        return ""
    return (
        f"the bytecode is an EIP-1167 clone of {evidence.implementation},"
        f" the record claims {claimed} of {as_json_text(addresses)}"
    )


def _is_checksummed(address: Json) -> bool:
    try:
        return isinstance(address, str) and parse_address(address) == address
    except InvalidValueError:
        return False
