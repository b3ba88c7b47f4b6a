"""What a store answers after a transfer was interrupted twice is nobody's error."""

import asyncio
import time

import pytest

from statuary.extensions.object_stores.store import ObjectStore, TransferLoop
from support.object_stores import HASTY, proxied

pytestmark = pytest.mark.slow

TRACEBACK = "Event loop is closed"


@pytest.fixture
def slow_store(moto_server, bucket_name, monkeypatch):
    """A proxy in front of a store, which answers late, with its URL."""
    with proxied(moto_server, lambda *_: "slow") as proxy:
        for name, value in proxy.environment().items():
            monkeypatch.setenv(name, value)
        proxy.url = moto_server.make_bucket(bucket_name)
        yield proxy


@pytest.mark.parametrize(("make", "is_told"), [(TransferLoop, False), (asyncio.SelectorEventLoop, True)])
def test_late_store_response_prints_no_traceback(slow_store, capfd, make, is_told):
    loop, store = make(), ObjectStore(slow_store.url, HASTY)

    async def begin() -> asyncio.Future[object]:
        return asyncio.ensure_future(store.library.put_async(store.store, "late.json", b"{}"))

    request = loop.run_until_complete(begin())
    loop.close()  # as a second signal does: nothing was cancelled
    while not slow_store.seen:
        time.sleep(0.05)
    time.sleep(0.5)
    assert not request.done()
    assert (TRACEBACK in capfd.readouterr().err) is is_told
