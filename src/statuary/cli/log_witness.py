"""`statuary log witness`: cosignatures of witnesses for the checkpoint of a published folder (c2sp.org/tlog-witness)."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.error import HTTPError
from urllib.request import Request

import click

from statuary.cli.exit_codes import ExitCode
from statuary.cli.options.common_options import out_option, with_options
from statuary.cli.options.log_options import read_public_key
from statuary.cli.output.printable import printable

if TYPE_CHECKING:
    from statuary.domain.log.notes import Checkpoint, PublicKey
    from statuary.publishing.log.published_log import PublishedLog

TIMEOUT = 30.0
LARGEST_ANSWER = 100_000

quorum_option = click.option(
    "--quorum", type=click.IntRange(0), default=0, help="How many of the witnesses must have cosigned."
)
witness_key_options = with_options(
    click.option(
        "--witness",
        "witnesses",
        multiple=True,
        metavar="KEY",
        help="The public key of a witness (repeatable).",
    ),
    quorum_option,
)


@click.command()
@click.argument("urls", metavar="[KEY URL]...", nargs=-1)
@out_option
@quorum_option
def witness(urls: tuple[str, ...], out: Path, quorum: int) -> None:
    """Ask witnesses to cosign the checkpoint of a published folder.

    A witness cosigns only what continues the log that it has seen. KEY is its public key, URL the prefix of its
    requests; without any, those of site.yaml get them. The cosignatures go into the checkpoint and into the proofs
    that were made with it. Publish the folder again afterwards.

    Exit codes: 0 at least --quorum witnesses (or that of site.yaml) have cosigned; 1 fewer have.
    """
    from statuary.publishing.folder.folder_target import FolderTarget
    from statuary.publishing.log.cosign import add_cosignatures
    from statuary.publishing.log.published_log import open_log, published_settings
    from statuary.publishing.log.verify_log import require_log

    if len(urls) % 2:
        raise click.UsageError("give a key and a URL for each witness")
    with FolderTarget(out) as target:
        log = require_log(open_log(str(out), target.published, None), str(out))
        settings = published_settings(target.published)
        listed = tuple(zip(urls[::2], urls[1::2], strict=True)) or (settings.witnesses if settings else ())
        if not listed:
            raise click.UsageError("site.yaml lists no witnesses; give the key and the URL of some")
        found: dict[PublicKey, str] = {}
        for key, url in listed:
            cosigned = _cosigned(log, read_public_key(key, b"\4"), url)
            found |= cosigned
        add_cosignatures(target, log, found.values())
    needed = quorum or (settings.quorum if settings else 0) or len(listed)
    click.echo(
        f"{len(found)} of {len(listed)} witnesses have cosigned {log.head.size:,} entries; {needed} are required"
    )
    sys.exit(ExitCode.OK if len(found) >= needed else ExitCode.FINDINGS)


def _cosigned(log: "PublishedLog", key: "PublicKey", url: str) -> "dict[PublicKey, str]":
    from statuary.domain.log.merkle import LogError
    from statuary.publishing.log.cosign import cosignature, request_body, witness_size

    try:
        status, answer = _post(url, request_body(log, 0))
        if status == 409:  # it has seen the log before, and returns how far
            status, answer = _post(url, request_body(log, witness_size(answer)))
        line = cosignature(log, key, status, answer)
    except (LogError, OSError) as error:
        click.echo(printable(f"{key.name}, {url}: {error}"), err=True)
        return {}
    click.echo(printable(f"{key.name}, {url}: cosigned"))
    return {key: line}


def _post(url: str, body: bytes) -> tuple[int, bytes]:
    from statuary.snapshots.http_client import opener

    headers = {"Content-Type": "text/plain; charset=utf-8"}
    request = Request(f"{url.rstrip('/')}/add-checkpoint", body, headers, method="POST")
    try:
        with opener().open(request, timeout=TIMEOUT) as response:
            return response.status, response.read(LARGEST_ANSWER)
    except HTTPError as error:
        with error:
            return error.code, error.read(LARGEST_ANSWER)


def echo_witnesses(checkpoint: "Checkpoint", witnesses: tuple[str, ...], quorum: int) -> None:
    """Print which witnesses have cosigned a checkpoint; raise LogError if fewer than the quorum."""
    from statuary.publishing.log.verify_log import verify_witnesses

    keys = [read_public_key(one, b"\4") for one in witnesses]
    for key in verify_witnesses(checkpoint, keys, quorum):
        click.echo(printable(f"cosigned by {key.name}"))
