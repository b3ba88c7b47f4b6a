"""`statuary init` and `statuary schema`: new content and its schemas."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import cache
from pathlib import Path
from string import Template
from textwrap import indent
from typing import NamedTuple, Protocol

import click
import orjson
from click.exceptions import Exit

from statuary.base.errors import StatuaryError
from statuary.base.primitives import Instant, InvalidValueError, format_utc, parse_chain_id
from statuary.cli.editing.prompts import is_interactive
from statuary.cli.escape import print_error
from statuary.cli.exit_codes import ExitCode
from statuary.cli.options import FOLDER, build_instant, content_option, now_option, option_group
from statuary.engine.json_schemas import SCHEMA_MODELS, json_schema
from statuary.registry import import_provided
from statuary.source.edit_files import EditError, init_and_commit, init_repository, is_in_repository
from statuary.source.edit_yaml import set_yaml_value
from statuary.source.git_ignore import IGNORED_BY_DEFAULT, add_ignore_lines
from statuary.source.git_merge import install_merge_driver
from statuary.source.schema_line import SCHEMA_FOLDER
from statuary.source.yaml_nodes import YamlValue, inline_yaml_scalar, yaml_file_text
from statuary.status.checks.component_checks import is_url_safe
from statuary.status.sources.site_settings import check_page_url
from statuary.system.files import read_below, read_text
from statuary.system.writing import replace_file


@click.command()
@click.argument("name", type=click.Choice(list(SCHEMA_MODELS)), required=False)
@click.option(
    "--all",
    "folder",
    type=FOLDER,
    help="Write the JSON Schemas of all kinds of content files into this folder.",
)
@click.option(
    "--update",
    is_flag=True,
    help="Update the schemas in the content folder's .schema, for example after an upgrade of statuary.",
)
@content_option
def schema_command(
    name: str | None,
    folder: Path | None,
    update: bool,
    content: Path,
) -> None:
    """Print the JSON Schema of a content file, for editors.

    An editor with the YAML language server completes and checks a file that begins with this line:

    \b
      # yaml-language-server: $schema=../.schema/incident.json

    `statuary init` writes the schemas to content/.schema; `statuary schema --update` writes them again.
    """  # noqa: D301 - for click, the backspace means "do not wrap these lines"
    if update and not content.is_dir():
        raise StatuaryError(f"there is no content folder {str(content)!r}", "choose it with --content")
    folder = content / SCHEMA_FOLDER if update else folder
    if folder is not None:
        write_schemas(folder)
        click.echo(f"{len(SCHEMA_MODELS)} schemas in {folder}/")
    elif name is not None:
        click.echo(_starter_text(name))
    else:
        click.echo("\n".join(SCHEMA_MODELS))


def write_schemas(folder: Path) -> None:
    """Write the JSON Schemas of content files to `<name>.json` in a folder.

    Args:
        folder: the folder, which is created if necessary.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCHEMA_MODELS:
        replace_file(folder / f"{name}.json", _schema_file(name))


def _schema_file(name: str) -> bytes:
    return f"{_starter_text(name)}\n".encode()


@cache
def _starter_text(name: str) -> str:
    return orjson.dumps(json_schema(name), option=orjson.OPT_INDENT_2).decode()


DAY, HOUR = timedelta(days=1), timedelta(hours=1)

EXAMPLE_URL, DEMO_URL = "https://status.example.org", "http://localhost:8000"


class NewSite(NamedTuple):
    """The options of `statuary init`, which describe the new site."""

    name: str
    url: str | None
    chain_id: str | None
    chains: tuple[str, ...]
    components: tuple[str, ...]
    demo: bool

    @property
    def chain_names(self) -> dict[str, str]:
        """The name of each chain in the options of `init`, by id."""
        own_chain = self.chain_id or ("1337" if self.demo else "")
        pairs = (text.partition("=") for text in self.chains)
        names = {own_chain: self.name} if own_chain else {}
        return names | {chain_id.strip(): name.strip() for chain_id, _, name in pairs}

    @property
    def site_url(self) -> str:
        """The URL of the site, without a slash at the end."""
        return (self.url or (DEMO_URL if self.demo else EXAMPLE_URL)).rstrip("/")


