"""Everything read from content: small things as values, contracts as where they are to be found.

A site may have forty million records of a hundred kilobytes, so the catalogue holds their places only; a
record is read, checked and written on its own, and forgotten.
"""

from dataclasses import dataclass
from enum import StrEnum

from statuary.domain.hosting import NOTHING_FOR_HOSTS, HostingSettings
from statuary.domain.pages import PageSettings
from statuary.domain.site import Chain, ContractSettings
from statuary.domain.status.catalogue import StatusCatalogue
from statuary.domain.status.settings import StatusSettings


class ContractForm(StrEnum):
    """How a contract is written in content."""

    RECORD = "record"
    WORKSPACE = "workspace"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractSource:
    """A place in content that makes one record.

    Attributes:
        path: the file, relative to the content folder: the record, or a workspace's `contract.yaml`.
        chain_id: the chain that the path names, as written there.
        address: the address that the path names, as written there.
        form: how it is written.
    """

    path: str
    chain_id: str
    address: str
    form: ContractForm


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """A whole site before anything is made of it.

    Attributes:
        chains: in the order of the settings.
        contract_settings: how contracts are published.
        contracts: in the order of their paths.
        status: page, components, incidents, maintenances.
        status_settings: how the status side is published.
        pages: which pages for people there are.
        hosting: what the site holds for its hosts.
    """

    chains: tuple[Chain, ...]
    contract_settings: ContractSettings
    contracts: tuple[ContractSource, ...]
    status: StatusCatalogue
    status_settings: StatusSettings
    pages: PageSettings
    hosting: HostingSettings = NOTHING_FOR_HOSTS
