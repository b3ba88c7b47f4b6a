"""Reuse the list pages of the last build.

After an edit of one contract, only the page that lists it is rendered again.
"""

from collections.abc import Collection, Mapping, Sequence
from hashlib import sha256

from statuary.contracts.model.contract_row import ContractRow
from statuary.contracts.urls import SEARCH_INDEX, SEARCH_SHARD


class PreviousPages:
    """The inputs of the last build's list pages, to keep unchanged pages.

    Attributes:
        changed_contracts: the contracts that the search shows otherwise now, as they are and as they were.
        has_search: whether the search of the last build, and what changed in it, is known.
        digests: those of this build's pages, by path.
        kept: the paths of pages that stay as they are.
    """

    def __init__(
        self,
        noted: Mapping[str, str],
        published: Collection[str],
        changed_contracts: Sequence[ContractRow] | None = None,
    ) -> None:
        """Store the digests of the last build's pages.

        Args:
            noted: the digests of its pages by path.
            published: the paths that it published.
            changed_contracts: None if any may have changed.
        """
        self._noted, self._published = noted, published
        self.has_search = changed_contracts is not None and SEARCH_INDEX.path() in published
        self.changed_contracts = changed_contracts or ()
        self.digests: dict[str, str] = {}
        self.kept: set[str] = set()

    def is_page_current(self, path: str, *values: object) -> bool:
        """Return whether the published page is still right.

        Args:
            path: the path of the page.
            values: everything that the page depends on besides the site's settings; their `repr` must tell
                them apart.
        """
        digest = self.digests[path] = sha256(repr(values).encode()).hexdigest()
        if self._noted.get(path) != digest or path not in self._published:
            return False
        self.kept.add(path)
        return True

    def keep_search(self) -> bool:
        """Keep the search files if the contracts in them are the same.

        Returns:
            Whether the files stay.
        """
        if not self.has_search or self.changed_contracts:
            return False
        folder = SEARCH_INDEX.path().rpartition("/")[0]
        self.kept.update(path for path in self._published if path.startswith(f"{folder}/"))
        return True

    def keep_shards(self, kind: str, but: Collection[str]) -> list[str]:
        """Keep the published search files of one kind.

        Args:
            kind: the name of the kind.
            but: the first letters of files that do not stay.

        Returns:
            The names of the files that stay.
        """
        start, end = SEARCH_SHARD.path(kind=kind, shard=" ").split(" ")
        names = []
        for path in self._published:
            name = path.removeprefix(start).removesuffix(end)
            if len(path) == len(start) + len(name) + len(end) and name[0] not in but:
                names.append(name)
                self.kept.add(path)
        return names

    def keeps_shard(self, path: str) -> bool:
        """Keep a search file if none of its contracts changed.

        Returns:
            Whether the file stays.
        """
        is_kept = self.has_search and path in self._published
        if is_kept:
            self.kept.add(path)
        return is_kept


def no_previous_pages() -> PreviousPages:
    """Return an empty state, so that every page is rendered."""
    return PreviousPages({}, ())
