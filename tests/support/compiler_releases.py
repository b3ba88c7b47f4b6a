"""The table of the releases of solc and Vyper, from the packages in which they are published.

For a person to run after a release: `PYTHONPATH=tests .venv/bin/python tests/support/compiler_releases.py`. It asks npm and
PyPI, takes some minutes, and keeps every row that the table has.
"""

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.request import urlopen

from support.requirements import CHECKOUT

TABLE = CHECKOUT / "src/statuary/contracts/checks/compiler_releases.json"

LISTED_BY = "@tevm/solc@2.0.0-next.86"
"""A small package that lists the builds of solc up to 0.8.26; the later ones are asked for their version."""

OTHER_BUILDS = {"0.4.15": "8b45bddb", "0.5.9": "c68bc34e", "0.5.11": "22be8592"}
"""Releases whose Linux build is of another commit than the one in JavaScript."""

SOLC_DATES = {
    "0.1.3": "2015-09-25",
    "0.2.0": "2015-12-02",
    "0.3.0": "2016-03-11",
    "0.4.0": "2016-09-08",
    "0.4.11": "2017-05-03",
    "0.5.0": "2018-11-13",
    "0.6.0": "2019-12-17",
    "0.7.0": "2020-07-28",
    "0.8.0": "2020-12-16",
    "0.8.4": "2021-04-21",
    "0.8.10": "2021-11-09",
    "0.8.20": "2023-05-10",
    "0.8.26": "2024-05-21",
    "0.8.30": "2025-05-07",
}
"""Days of solc's releases, by its release notes: mirrors of npm date packages anew. Those between are no older."""

Rows = dict[str, dict[str, Any]]


def run(folder: str, *command: str) -> str:
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def solc_releases(known: Rows) -> Rows:
    """Return solc's releases: a version of the package with a suffix is the same release in other JavaScript."""
    with TemporaryDirectory() as folder:
        run(folder, "npm", "install", "--ignore-scripts", "--no-audit", "--prefix", folder, LISTED_BY)
        text = (Path(folder) / "node_modules" / "@tevm" / "solc" / "src" / "solc.js").read_text()
        found = dict(re.findall(r"'v(\d+\.\d+\.\d+)\+commit\.([0-9a-f]{7,8})", text))
        listed = json.loads(run(folder, "npm", "view", "solc", "versions", "--json"))
        for version in listed:
            if re.fullmatch(r"\d+\.\d+\.\d+", version) and version not in found | known:
                found[version] = commit_of_solc(version)
    commits = {
        version: sorted(filter(None, {commit, OTHER_BUILDS.get(version)}))
        for version, commit in found.items()
    }
    rows = {version: {"commits": listed} for version, listed in commits.items()} | known
    return {
        version: row | ({"released": SOLC_DATES[version]} if version in SOLC_DATES else {})
        for version, row in rows.items()
    }


def commit_of_solc(version: str) -> str:
    with TemporaryDirectory() as folder:
        run(folder, "npm", "install", "--ignore-scripts", "--no-audit", "--prefix", folder, f"solc@{version}")
        told = run(folder, "node", "-e", "console.log(require('solc').version())")
    print(told.strip(), file=sys.stderr)
    return re.findall(r"\+commit\.([0-9a-f]{8})", told)[0]


def vyper_releases(known: Rows) -> Rows:
    """Return Vyper's releases with the day on which each was uploaded, and the commit that its wheel names, if it does."""
    with urlopen("https://pypi.org/pypi/vyper/json") as answer:
        files = json.load(answer)["releases"]
    rows = dict(known)
    for version, uploaded in files.items():
        if uploaded and not known.get(version, {}).get("commits"):
            commit = commit_of_vyper(version)
            day = min(file["upload_time_iso_8601"] for file in uploaded)[:10]
            rows[version] = {"commits": [commit] if commit else [], "released": day}
    return rows


def commit_of_vyper(version: str) -> str:
    with TemporaryDirectory() as folder:
        python = "3.9" if in_order(version) < in_order("0.3.8") else "3.11"
        wheels = ("--no-deps", "--only-binary", ":all:", "--python-version", python)
        command = (sys.executable, "-m", "pip", "download", "--quiet", *wheels, "--dest", folder)
        if subprocess.run([*command, f"vyper=={version}"], capture_output=True, check=False).returncode:
            return ""
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as members:
            names = [name for name in members.namelist() if re.fullmatch(r"vyper/vyper_git_\w+\.txt", name)]
            told = members.read(names[0]).decode() if names else ""
    print(version, told.strip(), file=sys.stderr)
    return (re.findall(r"\b[0-9a-f]{7,40}\b", told) or [""])[-1][:8]


def in_order(version: str) -> tuple[list[int], str, int]:
    """Return a key: alphas, betas and release candidates come before their release."""
    numbers, kind, count = re.fullmatch(r"([\d.]+?)(?:(a|b|rc)(\d+))?", version).groups()
    return [int(part) for part in numbers.split(".")], kind or "release", int(count or 0)


def sorted_rows(rows: Rows) -> Rows:
    return {version: rows[version] for version in sorted(rows, key=in_order)}


if __name__ == "__main__":
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {"solc": {}, "vyper": {}}
    table = {
        "solc": sorted_rows(solc_releases(table["solc"])),
        "vyper": sorted_rows(vyper_releases(table["vyper"])),
    }
    lines = json.dumps(table, indent=1)
    TABLE.write_text(re.sub(r"\n\s{3,}", " ", lines).replace("\n  }", " }") + "\n")
