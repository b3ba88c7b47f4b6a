"""Set up a site at a host (`statuary setup`)."""

import os
from codecs import BOM_UTF8
from dataclasses import replace
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import click

from statuary.base.limits import LARGEST_SOURCE_FILE
from statuary.base.primitives import InvalidValueError
from statuary.cli.editing.prompts import is_interactive
from statuary.cli.escape import escape_control_chars
from statuary.cli.exit_codes import ExitCode
from statuary.cli.findings_report import format_findings
from statuary.cli.options import FOLDER, build_instant, content_option, option_group
from statuary.engine.read_content import read_content
from statuary.extensions.hosting.commands import require_supported_settings
from statuary.extensions.hosting.host_files import HostFile, HostOptions
from statuary.extensions.hosting.hosts import HOSTS
from statuary.extensions.hosting.installation import (
    Installation,
    add_extras,
    detect_installation,
    read_checked_out_branch,
)
from statuary.extensions.hosting.project_commands import (
    format_paths_to_commit,
    refuse_edited_files,
    write_files,
)
from statuary.extensions.notify.test_commands import send_test_messages
from statuary.extensions.setup.files import (
    SERVERS,
    SetupAnswers,
    list_build_secrets,
    list_channel_secrets,
    list_channels,
    list_needed_extras,
    make_setup_files,
)
from statuary.extensions.setup.steps import SetupResult, list_owner_steps
from statuary.site.site_content import SiteContent
from statuary.source.edit_files import EditError, FileEdit, content_lock, is_in_repository, write_edit
from statuary.source.edit_yaml import append_yaml_item, set_yaml_value
from statuary.source.git_ignore import IGNORED_BY_DEFAULT, add_ignore_lines
from statuary.source.locate import locate_findings
from statuary.status.model.records import StatusContent
from statuary.status.sources.site_settings import check_page_url
from statuary.system.files import read_below
from statuary.system.programs import git_output

EXAMPLE_DOMAINS: Final = ("example.org", "example.com", "example.net", "localhost")
"""Host names of sites that are not published yet."""


class Answers(NamedTuple):
    """The options of `setup` that replace its questions."""

    url: str | None
    branch: str | None
    form: bool | None
    alerts: bool | None
    store: str | None
    root: str
    clone: str
    edge: str | None
    yes: bool


with_answers = option_group(
    "answers",
    Answers,
    click.option(
        "--url",
        metavar="URL",
        help="Set the URL at which the host publishes the site. Default: `url` in site.yaml.",
    ),
    click.option(
        "--branch",
        metavar="BRANCH",
        help="Publish the site from this git branch. Default: the current branch.",
    ),
    click.option(
        "--form/--no-form",
        default=None,
        help="Add a GitHub form for reporting incidents without git. Default: --form if the repository is on GitHub.",
    ),
    click.option(
        "--alerts/--no-alerts",
        default=None,
        help="Add a webhook and a GitHub workflow that open incidents from monitoring alerts. Default: --no-alerts.",
    ),
    click.option(
        "--to", "store", metavar="URL", help="For s3: publish to the bucket at this URL, such as s3://BUCKET."
    ),
    click.option(
        "--root",
        metavar="FOLDER",
        default=HostOptions().root,
        show_default=True,
        help="For nginx and caddy: set the folder of the built site on the server.",
    ),
    click.option(
        "--clone",
        metavar="FOLDER",
        default="/srv/status",
        show_default=True,
        help="For nginx and caddy: set the folder of the project's git clone on the server.",
    ),
    click.option(
        "--edge",
        metavar="ADDRESS:PORT",
        help="For nginx and caddy: forward requests to the edge program at this address, such as 127.0.0.1:8001. Install it on the same server with `statuary setup deno`.",
    ),
    click.option("--yes", is_flag=True, help="Don't ask questions. Use the default answers."),
)


@click.command()
@click.argument("host", metavar="HOST", type=click.Choice(list(HOSTS)))
@with_answers
@content_option
@click.option(
    "--out", type=FOLDER, default=Path(), show_default=True, help="Write the files into this project folder."
)
@click.option(
    "--install",
    metavar="REQUIREMENT",
    help="Make the host install statuary from this pip requirement, such as a wheel or git+https://…. Default: the version that you run, from where you installed it.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files that differ. Default: fail.")
@click.option("--test-message", is_flag=True, help="Send a test message to every notification channel now.")
def setup_command(
    host: str,
    answers: Answers,
    content: Path,
    out: Path,
    install: str | None,
    force: bool,
    test_message: bool,
) -> ExitCode:
    """Set up a host that keeps your site up to date, and print the remaining steps.

    The command asks questions; you can answer them with options instead. Run it again after you change components or
    channels.

    The command writes the configuration of the host, a schedule that builds the site regularly, workflows for
    notifications and for reports without git, and lines of .gitignore.
    """
    read = read_content(content)
    if read.site is None or _has_settings_errors(read.site):
        located = locate_findings(content, read.findings)
        click.echo(format_findings(located, str(content), "text"), err=True)
        return ExitCode.FINDINGS
    decided = _decide_answers(host, answers, read.site, out)
    site = read.site
    options_of_host = _make_host_options(decided, answers, site, out, install)
    has_edge = HOSTS[host].runs_edge_module or bool(answers.edge)
    require_supported_settings(host, site.hosting, content / site.source, has_edge=has_edge)
    files = make_setup_files(decided, options_of_host, site)
    refuse_edited_files(files, out, force=force)
    _write_answers_to_settings(decided, site, content)
    names = _write_host_files(files, content, out, install)
    _print_owner_steps(decided, options_of_host, names, site, out)
    if test_message:
        return send_test_messages(
            list_channels(site),
            site.content_of(StatusContent).catalogue.page,
            os.environ,
            build_instant(None),
        )
    return ExitCode.OK


