"""The wheels that pip takes for the base install on other systems, from the index's metadata, as a table of Markdown.

    python tests/packaging/wheels.py [PYTHON_VERSION ...]

Nothing is built: a package without a wheel for a system ends this with pip's message. pip judges the conditions of requirements
by the machine that it runs on, so what only Windows needs is named here.
"""

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from urllib.parse import unquote

CHECKOUT = Path(__file__).parents[2]
SYSTEMS = {
    "Linux x86-64": "manylinux2014_x86_64",
    "macOS arm64": "macosx_11_0_arm64",
    "macOS x86-64": "macosx_11_0_x86_64",
    "Windows x86-64": "win_amd64",
}
ONLY_WINDOWS = ["colorama"]  # click's


def wheels(requirements: list[str], platform: str, python: str) -> list[str]:
    """Return the file names of what pip would install."""
    more = ONLY_WINDOWS if platform.startswith("win") else []
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "-q",
            "--dry-run",
            "--ignore-installed",
            "--report",
            "-",
        ]
        command += [
            "--only-binary",
            ":all:",
            "--target",
            folder,
            "--platform",
            platform,
            "--python-version",
            python,
        ]
        report = json.loads(subprocess.check_output([*command, *requirements, *more]))
    return sorted(unquote(one["download_info"]["url"]).rpartition("/")[2] for one in report["install"])


def main() -> None:
    """Print a table for each version of Python, its rows the packages whose wheels differ between systems."""
    requirements = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    for python in sys.argv[1:] or ["3.11", "3.12", "3.13", "3.14"]:
        taken = {
            (system, file.partition("-")[0]): file
            for system, platform in SYSTEMS.items()
            for file in wheels(requirements, platform, python)
        }
        everywhere = sorted(
            {package for (_, package), file in taken.items() if file.endswith("-none-any.whl")}
        )
        print(f"\nPython {python}, the same wheel everywhere: {', '.join(everywhere)}\n")
        print("| package |", " | ".join(SYSTEMS), "|\n|---|" + "---|" * len(SYSTEMS))
        for package in sorted({package for _, package in taken} - set(everywhere)):
            tags = [taken[system, package].split("-", 2)[2].removesuffix(".whl") for system in SYSTEMS]
            version = taken["Linux x86-64", package].split("-")[1]
            print(f"| {package} {version} |", " | ".join(f"`{tag}`" for tag in tags), "|", flush=True)


if __name__ == "__main__":
    main()
