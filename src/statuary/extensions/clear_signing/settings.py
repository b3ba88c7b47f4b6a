"""The key `clear_signing` of site.yaml."""

from typing import Literal, NamedTuple

from typing_extensions import override

from statuary.engine.extension_settings import ExtensionSource
from statuary.source.source_model import SourceModel, Text


class ClearSigningSettings(NamedTuple):
    """The settings of published descriptors."""

    with_unverified: bool = False
    currencies: tuple[tuple[str, str], ...] = ()  # pairs of chain id and currency symbol


class ClearSigningSource(SourceModel):
    """The descriptors in `clear-signing/`."""

    unverified: Literal["withhold", "publish"] = "withhold"
    """Deployments whose contract has no verified record on this site: `withhold` excludes them from the indexes,
    `publish` marks them as unproved.
    """

    currencies: dict[Text, Text] | None = None
    """The symbol of each chain's currency, by chain id, for examples on pages. Currencies have 18 decimals."""


class SiteClearSigningSource(ExtensionSource):
    """The key `clear_signing` of site.yaml."""

    clear_signing: ClearSigningSource | None = None
    """ERC-7730 descriptors, checked against the verified records; without it `clear-signing/` is not read."""

    @override
    def settings(self) -> ClearSigningSettings | None:
        if self.clear_signing is None:
            return None
        source = self.clear_signing
        return ClearSigningSettings(
            source.unverified == "publish", tuple(sorted((source.currencies or {}).items()))
        )
