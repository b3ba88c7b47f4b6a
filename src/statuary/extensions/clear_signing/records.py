"""The verified code of contracts that descriptors are compared with."""

import re
from collections.abc import Collection, Iterator, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from statuary.base.budget import consume_search_steps, run_guarded
from statuary.base.findings import Finding
from statuary.base.json_values import Json, JsonObject, as_list, as_object, as_text
from statuary.base.primitives import InvalidValueError, checksum_address
from statuary.contracts.chain.anchor import NO_CHECKPOINTS, Checkpoints
from statuary.contracts.checks.prove import IDENTITY_CHECKS, prove, run_checks
from statuary.contracts.incremental.bulk import open_bulk_source
from statuary.contracts.incremental.contract_table import ContractTable
from statuary.contracts.incremental.record_location import path_mismatch, unknown_chain
from statuary.contracts.model.abi import item_signature
from statuary.contracts.model.proof import ClaimName, ClaimStatus, PinnedBy
from statuary.contracts.model.record import RecordValue, sort_members_as_served
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.contract_source import ContractSource
from statuary.contracts.sources.parse_record import ParsedContract
from statuary.contracts.sources.read_contract import read_contract
from statuary.extensions.clear_signing.key_types import Parameter, parse_abi_inputs, selector_of
from statuary.extensions.clear_signing.limits import MAX_FACETS
from statuary.site.document import encode_unchecked
from statuary.site.site_content import SiteContent

ContractLocation = tuple[str, str]
"""Chain id and address in lower case."""

DIAMOND: Final = "DiamondProxy"


class Function(NamedTuple):
    """A function of a verified ABI."""

    signature: str
    parameters: tuple[Parameter, ...]
    mutability: str

    @property
    def changes_state(self) -> bool:
        """Whether a call may change state and so needs a signature."""
        return self.mutability not in ("view", "pure")


class AnchoredAt(NamedTuple):
    """The block in which the code at an address was proved."""

    number: int
    hash: str


class VerifiedCode(NamedTuple):
    """The functions and message types of a verified contract.

    Descriptors, which tell wallets how to show its calls, are compared with them.
    """

    address: str  # checksummed
    name: str
    match_id: str
    record_sha256: str  # SHA-256 of the record as the site publishes it
    functions: Mapping[str, tuple[Function, ...]]  # the functions by selector
    abi_pinned_by: PinnedBy
    on_chain: ClaimStatus  # whether the code at the address is proven to be the record's
    verdict: ClaimStatus
    block: AnchoredAt | None
    proxy_type: str  # empty if the record names none
    implementations: tuple[str, ...]  # the addresses in the record's proxyResolution, in lower case
    type_strings: Mapping[str, frozenset[str]]  # EIP-712 type strings in the sources, by primary type
    notices: Mapping[str, str]  # notices of the user documentation, by signature


class SelectorOwner(NamedTuple):
    """The contract that runs a function, or why it is unknown."""

    function: Function | None = None
    address: str = ""
    unknown: str = ""  # why it is unknown which contract runs the function; empty if no contract has it


class DeployedCode(NamedTuple):
    """All verified code that a call to an address can run.

    If the contract is a proxy, which forwards calls, the code of its implementations is included.
    """

    own_code: VerifiedCode
    other_codes: tuple[VerifiedCode, ...] = ()
    unverified: tuple[tuple[str, str], ...] = ()  # implementations without a verified record, and why

    @property
    def all_codes(self) -> tuple[VerifiedCode, ...]:
        """The code of the called contract, then the code of its implementations.

        Implementations without verified code are left out.
        """
        return (self.own_code, *self.other_codes)

    @property
    def type_strings(self) -> Mapping[str, frozenset[str]]:
        """The EIP-712 type strings in the contracts' sources, by primary type."""
        strings_by_type: dict[str, frozenset[str]] = {}
        for code in self.all_codes:
            for name, texts in code.type_strings.items():
                strings_by_type[name] = strings_by_type.get(name, frozenset()) | texts
        return strings_by_type

    def signatures_named(self, function_name: str) -> list[str]:
        """Return the signatures of all functions with this name, sorted.

        Args:
            function_name: the name without parameters, such as `transfer`.
        """
        signatures = [
            item for code in self.all_codes for functions in code.functions.values() for item in functions
        ]
        return sorted(
            {item.signature for item in signatures if item.signature.startswith(f"{function_name}(")}
        )

    def state_changing_functions(self) -> list[Function]:
        """Return the functions that can change state, sorted by signature."""
        by_signature: dict[str, Function] = {}
        for code in self.all_codes:
            for functions in code.functions.values():
                by_signature.update({item.signature: item for item in functions if item.changes_state})
        return [by_signature[signature] for signature in sorted(by_signature)]

    def selector_owner(self, selector: str) -> SelectorOwner:
        """Find the contract that runs the function with a selector.

        A selector is the 4-byte hash that names a function in a call. The called contract runs the function if it has it.
        Otherwise the first implementation that has it runs it.

        Returns:
            The function and the address of the contract. If the contract cannot be determined, the result
            says why: several facets of a diamond have the function, or an implementation is not verified.
        """
        if own_functions := self.own_code.functions.get(selector):
            return SelectorOwner(own_functions[0], self.own_code.address)
        having = [code for code in self.other_codes if selector in code.functions]
        if len(having) == 1 or (having and self.own_code.proxy_type != DIAMOND):
            return SelectorOwner(having[0].functions[selector][0], having[0].address)
        if having:
            addresses = ", ".join(code.address for code in having)
            return SelectorOwner(unknown=f"not proven: more than one facet has the function: {addresses}")
        if self.unverified:
            address, why = self.unverified[0]
            return SelectorOwner(unknown=f"not proven: the implementation {address} {why}")
        return SelectorOwner()


