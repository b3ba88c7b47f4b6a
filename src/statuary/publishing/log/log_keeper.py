"""Who keeps a site's log, and the outcome of extending it."""

from collections import Counter
from typing import NamedTuple

from typing_extensions import override

from statuary.domain.log.entries import LogAction
from statuary.domain.log.merkle import LogError
from statuary.domain.log.notes import EXAMPLE_SEED, PrivateKey
from statuary.domain.log.tiles import ReadPath
from statuary.domain.primitives import Instant
from statuary.domain.site_settings import LogSettings
from statuary.publishing.ledger.log_table import NumberedEntry
from statuary.publishing.log.published_log import TreeHead

WORDS = {LogAction.ADD: "added", LogAction.CHANGE: "changed", LogAction.REMOVE: "removed"}


NO_KEY = "no signing key (give --log-key FILE or set STATUARY_LOG_KEY; `statuary log init` makes one)"


class LogKeeper(NamedTuple):
    """Who extends a log, from where, and when."""

    settings: LogSettings
    key: PrivateKey | None  # the signing key; None leaves the log unchanged
    now: Instant  # the time of new entries
    # name and reader of the site where it is published; None if that is the folder
    elsewhere: tuple[str, ReadPath] | None = None
    # the head that the key signed last, if the key's keeper noted it
    last_signed: TreeHead | None = None
    obstacle: str = ""  # why the log cannot be extended although there is a key

    @property
    def signing_key(self) -> PrivateKey | None:
        """The key that signs: the given one, or the example key if the settings choose it.

        Raises:
            LogError: if the key is that of another log.
        """
        origin = self.settings.origin
        if self.obstacle:
            return None
        if self.settings.example_key:
            return PrivateKey(origin, EXAMPLE_SEED)
        if self.key is not None and self.key.name != origin:
            raise LogError(
                f"the signing key belongs to the log {self.key.name}, but site.yaml names {origin}",
                f"use the key of {origin}; a log keeps its name and its key",
            )
        return self.key


class LogExtension(NamedTuple):
    """The outcome of extending the log."""

    head: TreeHead | None  # its size and root after this run; None if there is no log
    actions: Counter[LogAction]  # how many entries were appended, by action
    by_incident: dict[str, list[int]]  # the numbers of the new entries, by incident
    # the published versions of an update that differ from the present one, by the update's id
    former: dict[str, tuple[NumberedEntry, ...]]
    obstacle: str  # why nothing was appended; empty if the log could be extended
    is_example: bool  # whether it is the one that everyone has

    @override
    def __str__(self) -> str:
        size = self.head.size if self.head else 0
        if self.obstacle:
            return f"log not extended: {self.obstacle}; it has {size:,} entries"
        total = sum(self.actions.values())
        parts = ", ".join(f"{self.actions[one]:,} {word}" for one, word in WORDS.items() if self.actions[one])
        example = "; the key is the example key, which shows nothing about who signed, or when"
        new = f"{total:,} new entries ({parts})" if total else "no new entries"
        return f"log: {new}, {size:,} in all{example if self.is_example else ''}"
