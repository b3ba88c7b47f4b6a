"""A published site as Python objects, from a snapshot file, a folder or a URL.

    >>> from statuary import open_snapshot
    >>> with open_snapshot("site.zip") as site:
    ...     bridge = site.contract(748463, "0x7794f725ec37158e1f30e805eb7764e9c988693e")
    ...     print(bridge.name, bridge.match, len(bridge.abi))
    ...     print(site.status().description)
    Bridge exact_match 23
    Service Under Maintenance

Documents are read one by one, on demand: a contract of a snapshot of any size, on this machine or behind
a URL, costs a few reads. Where the site has a manifest, every byte is checked against it. `contracts` is lazy,

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
    statuary.serving.site.DocumentNotFoundError: site.zip has no v2/contract/1/0x000000000000000000000000000000000000dEaD
"""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Self

from statuary.documents import url_table
from statuary.documents.stored_paths import contract_of_path
from statuary.domain.errors import StatuaryError
from statuary.domain.primitives import Address, ChainId, checksum_address, parse_address, parse_chain_id
from statuary.publishing.snapshot_paths import MANIFEST
from statuary.serving.site_contract import Contract
from statuary.serving.site_status import PageStatus, SiteComponent, SiteIncident
from statuary.snapshots.manifest import SiteOrigin, parse_manifest
from statuary.snapshots.manifest_signature import parse_public_key
from statuary.snapshots.site_reader import SiteReader, open_site


class DocumentNotFoundError(StatuaryError, LookupError):
    """The site has no such document."""


def open_snapshot(location: str | Path, *, public_key: str | None = None) -> "Site":
    """Open a published site; close it, or use it in a `with` statement.

    Args:
        location: a snapshot in zip format, a folder with a site, or the http(s) URL of either.
        public_key: the minisign key that the manifest must be signed with, as base64.

    Raises:
        DamagedSnapshotError: if the manifest is damaged, or not signed with the key.
        PublishingError: if there is no site, or it cannot be reached.
    """
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
        """Release resources."""
        self.reader.close()

    def read(self, path: str) -> bytes:
        """Return a document as bytes.

        Args:
            path: below the site's root, such as `api/v2/summary.json`.

        Raises:
            DocumentNotFoundError: if there is none.
        """
        body = self.reader.read(path)
        if body is None:
            raise DocumentNotFoundError(f"{self.reader.source.name} has no {path}")
        return body

    def document(self, path: str) -> Any:
        """Return a JSON document as Python values; raise DocumentNotFoundError if there is none."""
        return json.loads(self.read(path))

    @property
    def origin(self) -> SiteOrigin:
        """The instant that the site shows, the revision of its content, the version that built it.

        Raises:
            DocumentNotFoundError: if it has no manifest, as a folder that no snapshot was published into.
        """
        return parse_manifest(self.read(MANIFEST)).origin

    def contract(self, chain_id: int | str, address: str) -> Contract:
        """Return a verified contract.

        Args:
            address: in lower case, or checksummed as in EIP-55.

        Raises:
            DocumentNotFoundError: if it is not verified there.
            InvalidValueError: if chain id or address is invalid.
        """
        contract = self._contract(parse_chain_id(str(chain_id)), parse_address(address))
        _ = contract.body
        return contract

    def contracts(self, chain_id: int | str | None = None) -> Iterator[Contract]:
        """Yield every contract; each is read when its members are used.

        Args:
            chain_id: yield only those of one chain.

        Raises:
            PublishingError: if the site cannot be listed: a URL without a manifest.
        """
        wanted = None if chain_id is None else str(chain_id)
        for path in self.reader.paths():
            found = contract_of_path(path)
            if found is not None and wanted in (None, found[0]):
                contract = self._contract(ChainId(found[0]), checksum_address(found[1]))
                if contract.address == found[1]:  # not its lower-case alias
                    yield contract

    def _contract(self, chain_id: ChainId, address: Address) -> Contract:
        path = url_table.CONTRACT.path(chain_id=chain_id, address=address)
        proof = url_table.PROOF.path(chain_id=chain_id, address=address)
        return Contract(chain_id, address, partial(self.read, path), partial(self.read, proof))

    def chains(self) -> list[dict[str, Any]]:
        """Return the chains that the site serves."""
        chains: list[dict[str, Any]] = self.document(url_table.CHAINS.path())
        return chains

    def status(self) -> PageStatus:
        """Return the page's status."""
        value = self.document(url_table.STATUS.path())["status"]
        return PageStatus(indicator=value["indicator"], description=value["description"])

    def components(self) -> tuple[SiteComponent, ...]:
        """Return every component and group."""
        return tuple(map(SiteComponent.of, self.document(url_table.COMPONENTS.path())["components"]))

    def incidents(self) -> tuple[SiteIncident, ...]:
        """Return the latest incidents (50, as Statuspage gives them), latest first."""
        return self._incidents(url_table.INCIDENTS.path(), "incidents")

    def unresolved_incidents(self) -> tuple[SiteIncident, ...]:
        """Return the incidents that are not resolved."""
        return self._incidents(url_table.INCIDENTS_UNRESOLVED.path(), "incidents")

    def scheduled_maintenances(self) -> tuple[SiteIncident, ...]:
        """Return the latest scheduled maintenances (50, as Statuspage gives them), latest first."""
        return self._incidents(url_table.MAINTENANCES.path(), "scheduled_maintenances")

    def incident(self, incident_id: str) -> SiteIncident:
        """Return one incident or maintenance; raise DocumentNotFoundError if there is none."""
        value = self.document(url_table.INCIDENT.path(incident_id=incident_id))
        return SiteIncident.of(value["incident"])

    def _incidents(self, path: str, member: str) -> tuple[SiteIncident, ...]:
        return tuple(map(SiteIncident.of, self.document(path)[member]))
