"""`statuary log`: what people see of it."""

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from statuary.base.files import PublishingError
from statuary.cli.main import command
from statuary.extensions.log.notes import PrivateKey
from statuary.extensions.log.published_log import TreeHead
from statuary.extensions.log.resume import write_log_floor_file
from support.file_server import served
from support.logs import KEY, LOGGED_SITE, ORIGIN, log_of, logged
from support.sites import INCIDENT, NOW, address_of, path_of, record_of, write_files

LATER = "2026-11-21T12:00:00Z"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATUARY_STATE", str(tmp_path / "state"))


def run(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(command, ["log", *map(str, arguments)])
    assert done.exit_code == code, done.output
    return done.output


def test_log_history_shows_edited_update(tmp_path, content, site):
    first = run("verify", site, "--public-key", KEY.public.text)
    assert "the given key" in first
    assert "no earlier checkpoint is known" in first
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("We are looking into it.", "All is well.")})
    logged(content, site, LATER)
    output = run("history", "incidents/slow.html", "--from", site)
    assert "2026-11-20T12:00:00.000Z  entry 1: add update" in output
    assert "2026-11-21T12:00:00.000Z  entry 7: change update" in output
    assert "replaces entry 1" in output
    second = run("verify", site)
    assert "the key seen before" in second
    assert "the log continues the log seen before (7 entries)" in second
    assert "0 problems" in second
    # the same without the log: the page is put back as if nothing had been edited
    (site / "incidents/slow.json").write_bytes(b"{}")
    assert "incidents/slow.json has the SHA-256" in run("verify", site, code=1)


def test_log_verify_rejects_rolled_back_log(tmp_path, content, site):
    shutil.copytree(site, tmp_path / "old")
    logged(write_files(content, {path_of(2): record_of(2)}), site, LATER)
    run("verify", site)
    assert "fewer than the 9 of the log seen before" in run("verify", tmp_path / "old", code=1)
    assert "continues" in run("verify", site, "--since", tmp_path / "old/log/checkpoint", "--forget")
    assert "fewer than" in run(
        "verify", tmp_path / "old", "--since", site / "log/checkpoint", "--forget", code=1
    )


@pytest.mark.slow
def test_log_verify_detects_replaced_key(tmp_path, content, site):
    with served(site) as (url, _):
        run("verify", url)
        run("verify", site)
        for origin in ("other.example/log", ORIGIN):
            settings = LOGGED_SITE["site.yaml"].replace(ORIGIN, origin)
            shutil.rmtree(tmp_path / "forged", ignore_errors=True)
            key = PrivateKey(origin, bytes(32))
            logged(write_files(content, {"site.yaml": settings}), tmp_path / "forged", LATER, key=key)
            shutil.rmtree(site)
            shutil.copytree(tmp_path / "forged", site)
            for place in (url, f"{url}/", site):
                assert (
                    "another key" in (found := run("verify", place, code=1))
                    or "and now has one with" in found
                )
    assert "0 problems" in run("verify", site, "--public-key", key.public.text, "--forget")


def test_log_verify_accepts_url_and_snapshot(tmp_path, site):
    with served(site) as (url, _):
        printed = run("verify", url)
    assert "cannot be listed" in printed
    assert "0 problems" in printed
    made = CliRunner().invoke(
        command, ["snapshot", "create", "--from", str(site), str(tmp_path / "site.zip")]
    )
    assert made.exit_code == 0, made.output
    assert "0 problems" in run("verify", tmp_path / "site.zip")


def test_log_proof_verifies_without_site(tmp_path, site):
    path, proof = f"v2/contract/748463/{address_of(1)}", tmp_path / "record.tlog-proof"
    assert "entry 0 of 7" in run("prove", path, "--from", site, "--out", proof)
    assert "unknown" in run("check", proof, site / path, code=1)
    output = run("check", proof, site / path, "--public-key", KEY.public.text)
    assert "matches entry 0 of status.plinth.example/log" in output
    run("check", proof, site / f"proof/748463/{address_of(1)}.json", "--public-key", KEY.public.text)
    assert "SHA-256" in run("check", proof, site / "index.html", "--public-key", KEY.public.text, code=1)
    assert "has no entry" in run("prove", "index.html", "--from", site, code=3)


def test_log_init_never_overwrites_signing_key(tmp_path, content):
    key = tmp_path / "keys/log.key"
    printed = run("init", "status.plinth.example/log", "--out", key, "--content", content)
    assert (content / "log-floor.txt").read_text("utf-8").startswith("status.plinth.example/log\n0\n")
    assert key.stat().st_mode & 0o077 == 0
    assert "exists" in run("init", "status.plinth.example/log", "--out", key, code=3)
    assert "cannot name a key" in run("init", "two words", "--out", tmp_path / "other", code=3)
    built = CliRunner().invoke(
        command,
        [
            "build",
            "--content",
            str(content),
            "--out",
            str(tmp_path / "site"),
            "--now",
            NOW,
            "--log-key",
            str(key),
            "--init-log",
        ],
    )
    assert "log: 7 new entries (7 added), 7 in all" in built.output, built.output

    public = next(line.strip() for line in printed.splitlines() if line.startswith("  status.plinth"))
    assert "0 problems" in run("verify", tmp_path / "site", "--public-key", public)
    assert (tmp_path / "keys/log.key.last").read_text("utf-8").startswith("7 ")


