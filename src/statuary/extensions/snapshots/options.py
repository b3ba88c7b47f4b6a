"""Options for keys of snapshots."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from statuary.cli.options import FILE, read_key_file
from statuary.extensions.snapshots.manifest_signature import (
    Signer,
    make_manifest_signer,
    parse_public_key,
    parse_secret_key,
)

if TYPE_CHECKING:
    from minisign import PublicKey


public_key_option = click.option(
    "--public-key",
    metavar="FILE|KEY",
    help="Fail unless this minisign key signed the manifest. Give the public key, or a file that contains it.",
)
sign_option = click.option(
    "--sign", "key", type=FILE, help="Sign the manifest with the minisign secret key in this file."
)


def read_public_key(key_or_file: str | None) -> "PublicKey | None":
    """Parse a minisign public key from text or from a file.

    Args:
        key_or_file: the key in base64, or the name of a .pub file; None for no key.
    """
    return (
        None
        if key_or_file is None
        else parse_public_key(
            read_key_file(Path(key_or_file)) if Path(key_or_file).is_file() else key_or_file
        )
    )


def read_signer(key_file: Path | None) -> Signer | None:
    """Make a function that signs manifests with the key in a file.

    Returns:
        The function; None if `key_file` is None.
    """
    if key_file is None:
        return None
    return make_manifest_signer(parse_secret_key(read_key_file(key_file, secret=True), _ask_key_password))


def _ask_key_password() -> str:
    return str(click.prompt("Password of the key", hide_input=True, err=True))
