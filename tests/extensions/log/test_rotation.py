"""A new key of a log: what readers with memory see of one that the former key announces, and of one that nobody does."""

import shutil
from pathlib import Path

import pytest

from statuary.extensions.log.entries import LOG_KEY, EntryRules, LogAction, LogEntry, parse_entry
from statuary.extensions.log.key_changes import (
    ROTATION,
    KeyChange,
    follow_key_changes,
    read_key_change,
    sign_key_change,
)
from statuary.extensions.log.merkle import LogError
from statuary.extensions.log.notes import PrivateKey, parse_checkpoint
from statuary.extensions.log.published_log import open_log
from statuary.publish.folder.reader import FolderReader
from support.file_server import served
from support.log_operator import Operator
from support.logs import KEY, ORIGIN
from support.sites import write_files

OTHER = "status.plinth.example/log2"


@pytest.fixture
def operator(tmp_path: Path) -> Operator:
    made = Operator(tmp_path)
    made.build(0, "--init-log")
    return made


@pytest.mark.slow
@pytest.mark.parametrize("origin", [ORIGIN, OTHER])
def test_log_verify_follows_announced_key_rotation(operator, origin):
    """By address, by name and key, and by a checkpoint that they kept."""
    shutil.copytree(operator.host, operator.root / "before")
    assert "seen for the first time" in operator.verify()
    printed = operator.rotate(0, 1, *(() if origin == ORIGIN else ("--origin", origin)))
    assert operator.key(1).public.text in printed
    assert (operator.root / "keys/1").stat().st_mode & 0o777 == 0o600
    operator.rename(origin)
    operator.build(1)
    found = operator.verify()
    assert f"announced by the key seen before, {KEY.public.text}" in found
    assert "the log continues the log seen before" in found
    assert "0 problems" in found
    # the next builds and visits are as if nothing had happened, and need no former key
    (operator.content / ROTATION).unlink()
    operator.build(1)
    found = operator.verify()
    assert "(the key seen before)" in found
    assert "the log continues the log seen before" in found
    # a new reader with the former key, one with the new key, one with a checkpoint
    for options in (("--public-key", KEY.public.text), ("--public-key", operator.key(1).public.text), ()):
        since = operator.root / "before/log/checkpoint"
        assert "the log continues" in operator.verify(
            *options, "--since", since, who=f"new{len(options)}{options[-1:]}"
        )
    # at the old state of the host, a reader who has seen the new one sees what it is
    assert operator.verify(site=operator.root / "before", code=1)


@pytest.mark.slow
def test_log_verify_follows_missed_key_rotations(operator):
    with served(operator.host) as (url, _):
        operator.verify(site=url)
        for number in (1, 2):
            operator.rotate(number - 1, number, "--origin", f"{OTHER}.{number}")
            operator.rename(f"{OTHER}.{number}")
            operator.build(number)
        found = operator.verify(site=url)
        assert "announced by the key that" not in found
        assert "the log continues the log seen before" in found
        # the reader also knows the folder's log by its former name now, though it is at another address
        assert "(the key seen before)" in operator.verify()


def test_unannounced_log_key_fails_until_accepted(operator):
    """The key is lost: another log, and the publisher says elsewhere which key it has."""
    operator.verify()
    operator.run(
        "log", "init", OTHER, "--out", operator.root / "keys/9", "--content", operator.root / "nowhere"
    )
    operator.rename(OTHER)
    (operator.host / "log/checkpoint").unlink()
    operator.build(9, "--init-log")
    new = operator.key(9).public.text
    found = operator.verify(code=1)
    assert f"had the log with the key {KEY.public.text}, and now has one with {new}" in found
    assert "accept the new key with --public-key" in found
    assert "the given key" in operator.verify("--public-key", new)
    operator.build(9)
    assert "(the key seen before)" in operator.verify()


@pytest.mark.slow
def test_build_rejects_rotated_log_key(operator):
    """Nor does whoever has it get readers to follow a log that goes on from before the announcement."""
    operator.verify()
    published = operator.host
    shutil.copytree(published, operator.root / "early")
    operator.rotate(0, 1)
    operator.build(1)
    operator.verify()
    assert "is not signed with the key" in operator.build(0, code=4)
    (operator.content / ROTATION).unlink()
    operator.host = operator.root / "early"
    for _ in range(2):
        operator.build(0)
    shutil.rmtree(published)
    shutil.copytree(operator.host, published)
    assert "states another key" in operator.verify(site=published, code=1)
    assert "is not a continuation of the log seen before" in operator.verify(
        "--public-key", KEY.public.text, site=published, code=1
    )


