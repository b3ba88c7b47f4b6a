"""What must be unique among all contracts of a site."""

from collections.abc import Iterator

from statuary.domain.contracts.record import ContractRow
from statuary.domain.findings import Finding


class UniqueContracts:
    """Looks at one contract after the other and remembers where each name and number was seen first."""

    def __init__(self) -> None:
        self.contracts: dict[tuple[str, str], str] = {}
        self.match_ids: dict[str, str] = {}

    def findings(self, row: ContractRow, path: str) -> Iterator[Finding]:
        """Yield what a contract repeats of an earlier one."""
        first = self.contracts.setdefault((row.chainId, row.address), path)
        if first != path:
            yield Finding(
                rule="one-record-per-contract",
                path=path,
                pointer=("address",),
                message=f"{row.address} on chain {row.chainId} has a record already, in {first}",
                remedy="keep one of the two",
            )
        first = self.match_ids.setdefault(row.matchId, path)
        if first != path:
            yield Finding(
                rule="one-record-per-match-id",
                path=path,
                pointer=("matchId",),
                message=f"match id {row.matchId} is taken already, by {first}",
                remedy="give one of the two the next free number",
            )
