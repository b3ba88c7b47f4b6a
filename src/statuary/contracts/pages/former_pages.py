"""Reuse the list pages of the last build.

After an edit of one contract, only the page that lists it is rendered again.
"""

from collections.abc import Collection, Mapping
from hashlib import sha256

from statuary.contracts.urls import SEARCH_INDEX


class FormerPages:
    """The list pages of the last build, with digests of their inputs.

    Attributes:
        digests: those of this build's pages, by path.
        kept: the paths of pages that stay as they are.
    """

    def __init__(
        self, noted: Mapping[str, str], published: Collection[str], *, has_same_search: bool = False
    ) -> None:
        """Store the digests of the last build's pages.

        Args:
            noted: the digests of its pages by path.
            published: the paths that it published.
            has_same_search: whether its search was over the same names, addresses and verdicts.
        """
        self._noted, self._published, self._has_same_search = noted, published, has_same_search
        self.digests: dict[str, str] = {}
        self.kept: set[str] = set()

    def keeps(self, path: str, *values: object) -> bool:
        """Return whether a published page was made from the same values.

        Args:
            values: all that the page depends on besides the site's settings; their `repr` has to tell them
                apart.
        """
        digest = self.digests[path] = sha256(repr(values).encode()).hexdigest()
        if self._noted.get(path) != digest or path not in self._published:
            return False
        self.kept.add(path)
        return True

    def keep_search(self) -> bool:
        """Keep the files of the search if its contracts are the same.

        Returns:
            Whether the files stay.
        """
        index = SEARCH_INDEX.path()
        if not self._has_same_search or index not in self._published:
            return False
        folder = index.rpartition("/")[0]
        self.kept.update(path for path in self._published if path.startswith(f"{folder}/"))
        return True


def no_former_pages() -> FormerPages:
    """Return an empty value, with which every page is rendered."""
    return FormerPages({}, ())
