"""Deno: the edge module over a folder, by itself or behind a web server."""

import json

from statuary.documents.hosting.edge_module import edge_module_files
from statuary.documents.hosting.host_file import HostFile
from statuary.documents.hosting.host_options import EDGE_FOLDER, HostOptions


def deno_files(choices: HostOptions) -> list[HostFile]:
    """Return the module and the task that runs it: `deno task serve`."""
    address, _, port = (choices.edge or "127.0.0.1:8001").rpartition(":")
    serve = (
        f"deno serve --allow-read={choices.publish} --host={address} --port={port} "
        f"{EDGE_FOLDER}/modules/deno-serve.js {choices.publish}"
    )
    return [
        HostFile("deno.json", json.dumps({"tasks": {"serve": serve}}, indent=2) + "\n"),
        *edge_module_files(f"{EDGE_FOLDER}/modules", choices.layout),
    ]
