"""The key `apis` of site.yaml: APIs for explorers and tools."""

from enum import StrEnum
from typing import Annotated, NamedTuple

from pydantic import Field
from typing_extensions import override

from statuary.engine.extension_settings import ExtensionSource


class Api(StrEnum):
    """An API that a site can serve for explorers and tools."""

    SIGNATURES = "signatures"
    """Look-up and search of signatures, as Sourcify's 4byte service has them, and files that tools read."""
    ETHERSCAN = "etherscan"
    """Etherscan's `getsourcecode`, `getabi` and `getcontractcreation`, and its list of chains."""
    OTTERSCAN = "otterscan"
    """Sources, signatures, topics, chains and pictures as Otterscan reads them, and its configuration."""
    BLOCKSCOUT = "blockscout"
    """Blockscout's answer about a contract."""
    CODE = "code"
    """Contracts by the hash of their code, and by its template."""
    PROXIES = "proxies"
    """Each proxy with its implementations: the merged ABI, the history, and what changed at each upgrade."""


class ApisSettings(NamedTuple):
    """The enabled APIs, in the order of `Api`."""

    apis: tuple[Api, ...] = ()


class SiteApisSource(ExtensionSource):
    """The key `apis` of site.yaml."""

    apis: Annotated[tuple[Api, ...], Field(max_length=16)] = ()
    """The additional APIs of the site, for block explorers, wallets and tools. The page *What is published*
    of the manual explains each one."""

    @override
    def to_settings(self) -> ApisSettings | None:
        apis = tuple(api for api in Api if api in self.apis)
        return ApisSettings(apis) if apis else None
