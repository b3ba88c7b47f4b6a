"""Concurrent requests: each worker takes the next item when it is done with the last."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

from statuary.publishing.object_store.lease import Lease

Item = TypeVar("Item")

CONCURRENT_REQUESTS = 32
"""Requests in flight: the number with the highest rate of puts (measured on three servers)."""


def transfer(items: Iterable[Item], do: Callable[[Item], Awaitable[None]], lease: Lease | None) -> None:
    """Call a function for every item, concurrently, and renew the lease meanwhile.

    Raises:
        Exception: the first one that a call raises; the remaining items are skipped.
    """
    if lease is not None:
        lease.renew()
    try:
        asyncio.run(_transfer(iter(items), do, lease))
    except BaseExceptionGroup as group:
        raise _first(group) from None


async def _transfer(
    items: Iterator[Item], do: Callable[[Item], Awaitable[None]], lease: Lease | None
) -> None:
    async def work() -> None:
        for item in items:
            await do(item)

    async with asyncio.TaskGroup() as group:
        workers = [group.create_task(work()) for _ in range(CONCURRENT_REQUESTS)]
        keeper = None if lease is None else group.create_task(_keep_lease(lease))
        await asyncio.wait(workers)
        if keeper is not None:
            keeper.cancel()


async def _keep_lease(lease: Lease) -> None:
    while True:
        await asyncio.to_thread(lease.renew)
        await asyncio.sleep(lease.duration.total_seconds() / 12)


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first exception in a group that is not a group itself."""
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """Yield items in lists of at most a given size."""
    left = iter(items)
    while piece := list(islice(left, size)):
        yield piece
