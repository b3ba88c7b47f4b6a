"""Reuse the list pages of the last build.

After an edit of one contract, only the page that lists it is rendered again.
"""

from collections.abc import Collection, Sequence

from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.urls import CHAIN_PAGE, SEARCH_INDEX, SEARCH_SHARD


class PreviousPages:
    """The list pages of the last build, to reuse the unchanged ones.

    Attributes:
        changed_contracts: the earlier and new list entries of contracts that the search shows differently
            now.
        has_search: whether the last build had a search index, and the changes since then are known.
        kept: the paths of published pages that are reused.
    """

    def __init__(
        self,
        published_paths: Collection[str],
        changed_contracts: Sequence[ContractRow] | None = None,
        changed_chains: Collection[str] | None = None,
    ) -> None:
        """Store the paths of the last build's pages.

        Args:
            published_paths: the paths that the last build published.
            changed_contracts: the earlier and new list entries of changed contracts; None if any contract may
                have changed.
            changed_chains: the ids of chains with a changed contract; None if any chain may have changed.
        """
        self._published, self._changed_chains = published_paths, changed_chains
        self.has_search = changed_contracts is not None and SEARCH_INDEX.path() in published_paths
        self.changed_contracts = changed_contracts or ()
        self.kept: set[str] = set()

    def keep_page(self, path: str) -> bool:
        """Reuse a page whose inputs are unchanged, if the last build published it.

        Returns:
            Whether the page is reused.
        """
        is_kept = path in self._published
        if is_kept:
            self.kept.add(path)
        return is_kept

    def keep_chain_pages(self, chain_id: str) -> bool:
        """Reuse a chain's list pages if none of its contracts changed.

        Returns:
            Whether the pages are reused.
        """
        first = CHAIN_PAGE.path(chain_id=chain_id)
        if self._changed_chains is None or chain_id in self._changed_chains or first not in self._published:
            return False
        folder = f"{first.rpartition('/')[0]}/"
        self.kept.update(path for path in self._published if path.startswith(folder))
        return True

    def keep_search_files(self) -> bool:
        """Reuse the search index if no contract in it has changed.

        Returns:
            Whether the files are reused.
        """
        if not self.has_search or self.changed_contracts:
            return False
        folder = SEARCH_INDEX.path().rpartition("/")[0]
        self.kept.update(path for path in self._published if path.startswith(f"{folder}/"))
        return True

    def keep_shards(self, kind: str, excluded_names: Collection[str]) -> list[str]:
        """Reuse published files of the search index, except the excluded ones.

        Each file (shard) has the search terms with the same first characters.

        Args:
            kind: the kind of search terms, such as names or addresses.
            excluded_names: the first characters of the names of files that are made again.

        Returns:
            The names of the files that are reused.
        """
        start, end = SEARCH_SHARD.path(kind=kind, shard=" ").split(" ")
        names = []
        for path in self._published:
            name = path.removeprefix(start).removesuffix(end)
            if len(path) == len(start) + len(name) + len(end) and name[0] not in excluded_names:
                names.append(name)
                self.kept.add(path)
        return names


def no_previous_pages() -> PreviousPages:
    """Return an empty set of previous pages, to render every page."""
    return PreviousPages(())
