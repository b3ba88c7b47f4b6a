"""Files that a host executes or reads as settings."""

from statuary.base.files import fold_case

ROOT_NAMES = frozenset(
    {
        "_worker.js",
        "_worker.ts",
        "_headers",
        "_redirects",
        "_routes.json",
        "functions",
        "wrangler.toml",
        "wrangler.json",
        "wrangler.jsonc",
        "middleware.js",
        "middleware.ts",
        "netlify.toml",
        "netlify",
        "edge-functions",
        "vercel.json",
        "now.json",
        "firebase.json",
        "staticwebapp.config.json",
        "render.yaml",
        "fly.toml",
        "app.yaml",
        "amplify.yml",
        "package.json",
        "package-lock.json",
        "yarn.lock",
        "pnpm-lock.yaml",
        "node_modules",
        "deno.json",
        "deno.jsonc",
        "server.js",
        "pyproject.toml",
        "requirements.txt",
        "gemfile",
        "makefile",
        "dockerfile",
        "procfile",
        "_config.yml",
        "_config.yaml",
        "caddyfile",
        "nginx.conf",
    }
)
"""Names at the top of a site, in lower case; a folder's name stands for everything in it."""

NAMES = frozenset({".htaccess", ".htpasswd", ".user.ini", "web.config"})
"""Names in any folder."""

PROGRAMS = (".php", ".phtml", ".phar", ".cgi", ".fcgi", ".asp", ".aspx", ".ashx", ".jsp", ".shtml")
"""Endings of files that a web server executes, in any folder."""

FUNCTION_FOLDER = "api"
FUNCTIONS = (".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".tsx", ".py", ".rb", ".go", ".rs")
"""The folder in which Vercel makes a function of each program, and the endings of these."""


def is_host_file(path: str) -> bool:
    """Return whether a web host would run a file, or obey it.

    For example, a host reads settings from `.htaccess`, and runs `api/call.js`.

    Args:
        path: the path in the site; case does not matter.
    """
    first, *others = names = fold_case(path).split("/")
    return (
        first in ROOT_NAMES
        or names[-1] in NAMES
        or names[-1].endswith(PROGRAMS)
        or any(name.startswith(".") and name != ".well-known" for name in names)
        or (first == FUNCTION_FOLDER and bool(others) and names[-1].endswith(FUNCTIONS))
    )
