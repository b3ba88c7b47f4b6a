"""`statuary notify` as a person and a workflow run it."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import chdir
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from support.random_runs import seeded, times
from support.receivers import CUT, SLOW, receiver
from support.sites import write_files

SITE = """\
page:
  name: Demo
  url: https://status.example.org
  created_at: 2020-01-01T00:00:00Z
notify:
  channels:
    - name: hook
      kind: webhook
      url_variable: HOOK_URL
    - name: chat
      kind: slack
      url_variable: CHAT_URL
      delivery: at_most_once
"""

COMPONENTS = "components:\n  rpc: {name: RPC}\n  explorer: {name: Explorer}\n"

UPDATES = """\
name: Slow answers
components: {rpc: degraded_performance}
updates:
  - {at: 2026-11-02T10:00:00Z, status: investigating, body: We look.}
  - {at: 2026-11-02T10:20:00Z, status: identified, body: We know.}
  - {at: 2026-11-02T10:40:00Z, status: monitoring, body: It is better.}
  - {at: 2026-11-02T11:00:00Z, status: resolved, body: Done.}
"""

IMPORTED = """\
name: Taken over
components: {explorer: major_outage}
updates:
  - {at: 2026-11-02T10:10:00Z, status: investigating, body: Elsewhere., affected_components: null}
  - {at: 2026-11-02T10:50:00Z, status: resolved, body: Over., affected_components: null}
"""
"""An incident as an import writes it."""


@pytest.fixture
def folder(tmp_path):
    files = {
        "content/site.yaml": SITE,
        "content/components.yaml": COMPONENTS,
        "content/incidents/slow.yaml": UPDATES,
        "content/incidents/imported.yaml": IMPORTED,
    }
    return write_files(tmp_path, files)


class Notify:
    """Runs of the command in a folder, with a receiver."""

    def __init__(self, folder: Path, served) -> None:
        self.folder, self.served = folder, served
        urls = {"HOOK_URL": f"{served.url}/hook", "CHAT_URL": f"{served.url}/chat"}
        self.environment = {**os.environ, **urls}

    def command(self, *options: str, now: str = "2026-11-02T12:00:00Z") -> list[str]:
        record = () if "--state" in options else ("--state", "state/notified.json")
        return [sys.executable, "-m", "statuary", "notify", *record, "--now", now, *options]

    def run(self, *options: str, code: int = 0, now: str = "2026-11-02T12:00:00Z") -> str:
        """Run it in this process."""
        arguments = self.command(*options, now=now)[3:]
        with chdir(self.folder):
            done = CliRunner(env=self.environment).invoke(command, arguments)
        assert done.exit_code == code, done.stdout + done.stderr
        return done.stdout + done.stderr


SINCE = ("--since", "2026-11-02T09:00:00Z")


NEW = """\
name: Explorer down
components: {explorer: major_outage}
updates:
  - {at: 2026-11-02T10:30:00Z, status: investigating, body: We look.}
