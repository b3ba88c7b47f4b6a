"""The key `clear_signing` of site.yaml."""

from typing import Literal, NamedTuple

from typing_extensions import override

from statuary.engine.extension_settings import ExtensionSource
from statuary.source.source_model import SourceModel, Text


class ClearSigningSettings(NamedTuple):
    """How the descriptors of the site are published."""

    with_unverified: bool = False
    currencies: tuple[tuple[str, str], ...] = ()  # symbols of the currencies of chains, by id


class ClearSigningSource(SourceModel):
    """The descriptors in `clear-signing/`."""

    unverified: Literal["withhold", "publish"] = "withhold"
    """What happens to deployments whose contract has no verified record on this site: they are left out of the indexes,
    or published as not shown."""

    currencies: dict[Text, Text] | None = None
    """The symbol of each chain's own currency, by chain id, for the examples on pages; it has 18 decimals."""


class SiteClearSigningSource(ExtensionSource):
    """What site.yaml says about clear signing."""

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
