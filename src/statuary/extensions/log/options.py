"""Find the key of a log, and where it was published last."""

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from statuary.base.files import PublishingError
from statuary.cli.options import read_key_file
from statuary.extensions.log.key_changes import read_key_change
from statuary.extensions.log.merkle import LogError, ReadPath
from statuary.extensions.log.notes import PublicKey, parse_private_key, parse_public_key
from statuary.extensions.log.published_log import (
    LOG_CHECKPOINT,
    LogContext,
    LogSettings,
    TreeHead,
    parse_tree_head,
)
from statuary.extensions.log.resume import read_log_floor_file
from statuary.publish.locations import open_location
from statuary.section import Run
from statuary.system.files import read_file, read_text
from statuary.system.network.client import UnreachableError
from statuary.system.writing import atomic_file

KEY_VARIABLE = "STATUARY_LOG_KEY"
public_log_key_option = click.option(
    "--public-key",
    metavar="FILE|KEY",
    help="Fail unless this key signed the log. Give the public key as NAME+HEX+BASE64, or a file that contains it.",
)


def make_log_context(log_settings: LogSettings, run: Run, options: Mapping[str, Any]) -> LogContext:
    """Collect what a build needs to extend its transparency log.

    For example, the signing key, and where the log was published before.

    Args:
        log_settings: the settings of the log from site.yaml.
        run: the running build or tick.
        options: the values of the command-line options by name.

    Raises:
        LogError: if the key is invalid, or the published log cannot be read.
        PublishingError: if a file cannot be read.
    """
    key_file: Path | None = options.get("log_key")
    text = read_key_file(key_file, secret=True) if key_file else os.environ.get(KEY_VARIABLE, "")
    context = LogContext(
        log_settings,
        parse_private_key(text) if text else None,
        run.instant,
        min_size=None if run.root is None else read_log_floor_file(run.root, log_settings.origin),
        allow_init=bool(options.get("init_log")),
        allow_clock_rollback=bool(options.get("allow_clock_rollback")),
        allow_rollback=bool(options.get("allow_log_rollback")),
        change=None if run.root is None else read_key_change(run.root),
        preview=explain_preview(os.environ, log_settings.branch),
    )
    if key_file is not None:
        with suppress(OSError):
            last_head = read_text(_file_beside_key(key_file, LAST))
            context = context._replace(seen_head=parse_tree_head(last_head.partition("\n")[0]))
        with suppress(OSError):
            context = context._replace(pending_body=read_file(_file_beside_key(key_file, PENDING)))
    return _add_published_locations(context, run, options.get("log_from"))


def _add_published_locations(context: LogContext, run: Run, copy_location: str | None) -> LogContext:
    """Add the places where the log may have been published.

    If the published log cannot be read, but `copy_location` (such as an earlier deploy) has one, the build publishes that
    log without new entries.

    Raises:
        LogError: if no location has a log that can be read.
    """
    locations: list[tuple[str, ReadPath]] = []
    if published := run.to or context.settings.url:
        try:
            locations.append((published, _open_log_location(published)))
        except LogError as error:
            if copy_location is None or _open_log_location(copy_location)(LOG_CHECKPOINT.pattern) is None:
                raise _unreadable_log_error(error, run) from None
            context = context._replace(unreadable=str(error))
    if copy_location is not None:
        locations.append((copy_location, _open_log_location(copy_location)))
    return context._replace(other_locations=tuple(locations))


def _open_log_location(location: str) -> ReadPath:
    """Make a reader of a place where the transparency log may be.

    Raises:
        LogError: if the place cannot be read.
    """
    try:
        reader = make_site_reader(location)
        reader(LOG_CHECKPOINT.pattern)
    except (PublishingError, UnreachableError) as error:
        raise LogError(f"the published log cannot be read: {error}", cause="unreadable") from None
    return reader


