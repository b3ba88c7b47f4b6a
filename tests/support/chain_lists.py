"""Lists of a chain made from list entries in memory."""

from collections.abc import Iterable, Iterator, Sequence

from statuary.contracts.api.list_pages import ChainList, PageSummary
from statuary.contracts.model.contract_row import ContractRow


def list_of_rows(
    chain_id: str,
    rows: Iterable[ContractRow],
    previous_pages: Sequence[PageSummary] = (),
    changed_match_ids: Iterable[str] | None = None,
) -> ChainList:
    """Return the list of a chain's contracts, not yet divided into pages."""
    of_chain = sorted((row for row in rows if row.chainId == chain_id), key=lambda row: int(row.matchId))

    def rows_after(match_id: str) -> Iterator[ContractRow]:
        return (row for row in of_chain if int(row.matchId) > int(match_id or -1))

    return ChainList(chain_id, rows_after, previous_pages, changed_match_ids)


def divided_list(
    chain_id: str,
    rows: Iterable[ContractRow],
    previous_pages: Sequence[PageSummary] = (),
    changed_match_ids: Iterable[str] | None = None,
) -> ChainList:
    """Return the list of a chain's contracts, divided into pages."""
    chain_list = list_of_rows(chain_id, rows, previous_pages, changed_match_ids)
    chain_list.find_pages()
    return chain_list
