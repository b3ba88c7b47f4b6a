"""How statuary was installed, so that a host can install the same (PEP 610, `direct_url.json`)."""

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import orjson

from statuary.version import VERSION

WHEEL_FOLDER = "wheels"
"""The folder in the project that a wheel is copied into."""


class Installation(NamedTuple):
    """How to install this version of statuary elsewhere.

    Attributes:
        requirement: for the command line of pip, quoted for a shell.
        wheel: a file to copy to the path that the requirement names; None if pip can get it elsewhere.
        note: why the requirement may not work; empty if it does.
    """

    requirement: str
    wheel: Path | None = None
    note: str = ""


def read_installation() -> Installation:
    """Return how this statuary was installed."""
    try:
        text = distribution("statuary").read_text("direct_url.json")
    except PackageNotFoundError:
        text = None
    return installation_of(orjson.loads(text) if text else None)


def installation_of(direct_url: dict[str, Any] | None) -> Installation:
    """Return how to repeat an installation; `direct_url` is None if a package index was used."""
    if direct_url is None:
        return Installation(f"statuary=={VERSION}")
    url = direct_url["url"]
    if "vcs_info" in direct_url:
        vcs = direct_url["vcs_info"]
        fragment = f"#subdirectory={direct_url['subdirectory']}" if "subdirectory" in direct_url else ""
        return Installation(f"'statuary @ {vcs['vcs']}+{url}@{vcs['commit_id']}{fragment}'")
    path = Path(unquote(urlsplit(url).path))
    if "archive_info" in direct_url:
        return _of_archive(url, path, direct_url["archive_info"].get("hashes", {}))
    return Installation(
        f"statuary=={VERSION}",
        note=f"statuary is installed from the folder {path}, which the host cannot reach; if version {VERSION} is on "
        "no package index, use --install with a git URL or a wheel",
    )


def _of_archive(url: str, path: Path, hashes: dict[str, str]) -> Installation:
    if not url.startswith("file:"):
        digest = f"#sha256={hashes['sha256']}" if "sha256" in hashes else ""
        return Installation(f"'statuary @ {url}{digest}'")
    requirement = f"./{WHEEL_FOLDER}/{path.name}"
    if path.is_file():
        return Installation(requirement, path)
    return Installation(requirement, note=f"{path} no longer exists; copy that file into {WHEEL_FOLDER}/")
