"""The key `log` of site.yaml."""

from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator
from typing_extensions import override

from statuary.base.primitives import InvalidValueError
from statuary.engine.extension_settings import ExtensionSource
from statuary.extensions.log.merkle import LogError
from statuary.extensions.log.notes import WITNESS_KEY, parse_public_key
from statuary.extensions.log.published_log import EXAMPLE, LogSettings
from statuary.source.source_model import Flag, SourceModel, Text, WholeNumber


class WitnessSource(SourceModel):
    """An independent service that signs each new state of your log, if no earlier entry changed."""

    key: Text
    """The public key of the witness, in the form NAME+HEX+BASE64."""
    url: Text
    """The URL of the witness, without `/add-checkpoint`."""

    @field_validator("key")
    @classmethod
    def _check_key(cls, key: str) -> str:
        try:
            parse_public_key(key, WITNESS_KEY)
        except LogError as error:
            raise InvalidValueError(str(error), error.hint) from None
        return key


class LogSource(SourceModel):
    """The transparency log, a signed list of everything that you publish."""

    origin: Annotated[Text, Field(pattern=r"^[^\s+]+$")]
    """The permanent name of the log. Use the address of the log without https://, such as
    `status.example.org/log`. Only `statuary log rotate` can change the name of a log."""
    url: Annotated[Text, Field(pattern=r"^https?://")] | None = None
    """The address of the published site. A build reads the published log there before it adds entries.
    Default: a build reads only the logs in the build folder and at `--to`."""
    branch: Text = "main"
    """The git branch that you publish. On hosts that tell a build only its branch, such as Cloudflare, builds
    of other branches don't sign the log."""
    example_key: Flag = False
    """Whether to sign with the public example key, for demonstrations. `origin` must then contain
    `example-key`."""
    witnesses: tuple[WitnessSource, ...] = ()
    """Independent services that sign your log too, when you run `statuary log witness`."""
    quorum: Annotated[WholeNumber, Field(ge=0)] = 0
    """The number of witnesses (servers that also sign the log) that must sign each new state of the log. If
    fewer have signed, `statuary log verify` exits with 1."""

    @model_validator(mode="after")
    def _check_witnesses(self) -> Self:
        if self.example_key and EXAMPLE not in self.origin:
            raise InvalidValueError(
                f"the log {self.origin!r} is signed with the example key, but its name does not show that",
                f"write {EXAMPLE} in the origin, or sign with your own key (`statuary log init`)",
            )
        if self.quorum > len(self.witnesses):
            raise InvalidValueError(
                f"{self.quorum} witnesses must cosign, but only {len(self.witnesses)} are listed",
                "list more witnesses",
            )
        return self

    def to_settings(self) -> LogSettings:
        """Convert the key `log` of site.yaml to settings."""
        return LogSettings(
            origin=self.origin,
            url=self.url or "",
            branch=self.branch,
            example_key=self.example_key,
            witnesses=tuple((witness.key, witness.url) for witness in self.witnesses),
            quorum=self.quorum,
        )


class SiteLogSource(ExtensionSource):
    """The key `log` of site.yaml."""

    log: LogSource | None = None
    """The transparency log, a signed list of everything that you publish. Without this key, the site has no
    log."""

    @override
    def to_settings(self) -> LogSettings | None:
        """Return the settings, or None if site.yaml has no `log`."""
        return None if self.log is None else self.log.to_settings()
