"""A published site to look things up in: a snapshot file, a folder or a URL, all alike.

    >>> from statuary import open_snapshot
    >>> with open_snapshot("site.zip") as site:
    ...     bridge = site.contract(748463, "0x7794f725ec37158e1f30e805eb7764e9c988693e")
    ...     print(bridge.name, bridge.match, len(bridge.abi))
    ...     print(site.status().description)
    Bridge exact_match 23
    Service Under Maintenance

Nothing is read before it is asked for, and one document at a time: a contract of a snapshot of any size, on this
machine or behind a URL, costs a few reads. Contracts can be gone through lazily,

    >>> with open_snapshot("site.zip") as site:
    ...     languages = {contract.language for contract in site.contracts()}
    ...     print(sorted(languages))
    ['Solidity', 'Vyper', 'Yul']

and everything that the site publishes can be read as it is:

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
from statuary.domain.primitives import Address, ChainId, checksum_address, parse_address, parse_chain_id
from statuary.publishing.snapshot_paths import MANIFEST
from statuary.serving.site_contract import Contract
from statuary.serving.site_status import PageStatus, SiteComponent, SiteIncident
from statuary.snapshots.manifest import SiteOrigin, parse_manifest
from statuary.snapshots.site_reader import SiteReader, open_site


class DocumentNotFoundError(LookupError):
    """The site has no such document."""


def open_snapshot(place: str | Path) -> "Site":
    """Open a site to look records and status up in; to be closed, or used in a `with` statement.

    Args:
        place: a snapshot in the form of a zip, a folder with a site, or the http(s) URL of either.

    Raises:
        PublishingRefused: if there is none, or it cannot be reached.
    """
    return Site(open_site(place), str(place))


class Site:
    """A published site. It may be used by several threads at once.

    Attributes:
        reader: where its documents are read from.
        name: the file, folder or URL that was opened.
    """

    def __init__(self, reader: SiteReader, name: str) -> None:
        self.reader = reader
        self.name = name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back what is open."""
        self.reader.close()

    def read(self, path: str) -> bytes:
        """Return a document as it is published.

        Args:
            path: below the site's root, such as `api/v2/summary.json`.

        Raises:
            NotInSite: if there is none.
        """
        body = self.reader.read(path)
        if body is None:
            raise DocumentNotFoundError(f"{self.name} has no {path}")
        return body

    def document(self, path: str) -> Any:
        """Return a JSON document as Python values.

        Raises:
            NotInSite: if there is none.
        """
        return json.loads(self.read(path))

    @property
    def origin(self) -> SiteOrigin:
        """The instant that the site tells, the revision of its content, the version that built it.

        Raises:
            NotInSite: if it has no manifest: a folder that no snapshot was published into.
        """
        return parse_manifest(self.read(MANIFEST)).origin

    def contract(self, chain_id: int | str, address: str) -> Contract:
        """Return a verified contract.

        Args:
            chain_id: the chain's number.
            address: in lower case, or in the capitals of EIP-55.

        Raises:
            NotInSite: if it is not verified there.
            Malformed: if that is no chain id or no address.
        """
        contract = self._contract(parse_chain_id(str(chain_id)), parse_address(address))
        _ = contract.body
        return contract

    def contracts(self, chain_id: int | str | None = None) -> Iterator[Contract]:
        """Yield every contract, as the place lists them; each is read when it is looked at.

        Args:
            chain_id: yield those of one chain.

        Raises:
            PublishingRefused: if the site cannot be listed: a URL that no snapshot was published to.
        """
        wanted = None if chain_id is None else str(chain_id)
        for path in self.reader.paths():
            place = contract_of_path(path)
            if place is not None and wanted in (None, place[0]):
                contract = self._contract(ChainId(place[0]), checksum_address(place[1]))
                if contract.address == place[1]:  # not its second name
                    yield contract

    def _contract(self, chain_id: ChainId, address: Address) -> Contract:
        path = url_table.CONTRACT.path(chain_id=chain_id, address=address)
        return Contract(chain_id, address, partial(self.read, path))

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
        """Return the incidents that last."""
        return self._incidents(url_table.INCIDENTS_UNRESOLVED.path(), "incidents")

    def scheduled_maintenances(self) -> tuple[SiteIncident, ...]:
        """Return the latest scheduled maintenances (50, as Statuspage gives them), latest first."""
        return self._incidents(url_table.MAINTENANCES.path(), "scheduled_maintenances")

    def incident(self, incident_id: str) -> SiteIncident:
        """Return one incident or maintenance.

        Raises:
            NotInSite: if there is none.
        """
        value = self.document(url_table.INCIDENT.path(incident_id=incident_id))
        return SiteIncident.of(value["incident"])

    def _incidents(self, path: str, member: str) -> tuple[SiteIncident, ...]:
        return tuple(map(SiteIncident.of, self.document(path)[member]))
