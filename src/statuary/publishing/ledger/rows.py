"""The rows of a ledger: published files, offered files, results of sources."""

from typing import NamedTuple

from statuary.domain.contracts.record import ContractRow


class LedgerEntry(NamedTuple):
    """A published file."""

    path: str
    digest: bytes  # SHA-256 of the body
    size: int
    modified: int  # `st_mtime_ns` when it was written
    sources: str  # content paths, a line each; empty for the whole content
    settled: bool  # whether the build that wrote it finished, so size and time can be trusted


class OfferedFile(NamedTuple):
    """A file that the running build offers."""

    path: str
    aliases: str  # other names, which differ only in case, one a line
    digest: bytes  # SHA-256 of the body
    size: int
    modified: int  # `st_mtime_ns` of the file, staged or in place
    sources: str  # content paths, one a line
    persistent: bool  # whether the file stays when a build does not offer it
    actions: str  # the action for each name, one letter each


class SourceRow(NamedTuple):
    """The result of one source."""

    location: str  # the file, and the line in a bulk file
    unit: str  # the file or folder that is compared to find changes
    git: str  # its git object id when it was read; empty if unknown
    stat: str  # its size and time; empty if they cannot be trusted
    digest: bytes  # its SHA-256; empty if it was not computed
    documents: str  # the paths of its documents, one a line
    reason: str
    findings: str  # its findings as JSON; empty if there are none
    rejected: bool  # whether its record is rejected
    published: bool
    match: str | None = None  # the first member of its list entry; all of them are None if it has none
    creation_match: str | None = None
    runtime_match: str | None = None
    chain_id: str | None = None
    address: str | None = None
    verified_at: str | None = None
    match_order: str | None = None  # the match id as `match_order` writes it
    name: str = ""
    language: str = ""
    selectors: bytes = b""
    abi_names: str = ""

    def listed_as(self, row: ContractRow | None) -> "SourceRow":
        """Return the row with a list entry."""
        if row is None:
            return self
        own = self[: -len(row)]  # the columns of a list entry are the last ones, in its order
        return SourceRow._make((*own, *row[:6], match_order(row.matchId), *row[7:]))


class DuplicateContract(NamedTuple):
    """A contract that repeats another one."""

    location: str  # where it is written
    unit: str  # the file or folder that it is written in
    row: ContractRow  # its list entry
    other: str  # where another one is written


def match_order(match_id: str) -> str:
    """Return a text that sorts like the number that a match id is (at most 39 digits)."""
    return f"{len(match_id):02d}{match_id}"


def names_of(path: str, aliases: str) -> list[str]:
    """Return all names of a file."""
    return [path, *aliases.split("\n")] if aliases else [path]
