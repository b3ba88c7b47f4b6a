"""Reuse the list pages of the last build.

After an edit of one contract, only the page that lists it is rendered again.
"""

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256

from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.urls import CHAIN_PAGE, SEARCH_INDEX, SEARCH_SHARD


class PreviousPages:
    """The list pages of the last build, to reuse the unchanged ones.

    Attributes:
        changed_contracts: the earlier and new list entries of contracts that the search shows differently
            now.
        has_search: whether the last build had a search index, and the changes since then are known.
        digests: the digests of this build's pages, by path.
        kept: the paths of published pages that are reused.
    """

    def __init__(
        self,
        previous_digests: Mapping[str, str],
        published_paths: Collection[str],
        changed_contracts: Sequence[ContractRow] | None = None,
        changed_chains: Collection[str] | None = None,
    ) -> None:
        """Store the digests of the last build's pages.

        Args:
            previous_digests: the digests of the pages, by path.
            published_paths: the paths that the last build published.
            changed_contracts: the earlier and new list entries of changed contracts; None if any contract may
                have changed.
            changed_chains: the ids of chains with a changed contract; None if any chain may have changed.
        """
        self._noted, self._published = previous_digests, published_paths
        self._changed_chains = changed_chains
        self.has_search = changed_contracts is not None and SEARCH_INDEX.path() in published_paths
        self.changed_contracts = changed_contracts or ()
        self.digests: dict[str, str] = {}
        self.kept: set[str] = set()

    def is_page_current(self, path: str, *values: object) -> bool:
        """Return whether a page from the last build is still correct.

        If so, the build publishes it again without rendering it.

        Args:
            path: the path of the page.
            values: everything on which the page depends, except the settings of the site. Different values
                must have a different `repr`.
        """
        digest = self.digests[path] = sha256(repr(values).encode()).hexdigest()
        if self._noted.get(path) != digest or path not in self._published:
            return False
        self.kept.add(path)
        return True

    def keep_chain_pages(self, chain_id: str) -> bool:
        """Reuse a chain's list pages if none of its contracts changed.

        Returns:
            Whether the pages are reused.
        """
        first = CHAIN_PAGE.path(chain_id=chain_id)
        if self._changed_chains is None or chain_id in self._changed_chains or first not in self._published:
            return False
        folder = f"{first.rpartition('/')[0]}/"
        pages = [path for path in self._published if path.startswith(folder)]
        self.kept.update(pages)
        self.digests |= {path: self._noted[path] for path in pages if path in self._noted}
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

    def keep_shard_if_published(self, path: str) -> bool:
        """Reuse a search index file if the last build published it.

        Args:
            path: the path of the file in the site.

        Returns:
            Whether the file is reused.
        """
        is_kept = self.has_search and path in self._published
        if is_kept:
            self.kept.add(path)
        return is_kept


def no_previous_pages() -> PreviousPages:
    """Return an empty set of previous pages, to render every page."""
    return PreviousPages({}, ())