"""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"<<<<<<< HEAD\n{UPDATES}=======\n>>>>>>> b\n", "slow.yaml:1:1: error: an unresolved git conflict"),
        (UPDATES.replace("{rpc:", "{nothing:"), "[unknown-component]"),
    ],
    ids=["unreadable", "broken rule"],
)
def test_faulty_incident_delays_component_events(folder, text, message):
    with receiver() as served:
        notify = Notify(folder, served)
        notify.run(*SINCE, now="2026-11-02T10:05:00Z")
        write_files(folder, {"content/incidents/slow.yaml": text})
        write_files(folder, {"content/incidents/new.yaml": NEW})
        count = len(served.requests)
        output = notify.run(code=1, now="2026-11-02T10:35:00Z")
        during = [request.value for request in served.requests[count:] if request.path == "/hook"]
        write_files(folder, {"content/incidents/slow.yaml": UPDATES})
        count = len(served.requests)
        notify.run(now="2026-11-02T10:45:00Z")
        later = [request.value for request in served.requests[count:] if request.path == "/hook"]
    assert message in output
    assert "changes of components are not sent until you fix the errors in these files" in output
    assert [hook["incident"]["name"] for hook in during] == ["Explorer down"]
    assert [
        hook["component_update"]["new_status"] if "component" in hook else hook["incident"]["status"]
        for hook in later
    ] == ["identified", "major_outage", "monitoring"]


def test_notify_sends_events_once_in_order(folder):
    with receiver() as served:
        notify = Notify(folder, served)
        said = notify.run(*SINCE)
        again = notify.run(*SINCE)
    hooks = [request.value for request in served.requests if request.path == "/hook"]
    chats = [request.value["text"] for request in served.requests if request.path == "/chat"]
    assert ["component" if "component" in hook else hook["incident"]["status"] for hook in hooks] == [
        "investigating", "component", "identified", "monitoring", "resolved", "component",
    ]  # fmt: skip
    assert chats == [
        f"{label}: Slow answers" for label in ("Investigating", "Identified", "Monitoring", "Resolved")
    ]
    assert "chat: Resolved: Slow answers" in said
    assert "10 messages sent, 0 not sent, as of 2026-11-02T12:00:00Z" in said
    assert "0 messages sent" in again


def test_first_notify_run_reports_new_channel(folder):
    with receiver() as served:
        said = Notify(folder, served).run()
    assert "the channel 'hook' is new: it receives events after 2026-11-02T12:00:00Z" in said
    assert served.requests == []


def test_notify_dry_run_only_prints_messages(folder):
    with receiver() as served:
        said = Notify(folder, served).run(*SINCE, "--dry-run")
    assert "hook (webhook): 6 messages" in said
    text = "\n2026-11-02T10:20:00Z Identified: Slow answers\nWe know.\n\nAffects: RPC (degraded performance)\nhttps://"
    assert text in said
    assert '"status_indicator": "minor"' in said
    assert served.requests == []
    assert not (folder / "state/notified.json").exists()


def test_messages_use_main_language_of_site(folder):
    site = SITE.replace("page:", "pages: {language: de}\npage:", 1)
    write_files(folder, {"content/site.yaml": site})
    with receiver() as served:
        said = Notify(folder, served).run(*SINCE)
    hooks = [request.value for request in served.requests if request.path == "/hook"]
    chats = [request.value for request in served.requests if request.path == "/chat"]
    texts = [chat["text"] for chat in chats]
    assert "Wird untersucht: Slow answers" in texts
    blocks = [
        block["text"]["text"] for chat in chats for block in chat["blocks"] if block["type"] == "section"
    ]
    assert "We look.\n\nBetrifft: RPC (Beeinträchtigt)" in blocks
    assert chats[0]["blocks"][-1]["elements"][0]["text"].endswith("|Statusseite öffnen>")
    assert "chat: Wird untersucht: Slow answers" in said
    # a webhook keeps Statuspage's words
    assert hooks[0]["page"]["status_description"] in {"Partially Degraded Service", "Minor Service Outage"}


def test_failing_notify_channel_exits_1(folder):
    with receiver() as served:
        notify = Notify(folder, served)
        served.answers.append(404)
        said = notify.run(*SINCE, code=1)
        assert "the receiver of the channel 'hook' responds with 404" in said
        assert served.url not in said
        assert "4 messages sent, 1 not sent" in said
        notify.run()
    assert len(served.taken) == 10


def test_unset_variable_skips_only_its_channel(folder):
    with receiver() as served:
        notify = Notify(folder, served)
        del notify.environment["HOOK_URL"]
        said = notify.run(*SINCE, code=1)
    assert "the variable HOOK_URL is not set" in said
    assert len(served.taken) == 4


@pytest.mark.parametrize("before", ["url:", "name: Demo", "notify:", "page:"])
def test_notify_settings_error_sends_no_message(folder, before):
    assert before in SITE
    write_files(folder, {"content/site.yaml": SITE.replace(before, before.replace(":", "x:"), 1)})
    with receiver() as served:
        said = Notify(folder, served).run(*SINCE, code=1)
    assert "content/site.yaml:" in said
    assert "nothing was sent" in said
    assert served.requests == []


@pytest.mark.parametrize("line", ["unknown: 1", "status: {cap: many}", "languages: [klingon, en]", "log: 1"])
def test_other_settings_error_sends_incidents(folder, line):
    write_files(folder, {"content/site.yaml": f"{SITE}{line}\n"})
    with receiver() as served:
        said = Notify(folder, served).run(*SINCE, code=1)
        sent = len(served.taken)
        write_files(folder, {"content/site.yaml": SITE})
        Notify(folder, served).run(*SINCE)
    assert "content/site.yaml:14:" in said
    assert "changes of components are not sent until you fix the errors in these files" in said
    assert (sent, len(served.taken)) == (8, 9), "the last status of the component follows"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("kind: slack", "kind: smoke", "site.yaml:11:13: error: unknown value 'smoke'"),
        ("name: chat", "name: hook", "two channels are named 'hook'"),
        (
            "delivery: at_most_once",
            "components: [faucet]",
            "site.yaml:13:20: error: components.yaml has no component 'faucet'",
        ),
        ("delivery: at_most_once", "secret_variable: KEY", "is not a webhook: its requests are not signed"),
        ("CHAT_URL", "https://hooks.example.org/T0/B0", "url_variable"),
    ],
)
def test_invalid_notify_settings_are_reported(folder, before, after, message):
    write_files(folder, {"content/site.yaml": SITE.replace(before, after)})
    with receiver() as served:
        said = Notify(folder, served).run(code=1)
    assert message in said


def test_notify_without_channels_reports_missing_setting(folder):
    write_files(folder, {"content/site.yaml": SITE[: SITE.index("notify:")]})
    with receiver() as served:
        said = Notify(folder, served).run()
    assert "site.yaml has no channels" in said


def test_damaged_notify_state_file_is_kept(folder):
    write_files(folder, {"state/notified.json": "{"})
    with receiver() as served:
        said = Notify(folder, served).run(code=3)
    assert "state/notified.json is damaged" in said
    assert (folder / "state/notified.json").read_text() == "{"


def test_notify_delays_events_missing_from_site(folder):
    def build(now):
        with chdir(folder):
            assert CliRunner().invoke(command, ["build", "--now", now]).exit_code == 0

    with receiver() as served:
        notify = Notify(folder, served)
        build("2026-11-02T10:30:00Z")
        notify.run(*SINCE, "--site", "build", code=1)
        hooks = [request for request in served.taken if request.path == "/hook"]
        assert len(hooks) == 3  # opened, its component, identified
        build("2026-11-02T12:00:00Z")
        notify.run("--site", "build")
    assert len(served.taken) == 10


@pytest.mark.slow
def test_concurrent_notify_runs_send_events_once(folder):
    with receiver() as served:
        notify = Notify(folder, served)
        runs = [
            subprocess.Popen(
                notify.command(*SINCE), cwd=folder, env=notify.environment, stdout=subprocess.PIPE
            )
            for _ in range(3)
        ]
        for process in runs:
            process.communicate(timeout=120)
    assert len(served.requests) == 10


KILLS = times(12)
"""Runs that are killed; 1,000 by hand."""

REFUSALS = (301, 307, 404, (429, {"Retry-After": "1"}))
"""Answers after which a sender knows that the event was not taken."""

UNCERTAIN = (500, 503, CUT, SLOW)
"""Answers after which nobody knows."""

IMPATIENT = """
import time
rest = time.sleep
time.sleep = lambda seconds: rest(seconds / 50)
from statuary.system.network.connections import Timeouts
from statuary.extensions.notify import channels
channels.TIMEOUTS = Timeouts(seconds=0.4, timeout=0.2)
from statuary.__main__ import main
main()
"""
"""The command, which waits for a receiver a fiftieth of the time."""


@pytest.mark.thorough
@pytest.mark.timeout(7200)
def test_random_kills_lose_no_event(folder):
    """Each event is taken at least once, and sent at most once where the channel is set so; order is kept.

    Nothing is sent of what an import took over.
    """
    chosen = seeded(7)
    killed, given = 0, Counter()
    with receiver() as served:
        Notify(folder, served).run(*SINCE)
    ids = [request.headers["webhook-id"] for request in served.requests if request.path == "/hook"]
    while killed < KILLS:
        (folder / "state/notified.json").unlink(missing_ok=True)
        with receiver() as served:
            served.seconds = 0.5
            served.otherwise = lambda: chosen.choice((200, 200, 200, *REFUSALS, *UNCERTAIN))
            notify = Notify(folder, served)
            for _ in range(6):
                killed += _killed_run(notify, chosen)
            served.otherwise = lambda: 200
            for code in ((0, 1), (0,)):  # the first says which event of the chat may not have arrived
                last = _start(notify, notify.environment)
                said, _ = last.communicate(timeout=60)
                assert last.returncode in code, said
        given.update(request.answered for request in served.requests)
        _check(served, ids)
    assert KILLS < 100 or set(given) == {200, 301, 307, 404, 429, *UNCERTAIN}
    print(killed, "kills;", dict(given))


def _start(notify, environment):
    command = [sys.executable, "-c", IMPATIENT, *notify.command(*SINCE)[3:]]
    return subprocess.Popen(
        command, cwd=notify.folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )


def _killed_run(notify, chosen):
    """Run, mostly until some requests arrived, and kill; return whether it was still running."""
    requests = notify.served.requests
    enough = len(requests) + chosen.randrange(5)
    gone = chosen.random() < 0.1  # nothing listens where the receiver was
    away = {"HOOK_URL": "http://127.0.0.1:1/hook", "CHAT_URL": "http://127.0.0.1:1/chat"} if gone else {}
    with _start(notify, notify.environment | away) as process:
        while len(requests) < enough and process.poll() is None:
            time.sleep(0.002)
        time.sleep(chosen.uniform(0.0, 0.06 if enough else 1.0))
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL


def _check(served, ids):
    hooks = [request for request in served.requests if request.path == "/hook"]
    assert list(dict.fromkeys(request.headers["webhook-id"] for request in hooks)) == ids
    taken = [request.headers["webhook-id"] for request in hooks if request.answered == 200]
    assert list(dict.fromkeys(taken)) == ids
    chats = [request for request in served.requests if request.path == "/chat"]
    refused = {answer[0] if isinstance(answer, tuple) else answer for answer in REFUSALS}
    sent = Counter(request.value["text"] for request in chats if request.answered not in refused)
    assert set(sent.values()) <= {1}
    places = [_place(request.value["text"]) for request in chats]
    assert places == sorted(places)
    assert not any(
        b"Taken over" in request.body or b"Explorer" in request.body for request in served.requests
    )


def _place(text: str) -> int:
    return ["Investigating", "Identified", "Monitoring", "Resolved"].index(text.partition(":")[0])


def test_unset_channel_variable_fails_every_run(folder):
    with receiver() as served:
        notify = Notify(folder, served)
        del notify.environment["CHAT_URL"]
        for _ in range(2):
            said = notify.run(code=1)
            assert "'chat' has no URL: the variable CHAT_URL is not set" in said
            assert "0 messages sent, 1 not sent" in said


def test_notify_rejects_clock_rollback_without_option(folder):
    with receiver() as served:
        notify = Notify(folder, served)
        notify.run(now="2030-01-01T00:00:00Z")
        said = notify.run(code=3)
        assert "is dated 2030-01-01T00:00:00Z" in said
        assert "--allow-clock-rollback" in said
        notify.run("--allow-clock-rollback")
        assert "0 messages sent, 0 not sent" in notify.run()


def test_html_response_fails_only_affected_events(folder):
    write_files(folder, {"page/incidents/slow.json": "<!doctype html><title>Parked</title>"})
    slow = folder / "content/incidents/slow.yaml"
    slow.write_text(f"id: slow\n{slow.read_text()}")
    with receiver() as served:
        said = Notify(folder, served).run(*SINCE, "--site", str(folder / "page"), code=1)
    assert said.count("the published site does not return its incident slow") == 2
    assert "defect" not in said
