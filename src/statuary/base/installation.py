"""This installation's origin, and the command that adds an extra."""

import json
import shlex
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

NAME = "statuary"


@cache
def read_direct_url() -> dict[str, Any] | None:
    """Return the source of this installation, such as a git URL (PEP 610).

    Returns:
        The parsed `direct_url.json`; None if statuary came from a package index such as PyPI, or is not
        installed.
    """
    try:
        text = distribution(NAME).read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    value: dict[str, Any] | None = json.loads(text) if text else None
    return value


def extra_install_command(extra: str) -> str:
    """Return the command that installs an extra in this environment.

    Args:
        extra: the name of the optional dependencies, as in `statuary[NAME]`.
    """
    return install_command(extra, read_direct_url(), Path(sys.prefix))


def install_command(extra: str, direct_url: dict[str, Any] | None, prefix: Path) -> str:
    """Return the shell command that installs an extra of statuary.

    Args:
        extra: the name of the extra.
        direct_url: the source of this installation, as `read_direct_url` returns it.
        prefix: the folder of the Python environment; its marker files tell uv, pipx and pip apart.
    """
    requirement = _requirement(extra, direct_url)
    if (prefix / "uv-receipt.toml").is_file():
        return f"uv tool install --force {requirement}"
    if (prefix / "pipx_metadata.json").is_file():
        return f"pipx install --force {requirement}"
    return f"pip install {requirement}"


def _requirement(extra: str, direct_url: dict[str, Any] | None) -> str:
    """Return a pip requirement such as `"statuary[zstd]"`, quoted for a shell."""
    if direct_url is None:
        return f'"{NAME}[{extra}]"'
    url = direct_url["url"]
    below = direct_url.get("subdirectory", "")
    fragment = f"#subdirectory={below}" if below else ""
    if "vcs_info" in direct_url:
        vcs = direct_url["vcs_info"]
        return f'"{NAME}[{extra}] @ {vcs["vcs"]}+{url}@{vcs["commit_id"]}{fragment}"'
    if not url.startswith("file:"):
        return f'"{NAME}[{extra}] @ {url}"'
    path = shlex.quote(f"{url2pathname(urlsplit(url).path)}[{extra}]")
    is_editable = direct_url.get("dir_info", {}).get("editable", False)
    return f"-e {path}" if is_editable else path