def _unreadable_log_error(error: LogError, run: Run) -> LogError:
    """Return the error for a published log that cannot be read.

    The hint depends on whether the build folder has a copy of the log. Without one, publishing would remove the
    log.
    """
    has_own_log = run.target.read_published(LOG_CHECKPOINT.pattern) is not None
    hint = (
        "the site keeps its current log; the next build adds the missing entries"
        if has_own_log
        else "this build has no log, and a host that replaces the whole site loses its own: then build with --log-from"
        " and an earlier deploy; a copy that each build gets by --log-from prevents that"
    )
    return LogError(str(error), hint, error.cause)


def explain_preview(environment: Mapping[str, str], published_branch: str) -> str:
    """Name the reason that makes a build an unsigned preview.

    A preview is a build for a pull request, for example. Hosting services mark previews with environment
    variables.

    Args:
        environment: the environment variables.
        published_branch: the branch that is published; builds of other branches are previews.

    Returns:
        The reason; empty if the build is not a preview.
    """
    for name, production_value in PRODUCTION.items():
        if environment.get(name, production_value) != production_value:
            return f"a preview does not sign ({name} is {environment[name]})"
    for name in BRANCHES:
        if environment.get(name, published_branch) != published_branch:
            return f"a preview does not sign ({name} is {environment[name]}, and the published branch is {published_branch})"
    for name, beginning in REQUESTS.items():
        if environment.get(name, "").startswith(beginning) and environment.get(name):
            return f"a preview does not sign ({name} is {environment[name]})"
    return ""


PRODUCTION = {"CONTEXT": "production", "VERCEL_ENV": "production"}
"""Variables of Netlify and Vercel with one value for the published site, others for previews."""

BRANCHES = ("CF_PAGES_BRANCH", "WORKERS_CI_BRANCH")
"""Variables of Cloudflare that hold the branch."""

REQUESTS = {
    "GITHUB_EVENT_NAME": "pull_request",
    "CI_PIPELINE_SOURCE": "merge_request",
    "CI_MERGE_REQUEST_IID": "",
    "BUILD_REASON": "PullRequest",
    "IS_PULL_REQUEST": "true",
    "AWS_PULL_REQUEST_ID": "",
}
"""Variables of GitHub, GitLab, Azure, Render and Amplify, and their prefixes in pull requests."""


def is_in_ci(environment: Mapping[str, str]) -> bool:
    """Return whether environment variables show that this is a CI job."""
    return environment.get("CI", "").lower() not in ("", "0", "false")


def make_site_reader(location: str) -> ReadPath:
    """Make a function that reads the files of a published site.

    Args:
        location: a folder, a snapshot, a URL, or the URL of an object store.
    """
    place = open_location(location)
    if context := click.get_current_context(silent=True):  # a program that calls `statuary.build` has none
        context.call_on_close(place.close)
    return place.read


def store_signed_state(key_file: Path | None, published_head: TreeHead, pending_body: bytes | None) -> None:
    """Store the state of the published transparency log beside its key.

    If a later build finds a shorter log, it can tell from these files that the copy is outdated.

    Args:
        key_file: the file of the key; None to store nothing.
        published_head: the size and root hash of the published log.
        pending_body: the document about signed entries that may not be published yet, or None.
    """
    if key_file is None:
        return
    with atomic_file(_file_beside_key(key_file, PENDING)) as stream:
        stream.write(pending_body or b"")
    with atomic_file(_file_beside_key(key_file, LAST)) as stream:
        stream.write(f"{published_head.text}\n".encode())


LAST, PENDING = "last", "pending"
"""The suffixes of the files beside a key."""


def _file_beside_key(key_file: Path, suffix: str) -> Path:
    return key_file.with_name(f"{key_file.name}.{suffix}")


def read_public_key(key_or_file: str, signature_types: bytes = b"\1") -> PublicKey:
    """Read a log's or witness's public key from text or a file.

    Args:
        key_or_file: the key as `<name>+<key id>+<base64>`, or the path of a file that contains it.
        signature_types: the accepted types of signatures (c2sp.org/signed-note), one byte each.
    """
    return parse_public_key(
        read_key_file(Path(key_or_file)) if Path(key_or_file).is_file() else key_or_file, signature_types
    )
