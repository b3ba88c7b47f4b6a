"""The extensions: what each adds, as strings; an extension is imported when something of it is used.

The core imports no extension. It finds them here, by `module:function`, as it finds its own commands. A row is an
extension; adding one touches its folder in `extensions/` and a row of this table.
"""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

from statuary.domain.errors import StatuaryError


class Command(NamedTuple):
    """A command of the command line."""

    target: str  # "module:function" of the click command
    help: str  # its line in `statuary --help`: the first line of its docstring
    interrupted: str = ""  # what an interruption leaves to do; empty if nothing


class Extension(NamedTuple):
    """What an extension adds to statuary, each part as "module:name"."""

    name: str  # its folder in `extensions/`
    commands: Mapping[str, Command] = MappingProxyType({})
    bulk: Mapping[str, str] = MappingProxyType({})  # form of a bulk source -> its `BulkReader`
    remote: Mapping[str, str] = MappingProxyType({})  # scheme of a URL -> its `RemoteFiles`
    marker: str = ""  # a path that a site has if it uses the extension
    options: Mapping[str, str] = MappingProxyType({})  # command of the core -> decorator with its options
    key: str = ""  # its key in site.yaml; the extension is on where it is written
    settings: str = ""  # the model of its key, an `ExtensionSource`; empty if the core has it
    pages: str = ""  # its `PageParts`
    folders: tuple[str, ...] = ()  # the first names of its paths, which are removed when it is off
    stage: str = ""  # opens what it does in a run (`pipeline/stages.py`)


EXTENSIONS = (
    Extension(
        "serving",
        commands={
            "serve": Command(
                "statuary.extensions.serving.commands:serve_command", "Serve the site on this machine."
            ),
        },
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
    ),
    Extension(
        "snapshots",
        commands={
            "snapshot": Command(
                "statuary.extensions.snapshots.commands:snapshot_command",
                "Pack a site into one file; verify, compare and sign snapshots.",
            ),
            "extract": Command(
                "statuary.extensions.snapshots.commands:extract_command",
                "Read documents from a snapshot, a folder or a URL.",
            ),
        },
    ),
    Extension(
        "object_stores",
        commands={
            "publish": Command(
                "statuary.extensions.object_stores.commands:publish_command",
                "Publish a site to a folder or an object store.",
                interrupted="each published file is old or new; run the command again to finish",
            ),
        },
        remote=dict.fromkeys(
            ("s3", "gs", "az"), "statuary.extensions.object_stores.remote_objects:RemoteObjects"
        ),
    ),
    Extension(
        "log",
        commands={
            "log": Command(
                "statuary.extensions.log.commands:log_command",
                "Keep and verify the log of everything that was published.",
            ),
        },
        marker="log/checkpoint",
        options=dict.fromkeys(("build", "tick"), "statuary.extensions.log.options:log_key_option"),
        key="log",
        folders=("log",),
        settings="statuary.extensions.log.settings:SiteLogSource",
        pages="statuary.extensions.log.pages:PARTS",
        stage="statuary.extensions.log.stage:open_stage",
    ),
    Extension(
        "conform",
        commands={
            "conform": Command(
                "statuary.extensions.conform.commands:conform_command",
                "Test a deployment against both APIs over HTTP.",
            ),
        },
    ),
    Extension(
        "hosting",
        key="hosting",
        commands={
            "hosting": Command(
                "statuary.extensions.hosting.commands:hosting_command", "Write the configuration of a host."
            ),
        },
    ),
    Extension(
        "bulk",
        bulk={
            "JSONL": "statuary.extensions.bulk.readers:LineReader",
            "tables of an export": "statuary.extensions.bulk.readers:ExportReader",
        },
    ),
    Extension("cluster"),
    Extension("compilers"),
    Extension("http"),
)
"""Every extension, in the order in which `statuary --help` lists their commands."""


class MissingExtensionError(StatuaryError):
    """An extension is not installed; the hint is the line that installs it."""

    def __init__(self, purpose: str, name: str) -> None:
        super().__init__(
            f"{purpose} needs the extension {name!r}, which is not installed",
            f'pip install "statuary[{name}]"',
        )


def load(target: str, purpose: str) -> Any:
    """Import what a row of the table names.

    Args:
        target: "module:name"; the module is one of an extension, or of the core.
        purpose: what needs it, as the subject of a sentence.

    Raises:
        MissingExtensionError: if the folder of the extension is not installed.
    """
    module, _, name = target.partition(":")
    try:
        return getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        # a library of an extra that is missing is not this error: its name is not that of the extension's package
        folder = ".".join(module.split(".")[:3])
        if error.name is None or not f"{module}.".startswith(f"{error.name}.") or folder.count(".") < 2:
            raise
        raise MissingExtensionError(purpose, folder.rpartition(".")[2]) from error
