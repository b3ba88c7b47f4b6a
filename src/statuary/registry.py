"""The registry of extensions: what each adds, as `module:name` strings.

The core imports no extension. It finds them here, as it finds its own commands, and imports one on first use.
To add an extension, add its folder in `extensions/`, a row of this registry, and its layer in pyproject.toml.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple


class Command(NamedTuple):
    """A command of the command line."""

    target: str  # "module:function" of the click command
    help: str  # the line in `statuary --help`: the first line of the command's docstring
    interrupted: str = ""  # what to do after an interruption; empty if nothing


class CommandOption(NamedTuple):
    """An option that an extension adds to commands of the core.

    Its value is passed to the extension under the flag's name.
    """

    flag: str
    help: str
    kind: type = str  # os.PathLike: a file, bool: a flag, tuple: may be repeated
    metavar: str = ""

    @property
    def name(self) -> str:
        """The name of the option's value for Python: `log_key` for `--log-key`."""
        return self.flag.lstrip("-").replace("-", "_")


class Extension(NamedTuple):
    """An extension, and the commands, options and documents that it adds.

    Code is named by strings such as "module:name", so that it is imported only when used.
    """

    name: str  # the folder in `extensions/`
    section: str = ""  # the `Section` (`section.py`) that the name as a key of site.yaml enables
    folders: tuple[str, ...] = ()  # its folders and files, which a build removes when it is disabled
    commands: Mapping[str, Command] = MappingProxyType({})  # commands by name: "serve", "incident from-alert"
    options: Mapping[str, tuple[CommandOption, ...]] = MappingProxyType({})  # for commands of the core
    provides: Mapping[str, str] = MappingProxyType({})  # what the core asks for by name, such as "place s3"
    version: str = ""  # name and version of the other package that offers it; empty for statuary's own


def command(extension: str, name: str, line: str, interrupted: str = "") -> dict[str, Command]:
    """Describe a command for the table `EXTENSIONS`, with its line in the list of commands.

    The last argument says what to do after Ctrl-C; it is empty if nothing.
    """
    return {name: Command(f"statuary.extensions.{extension}.commands:{name}_command", line, interrupted)}


HOST_FILES = ("_headers", "_redirects", "_routes.json", ".assetsignore", ".nojekyll")
"""Files for the host alone, which no web server sends."""

STORES = ("s3", "gs", "az")  # the schemes of object stores
APIS = ("abis", "blockscout", "code", "etherscan", "otterscan", "proxies", "signature-database")

LOG_KEY = CommandOption(
    "--log-key",
    "Sign the log with the private key in this file. Default: the key in the environment variable STATUARY_LOG_KEY.",
    os.PathLike,
)
LOG_FROM = CommandOption(
    "--log-from",
    "Continue the log of this published copy of the site: a folder, a snapshot or a URL. Use it if the build folder is empty, as in CI.",
    str,
    "FOLDER|FILE|URL",
)
INIT_LOG = CommandOption("--init-log", "Start a new log. Needed only for the first build with a log.", bool)
ALLOW_LOG_ROLLBACK = CommandOption(
    "--allow-log-rollback",
    "Build even if the log lost or changed entries that you already published. Verifiers see that the log was rewritten.",
    bool,
)
ALLOW_CLOCK_ROLLBACK = CommandOption(
    "--allow-clock-rollback",
    "Build even if the last log entry has a time in the future. The log records that this time was wrong.",
    bool,
)
RECOMPILE = CommandOption(
    "--recompile", "Compile every contract again, and compare the result with the contract's record.", bool
)
COMPILER = CommandOption(
    "--compiler",
    "Compile with solc=PATH (solc, or npm's solcjs) or vyper=PATH. Repeat the option for each version. "
    "Default: the compilers on PATH.",
    tuple,
    "KIND=PATH",
)

