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
    """The ERC-7730 descriptors in the content folder `clear-signing/`."""

    unverified: Literal["withhold", "publish"] = "withhold"
    """What happens to a descriptor (a file that tells wallets how to show calls) if your site has no verified
    contract at its address. `withhold` leaves it out. `publish` publishes it as *not proven*."""

    currencies: dict[Text, Text] | None = None
    """The symbol of each chain's currency, by chain id, for examples on pages. Every currency must have 18
    decimals."""


class SiteClearSigningSource(ExtensionSource):
    """The key `clear_signing` of site.yaml."""

    clear_signing: ClearSigningSource | None = None
    """The ERC-7730 descriptors in the content folder `clear-signing/`. Without this key, builds ignore that
    folder."""

    @override
    def to_settings(self) -> ClearSigningSettings | None:
        if self.clear_signing is None:
            return None
        source = self.clear_signing
        return ClearSigningSettings(
            source.unverified == "publish", tuple(sorted((source.currencies or {}).items()))
        )