@pytest.mark.slow
def test_diverged_log_publishes_other_documents(tmp_path, content, site):
    def publish(folder: Path, code: int) -> str:
        done = CliRunner().invoke(command, ["publish", str(folder), "--to", str(tmp_path / "target")])
        assert done.exit_code == code, done.output
        return done.output

    publish(site, 0)
    shutil.copytree(site, tmp_path / "other")
    logged(write_files(content, {path_of(2): record_of(2)}), site, LATER)
    publish(site, 0)
    assert "fewer than" in publish(tmp_path / "other", 4)
    write_files(content, {path_of(3): record_of(3), "incidents/slow.yaml": INCIDENT.replace("Slow", "Down")})
    logged(content, tmp_path / "other", "2026-11-23T12:00:00Z")
    printed = publish(tmp_path / "other", 4)
    assert "is not a continuation of" in printed
    assert "the target keeps the previous log/" in printed
    assert b"Down" in (tmp_path / "target/incidents/slow.json").read_bytes()
    assert log_of(tmp_path / "target").head == log_of(site).head
    assert list(log_of(tmp_path / "target").iter_entries())


def test_log_init_rejects_content_with_log(tmp_path, content):
    write_log_floor_file(content, "status.plinth.example/log", TreeHead(7, bytes(32)))
    floor = (content / "log-floor.txt").read_bytes()
    printed = run("init", "other.example/log", "--out", tmp_path / "key", "--content", content, code=3)
    assert "7 published entries of the log status.plinth.example/log" in printed
    assert "log rotate" in printed
    assert (content / "log-floor.txt").read_bytes() == floor
    assert not (tmp_path / "key").exists()


def test_log_init_succeeds_after_failed_attempt(tmp_path, content):
    arguments = ("init", "status.plinth.example/log", "--out", tmp_path / "key", "--content", content)
    (content / "log-floor.txt").mkdir()  # so that it cannot be written
    assert "log-floor.txt" in run(*arguments, code=3)
    (content / "log-floor.txt").rmdir()
    assert "holds the private key" in run(*arguments)


def test_failed_upload_resumes_from_signed_checkpoint(tmp_path, content, monkeypatch):
    """From a fresh checkout, with the key in a file; the news of an outage is published by the next build."""
    key = write_files(tmp_path / "keys", {"log.key": KEY.text}) / "log.key"
    target = tmp_path / "target"

    def build(number: int, to: Path, *more: str, code: int = 0) -> str:
        arguments = [
            "build",
            *more,
            "--content",
            content,
            "--out",
            tmp_path / f"out{number}",
            "--log-key",
            key,
            "--to",
            to,
        ]
        arguments += ["--now", f"2026-11-2{number}T12:00:00Z"]
        done = CliRunner().invoke(command, list(map(str, arguments)))
        assert done.exit_code == code, done.output
        return done.output

    build(1, target, "--init-log")
    before = log_of(target).head
    monkeypatch.setattr("statuary.cli.publication.publish_to_folder", _fails)
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Down")})
    build(2, target, code=6)
    assert log_of(target).head == before
    monkeypatch.undo()
    monkeypatch.setenv("STATUARY_STATE", str(tmp_path / "state"))
    signed = log_of(tmp_path / "out2")
    write_files(content, {"incidents/slow.yaml": INCIDENT.replace("Slow", "Down and out")})
    build(3, target)
    assert b"Down and out" in (target / "incidents/slow.json").read_bytes()
    log_of(target).verify_extends(signed.head, "what was signed")
    assert "0 problems" in run("verify", target)


def _fails(*_: object, **__: object) -> None:
    raise PublishingError("the host does not answer")


def test_log_init_refuses_url_as_name(tmp_path):
    key = tmp_path / "key"
    done = CliRunner().invoke(command, ["log", "init", "https://status.example.org/log", "--out", str(key)])
    assert done.exit_code == 2
    assert "https://status.example.org/log is a URL; give the name alone: status.example.org/log" in " ".join(
        done.output.split()
    )
    assert not key.exists()


def test_rotate_refuses_url_as_new_name(tmp_path):
    """A log that has a URL as its name keeps it."""
    key = PrivateKey("https://old.example/log", bytes(32))
    write_files(tmp_path, {"old.key": key.text, "content/site.yaml": LOGGED_SITE["site.yaml"]})
    for origin, code in (("https://new.example/log", 2), (key.name, 0)):
        options = ("--log-key", tmp_path / "old.key", "--out", tmp_path / f"{code}.key", "--origin", origin)
        printed = run("rotate", *options, "--content", tmp_path / "content", code=code)
        assert ("give the name alone: new.example/log" in printed) is (code == 2)