EXTENSIONS = (
    Extension(
        "serving",
        commands=command(
            "serving", "serve", "Serve the site on this machine, like a host with the edge program."
        ),
    ),
    Extension(
        "importing",
        commands={
            "import": Command(
                "statuary.extensions.importing.commands:import_command",
                "Import contracts and status pages from other systems.",
            ),
            "contract": Command(
                "statuary.extensions.importing.contract_commands:contract_command",
                "Add contracts from Foundry, Hardhat, a compiler or a node.",
            ),
        },
        provides={"new content": "statuary.extensions.importing.commands:import_new_site"},
    ),
    Extension(
        "snapshots",
        commands=command(
            "snapshots", "snapshot", "Pack the whole site into one file; verify, compare and sign it."
        )
        | command("snapshots", "extract", "Read documents from a snapshot, a folder or a URL."),
        provides=dict.fromkeys(
            ("place file", "place http", "place https"),
            "statuary.extensions.snapshots.site_reader:ReadOnlyLocation",
        ),
    ),
    Extension(
        "packs",
        section="statuary.extensions.packs.section:PacksSection",
        folders=("packs",),
        commands=command("packs", "pack", "Pack contract records into one file; verify and read it."),
        provides={"documents packs": "statuary.extensions.packs.packed_site:open_packed_documents"},
    ),
    Extension(
        "mirror",
        commands=command(
            "mirror",
            "mirror",
            "Copy a served site into a folder, and keep it up to date.",
            "the folder is unchanged; run the command again to continue",
        ),
    ),
    Extension(
        "object_stores",
        commands=command(
            "object_stores",
            "publish",
            "Publish a snapshot, or the folder of a build, to a folder or an object store.",
            "each published file is old or new; run the command again to finish",
        ),
        provides={
            f"{kind} {scheme}": target
            for kind, target in (
                ("sources", "statuary.extensions.object_stores.remote_objects:RemoteObjects"),
                ("publication", "statuary.extensions.object_stores.commands:publish_folder_to_store"),
                ("place", "statuary.extensions.object_stores.store:StoreLocation"),
            )
            for scheme in STORES
        },
    ),
    Extension(
        "log",
        section="statuary.extensions.log.section:LogSection",
        folders=("log",),
        commands=command("log", "log", "Sign a site with a transparency log, and verify it."),
        provides={
            "section of published log/checkpoint": "statuary.extensions.log.section:LogSection",
            "replacement log/checkpoint": "statuary.extensions.log.published_log:require_log_extends_target",
        },
        options={
            "build": (LOG_KEY, LOG_FROM, INIT_LOG, ALLOW_LOG_ROLLBACK, ALLOW_CLOCK_ROLLBACK),
            "tick": (LOG_KEY, ALLOW_CLOCK_ROLLBACK),
        },
    ),
    Extension(
        "alerts",
        section="statuary.extensions.alerts.section:AlertsSection",
        commands={
            "incident from-alert": Command(
                "statuary.extensions.alerts.commands:from_alert_command",
                "Open or resolve an incident from an alert of your monitoring.",
            )
        },
    ),
    Extension(
        "notify",
        section="statuary.extensions.notify.documents:NotifySection",
        folders=("notifications",),
        commands=command(
            "notify",
            "notify",
            "Send new events of your page to channels, such as Slack.",
            "sent events are recorded; run the command again to send the rest",
        ),
    ),
    Extension(
        "languages",
        section="statuary.extensions.languages.documents:LanguagesSection",
        folders=("de", "en", "es", "fr", "ja", "pt", "zh"),
        provides={
            "status languages": "statuary.extensions.languages.translations:status_in_first_language",
            "text per language": "statuary.extensions.languages.translated:parse_translated_text",
        },
    ),
    Extension(
        "instatus",
        section="statuary.extensions.instatus.documents:InstatusSection",
        folders=("summary.json", "v2/components.json"),
    ),
    Extension(
        "prometheus",
        section="statuary.extensions.prometheus.documents:PrometheusSection",
        folders=("metrics.txt",),
    ),
    Extension(
        "embed",
        section="statuary.extensions.embed.documents:EmbedSection",
        folders=("embed", "badge.html", "banner.json"),
    ),
    Extension(
        "metrics",
        section="statuary.extensions.metrics.section:MetricsSection",
        folders=("metrics-display",),
        commands=command("metrics", "probe", "Probe nodes and services once, and write the measurements."),
    ),
    Extension(
        "reports",
        commands=command(
            "reports", "report", "Write a report of each component's availability in a quarter."
        ),
    ),
    Extension(
        "upstream",
        section="statuary.extensions.upstream.section:UpstreamSection",
        commands=command(
            "upstream", "upstream", "Fetch the status of components that copy it from other pages."
        ),
        provides={"status upstream": "statuary.extensions.upstream.state_file:apply_upstream_status"},
    ),
    Extension(
        "conform",
        commands=command(
            "conform", "conform", "Test a published site against the APIs of Sourcify and Statuspage."
        ),
    ),
    Extension("cards", section="statuary.extensions.cards.documents:CardsSection", folders=("cards",)),
    Extension("theme_preview", commands=command("theme_preview", "theme", "Preview your theme.")),
    Extension(
        "own_pages",
        provides={"section of own pages": "statuary.extensions.own_pages.pages:OwnPagesSection"},
    ),
    Extension(
        "hosting",
        section="statuary.extensions.hosting.documents:HostingSection",
        folders=HOST_FILES,
        commands=command(
            "hosting",
            "hosting",
            "Write the configuration and the edge program for a host.",
        ),
    ),
    Extension(
        "setup",
        commands=command(
            "setup",
            "setup",
            "Set up a host that keeps your site up to date, and print the remaining steps.",
        ),
    ),
    Extension(
        "apis",
        section="statuary.extensions.apis.section:ApisSection",
        folders=(*APIS, "bytecode", "v2/chainlist"),
        provides={"record documents apis": "statuary.extensions.apis.documents:derive_record_output"},
    ),
    Extension(
        "bulk",
        provides={
            "bulk JSONL": "statuary.extensions.bulk.readers:LineReader",
            "bulk tables of an export": "statuary.extensions.bulk.readers:ExportReader",
        },
    ),
    Extension(
        "clear_signing",
        section="statuary.extensions.clear_signing.section:ClearSigningSection",
        folders=("clear-signing",),
        commands={
            **command(
                "clear_signing", "signing", "Write ERC-7730 descriptors, and show calls as wallets do."
            ),
            "import clear-signing": Command(
                "statuary.extensions.clear_signing.commands:import_from_registry_command",
                "Import ERC-7730 descriptors from their registry.",
            ),
        },
    ),
    Extension(
        "cluster",
        provides={
            "workers dask": "statuary.extensions.cluster.dask_pool:DaskExecutor",
            "manifest by workers": "statuary.extensions.cluster.finalize:make_full_manifest",
        },
    ),
    Extension(
        "compilers",
        options={"build": (RECOMPILE, COMPILER), "check": (RECOMPILE, COMPILER)},
        provides={
            "section of options": "statuary.extensions.compilers.section:RecompilationSection",
        },
    ),
)
"""Every extension, in the order in which `statuary --help` lists their commands."""

