"""Netlify: `netlify.toml`, a plugin that keeps the site between builds, and the edge function with its module."""

import json

from statuary.documents.hosting.config_templates import render_config
from statuary.documents.hosting.edge_module import edge_module_files
from statuary.documents.hosting.globs import static_globs
from statuary.documents.hosting.header_rules import header_rules
from statuary.documents.hosting.host_file import HostFile
from statuary.documents.hosting.host_options import EDGE_FOLDER, HostOptions
from statuary.documents.hosting.redirects import INTERNAL_FILES_RULE, server_rewrites

KEEP_BUILD = ".keep-build"
"""The folder of the build plugin. Netlify loads plugins before the build command runs, so it belongs into git."""


def netlify_files(choices: HostOptions) -> list[HostFile]:
    """Return the configuration, the build plugin and the edge function."""
    return [
        HostFile("netlify.toml", netlify_toml(choices)),
        HostFile(f"{KEEP_BUILD}/manifest.yml", "name: keep-build\n"),
        HostFile(f"{KEEP_BUILD}/index.js", render_config("keep-build.js.jinja")),
        HostFile(f"{EDGE_FOLDER}/statuary.js", edge_function()),
        *edge_module_files(f"{EDGE_FOLDER}/modules", choices.layout),
    ]


def netlify_toml(choices: HostOptions) -> str:
    """Return the text of `netlify.toml`."""
    return render_config(
        "netlify.toml.jinja",
        choices=choices,
        edge_folder=EDGE_FOLDER,
        plugin=KEEP_BUILD,
        header_rules=header_rules(),
        rewrites=server_rewrites(),
        own_notes=INTERNAL_FILES_RULE,
    )


def edge_function() -> str:
    """Return the edge function: one line over the module, and which paths it is asked for.

    Its name must not be that of the folder beside it: Netlify would take the two for one function.
    """
    config = {"path": "/*", "excludedPath": [*static_globs(), INTERNAL_FILES_RULE[0]], "onError": "bypass"}
    return (
        "// Written by `statuary hosting netlify` from the table of URLs.\n\n"
        'export { default } from "./modules/netlify.js";\n\n'
        f"export const config = {json.dumps(config, indent=2)};\n"
    )