with_new_site = option_group(
    "site",
    NewSite,
    click.option(
        "--name",
        metavar="NAME",
        default="Example Network",
        show_default=True,
        help="Set the name of the network, which the pages show.",
    ),
    click.option(
        "--url",
        metavar="URL",
        help=f"Set the URL at which you will publish the site. Default: {EXAMPLE_URL}; with --demo, {DEMO_URL}.",
    ),
    click.option(
        "--chain-id",
        metavar="ID",
        help="Set the chain id of the network, such as 1, if you want to publish contracts. Default: no chain.",
    ),
    click.option(
        "--chain",
        "chains",
        multiple=True,
        metavar="ID=NAME",
        help="Add a chain whose contracts you want to publish, by id and name, such as 1=Ethereum (repeatable).",
    ),
    click.option(
        "--component",
        "components",
        multiple=True,
        metavar="KEY=NAME",
        help="Add a component to the status page, by key and name, such as 'rpc=Public RPC' (repeatable).",
    ),
    click.option(
        "--demo",
        is_flag=True,
        help="Fill the site with sample components, an incident and maintenance. The pages say that it is a demo.",
    ),
)


@click.command()
@content_option
@with_new_site
@click.option(
    "--from",
    "source",
    nargs=2,
    metavar="KIND SOURCE",
    help="Import an existing status page, given by its kind and its URL, such as `--from statuspage https://status.example.org`.",
)
@click.option(
    "--git/--no-git",
    default=None,
    help="Create a git repository for the project, and commit the new files. Default: ask on a terminal, else no.",
)
@now_option
def init_command(
    content: Path,
    site: NewSite,
    source: tuple[str, str] | None,
    git: bool | None,
    now: Instant | None,
) -> ExitCode:
    """Write a content folder that is ready to build.

    The command writes settings, your components, and JSON Schemas for editors. It never changes existing files.

    --from imports your existing status page: `statuary import --help` lists the kinds of pages. --demo fills the site
    with invented data.
    """
    instant, code = build_instant(now), ExitCode.OK
    _check_new_site_options(site, source)
    texts = {} if source is not None else starter_files(site, instant)
    if not _has_interrupted_init(content, texts):
        _refuse_existing_files(content)
    if source is not None:
        code = _import_site(source, content, site, instant)
    _write_content_files(content, texts)
    if git or (git is None and _should_offer_git(content)):
        code = _commit_files(content) or code
    for line in _next_steps(content, site, has_source=source is not None):
        click.echo(line)
    return code


def _refuse_existing_files(content: Path) -> None:
    if content.exists() and any(content.iterdir()):
        raise StatuaryError(
            f"{content} is not empty; nothing was written", "use --content to choose another folder"
        )


TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{8}")
"""The name of a file that `replace_file` did not finish."""


def _has_interrupted_init(content: Path, texts: Mapping[str, str]) -> bool:
    """Return whether an earlier `statuary init` was interrupted in the folder.

    Then the folder has only some of the new files, and nothing else.

    Args:
        texts: the new files by path; empty for an import, whose files are not known yet.
    """
    if not texts or not content.is_dir():
        return False
    missing = {content / path: text.encode() for path, text in texts.items()}
    missing |= {content / SCHEMA_FOLDER / f"{name}.json": _schema_file(name) for name in SCHEMA_MODELS}
    wanted = frozenset(missing)
    for file in content.rglob("*"):
        if not _is_leftover_of_init(file, wanted) and not _has_expected_text(
            content, file, missing.pop(file, None)
        ):
            return False
    return bool(missing)


