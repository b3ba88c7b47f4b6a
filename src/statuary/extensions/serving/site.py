"""A published site as Python objects: a snapshot, folder or URL.

    >>> from statuary import open_snapshot
    >>> with open_snapshot("site.zip") as site:
    ...     bridge = site.contract(748463, "0x7794f725ec37158e1f30e805eb7764e9c988693e")
    ...     print(bridge.name, bridge.match, len(bridge.abi))
    ...     print(site.status().description)
    Bridge exact_match 23
    Service Under Maintenance

Documents are read one by one, on demand: a contract of a snapshot of any size, on this machine or behind
a URL, costs a few reads. Where the site has a manifest, every byte is checked against it. `contracts` is
lazy,

    >>> with open_snapshot("site.zip") as site:
    ...     languages = {contract.language for contract in site.contracts()}
    ...     print(sorted(languages))
    ['Solidity', 'Vyper', 'Yul']

and everything that the site publishes can be read as bytes:

    >>> with open_snapshot("site.zip") as site:
    ...     print(site.read("api/v2/status.json")[:9])
    b'{"page":{'
    >>> with open_snapshot("site.zip") as site:
    ...     site.contract(1, "0x000000000000000000000000000000000000dEaD")
    Traceback (most recent call last):
    statuary.extensions.serving.site.DocumentNotFoundError: site.zip has no
        v2/contract/1/0x000000000000000000000000000000000000dEaD
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Self

from typing_extensions import override

from statuary.base.errors import StatuaryError
from statuary.base.files import MANIFEST
from statuary.base.json_values import Json, JsonObject
from statuary.base.primitives import (
    Address,
    ChainId,
    checksum_address,
    parse_address,
    parse_chain_id,
    parse_instant,
)
from statuary.contracts import urls as contract_urls
from statuary.contracts.model.proof import Claim
from statuary.contracts.model.record import RecordValue
from statuary.contracts.paths import contract_key_of_path
from statuary.extensions.packs.pack_folder import PackedSource
from statuary.extensions.snapshots.manifest_signature import parse_public_key
from statuary.extensions.snapshots.site_reader import SiteReader, open_site
from statuary.extensions.snapshots.verify import verify_merkle_proofs
from statuary.publish.listing import DamagedSnapshotError
from statuary.publish.manifest import parse_manifest
from statuary.publish.origin import SiteOrigin
from statuary.status import urls as status_urls


class Contract:
    """A verified contract, whose properties have the names of Sourcify's API.

    Attributes:
        chain_id: the chain id as a decimal string.
        address: the address with its EIP-55 checksum.
    """

    def __init__(
        self,
        chain_id: ChainId,
        address: Address,
        read_record: Callable[[], bytes],
        read_proof: Callable[[], bytes],
    ) -> None:
        self.chain_id = chain_id
        self.address = address
        self._read = read_record
        self._read_proof = read_proof

    @override
    def __repr__(self) -> str:
        return f"<Contract {self.chain_id}/{self.address}>"

    @cached_property
    def body(self) -> bytes:
        """The bytes of the contract's record: compact JSON, as published."""
        return self._read()

    @cached_property
    def record(self) -> RecordValue:
        """The record of the contract, parsed from JSON."""
        value: RecordValue = json.loads(self.body)
        return value

    @cached_property
    def proof(self) -> RecordValue:
        """The document that says what the site has verified about the contract."""
        value: RecordValue = json.loads(self._read_proof())
        return value

    @property
    def on_chain(self) -> Claim:
        """Whether the contract's code is proven to be on the chain.

        The published Merkle proofs are verified first.

        Raises:
            DamagedSnapshotError: if the published proof claims more than its evidence proves.
            MissingExtraError: if a proof of the deployment needs the extra `chain`, and it is not installed.
        """
        return self._chain_claims[0]

    @property
    def deployed(self) -> Claim:
        """Whether the transaction that created the contract is proven.

        The published Merkle proofs are verified first.

        Raises:
            DamagedSnapshotError: if the published proof claims more than its evidence proves.
            MissingExtraError: if the extra `chain` is needed and not installed.
        """
        return self._chain_claims[1]

    @cached_property
    def _chain_claims(self) -> tuple[Claim, ...]:
        claims, findings = verify_merkle_proofs(self.proof, self.record, sha256(self.body).hexdigest())
        if findings:
            raise DamagedSnapshotError(
                f"the proof of contract {self.chain_id}/{self.address} is wrong: {findings[0].message}"
            )
        return claims

    @property
    def match(self) -> str | None:
        """How well the verified code matches the code on the chain.

        `exact_match` means that the code and its metadata, which has a hash of the sources, are the same.
        `match` means that only the executable code is. Creation and runtime code each have a result; this is the
        better one.
        """
        return self._record_text("match")

    @property
    def creation_match(self) -> str | None:
        """How well the creation code matches: `exact_match`, `match`, or None."""
        return self._record_text("creationMatch")

    @property
    def runtime_match(self) -> str | None:
        """How well the runtime code matches: `exact_match`, `match`, or None."""
        return self._record_text("runtimeMatch")

    @property
    def verified_at(self) -> datetime:
        """The time at which the contract was verified, in UTC."""
        return parse_instant(self.record["verifiedAt"])

    @property
    def abi(self) -> list[dict[str, Json]] | None:
        """The ABI, or None if the compiler wrote none."""
        abi: list[dict[str, Json]] | None = self.record.get("abi")
        return abi

    @property
    def sources(self) -> dict[str, str]:
        """The text of each source file, by its path."""
        return {path: source["content"] for path, source in (self.record.get("sources") or {}).items()}

    @property
    def metadata(self) -> dict[str, Json] | None:
        """The compiler's metadata, or None if the compiler wrote none."""
        metadata: dict[str, Json] | None = self.record.get("metadata")
        return metadata

    @property
    def name(self) -> str | None:
        """The name of the contract in its source file."""
        return self._compilation_text("name")

    @property
    def fully_qualified_name(self) -> str | None:
        """The source path and the name, such as `contracts/Bridge.sol:Bridge`."""
        return self._compilation_text("fullyQualifiedName")

    @property
    def language(self) -> str | None:
        """The programming language, such as Solidity, Vyper or Yul."""
        return self._compilation_text("language")

    @property
    def compiler_version(self) -> str | None:
        """The full version of the compiler, with its commit."""
        return self._compilation_text("compilerVersion")

    def _record_text(self, member: str) -> str | None:
        value: str | None = self.record.get(member)
        return value

    def _compilation_text(self, member: str) -> str | None:
        value: str | None = (self.record.get("compilation") or {}).get(member)
        return value


