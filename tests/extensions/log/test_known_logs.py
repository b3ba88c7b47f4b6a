"""The state of logs that verifications remember: damage is named with its file."""

from pathlib import Path

import pytest

from statuary.base.files import PublishingError
from statuary.extensions.log import known_logs
from statuary.extensions.log.known_logs import load_log_state


@pytest.mark.parametrize("damaged", [b"", b"\xff\xfe", b"no key\n0\n", b"no key\nno head\n", b"one line"])
def test_damaged_log_state_file_is_reported(
    damaged: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "state"
    file.write_bytes(damaged)
    monkeypatch.setattr(known_logs, "_state_file_path", lambda origin: file)
    with pytest.raises(PublishingError, match="state is damaged"):
        load_log_state("status.example.org/log")


def test_unreadable_log_state_file_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_logs, "_state_file_path", lambda origin: tmp_path)
    with pytest.raises(PublishingError, match="is damaged"):
        load_log_state("status.example.org/log")