CONTRACTS = Extension(
    "contracts",
    section="statuary.contracts.section:ContractsSection",
    provides={
        "urls": "statuary.contracts.urls:URLS",
        "ledger table": "statuary.contracts.incremental.contract_table:ContractTable",
        "worker imports": "statuary.contracts.incremental.built_contracts:import_builders",
        "frame links": "statuary.contracts.urls:LINKS",
    },
)
STATUS = Extension(
    "status",
    section="statuary.status.section:StatusSection",
    provides={
        "urls": "statuary.status.urls:URLS",
        "frame links": "statuary.status.urls:LINKS",
    },
)
CONTENT_SECTIONS = (CONTRACTS, STATUS)
"""The sections that every site has."""

ENTRY_POINTS = "statuary.sections"
"""The group of entry points by which other packages offer sections; the name of one is its key in site.yaml."""


@cache
def extension_of(key: str) -> Extension | None:
    """Return the extension that a key of site.yaml enables, or None."""
    for row in EXTENSIONS:
        if row.name == key:
            return row if row.section else None
    return next((row for row in third_party_extensions() if row.name == key), None)


@cache
def third_party_extensions() -> tuple[Extension, ...]:
    """Return the extensions that other installed packages offer as entry points."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - few sites have a section of another package

    own_keys = {row.name for row in EXTENSIONS}
    points = sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name)
    return tuple(
        Extension(
            point.name, point.value, version=f"{point.dist.name} {point.dist.version}" if point.dist else ""
        )
        for point in points
        if point.name not in own_keys
    )


def third_party_versions(keys: Iterable[str]) -> tuple[str, ...]:
    """Return the versions of the other packages that a site uses.

    When such a version changes, a build makes the documents of the extension again.

    Args:
        keys: the keys of site.yaml, which enable the extensions.
    """
    rows = map(extension_of, keys)
    return tuple(row.version for row in rows if row is not None and row.version)


def providers(kind: str) -> dict[str, str]:
    """Return the functions and classes that extensions provide of one kind, by name.

    For example, `providers("place")` returns a dict such as `{"s3": "module:name"}`. The kind is the first word of
    names in `Extension.provides`.
    """
    return {
        need.removeprefix(f"{kind} "): target
        for row in EXTENSIONS
        for need, target in row.provides.items()
        if need.startswith(f"{kind} ")
    }


def import_provided(need: str) -> Any:
    """Import the function or class that an extension provides to the core.

    Args:
        need: a name from `Extension.provides`, such as `place s3` for the class that reads a site in S3.
    """
    [target] = (row.provides[need] for row in EXTENSIONS if need in row.provides)
    return load(target)


def all_sections() -> Iterator[Any]:
    """Import the section classes of all extensions, and yield them.

    A section is the part of an extension that adds documents to a build.
    """
    for row in EXTENSIONS:
        needs = ("section of options", "section of own pages")
        for target in filter(None, (row.section, *(row.provides.get(need) for need in needs))):
            yield load(target)


def load(target: str) -> Any:
    """Import an object by its name, such as `package.module:function`."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)
