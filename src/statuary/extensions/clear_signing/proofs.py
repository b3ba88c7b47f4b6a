"""The proof of a descriptor: how it compares with verified code.

The proof also names what no build can prove.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from statuary.base.findings import Finding, Severity
from statuary.base.json_values import Json, JsonObject, as_list, as_object
from statuary.base.rules import rule_text
from statuary.contracts.model.proof import ClaimStatus
from statuary.extensions.clear_signing.attestations import Attestation
from statuary.extensions.clear_signing.descriptors import SigningFileKind
from statuary.extensions.clear_signing.limits import MAX_EARLIER_PROOFS
from statuary.extensions.clear_signing.records import DIAMOND, VerifiedCode
from statuary.extensions.clear_signing.rules import DEPLOYMENT_RULES, DESCRIPTOR_RULES
from statuary.extensions.clear_signing.undisplayed import undisplayed_paths
from statuary.extensions.clear_signing.verdicts import DeploymentVerdict, DescriptorVerdict
from statuary.extensions.clear_signing.verify import ABI_STATUS, DeploymentCheck
from statuary.version import VERSION

NEVER_PROVED: Final = (
    "that labels, intents and names say what the code does: they are text, written by people",
    "what the code does with the values that are shown",
    "names, tickers and decimals of tokens: a wallet takes them from elsewhere",
    "that the contract delegates to the same implementation at the moment of signing",
)

_FITS: Final = "verified here: the formats fit the ABI of each record named under `compared`"


def proof_document(
    verdicts: Sequence[tuple[DescriptorVerdict, DeploymentVerdict]],
    attestations: Iterable[Attestation],
    previous_proofs: JsonObject,
    now: str,
) -> JsonObject:
    """Make the document with the results of checking a contract's descriptors.

    A descriptor tells wallets how to show the contract's calls.

    Args:
        verdicts: the results for the contract; at least one.
        attestations: the auditors' signed statements about these descriptors.
        previous_proofs: the document that the last build published; empty if there was none.
        now: the time of the build.
    """
    deployment = verdicts[0][1].deployment
    by_path = {
        str(as_object(item).get("path")): as_object(item)
        for item in as_list(previous_proofs.get("descriptors"))
    }
    attestation_list = list(attestations)
    return {
        "chainId": deployment.chain_id,
        "address": deployment.address,
        "statuary": VERSION,
        "descriptors": [
            _add_proof_history(
                descriptor.path, verdict.proof, attestation_list, by_path.get(descriptor.path, {}), now
            )
            for descriptor, verdict in verdicts
        ],
        "neverProved": list(NEVER_PROVED),
    }


def _add_proof_history(
    descriptor_path: str,
    proof: JsonObject,
    attestations: Iterable[Attestation],
    previous_proofs: JsonObject,
    now: str,
) -> JsonObject:
    attestation_entries: list[Json] = [
        {"path": item.path, "signer": item.signer, "status": item.status, "reason": item.reason}
        for item in attestations
        if item.descriptor == descriptor_path
    ]
    document: JsonObject = {**proof, "attestations": attestation_entries}
    return {**document, **_proof_history(document, previous_proofs, now)}


def descriptor_proof(check: DeploymentCheck) -> JsonObject:
    """Describe as JSON how a descriptor compares with one contract.

    Results of earlier builds are not included.
    """
    descriptor = check.parsed.descriptor
    compared: list[Json] = (
        [] if check.code is None else [_compared_contract_json(code, check) for code in check.code.all_codes]
    )
    return {
        "path": descriptor.path,
        "sha256": descriptor.files[0].sha256,
        "descriptorHash": check.parsed.descriptor_hash,
        "includes": [file._asdict() for file in descriptor.files[1:]],
        "status": check.status,
        "claims": {
            "fits": {"status": check.fits, "reason": _explain_fit(check)},
            "abi": {"status": check.abi, "reason": _explain_abi_evidence(check)},
            "onChain": {"status": check.on_chain, "reason": _explain_chain_evidence(check)},
        },
        "compared": compared,
        "rules": _rule_outcomes_json(check),
        "functions": _function_results_json(check),
        "withoutFormat": _functions_without_format(check),
    }


def _explain_fit(check: DeploymentCheck) -> str:
    if check.fits is ClaimStatus.VERIFIED:
        return _FITS
    errors = [finding.message for finding in check.findings if finding.severity is Severity.ERROR]
    if errors:
        return f"contradicted: {errors[0]}"
    binding = check.deployed_descriptor
    unknown = (
        []
        if binding is None
        else [owner.unknown for owner in binding.owners_by_format.values() if owner.unknown]
    )
    return unknown[0] if unknown else f"not proven: {check.reason}"


def _explain_abi_evidence(check: DeploymentCheck) -> str:
    if check.code is None:
        return f"not proven: {check.reason}"
    weakest = min(check.code.all_codes, key=lambda code: ABI_STATUS[code.abi_pinned_by] is not check.abi)
    words = {
        ClaimStatus.VERIFIED: "verified here: a hash in the code, or a proof from the chain, determines each ABI",
        ClaimStatus.STATED: f"stated in a file: the compilation beside the record of {weakest.address}",
        ClaimStatus.NOT_SHOWN: f"not proven: only its own record states the ABI of {weakest.address}",
    }
    return words[check.abi]


def _explain_chain_evidence(check: DeploymentCheck) -> str:
    if check.code is None:
        return f"not proven: {check.reason}"
    weakest = min(check.code.all_codes, key=lambda code: code.on_chain is not check.on_chain)
    words = {
        ClaimStatus.VERIFIED: "verified here: the code at each address, in the block that is named",
        ClaimStatus.STATED: f"stated in a file: the block of the anchor of {weakest.address}",
        ClaimStatus.NOT_SHOWN: f"not proven: that the code of {weakest.address} is at that address",
        ClaimStatus.CONTRADICTED: f"contradicted: the code of {weakest.address} is not at that address",
    }
    return words[check.on_chain]


def _compared_contract_json(code: VerifiedCode, check: DeploymentCheck) -> JsonObject:
    is_own_code = check.code is not None and code is check.code.own_code
    of_proxy = (
        "facet" if check.code is not None and check.code.own_code.proxy_type == DIAMOND else "implementation"
    )
    return {
        "role": "contract" if is_own_code else of_proxy,
        "address": code.address,
        "name": code.name,
        "matchId": code.match_id,
        "record": code.record_sha256,
        "verdict": code.verdict,
        "abiPinnedBy": code.abi_pinned_by,
        "onChain": code.on_chain,
        "block": None if code.block is None else code.block._asdict(),
        "proxyType": code.proxy_type or None,
    }


def _rule_outcomes_json(check: DeploymentCheck) -> list[Json]:
    # Omit the rules that need verified code if there is none.
    by_rule: dict[str, list[Finding]] = {}
    for finding in check.findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    bound = () if check.code is None else DEPLOYMENT_RULES
    names = [*(rule_text(rule).name for rule in DESCRIPTOR_RULES), *(rule_text(rule).name for rule in bound)]
    outcomes: list[Json] = []
    for name in names:
        findings = by_rule.get(name, ())
        severities = {finding.severity for finding in findings}
        outcome = "failed" if Severity.ERROR in severities else "warned" if findings else "passed"
        outcomes.append({"rule": name, "outcome": outcome, "findings": [item.message for item in findings]})
    return outcomes


def _function_results_json(check: DeploymentCheck) -> list[Json]:
    reading, binding = check.parsed, check.deployed_descriptor
    entries: list[Json] = []
    for key in reading.types_by_format:
        entry: dict[str, Json] = {"key": key, "hidden": list(undisplayed_paths(reading, key))}
        if reading.descriptor.kind is SigningFileKind.CALLDATA:
            owner = None if binding is None else binding.owners_by_format[key]
            entry["selector"] = reading.functions[key].selector
            entry["code"] = owner.address if owner and owner.function else None
            if owner and owner.unknown:
                entry["reason"] = owner.unknown
        entries.append(entry)
    return entries


def _functions_without_format(check: DeploymentCheck) -> list[Json]:
    if check.code is None or check.parsed.descriptor.kind is not SigningFileKind.CALLDATA:
        return []
    formatted = {function.signature for function in check.parsed.functions.values()}
    return [
        item.signature for item in check.code.state_changing_functions() if item.signature not in formatted
    ]


def _record_digests_in_proof(proof: JsonObject) -> list[tuple[Json, Json]]:
    compared = map(as_object, as_list(proof.get("compared")))
    return [(item.get("address"), item.get("record")) for item in compared]


def _proof_history(proof: JsonObject, previous_proof: JsonObject, now: str) -> JsonObject:
    """Return the start time of a contradiction, and the earlier proofs.

    A descriptor is contradicted if it does not fit the contract's verified code. A proof becomes an earlier one when the
    contract's records change, or the contract is a proxy and forwards calls to another contract. The newest `MAX_EARLIER_PROOFS` are kept, newest first.
    """
    history: dict[str, Json] = {}
    fits = as_object(as_object(proof["claims"])["fits"])
    if fits["status"] == ClaimStatus.CONTRADICTED:
        history["contradictedSince"] = previous_proof.get("contradictedSince") or now
    earlier_proofs = [
        *_contradicted_proofs(proof, previous_proof, now),
        *as_list(previous_proof.get("former")),
    ][:MAX_EARLIER_PROOFS]
    return {**history, "former": earlier_proofs} if earlier_proofs else history


def _contradicted_proofs(proof: JsonObject, previous_proof: JsonObject, now: str) -> list[Json]:
    previous_basis = _record_digests_in_proof(previous_proof)
    current_basis = _record_digests_in_proof(proof)
    if not previous_basis or previous_basis == current_basis:
        return []
    same_addresses = [address for address, _ in previous_basis] == [address for address, _ in current_basis]
    change_text = "a record changed" if same_addresses else "the contract runs other code"
    why = change_text if current_basis else "the record is no longer on the site"
    return [
        {
            "status": ClaimStatus.CONTRADICTED,
            "contradictedSince": now,
            "reason": f"contradicted since {now}: {why}",
            "was": previous_proof.get("status"),
            "compared": [{"address": address, "record": record} for address, record in previous_basis],
        }
    ]
