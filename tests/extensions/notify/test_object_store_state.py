"""The record of what was sent beside a site in a store: real servers of S3 and of Azure, their conditions, and the lease."""

import json

import pytest
from click.testing import CliRunner

from statuary.base.clock import utc_now
from statuary.base.primitives import parse_instant
from statuary.cli.main import command
from statuary.extensions.notify.sent_events import DeliveryStateError, SentEvents
from statuary.extensions.notify.store_state import OBJECT, open_store_state
from statuary.extensions.object_stores.store import Lease, LeaseHeldError, ObjectStore
from support.object_stores import Server, azurite
from support.receivers import receiver
from support.requirements import require_module
from support.sites import SITE, small_site, write_files

pytestmark = pytest.mark.slow

NOTIFY = (
    SITE
    + "notify:\n  channels:\n    - {name: hook, kind: webhook, url_variable: HOOK_URL, events: [opened, resolved]}\n"
)
SINCE = ("--since", "2026-11-02T09:00:00Z")


@pytest.fixture(scope="module", params=["moto", "azurite"])
def server(request, tmp_path_factory):
    require_module("obstore", install='pip install "statuary[s3]"')
    if request.param == "moto":
        yield request.getfixturevalue("moto_server")
        return
    with azurite(tmp_path_factory.mktemp("azurite")) as running:
        yield running


@pytest.fixture
def url(server: Server, bucket_name: str, monkeypatch):
    for name, text in server.environment().items():
        monkeypatch.setenv(name, text)
    return f"{server.make_bucket(bucket_name)}/status"


@pytest.fixture
def content(tmp_path):
    return write_files(small_site(tmp_path), {"site.yaml": NOTIFY})


def notify(content, url, hook, *options, code=0, now="2026-11-02T12:00:00Z"):
    arguments = ["notify", "--content", str(content), "--state", url, "--now", now, *options]
    done = CliRunner().invoke(command, arguments, env={"HOOK_URL": hook})
    assert done.exit_code == code, done.output
    return done.output


def recorded(url):
    body, info = ObjectStore(url).get(OBJECT)
    return json.loads(body), info.tag


def test_state_in_object_store_prevents_resending(content, url):
    with receiver() as served:
        assert "1 message sent" in notify(content, url, served.url, *SINCE, now="2026-11-02T10:30:00Z")
        assert "1 message sent" in notify(content, url, served.url)
        assert "0 messages sent" in notify(content, url, served.url)
    assert [request.value["incident"]["status"] for request in served.requests] == [
        "investigating",
        "resolved",
    ]
    record, _ = recorded(url)
    assert record["channels"]["hook"]["until"] == "2026-11-02T12:00:00Z"
    assert len(record["channels"]["hook"]["events"]) == 2


def test_notify_stops_while_store_is_locked(content, url):
    lease = Lease(ObjectStore(url), utc_now)
    lease.acquire()
    with receiver() as served:
        said = notify(content, url, served.url, *SINCE, code=3)
        assert "another publisher has locked" in said
        assert served.requests == []
        lease.release()
        assert "2 messages sent" in notify(content, url, served.url, *SINCE)


def test_failed_notify_run_unlocks_store(content, url):
    with receiver() as served:
        served.answers.append(404)
        notify(content, url, served.url, *SINCE, code=1)
        assert "2 messages sent" in notify(content, url, served.url, *SINCE)


def test_concurrently_replaced_state_is_not_overwritten(url):
    at = parse_instant("2026-11-02T10:00:00Z")
    with open_store_state(url) as record:
        assert record.read() is None
        record.write({"hook": SentEvents(at)})
        ObjectStore(url).try_put_if_unchanged(
            OBJECT, b"{}", recorded(url)[1], {"Content-Type": "application/json"}
        )
        with pytest.raises(DeliveryStateError, match="another program has replaced"):
            record.write({"hook": SentEvents(at)})
    assert recorded(url)[0] == {}


def test_concurrent_run_on_locked_state_fails(url):
    with open_store_state(url), pytest.raises(LeaseHeldError), open_store_state(url):
        pass
    with open_store_state(url) as record:
        assert record.read() is None


def test_damaged_state_object_sends_no_message(content, url):
    with open_store_state(url) as record:
        record.write({"hook": SentEvents(parse_instant("2026-11-02T09:00:00Z"))})
    ObjectStore(url).try_put_if_unchanged(
        OBJECT, b"{", recorded(url)[1], {"Content-Type": "application/json"}
    )
    with receiver() as served:
        assert "is damaged" in notify(content, url, served.url, code=3)
    assert served.requests == []