def _is_leftover_of_init(file: Path, expected_files: frozenset[Path]) -> bool:
    """Return whether a path is a folder, or a temporary copy of a new file.

    Args:
        expected_files: the paths of the new files.
    """
    match = TEMPORARY.fullmatch(file.name)
    is_build_unfinished = match is not None and file.with_name(match["name"]) in expected_files
    return is_build_unfinished or (file.is_dir() and not file.is_symlink())


def _has_expected_text(content: Path, file: Path, text: bytes | None) -> bool:
    if text is None:
        return False
    with suppress(OSError):
        return read_below(content, file.relative_to(content).as_posix(), len(text)) == text
    return False


def _check_new_site_options(site: NewSite, source: tuple[str, str] | None) -> None:
    with _name_option_in_errors("--url"):
        check_page_url(site.site_url)
    with _name_option_in_errors("--chain-id"):
        parse_chain_id(site.chain_id or "1")
    for text in site.chains:
        _check_chain_option(text)
    if not site.name.strip():
        raise click.BadParameter("the name is empty", param_hint="--name")
    origins = {"--from": source, "--demo": site.demo, "--component": site.components}
    used = [flag for flag, value in origins.items() if value]
    if len(used) > 1:
        raise click.UsageError(f"{used[0]} brings its own components; leave out {used[1]}")
    for text in site.components:
        _check_component_option(text)


@contextmanager
def _name_option_in_errors(flag: str) -> Iterator[None]:
    try:
        yield
    except InvalidValueError as error:
        raise click.BadParameter(f"{error}; {error.hint}", param_hint=flag) from None


def _check_chain_option(text: str) -> None:
    chain_id, _, name = text.partition("=")
    if not name.strip():
        raise click.BadParameter(f"{text!r} has no name; write it like 1=Ethereum", param_hint="--chain")
    with _name_option_in_errors("--chain"):
        parse_chain_id(chain_id.strip())


def _check_component_option(text: str) -> None:
    key, _, name = text.partition("=")
    wrong = "has no name" if not name.strip() else "has a key that is not made of letters, digits, - and _"
    if not name.strip() or not is_url_safe(key):
        raise click.BadParameter(
            f'{text!r} {wrong}; write it like "rpc=Public RPC"', param_hint="--component"
        )


class NewContent(Protocol):
    """A function that imports the content of a new site from another system."""

    def __call__(self, kind: str, source: str, content: Path, now: Instant) -> ExitCode:
        """Import content and print a report.

        Returns:
            The exit code.

        Raises:
            click.BadParameter: if the kind of system is unknown.
        """


def _import_site(source: tuple[str, str], content: Path, site: NewSite, now: Instant) -> ExitCode:
    """Import content from another system, and write the new site's URL and chains into it.

    Args:
        source: the kind of the other system, such as `statuspage`, and its URL.
        site: the URL and chains of the new site.

    Returns:
        The exit code.
    """
    import_site: NewContent = import_provided("new content")
    code = import_site(*source, content, now)
    file = content / "site.yaml"
    if not file.exists():
        raise Exit(code)
    text = read_text(file)
    if site.url is not None:
        text = set_yaml_value(text, ("page", "url"), site.site_url)
    if site.chain_names:
        chains: list[YamlValue] = [
            {"chain_id": int(chain_id), "name": name} for chain_id, name in site.chain_names.items()
        ]
        text = set_yaml_value(text, ("chains",), chains)
    replace_file(file, text.encode())
    return code


def _next_steps(content: Path, site: NewSite, *, has_source: bool) -> Iterator[str]:
    if site.url is None and not site.demo and not has_source:
        yield f"\nSet page.url in {content / 'site.yaml'} to the address of your site; it is {EXAMPLE_URL}."
    if not is_in_repository(content.parent):
        yield "\nKeep it in git: git init && git add . && git commit -m Start"
    option = "" if content == Path("content") else f" --content {content}"
    yield f"\nNow run: statuary build{option}"


def _should_offer_git(content: Path) -> bool:
    return (
        is_interactive()
        and not is_in_repository(content.parent)
        and click.confirm("Make this project a git repository and commit the new files?", default=True)
    )


