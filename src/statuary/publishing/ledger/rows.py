"""The rows of a ledger: published files, offered files, results of sources."""

from typing import NamedTuple

from statuary.domain.contracts.record import ContractRow


class LedgerEntry(NamedTuple):
    """A published file.

    Attributes:
        digest: SHA-256 of the body.
        modified: `st_mtime_ns` when it was written.
        sources: content paths, a line each; empty for the whole content.
        settled: whether the build that wrote it finished, so size and time can be trusted.
    """

    path: str
    digest: bytes
    size: int
    modified: int
    sources: str
    settled: bool


class OfferedFile(NamedTuple):
    """A file that the running build offers.

    Attributes:
        aliases: other names, which differ only in case, one a line.
        digest: SHA-256 of the body.
        modified: `st_mtime_ns` of the file, staged or in place.
        sources: content paths, one a line.
        persistent: whether the file stays when a build does not offer it.
        actions: the action for each name, one letter each.
    """

    path: str
    aliases: str
    digest: bytes
    size: int
    modified: int
    sources: str
    persistent: bool
    actions: str


class SourceRow(NamedTuple):
    """The result of one source.

    Attributes:
        location: the file, and the line in a bulk file.
        unit: the file or folder that is compared to find changes.
        git: its git object id when it was read; empty if unknown.
        stat: its size and time; empty if they cannot be trusted.
        digest: its SHA-256; empty if it was not computed.
        documents: the paths of its documents, one a line.
        findings: its findings as JSON; empty if there are none.
        rejected: whether its record is rejected.
        match: the first member of its list entry; all of them are None if it has none.
        match_order: the match id as `match_order` writes it.
    """

    location: str
    unit: str
    git: str
    stat: str
    digest: bytes
    documents: str
    reason: str
    findings: str
    rejected: bool
    published: bool
    match: str | None = None
    creation_match: str | None = None
    runtime_match: str | None = None
    chain_id: str | None = None
    address: str | None = None
    verified_at: str | None = None
    match_order: str | None = None
    name: str = ""
    language: str = ""
    selectors: bytes = b""
    abi_names: str = ""

    def listed_as(self, row: ContractRow | None) -> "SourceRow":
        """Return the row with a list entry."""
        if row is None:
            return self
        return self._replace(
            match=row.match,
            creation_match=row.creationMatch,
            runtime_match=row.runtimeMatch,
            chain_id=row.chainId,
            address=row.address,
            verified_at=row.verifiedAt,
            match_order=match_order(row.matchId),
            name=row.name,
            language=row.language,
            selectors=row.selectors,
            abi_names=row.abi_names,
        )


class DuplicateContract(NamedTuple):
    """A contract that repeats another one.

    Attributes:
        location: where it is written.
        unit: the file or folder that it is written in.
        row: its list entry.
        other: where another one is written.
    """

    location: str
    unit: str
    row: ContractRow
    other: str


def match_order(match_id: str) -> str:
    """Return a text that sorts like the number that a match id is (at most 39 digits)."""
    return f"{len(match_id):02d}{match_id}"


def names_of(path: str, aliases: str) -> list[str]:
    """Return all names of a file."""
    return [path, *aliases.split("\n")] if aliases else [path]
