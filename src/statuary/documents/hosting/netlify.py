"""Netlify: `netlify.toml`, a plugin that keeps the site between builds, and the edge function."""

import json

from statuary.documents.hosting.host_files import (
    EDGE_FOLDER,
    HostFile,
    HostOptions,
    edge_module_files,
    render_config,
)
from statuary.documents.hosting.path_rules import (
    INTERNAL_FILES_RULE,
    header_rules,
    server_rewrites,
    static_globs,
)

KEEP_BUILD = ".keep-build"
"""The folder of the build plugin. Netlify loads plugins before the build command runs, so it belongs in git."""


def netlify_files(options: HostOptions) -> list[HostFile]:
    """Return the configuration, the build plugin and the edge function."""
    return [
        HostFile("netlify.toml", netlify_toml(options)),
        HostFile(f"{KEEP_BUILD}/manifest.yml", "name: keep-build\n"),
        HostFile(f"{KEEP_BUILD}/index.js", render_config("keep-build.js.jinja")),
        HostFile(f"{EDGE_FOLDER}/statuary.js", edge_function()),
        *edge_module_files(options),
    ]


def netlify_toml(options: HostOptions) -> str:
    """Return the text of `netlify.toml`."""
    return render_config(
        "netlify.toml.jinja",
        options=options,
        edge_folder=EDGE_FOLDER,
        plugin=KEEP_BUILD,
        header_rules=header_rules(),
        rewrites=server_rewrites(),
        internal_files_rule=INTERNAL_FILES_RULE,
    )


def edge_function() -> str:
    """Return the edge function: it re-exports the module and lists the paths it answers.

    Its name must differ from that of the folder beside it: Netlify would see one function.
    """
    config = {"path": "/*", "excludedPath": [*static_globs(), INTERNAL_FILES_RULE[0]], "onError": "bypass"}
    return (
        "// Written by `statuary hosting netlify` from the URL table.\n\n"
        'export { default } from "./modules/netlify.js";\n\n'
        f"export const config = {json.dumps(config, indent=2)};\n"
    )
