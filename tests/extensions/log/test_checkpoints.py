"""Checkpoints: whose log they are of, and which key must have signed them."""

import pytest

from statuary.extensions.log.merkle import LogError
from statuary.extensions.log.notes import (
    Checkpoint,
    PrivateKey,
    format_checkpoint_text,
    parse_checkpoint,
    verify_checkpoint,
)

KEY, FORMER = PrivateKey("example.org/log", b"k" * 32), PrivateKey("example.org/former", b"f" * 32)
RENEWED = PrivateKey(KEY.name, b"r" * 32)


def checkpoint(origin: str, *keys: PrivateKey) -> Checkpoint:
    text = format_checkpoint_text(origin, 3, bytes(32))
    return parse_checkpoint(f"{text}\n{''.join(key.sign(text) for key in keys)}".encode())


@pytest.mark.parametrize("keys", [(KEY,), (KEY, FORMER), (RENEWED, KEY)])
def test_log_key_checkpoint_is_valid(keys: tuple[PrivateKey, ...]) -> None:
    verify_checkpoint(checkpoint(KEY.name, *keys), KEY.public)
    verify_checkpoint(checkpoint(KEY.name, *keys), KEY.public, FORMER.public)


@pytest.mark.parametrize("former", [FORMER, RENEWED])
def test_previous_key_checkpoint_is_valid(former: PrivateKey) -> None:
    verify_checkpoint(checkpoint(former.name, former), KEY.public, former.public)


@pytest.mark.parametrize("keys", [(FORMER,), (RENEWED,)])
def test_checkpoint_without_signature_is_rejected(keys: tuple[PrivateKey, ...]) -> None:
    for former in (None, FORMER.public):
        with pytest.raises(LogError, match="is not signed with the key"):
            verify_checkpoint(checkpoint(KEY.name, *keys), KEY.public, former)


def test_renamed_log_checkpoint_requires_previous_signature() -> None:
    for former in (None, FORMER.public):
        with pytest.raises(
            LogError, match=r"the checkpoint belongs to the log example\.org/former, not to example\.org/log"
        ):
            verify_checkpoint(checkpoint(FORMER.name, KEY), KEY.public, former)


def test_checkpoint_of_other_log_is_rejected() -> None:
    with pytest.raises(LogError, match=r"the checkpoint belongs to the log example\.org/other") as caught:
        verify_checkpoint(checkpoint("example.org/other", KEY, FORMER), KEY.public, FORMER.public)
    assert caught.value.cause == "key"


def test_signature_over_altered_checkpoint_is_rejected() -> None:
    signed = format_checkpoint_text(KEY.name, 2, bytes(32))
    text = format_checkpoint_text(KEY.name, 3, bytes(32))
    with pytest.raises(LogError, match="is not valid"):
        verify_checkpoint(parse_checkpoint(f"{text}\n{KEY.sign(signed)}".encode()), KEY.public)