@pytest.mark.slow
def test_rotated_key_checkpoint_is_rejected(operator):
    operator.rotate(0, 1)
    operator.build(1)
    log = open_log("host", FolderReader(operator.host).read, operator.key(1).public)
    note = log.checkpoint.note
    (operator.host / "log/checkpoint").write_text(f"{note.text}\n{KEY.sign(note.text)}", "utf-8")
    index = operator.host / "log/index.json"
    index.write_text(index.read_text().replace(operator.key(1).public.text, KEY.public.text))
    assert "is not signed" in operator.verify("--public-key", KEY.public.text, code=1)


def test_damaged_key_rotation_statement_is_rejected(operator):
    operator.rotate(0, 1)
    change = read_key_change(operator.content)
    assert change == sign_key_change(KEY, operator.key(1).public)
    text = (operator.content / ROTATION).read_text()
    forged = PrivateKey(ORIGIN, bytes(32))
    for damaged in (
        "",
        text[:-5],
        text.replace("new key", "new kex"),
        text + "x\n",
        text.replace(KEY.public.text, forged.public.text),
    ):
        (operator.content / ROTATION).write_text(damaged)
        with pytest.raises(LogError, match="does not announce a key"):
            read_key_change(operator.content)
    # the status is published all the same
    assert "does not announce a key" in operator.build(1, code=4)
    with pytest.raises(LogError, match="not a valid checkpoint"):
        parse_checkpoint(change.signed_note.encode())


def test_invalid_key_change_entry_is_rejected():
    keys = [PrivateKey(ORIGIN, bytes([number]) * 32) for number in range(4)]
    first, second = (sign_key_change(keys[number], keys[number + 1].public) for number in (0, 1))
    time = "2026-11-20T12:00:00.000Z"
    entry = LogEntry(LOG_KEY, LogAction.CHANGE, time, key_change=first)
    assert parse_entry(entry.encode()) == entry
    EntryRules().check_entry(3, entry, None)
    EntryRules().check_entry(4, entry._replace(key_change=second, replaces=3), (3, entry))
    assert follow_key_changes(keys[0].public, (first, second)) == keys[2].public
    assert follow_key_changes(keys[3].public, (first, second)) == keys[3].public
    wrong = [
        entry._replace(action=LogAction.ADD),
        entry._replace(key_change=None),
        entry._replace(key_change=first._replace(key=keys[2].public)),
        entry._replace(key_change=KeyChange(keys[0].public, keys[0].public, first.signature)),
        entry._replace(sha256="0" * 64),
    ]
    for one in wrong:
        with pytest.raises(LogError):
            EntryRules().check_entry(3, one, None)
    with pytest.raises(LogError, match="announces a key, and the one before is"):
        EntryRules().check_entry(
            4, entry._replace(key_change=sign_key_change(keys[3], keys[2].public), replaces=3), (3, entry)
        )


def test_log_rotate_requires_key_file(operator, tmp_path):
    assert "name the file of the current key" in operator.run(
        "log", "rotate", "--out", tmp_path / "x", "--content", operator.content, code=2
    )
    operator.rotate(0, 1)
    assert "exists, and statuary never overwrites a key" in operator.rotate(0, 1, code=3)
    # the name in the content moves along
    write_files(
        operator.content, {"log-floor.txt": f"{ORIGIN}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"}
    )
    assert "has the new name of the log" in operator.rotate(0, 2, "--origin", OTHER)
    assert (operator.content / "log-floor.txt").read_text().startswith(f"{OTHER}\n0\n")


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--log-from", "--allow-log-rollback"])
def test_restored_log_backup_requires_recovery_option(operator, option):
    """The manual's last situation: the host has an older state again, and the newest log is somewhere, or nowhere."""
    shutil.copytree(operator.host, operator.root / "backup")
    operator.build(0)
    operator.build(0)
    operator.verify()
    operator.host.rename(operator.root / "newest")
    shutil.copytree(operator.root / "backup", operator.host)
    assert "fewer than the" in operator.verify(code=1)
    assert "fewer than the" in operator.build(0, code=4)
    operator.build(0, option, *([operator.root / "newest"] if option == "--log-from" else []))
    if option == "--log-from":
        assert "0 problems" in operator.verify()
    else:
        assert "log seen before" in operator.verify(code=1)
        assert "0 problems" in operator.verify("--forget")
