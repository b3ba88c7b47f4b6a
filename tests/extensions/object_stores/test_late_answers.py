"""What a store answers after a transfer was interrupted twice is nobody's error."""

import asyncio
import time

import pytest

from statuary.extensions.object_stores.store import ObjectStore, TransferLoop
from support.object_stores import HASTY, proxied

ENDING = "Event loop is closed"


def late_answer(server, bucket, loop, monkeypatch) -> None:
    """Let a store answer a put after its event loop was closed, as a second signal closes it: nothing was cancelled."""
    with proxied(server, lambda *_: "slow") as proxy:
        for name, value in proxy.environment().items():
            monkeypatch.setenv(name, value)
        store = ObjectStore(server.make_bucket(bucket), HASTY)

        async def begin() -> asyncio.Future[object]:
            return asyncio.ensure_future(store.library.put_async(store.store, "late.json", b"{}"))

        request = loop.run_until_complete(begin())
        loop.close()
        while not proxy.seen:
            time.sleep(0.05)
        time.sleep(0.5)
        assert not request.done()


@pytest.mark.parametrize(("make", "is_told"), [(TransferLoop, False), (asyncio.SelectorEventLoop, True)])
def test_an_answer_after_the_end_is_no_error(moto_server, bucket_name, monkeypatch, capfd, make, is_told):
    late_answer(moto_server, bucket_name, make(), monkeypatch)
    assert (ENDING in capfd.readouterr().err) is is_told
