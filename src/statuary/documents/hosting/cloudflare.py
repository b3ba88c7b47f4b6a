"""Cloudflare: a Worker with static assets, or a Pages project."""

from statuary.documents.hosting.host_files import (
    EDGE_FOLDER,
    HostFile,
    HostOptions,
    edge_module_files,
    json_text,
)
from statuary.documents.hosting.path_rules import static_globs

COMPATIBILITY_DATE = "2026-06-01"
"""The version of the runtime that the edge module is tested with."""

WRITTEN_BY = "// Written by `statuary hosting {host}` from the URL table.\n"


def worker_files(options: HostOptions) -> list[HostFile]:
    """Return the configuration of a Worker whose assets are the site, and the edge module."""
    configuration = WRITTEN_BY.format(host="cloudflare") + json_text(worker_configuration(options))
    return [HostFile("wrangler.jsonc", configuration), *edge_module_files(options)]


def worker_configuration(options: HostOptions) -> dict[str, object]:
    """Return the content of `wrangler.jsonc`: the edge module runs first, except for static paths."""
    return {
        "name": "statuary",
        "main": f"{EDGE_FOLDER}/modules/cloudflare.js",
        "compatibility_date": COMPATIBILITY_DATE,
        "assets": {
            "directory": options.publish,
            "binding": "ASSETS",
            "not_found_handling": "404-page",
            "run_worker_first": ["/*", *(f"!{glob}" for glob in static_globs())],
        },
    }


def pages_files(options: HostOptions) -> list[HostFile]:
    """Return the function of a Pages project; `_routes.json` in the site selects its paths."""
    configuration = {
        "name": "statuary",
        "pages_build_output_dir": options.publish,
        "compatibility_date": COMPATIBILITY_DATE,
    }
    function = f'export {{ onRequest }} from "../{EDGE_FOLDER}/modules/cloudflare.js";\n'
    written = WRITTEN_BY.format(host="cloudflare-pages")
    return [
        HostFile("wrangler.jsonc", written + json_text(configuration)),
        HostFile("functions/[[path]].js", f"{written}\n{function}"),
        *edge_module_files(options),
    ]
