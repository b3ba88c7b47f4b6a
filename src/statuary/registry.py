"""The registry of extensions: what each adds, as `module:name` strings.

The core imports no extension. It finds them here, as it finds its own commands, and imports one on first use.
To add an extension, add its folder in `extensions/` and a row of this registry.
"""

import os
from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple


class Command(NamedTuple):
    """A command of the command line."""

    target: str  # "module:function" of the click command
    help: str  # its line of `statuary --help`: the first line of its docstring
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
        """The name of the option's value, such as `log_key`."""
        return self.flag.lstrip("-").replace("-", "_")


class Extension(NamedTuple):
    """The parts that an extension adds to statuary, each as "module:name"."""

    name: str  # its folder in `extensions/`
    commands: Mapping[str, Command] = MappingProxyType({})  # by name: "serve", "incident from-alert"
    folders: tuple[
        str, ...
    ] = ()  # the top folders of its paths, which a build removes when the extension is disabled
    is_unserved: bool = False  # whether its folders are for the host only; no web server sends them
    urls: str = ""  # its rows of the table of URLs (`site/url_table.py`)
    documents: str = ""  # its `DocumentProvider` (`engine/providers.py`)
    of_record: str = ""  # its `RecordDocuments` (`contracts/incremental/record_documents.py`)
    apis: str = ""  # `(settings, example) -> DescribedApi` values, for openapi.json and the API page
    marker: str = ""  # a path that a site has if it uses the extension
    provides: Mapping[str, str] = MappingProxyType({})  # what the core asks for by name, such as "place s3"
    options: Mapping[str, tuple[CommandOption, ...]] = MappingProxyType({})  # for commands of the core
    key: str = ""  # its key in site.yaml, where it is on; a content folder of that name is its own
    status: str = (
        ""  # `(content, settings, status, findings, language) -> status`: adds statuses from elsewhere
    )
    settings: str = ""  # the model of its key, an `ExtensionSource`; empty if the core has it
    pages: str = ""  # its `PageParts`
    rules: str = ""  # its `Rule` values for `check --list`
    own_pages: str = ""  # its `MarkdownPageProvider`, which make the pages of `content/pages/`
    recompiler: str = ""  # `(options) -> RecordRecompiler | None`: compiles the records of a build again
    stage: str = ""  # opens its stage (`engine/stages.py`)


def command(extension: str, name: str, line: str, interrupted: str = "") -> dict[str, Command]:
    """Return a command of an extension, at its usual place."""
    return {name: Command(f"statuary.extensions.{extension}.commands:{name}_command", line, interrupted)}


def with_documents(name: str, *folders: str) -> Extension:
    """Return an extension with a key and documents, each at its usual place."""
    place = f"statuary.extensions.{name}"
    row = Extension(name, key=name, folders=folders, settings=f"{place}.settings:SOURCE")
    return row._replace(urls=f"{place}.documents:URLS", documents=f"{place}.documents:FAMILY")


STORES = ("s3", "gs", "az")  # the schemes of object stores
APIS = ("abis", "blockscout", "code", "etherscan", "otterscan", "proxies", "signature-database")

LOG_KEY = CommandOption(
    "--log-key",
    "Sign the log with the private key in this file. Default: the key in the variable STATUARY_LOG_KEY.",
    os.PathLike,
)
LOG_FROM = CommandOption(
    "--log-from",
    "Continue the log of this place too, such as an earlier deploy or a copy: a folder, a snapshot or a URL.",
    str,
    "FOLDER|FILE|URL",
)
INIT_LOG = CommandOption("--init-log", "Start a new log with entry 0, the first time.", bool)
ALLOW_LOG_ROLLBACK = CommandOption(
    "--allow-log-rollback",
    "Continue a log that has fewer entries than were published, or others. Readers see that it was rewritten.",
    bool,
)
ALLOW_CLOCK_ROLLBACK = CommandOption(
    "--allow-clock-rollback", "Record in the log that its last time is wrong.", bool
)
RECOMPILE = CommandOption("--recompile", "Compile every contract again and compare the result.", bool)
COMPILER = CommandOption(
    "--compiler",
    "A compiler: solc=PATH (solc, or npm's solcjs) or vyper=PATH; repeat it for each version. "
    "Default: the compilers on PATH.",
    tuple,
    "KIND=PATH",
)