def _commit_files(content: Path) -> ExitCode:
    try:
        init_repository(content.parent)
        attributes = install_merge_driver(content)
        click.echo(f"wrote {attributes}")
        paths = (path for path in (content, content.parent / ".gitignore", attributes) if path.exists())
        click.echo(f"committed to git as {init_and_commit(content.parent, paths).summary_line}")
    except EditError as error:
        print_error(error)
        return ExitCode.FAILED
    return ExitCode.OK


def _write_content_files(content: Path, texts: Mapping[str, str]) -> None:
    """Write the content folder, and a missing .gitignore beside it.

    Raises:
        StatuaryError: if that fails.
    """
    try:
        for path, text in texts.items():
            file = content / path
            file.parent.mkdir(parents=True, exist_ok=True)
            replace_file(file, text.encode())
            click.echo(f"wrote {file}")
        write_schemas(content / SCHEMA_FOLDER)
        click.echo(f"wrote {content / SCHEMA_FOLDER}/")
        ignore = content.parent / ".gitignore"
        if not ignore.exists():
            add_ignore_lines(content.parent, IGNORED_BY_DEFAULT)
            click.echo(f"wrote {ignore}")
    except OSError as error:
        raise StatuaryError(f"{error.filename or content} cannot be written: {error.strerror}") from None


NO_CHAINS = """\
# The chains whose verified contracts are published.
# chains:
#   - chain_id: 1
#     name: Ethereum"""

CHAINS = """\
# The chains whose verified contracts are published; put records into contracts/<chain id>/<address>.json.
chains:
$chain_lines"""

DEMO = "\n  demo: true  # invented; every page says so"


def starter_files(site: NewSite, now: Instant) -> dict[str, str]:
    """Return the files of a new content folder: their text, by path.

    Args:
        now: the current time, from which the dates in the files are computed.
    """
    today = Instant(now.replace(hour=0, minute=0, second=0, microsecond=0))
    values = {
        "name": inline_yaml_scalar(site.name),
        "url": inline_yaml_scalar(site.site_url),
        "chain_lines": "\n".join(
            f"  - chain_id: {chain_id}\n    name: {inline_yaml_scalar(name)}"
            for chain_id, name in site.chain_names.items()
        ),
        "created": format_utc(Instant(today - DAY) if site.demo else today),
        "demo": DEMO if site.demo else "",
        "components": _component_lines(site.components),
    }
    values["chains"] = Template(CHAINS if values["chain_lines"] else NO_CHAINS).substitute(values)
    paths = {"site.yaml": "site.yaml"}
    if not site.demo:
        return _fill_templates({**paths, "components.yaml": "components.yaml"}, values)
    instants = {
        "today": today,
        "incident_start": today - DAY + 9 * HOUR,
        "incident_end": today - DAY + 10 * HOUR,
        "maintenance_start": today + 7 * DAY + 22 * HOUR,
        "maintenance_end": today + 7 * DAY + 23 * HOUR,
    }
    values |= {key: format_utc(Instant(value)) for key, value in instants.items()}
    paths |= {
        "components.yaml": "demo/components.yaml",
        f"incidents/{(today - DAY).date()}-slow-rpc.yaml": "demo/incident.yaml",
        f"maintenances/{(today + 7 * DAY).date()}-rpc-upgrade.yaml": "demo/maintenance.yaml",
    }
    return _fill_templates(paths, values)


def _component_lines(components: Iterable[str]) -> str:
    pairs = (text.partition("=") for text in components)
    components_by_key: dict[str, YamlValue] = {key: {"name": name.strip()} for key, _, name in pairs}
    return indent(yaml_file_text(components_by_key).rstrip("\n"), "  ") if components_by_key else ""


def _fill_templates(paths: Mapping[str, str], values: Mapping[str, str]) -> dict[str, str]:
    folder = Path(__file__).with_name("starter")
    return {
        path: Template(read_text(folder / name)).substitute(values).rstrip("\n") + "\n"
        for path, name in paths.items()
    }
