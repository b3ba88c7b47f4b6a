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
    """A witness, which cosigns the checkpoints of logs that only grow."""

    key: Text
    """Its public key: NAME+HEX+BASE64."""
    url: Text
    """The prefix of its requests, without `/add-checkpoint`."""

    @field_validator("key")
    @classmethod
    def _check_key(cls, key: str) -> str:
        try:
            parse_public_key(key, WITNESS_KEY)
        except LogError as error:
            raise InvalidValueError(str(error), error.hint) from None
        return key


class LogSource(SourceModel):
    """The transparency log of the site."""

    origin: Annotated[Text, Field(pattern=r"^[^\s+]+$")]
    """Its name: the address of the log without https://, such as `status.example.org/log`. Only
    `statuary log rotate` changes it, so an older log whose name is a URL keeps it."""
    url: Annotated[Text, Field(pattern=r"^https?://")] | None = None
    """The address of the published site, whose log is read before a checkpoint is signed. Default: only the folder that
    is built, and the target of `--to`, are read.
    """
    branch: Text = "main"
    """The published branch, for hosts that pass the branch to a build but not whether it is a preview."""
    example_key: Flag = False
    """Sign with the public example key: for demonstrations. The origin must contain `example-key`."""
    witnesses: tuple[WitnessSource, ...] = ()
    """Witnesses that `statuary log witness` requests cosignatures from."""
    quorum: Annotated[WholeNumber, Field(ge=0)] = 0
    """The number of witnesses that must cosign. `statuary log verify` reports a published checkpoint with fewer cosignatures."""

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

    def settings(self) -> LogSettings:
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
    """The transparency log; without it there is none."""

    @override
    def settings(self) -> LogSettings | None:
        return None if self.log is None else self.log.settings()
