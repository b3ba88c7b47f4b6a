"""A tuple that caches find by its identity."""

from typing import TypeVar

Item_co = TypeVar("Item_co", covariant=True)


class UniqueTuple(tuple[Item_co, ...]):
    """A tuple that equals only itself.

    A cache of rendered templates finds it without comparing its items. So use the same object for as long as
    the items stay.
    """

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__