EXTENSIONS = (
    Extension(
        "serving",
        commands=command(
            "serving", "serve", "Serve the site on this machine, exactly as an edge runtime would."
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
    with_documents("packs", "packs")._replace(
        commands=command("packs", "pack", "Pack records and proofs into one file; verify and read it."),
        urls="statuary.extensions.packs.urls:URLS",
        documents="",
        stage="statuary.extensions.packs.stage:open_stage",
        apis="statuary.extensions.packs.openapi:openapi_operations",
        provides={"documents packs": "statuary.extensions.packs.packed_site:open_packed"},
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
        commands=command("log", "log", "Keep and verify the transparency log of a site."),
        marker="log/checkpoint",
        provides={"replacement log/checkpoint": "statuary.extensions.log.published_log:require_growth"},
        options={
            "build": (LOG_KEY, LOG_FROM, INIT_LOG, ALLOW_LOG_ROLLBACK, ALLOW_CLOCK_ROLLBACK),
            "tick": (LOG_KEY, ALLOW_CLOCK_ROLLBACK),
        },
        key="log",
        folders=("log",),
        urls="statuary.extensions.log.published_log:LOG_URLS",
        settings="statuary.extensions.log.settings:SiteLogSource",
        pages="statuary.extensions.log.pages:PARTS",
        stage="statuary.extensions.log.stage:open_stage",
    ),
    Extension(
        "alerts",
        commands={
            "incident from-alert": Command(
                "statuary.extensions.alerts.commands:from_alert",
                "Open or resolve an incident from an alert of the monitoring.",
            )
        },
        key="alerts",
        settings="statuary.extensions.alerts.settings:SiteAlertsSource",
    ),
    with_documents("notify", "notifications")._replace(
        commands=command(
            "notify",
            "notify",
            "Send the page's events since the last run to channels.",
            "sent events are recorded; run the command again to send the rest",
        ),
    ),
    with_documents("languages", "de", "en", "es", "fr", "ja", "pt", "zh")._replace(
        pages="statuary.extensions.languages.pages:PARTS",
        status="statuary.extensions.languages.translations:status_in_first_language",
        provides={"text per language": "statuary.extensions.languages.translated:translated_text"},
    ),
    with_documents("instatus", "summary.json", "v2/components.json"),
    with_documents("embed", "embed", "badge.html"),
    Extension(
        "metrics",
        commands=command("metrics", "probe", "Probe nodes and services once, and write the measurements."),
        key="metrics",
        folders=("metrics-display",),
        urls="statuary.extensions.metrics.documents:URLS",
        settings="statuary.extensions.metrics.settings:SiteMetricsSource",
        apis="statuary.extensions.metrics.openapi:openapi_operations",
        pages="statuary.extensions.metrics.pages:PARTS",
        stage="statuary.extensions.metrics.stage:open_stage",
    ),
    Extension(
        "reports",
        commands=command("reports", "report", "Write the availability of each component over a quarter."),
    ),
    Extension(
        "upstream",
        commands=command("upstream", "upstream", "Fetch the statuses of components that follow other pages."),
        key="upstream",
        settings="statuary.extensions.upstream.settings:SiteUpstreamSource",
        status="statuary.extensions.upstream.state_file:apply_upstream_status",
    ),
    Extension(
        "conform",
        commands=command("conform", "conform", "Test a deployment against both APIs over HTTP."),
    ),
    Extension(
        "cards",
        key="cards",
        folders=("cards",),
        urls="statuary.extensions.cards.parts:CARD_URLS",
        documents="statuary.extensions.cards.documents:CardDocuments",
        settings="statuary.extensions.cards.settings:SiteCardsSource",
        pages="statuary.extensions.cards.parts:PARTS",
    ),
    Extension("theme_preview", commands=command("theme_preview", "theme", "Work on the look of pages.")),
    Extension("own_pages", own_pages="statuary.extensions.own_pages.pages:MarkdownPages"),
    Extension(
        "hosting",
        commands=command(
            "hosting",
            "hosting",
            "Write what a host needs to serve the site: its configuration and its edge module.",
        ),
        key="hosting",
        folders=("_headers", "_redirects", "_routes.json", ".assetsignore", ".nojekyll"),
        is_unserved=True,
        urls="statuary.extensions.hosting.documents:HOST_FILES",
        documents="statuary.extensions.hosting.documents:HostDocuments",
    ),
    Extension(
        "apis",
        key="apis",
        settings="statuary.extensions.apis.settings:SiteApisSource",
        folders=(*APIS, "bytecode", "v2/chainlist"),
        urls="statuary.extensions.apis.urls:API_URLS",
        of_record="statuary.extensions.apis.documents:of_record",
        apis="statuary.extensions.apis.openapi:openapi_operations",
        pages="statuary.extensions.apis.pages:PARTS",
        stage="statuary.extensions.apis.stage:open_stage",
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
        commands={
            **command("clear_signing", "signing", "Show calls as wallets do, and write descriptors."),
            "import clear-signing": Command(
                "statuary.extensions.clear_signing.commands:from_registry",
                "Import the ERC-7730 descriptors of the site's chains from a checkout of their registry.",
            ),
        },
        key="clear_signing",
        folders=("clear-signing",),
        urls="statuary.extensions.clear_signing.urls:SIGNING_URLS",
        settings="statuary.extensions.clear_signing.settings:SiteClearSigningSource",
        apis="statuary.extensions.clear_signing.openapi:openapi_operations",
        pages="statuary.extensions.clear_signing.pages:PARTS",
        stage="statuary.extensions.clear_signing.stage:open_stage",
        rules="statuary.extensions.clear_signing.rules:RULES",
    ),
    Extension(
        "cluster",
        provides={
            "workers dask": "statuary.extensions.cluster.dask_pool:DaskExecutor",
            "manifest by workers": "statuary.extensions.cluster.finalize:full_manifest",
        },
    ),
    Extension(
        "compilers",
        options={"build": (RECOMPILE, COMPILER), "check": (RECOMPILE, COMPILER)},
        recompiler="statuary.extensions.compilers.recompile_in_build:open_recompiler",
        stage="statuary.extensions.compilers.recompile:open_stage",
        rules="statuary.extensions.compilers.recompilation:RULES",
    ),
    Extension("http"),
)
"""Every extension, in the order in which `statuary --help` lists their commands."""


def providers(kind: str) -> dict[str, str]:
    """Return the targets of a kind of extension point, by name.

    For example, "place" has `{"s3": "module:name"}`.
    """
    return {
        need.removeprefix(f"{kind} "): target
        for row in EXTENSIONS
        for need, target in row.provides.items()
        if need.startswith(f"{kind} ")
    }


def provided(need: str) -> Any:
    """Import what one extension provides under a name."""
    [target] = (row.provides[need] for row in EXTENSIONS if need in row.provides)
    return load(target)


def load(target: str) -> Any:
    """Import a target of the registry, `module:name`.

    The module is one of an extension, or of the core.
    """
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)