NO_RECORD: Final = "has no verified record on this site"
EXCLUDED: Final = "has a record that this site excludes"


class SiteRecords:
    """The verified code of the contracts that descriptors describe.

    Each record is read once.
    """

    def __init__(self, root: Path, site: SiteContent, sources: ContractTable | None = None) -> None:
        """Prepare to read the records of a site's contracts.

        Args:
            root: the content folder.
            sources: the contracts of the running build, which select one of several records for a contract;
                None if no build is running.
        """
        self._root, self._site, self._sources = root, site, sources
        self._chains = frozenset(chain.chain_id for chain in site.content_of(SiteContracts).chains)
        self._checkpoints: dict[str, Checkpoints] = {
            chain.chain_id: dict(chain.checkpoints) for chain in site.content_of(SiteContracts).chains
        }
        self._codes: dict[ContractLocation, VerifiedCode | str] = {}

    def code_at(self, location: ContractLocation) -> DeployedCode | str:
        """Return the verified code that a call to a contract can run.

        Call `read_contracts` with the contract first.

        Args:
            location: the chain and address of the contract.

        Returns:
            The code. If there is none, the end of a sentence that says why.
        """
        own_code = self._codes.get(location, NO_RECORD)
        if isinstance(own_code, str):
            return own_code
        other_codes, unverified = [], []
        for address in own_code.implementations:
            code = self._codes.get((location[0], address), NO_RECORD)
            if isinstance(code, str):
                unverified.append((checksum_address(address), code))
            else:
                other_codes.append(code)
        return DeployedCode(own_code, tuple(other_codes), tuple(unverified))

    def read_contracts(self, locations: Collection[ContractLocation]) -> None:
        """Read the records of contracts and of their implementations.

        Call `code_at` afterwards to get the code of each.

        Args:
            locations: the chain and address of each contract; contracts on chains that are not in site.yaml
                are skipped.
        """
        self._read_records_at({place for place in locations if place[0] in self._chains})
        implementations = {
            (chain_id, address)
            for (chain_id, _), code in self._codes.items()
            if not isinstance(code, str)
            for address in code.implementations
        }
        self._read_records_at(implementations)

    def _read_records_at(self, requested_locations: Collection[ContractLocation]) -> None:
        locations = {place for place in requested_locations if place not in self._codes}
        if not locations:
            return
        first: dict[ContractLocation, tuple[bool, str, str, int]] = {}
        for place, source, parsed in self._find_records(locations):
            if self._is_duplicate(place, source):
                continue
            code = self._code_or_exclusion_reason(source, parsed)
            verified_at = as_text((parsed.record or {}).get("verifiedAt"))
            precedence = (isinstance(code, str), verified_at, source.path, source.line)
            if place not in first or precedence < first[place]:
                self._codes[place], first[place] = code, precedence

    def _code_or_exclusion_reason(self, source: ContractSource, parsed: ParsedContract) -> VerifiedCode | str:
        outcome = run_guarded(partial(self._prove_record, source, parsed), source.path, "reading the record")
        return EXCLUDED if isinstance(outcome, Finding) or outcome is None else outcome

    def _is_duplicate(self, location: ContractLocation, source: ContractSource) -> bool:
        if self._sources is None:
            return False
        contract = self._sources.contract_at(location[0], checksum_address(location[1]))
        return contract is not None and contract.location != source.location

    def _find_records(
        self, locations: Collection[ContractLocation]
    ) -> Iterator[tuple[ContractLocation, ContractSource, ParsedContract]]:
        for source in self._site.content_of(SiteContracts).sources:
            place = source.chain_id, source.address.lower()
            if place in locations:
                yield place, source, read_contract(self._root, source)
        for bulk in self._site.content_of(SiteContracts).bulk:
            with open_bulk_source(self._root, self._site.content_of(SiteContracts), bulk) as parts:
                for part in parts:
                    if isinstance(part, Finding):
                        continue
                    for contract in part.read(self._root):
                        place = contract.source.chain_id, contract.source.address.lower()
                        if place in locations:
                            yield place, contract.source, contract.parsed_contract

    def _prove_record(self, source: ContractSource, parsed: ParsedContract) -> VerifiedCode | None:
        """Check a record as a build does, and return its code.

        Returns:
            The code, or None if the site excludes the record.
        """
        if parsed.record is None or parsed.findings or self._is_misplaced(parsed.record, source):
            return None
        record = sort_members_as_served(parsed.record)
        digest = sha256(encode_unchecked(record)).hexdigest()
        proof = prove(
            record,
            compilation=parsed.compilation,
            anchor=parsed.anchor,
            record_digest=digest,
            checkpoints=self._checkpoints.get(source.chain_id, NO_CHECKPOINTS),
        )
        if not proof.has_no_errors:
            return None
        claim = proof.find_claim(ClaimName.ON_CHAIN)
        on_chain = ClaimStatus.NOT_SHOWN if claim is None else claim.status
        block = None if parsed.anchor is None else parsed.anchor.block
        anchored_at = None
        if block is not None and on_chain is not ClaimStatus.NOT_SHOWN:
            anchored_at = AnchoredAt(block.number, block.hash)
        return extract_verified_code(record)._replace(
            record_sha256=digest,
            abi_pinned_by=proof.pinned.get("abi", PinnedBy.CLAIMED),
            on_chain=on_chain,
            verdict=ClaimStatus.NOT_SHOWN if proof.verdict is None else proof.verdict.status,
            block=anchored_at,
        )

    def _is_misplaced(self, record: RecordValue, source: ContractSource) -> bool:
        findings = [
            *(finding for result in run_checks(record, IDENTITY_CHECKS) for finding in result.findings),
            *path_mismatch(record, source),
            *unknown_chain(record, source, self._chains),
        ]
        return bool(findings)