def _has_settings_errors(site: SiteContent) -> bool:
    return bool(site.faulty_keys or site.content_of(StatusContent).catalogue.faulty_parts)


def _decide_answers(host: str, answers: Answers, site: SiteContent, out: Path) -> SetupAnswers:
    """Take the answers from the command's options, and ask for the others."""
    asks = is_interactive() and not answers.yes
    url = _decide_url(answers.url, site.page.url, asks=asks)
    remote = git_output(out, "remote", "get-url", "origin")
    is_github = not remote or "github" in remote
    form, alerts = answers.form, answers.alerts
    if form is None:
        form = click.confirm(FORM_QUESTION, default=is_github) if asks else is_github
    if alerts is None:
        alerts = asks and click.confirm(ALERTS_QUESTION, default=False)
    store = _decide_store(host, answers.store, asks=asks)
    if not is_github:
        click.echo("note: the workflows are for GitHub; the remote `origin` is another server", err=True)
    return SetupAnswers(host, url.rstrip("/"), form, alerts, store, answers.clone)


FORM_QUESTION: Final = "A form on GitHub for people without git"
ALERTS_QUESTION: Final = "Incidents from alerts, through a function at the edge"


def _decide_url(given_url: str | None, current_url: str, *, asks: bool) -> str:
    """Return the URL of the site.

    It is the option's value, that of site.yaml, or the answer to a question.
    """
    url = given_url or current_url
    if given_url is None and asks:
        url = click.prompt("The URL of the site", default=current_url)
    try:
        return check_page_url(url)
    except InvalidValueError as error:
        raise click.BadParameter(f"{error}; {error.hint}", param_hint="--url") from None


def _decide_store(host: str, given_store: str | None, *, asks: bool) -> str:
    """Return the URL of an object store, from an option or a question.

    Returns:
        The URL; empty if the host is not an object store.

    Raises:
        click.UsageError: if it is missing, or given for another host.
    """
    if host != "s3":
        if given_store is not None:
            raise click.UsageError(f"--to can be used only with s3; {host} publishes the site that it builds")
        return ""
    if given_store is None and not asks:
        raise click.UsageError("Missing option '--to'. Name the bucket, such as s3://bucket.")
    bucket: str = given_store or click.prompt("The bucket", default="s3://bucket")
    return bucket


def _write_answers_to_settings(decided: SetupAnswers, site: SiteContent, content: Path) -> None:
    """Write the URL and the host into site.yaml.

    Raises:
        EditError: if the file cannot be edited, for example because it is JSON.
    """
    file = site.source
    with content_lock(content):
        before = read_below(content, file, LARGEST_SOURCE_FILE).removeprefix(BOM_UTF8).decode()
        text = before
        site_files = HOSTS[decided.host].site_files
        try:
            if decided.url != site.page.url.rstrip("/"):
                text = set_yaml_value(text, ("page", "url"), decided.url)
            if site_files is not None and site_files not in site.hosting.files:
                text = append_yaml_item(text, ("hosting", "files"), site_files.value)
        except EditError as error:
            raise error.with_file(content / file) from None
        if text != before:
            write_edit(content, FileEdit(file, before, text))
            click.echo(f"edited {content / file}", err=True)


def _make_host_options(
    decided: SetupAnswers, answers: Answers, site: SiteContent, out: Path, install: str | None
) -> HostOptions:
    installation = detect_installation(out)
    domain = urlsplit(decided.url).hostname
    is_server = decided.host in SERVERS
    extras = list_needed_extras(decided, site)
    return replace(
        HostOptions(),
        settings=site.hosting,
        install=add_extras(install or installation.requirement, extras),
        root=answers.root,
        domain=domain if is_server else None,
        edge=answers.edge,
        enabled=frozenset(dict(site.extensions)),
        branch=answers.branch or read_checked_out_branch(out),
        publish=answers.root if decided.host == "deno" else HostOptions().publish,
    )


def _write_host_files(files: list[HostFile], content: Path, project_folder: Path, install: str | None) -> str:
    installation = detect_installation(project_folder) if install is None else Installation(install)
    for line in add_ignore_lines(project_folder, IGNORED_BY_DEFAULT):
        click.echo(f"added {line} to {project_folder / '.gitignore'}", err=True)
    wheel = write_files(files, installation, project_folder, is_installed=True)
    return format_paths_to_commit(files, wheel, content, project_folder)


def _print_owner_steps(
    decided: SetupAnswers, options_of_host: HostOptions, names: str, site: SiteContent, out: Path
) -> None:
    if (urlsplit(decided.url).hostname or "").endswith(EXAMPLE_DOMAINS):
        click.echo(
            f"note: {decided.url} is an example address; run the command again with --url once you know the real address",
            err=True,
        )
    result = SetupResult(
        answers=decided,
        options=options_of_host,
        committed_names=names,
        branch_commits=is_in_repository(out),
        knows_author=bool(git_output(out, "var", "GIT_AUTHOR_IDENT")),
        repository=git_output(out, "remote", "get-url", "origin"),
        build_secrets=list_build_secrets(decided, site),
        channel_secrets=list_channel_secrets(site),
    )
    click.echo("\nWhat is left to do:")
    for number, step in enumerate(list_owner_steps(result), 1):
        first, *lines = step.split("\n")
        click.echo(f"\n{number:>2}. {escape_control_chars(first)}")
        for line in lines:
            click.echo(f"      {escape_control_chars(line)}")


setup_command.epilog = "\b\nHosts:\n" + "\n".join(
    f"  {name:17} {host.description}" for name, host in HOSTS.items()
)
