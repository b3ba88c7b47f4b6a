"""Cloudflare: a Worker with static assets, or a Pages project."""

import json

from statuary.documents.hosting.edge_module import edge_module_files
from statuary.documents.hosting.globs import static_globs
from statuary.documents.hosting.host_file import HostFile
from statuary.documents.hosting.host_options import EDGE_FOLDER, HostOptions

COMPATIBILITY_DATE = "2026-06-01"
"""The behaviour of the runtime that the edge module is tested with."""

WRITTEN = "// Written by `statuary hosting {host}` from the table of URLs.\n"


def worker_files(choices: HostOptions) -> list[HostFile]:
    """Return the configuration of a Worker whose assets are the site, and the module that it runs."""
    return [
        HostFile("wrangler.jsonc", WRITTEN.format(host="cloudflare") + _json(worker_configuration(choices))),
        *edge_module_files(f"{EDGE_FOLDER}/modules", choices.layout),
    ]


def worker_configuration(choices: HostOptions) -> dict[str, object]:
    """Return what `wrangler.jsonc` says: the module runs before the assets, but for what it has no business with."""
    return {
        "name": "statuary",
        "main": f"{EDGE_FOLDER}/modules/cloudflare.js",
        "compatibility_date": COMPATIBILITY_DATE,
        "assets": {
            "directory": choices.publish,
            "binding": "ASSETS",
            "not_found_handling": "404-page",
            "run_worker_first": ["/*", *(f"!{glob}" for glob in static_globs())],
        },
    }


def pages_files(choices: HostOptions) -> list[HostFile]:
    """Return the function of a Pages project; `_routes.json` in the site says which paths it is asked for."""
    configuration = {
        "name": "statuary",
        "pages_build_output_dir": choices.publish,
        "compatibility_date": COMPATIBILITY_DATE,
    }
    function = f'export {{ onRequest }} from "../{EDGE_FOLDER}/modules/cloudflare.js";\n'
    written = WRITTEN.format(host="cloudflare-pages")
    return [
        HostFile("wrangler.jsonc", written + _json(configuration)),
        HostFile("functions/[[path]].js", f"{written}\n{function}"),
        *edge_module_files(f"{EDGE_FOLDER}/modules", choices.layout),
    ]


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"