def extract_verified_code(record: RecordValue) -> VerifiedCode:
    """Return the functions and EIP-712 message types of a contract's record.

    The record's evidence is not checked, so the result does not say whether the code is proven.
    """
    resolution = as_object(record.get("proxyResolution"))
    addresses = [as_object(item).get("address") for item in as_list(resolution.get("implementations"))]
    methods = as_object(as_object(record.get("userdoc")).get("methods"))
    return VerifiedCode(
        address=record["address"],
        name=record["compilation"]["name"],
        match_id=record["matchId"],
        record_sha256="",
        functions=functions_by_selector(record["abi"]),
        abi_pinned_by=PinnedBy.CLAIMED,
        on_chain=ClaimStatus.NOT_SHOWN,
        verdict=ClaimStatus.NOT_SHOWN,
        block=None,
        proxy_type=str(resolution.get("proxyType") or ""),
        implementations=tuple(str(address).lower() for address in addresses[:MAX_FACETS]),
        type_strings=type_strings(as_object(record["sources"])),
        notices={
            signature: as_text(as_object(method).get("notice")) for signature, method in methods.items()
        },
    )


def functions_by_selector(abi: Json) -> dict[str, tuple[Function, ...]]:
    """Return the functions in an ABI by selector, such as `0xa9059cbb`.

    A selector is the 4-byte hash that names a function in a call. Invalid entries are skipped.
    """
    functions: dict[str, tuple[Function, ...]] = {}
    for item in map(as_object, as_list(abi)):
        signature = item_signature(item) if item.get("type") == "function" else None
        if signature is None:
            continue
        try:
            parameters = parse_abi_inputs(item.get("inputs"))
        except InvalidValueError:
            continue
        function = Function(signature, parameters, _state_mutability(item))
        selector = selector_of(signature)
        functions[selector] = (*functions.get(selector, ()), function)
    return functions


def _state_mutability(abi_function: JsonObject) -> str:
    mutability = abi_function.get("stateMutability")
    if isinstance(mutability, str):
        return mutability
    if abi_function.get("payable"):
        return "payable"
    return "view" if abi_function.get("constant") else "nonpayable"


_JOINED = re.compile(r"""["']\s*,?\s*["']""")
_TYPE_STRING = re.compile(
    r"""["'](?P<all>(?P<name>[A-Za-z_$][A-Za-z0-9_$]*)\([^"'()]{0,2000}\)[^"']{0,8000})["']""", re.ASCII
)


def type_strings(sources: JsonObject) -> dict[str, frozenset[str]]:
    """Find the EIP-712 type strings in source code.

    Example: `Mail(string contents)`. Only sources with the word `keccak256` are searched.

    Returns:
        The strings by the name of their first type, such as `Mail`.
    """
    strings: dict[str, set[str]] = {}
    for source in sources.values():
        content = as_object(source).get("content")
        if not isinstance(content, str) or "keccak256" not in content:
            continue
        consume_search_steps(len(content))
        for match in _TYPE_STRING.finditer(_JOINED.sub("", content)):
            if " " in match["all"]:
                strings.setdefault(match["name"], set()).add(match["all"])
    return {name: frozenset(texts) for name, texts in strings.items()}


NO_CODE: Final = DeployedCode(
    VerifiedCode(
        address="",
        name="",
        match_id="",
        record_sha256="",
        functions={},
        abi_pinned_by=PinnedBy.CLAIMED,
        on_chain=ClaimStatus.NOT_SHOWN,
        verdict=ClaimStatus.NOT_SHOWN,
        block=None,
        proxy_type="",
        implementations=(),
        type_strings={},
        notices={},
    )
)
"""Stands for the code of a deployment without a verified record."""
