"""Who does the work of a build: this process, several of this machine, or a cluster."""

import os

from statuary.pipeline.effort import Hands, OwnHands
from statuary.pipeline.workers import Crew, ManyHands


def usable_cores() -> int:
    """Return how many cores this process may use."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return cores or 1


def processes(count: int) -> Hands:
    """Return the hands of so many processes of this machine.

    Args:
        count: how many; 1 is this one alone.
    """

    def crew() -> Crew:
        from statuary.pipeline.processes import Processes

        return Processes(count)

    return OwnHands() if count == 1 else ManyHands(crew)


def cluster(address: str) -> Hands:
    """Return the hands of a Dask cluster.

    Its workers run the same statuary, and see content and target under the same paths.

    Args:
        address: its scheduler's, such as `tcp://10.0.0.5:8786`.

    Raises:
        WorkersLost: if there is no scheduler, or it has no workers, or the extra `dask` is not installed.
    """
    from statuary.pipeline.cluster import Cluster

    hands = ManyHands(lambda: Cluster(address))
    hands.called_in()
    return hands