Members = Mapping[str, Any]
"""A JSON object of the status API, whose members are of many types."""


class PageStatus(NamedTuple):
    """The overall status of a status page.

    Attributes:
        indicator: `none`, `minor`, `major`, `critical` or `maintenance`.
        description: the status in words, such as `All Systems Operational`.
    """

    indicator: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteComponent:
    """A component of a status page, or a group of components.

    Attributes:
        status: `operational`, `degraded_performance`, `partial_outage`, `major_outage` or
            `under_maintenance`.
        group_id: the id of the group that contains the component; None outside of groups.
        value: the JSON of the status API.
    """

    id: str
    name: str
    status: str
    group_id: str | None
    is_group: bool
    value: Members = field(repr=False)

    @classmethod
    def from_json(cls, value: Members) -> Self:
        """Convert a component from the JSON of the status API."""
        return cls(
            id=value["id"],
            name=value["name"],
            status=value["status"],
            group_id=value["group_id"],
            is_group=value["group"],
            value=value,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteIncidentUpdate:
    """An update of an incident or maintenance window.

    Attributes:
        status: the status that the incident has since the update.
        display_at: the time that the page shows for the update.
        value: the JSON of the status API.
    """

    id: str
    status: str
    body: str
    display_at: datetime
    value: Members = field(repr=False)

    @classmethod
    def from_json(cls, value: Members) -> Self:
        """Convert an update from the JSON of the status API."""
        return cls(
            id=value["id"],
            status=value["status"],
            body=value["body"],
            display_at=parse_instant(value["display_at"]),
            value=value,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteIncident:
    """An incident or a maintenance window.

    Attributes:
        status: `investigating`, `identified`, `monitoring`, `resolved` or `postmortem`; for a maintenance
            window `scheduled`, `in_progress`, `verifying` or `completed`.
        impact: `none`, `minor`, `major`, `critical` or `maintenance`.
        resolved_at: the time of the end; None while the incident is open.
        scheduled_for: the start of a maintenance window; None for an incident.
        scheduled_until: the end of a maintenance window; None for an incident.
        updates: the updates, latest first.
        value: the JSON of the status API.
    """

    id: str
    name: str
    status: str
    impact: str
    created_at: datetime
    updated_at: datetime
    resolved_at: datetime | None
    scheduled_for: datetime | None
    scheduled_until: datetime | None
    updates: tuple[SiteIncidentUpdate, ...]
    components: tuple[SiteComponent, ...]
    value: Members = field(repr=False)

    @classmethod
    def from_json(cls, value: Members) -> Self:
        """Convert an incident from the JSON of the status API."""
        return cls(
            id=value["id"],
            name=value["name"],
            status=value["status"],
            impact=value["impact"],
            created_at=parse_instant(value["created_at"]),
            updated_at=parse_instant(value["updated_at"]),
            resolved_at=_parse_time(value.get("resolved_at")),
            scheduled_for=_parse_time(value.get("scheduled_for")),
            scheduled_until=_parse_time(value.get("scheduled_until")),
            updates=tuple(map(SiteIncidentUpdate.from_json, value["incident_updates"])),
            components=tuple(map(SiteComponent.from_json, value.get("components", ()))),
            value=value,
        )


def _parse_time(text: str | None) -> datetime | None:
    return None if text is None else parse_instant(text)


class DocumentNotFoundError(StatuaryError, LookupError):
    """Raised if the site does not have the requested document."""


def open_snapshot(location: str | Path, *, public_key: str | None = None) -> "Site":
    """Open a published site, such as a snapshot file or a URL.

    Close the result, or use it in a `with` statement.

    Args:
        location: a snapshot in zip format, a folder with a site, a pack, or the http(s) URL of any of them.
        public_key: the minisign key that must have signed the manifest, as base64; None to accept any site.

    Raises:
        DamagedSnapshotError: if the manifest is damaged, or not signed with the key.
        PublishingError: if there is no site at the location.
        UnreachableError: if the server does not respond.
    """
    if public_key is None and str(location).endswith(".pack"):
        return Site(SiteReader(PackedSource(str(location)), None))
    return Site(open_site(location, None if public_key is None else parse_public_key(public_key)))


class Site:
    """A published site; thread-safe."""

    def __init__(self, reader: SiteReader) -> None:
        self.reader = reader

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close open files and connections."""
        self.reader.close()

    def read(self, path: str) -> bytes:
        """Return the bytes of a document.

        Args:
            path: the path of the document on the site, such as `api/v2/summary.json`.

        Raises:
            DocumentNotFoundError: if the site has no such document.
        """
        body = self.reader.read(path)
        if body is None:
            raise DocumentNotFoundError(f"{self.reader.source.name} has no {path}")
        return body

    def document(self, path: str) -> Any:
        """Return a JSON document as Python values.

        Args:
            path: the path of the document on the site, such as `api/v2/summary.json`.

        Raises:
            DocumentNotFoundError: if the site has no such document.
        """
        return json.loads(self.read(path))

    @property
    def origin(self) -> SiteOrigin:
        """The time of the build, and the versions of content and statuary.

        Raises:
            DocumentNotFoundError: if the site has no manifest, which contains them.
        """
        return parse_manifest(self.read(MANIFEST)).origin

    def contract(self, chain_id: int | str, address: str) -> Contract:
        """Return the verified contract at an address.

        Args:
            chain_id: the id of the chain.
            address: the address, in lower case or with its EIP-55 checksum.

        Raises:
            DocumentNotFoundError: if the site has no such contract.
            InvalidValueError: if the chain id or the address is invalid.
        """
        contract = self._read_contract(parse_chain_id(str(chain_id)), parse_address(address))
        _ = contract.body
        return contract

    def contracts(self, chain_id: int | str | None = None) -> Iterator[Contract]:
        """Yield all contracts of the site.

        Each record is read when it is used.

        Args:
            chain_id: the id of a chain, to yield only its contracts; None for all chains.

        Raises:
            PublishingError: if the site cannot be listed, as a URL without a manifest.
        """
        chain_text = None if chain_id is None else str(chain_id)
        for path in self.reader.paths():
            place = contract_key_of_path(path)
            if place is not None and chain_text in (None, place[0]):
                contract = self._read_contract(ChainId(place[0]), checksum_address(place[1]))
                if contract.address == place[1]:  # skip the alias with the lower-case address
                    yield contract

    def _read_contract(self, chain_id: ChainId, address: Address) -> Contract:
        path = contract_urls.CONTRACT.path(chain_id=chain_id, address=address)
        proof = contract_urls.PROOF.path(chain_id=chain_id, address=address)
        return Contract(chain_id, address, partial(self.read, path), partial(self.read, proof))

    def chains(self) -> list[JsonObject]:
        """Return the chains of the site with their names and ids.

        Each is a dict, as in the document `chains` of Sourcify's API.
        """
        chains: list[JsonObject] = self.document(contract_urls.CHAINS.path())
        return chains

    def status(self) -> PageStatus:
        """Return the overall status of the page."""
        value = self.document(status_urls.STATUS.path())["status"]
        return PageStatus(indicator=value["indicator"], description=value["description"])

    def components(self) -> tuple[SiteComponent, ...]:
        """Return all components of the status page, and their groups."""
        return tuple(map(SiteComponent.from_json, self.document(status_urls.COMPONENTS.path())["components"]))

    def incidents(self) -> tuple[SiteIncident, ...]:
        """Return all open incidents, and the latest resolved ones.

        The latest incident comes first. By default, there are 50 resolved ones.
        """
        return self._read_incidents(status_urls.INCIDENTS.path(), "incidents")

    def unresolved_incidents(self) -> tuple[SiteIncident, ...]:
        """Return the incidents that are not resolved."""
        return self._read_incidents(status_urls.INCIDENTS_UNRESOLVED.path(), "incidents")

    def scheduled_maintenances(self) -> tuple[SiteIncident, ...]:
        """Return all open maintenance windows, and the latest closed ones.

        The latest window comes first. By default, there are 50 closed ones.
        """
        return self._read_incidents(status_urls.MAINTENANCES.path(), "scheduled_maintenances")

    def incident(self, incident_id: str) -> SiteIncident:
        """Return an incident or maintenance window by its id.

        Raises:
            DocumentNotFoundError: if the site has no incident with this id.
        """
        value = self.document(status_urls.INCIDENT.path(incident_id=incident_id))
        return SiteIncident.from_json(value["incident"])

    def _read_incidents(self, path: str, member: str) -> tuple[SiteIncident, ...]:
        return tuple(map(SiteIncident.from_json, self.document(path)[member]))
