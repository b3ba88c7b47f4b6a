"""The key `packs` of site.yaml."""

from typing import NamedTuple

from typing_extensions import override

from statuary.engine.extension_settings import ExtensionSource
from statuary.source.source_model import Flag


class PacksSettings(NamedTuple):
    """The setting that the site has packs."""

    is_on: bool = True


class SitePacksSource(ExtensionSource):
    """The key `packs` of site.yaml."""

    packs: Flag = False
    """Whether the site also has *packs*: large files that hold the records and proofs of many contracts.
    Packs need the extra `zstd`."""

    @override
    def to_settings(self) -> PacksSettings | None:
        return PacksSettings() if self.packs else None
