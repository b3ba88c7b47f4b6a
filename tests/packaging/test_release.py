"""What the owner has to set before a release is said, and the package's links follow from one setting."""

import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from statuary.version import VERSION
from support.release_steps import INSTALLS, fresh_clone, run_job, steps
from support.requirements import CHECKOUT

PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
SET = 'repository = "https://git.example/owner/statuary"'
FILES = (
    "pyproject.toml",
    "CHANGELOG.md",
    "src/statuary/version.py",
    ".ci/check-release",
)


@pytest.fixture
def copy(tmp_path):
    """Return a copy of the files that the check reads, in which everything is set."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, tmp_path / name)
    edit(tmp_path / "pyproject.toml", r'(?m)^repository = ".*?"', SET)
    edit(tmp_path / "CHANGELOG.md", "(?m)^## Unreleased$", "## More")
    return tmp_path


def edit(file, old, new):
    text, count = re.subn(old, new, file.read_text("utf-8"), count=1)
    file.write_text(text, "utf-8")
    return count


def check(folder, *tag):
    command = [sys.executable, folder / ".ci/check-release", *tag]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_complete_release_passes_release_check(copy):
    done = check(copy, f"v{VERSION}")
    assert (done.returncode, done.stdout) == (0, "everything is set\n")


UNSET = {
    "no repository": (
        "pyproject.toml",
        re.escape(SET),
        'repository = ""',
        "the address of the repository is not set",
    ),
    "another version": ("src/statuary/version.py", VERSION, "9.9", f"the version is not {VERSION}"),
    "no section": (
        "CHANGELOG.md",
        f"(?m)^## {re.escape(VERSION)}$",
        "## Next",
        f"there is no section {VERSION}",
    ),
    "unreleased": ("CHANGELOG.md", "(?m)^## ", "## Unreleased\n\n## ", "a section is unreleased"),
}


@pytest.mark.parametrize("case", UNSET)
def test_release_check_reports_placeholder_value(copy, case):
    name, old, new, message = UNSET[case]
    assert edit(copy / name, old, new) == 1
    done = check(copy)
    assert (done.returncode, message in done.stdout) == (1, True), done.stdout


def test_release_tag_unlike_version_is_reported(copy):
    assert f"the tag is v9, and the version {VERSION}" in check(copy, "v9").stdout


@pytest.fixture(scope="module")
def hook():
    spec = importlib.util.spec_from_file_location("release_metadata", CHECKOUT / ".ci/metadata.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_readme_links_become_absolute_in_package(hook):
    text = (CHECKOUT / "README.md").read_text("utf-8")
    assert hook.absolute_links(text, "", "1") == text
    absolute = hook.absolute_links(text, "https://git.example/o/s", "1.2")
    links = re.findall(r"""(?:\]\(|src(?:set)?=")([^)"]+)[)"]""", absolute)
    assert len(links) > 10
    assert [link for link in links if not link.startswith("https://")] == []
    assert "https://git.example/o/s/raw/v1.2/.github/status-page.webp" in links
    assert "https://git.example/o/s/raw/v1.2/.github/status-page-dark.webp" in links
    assert "https://git.example/o/s/blob/v1.2/content/pages/manual/deploy/index.md" in links


def test_project_urls_point_to_files(hook):
    for url in hook.addresses("https://git.example/o/s", "1.2").values():
        path = url.partition("/blob/v1.2/")[2]
        assert not path or (CHECKOUT / path).is_file()
    assert hook.addresses("", "1.2") == {}


def test_project_metadata_is_complete():
    assert {"name", "version", "description", "license", "keywords", "classifiers", "requires-python"} <= set(
        PROJECT
    )
    assert PROJECT["dynamic"] == ["readme", "urls"]


@pytest.mark.parametrize("version", ["Unreleased", VERSION])
def test_changelog_versions_have_known_sections(version):
    text = (CHECKOUT / "CHANGELOG.md").read_text("utf-8")
    section = text.partition(f"\n## {version}\n")[2].partition("\n## ")[0]
    kinds = re.findall(r"(?m)^### (.+)$", section)
    known = ["Added", "Changed", "Fixed", "Removed", "Security"]
    assert kinds or version == "Unreleased"
    assert kinds == [kind for kind in known if kind in kinds]


@pytest.mark.slow
@pytest.mark.timeout(1200)  # seconds; it makes ten environments
def test_release_built_twice_is_byte_identical(tmp_path):
    """In two fresh clones; then it is tried, and its SBOM read."""
    first, second = (fresh_clone(tmp_path / name / "statuary") for name in ("here", "elsewhere"))
    run_job(first, "build")
    run_job(second, "build")
    assert {Path(name).suffix for name in digests(first)} == {".whl", ".gz", ".json"}
    assert digests(first) == digests(second)
    sbom = json.loads((first / "sbom.json").read_bytes())
    assert sbom["metadata"]["component"]["name"] == "statuary"
    wanted = {re.match(r"[\w-]+", line)[0] for line in PROJECT["dependencies"]}
    assert wanted <= {one["name"].lower().replace("_", "-") for one in sbom["components"]}
    *_, tried = run_job(second, "try")
    assert tried.count("an empty environment") == tried.count("no errors or warnings") >= 1


def digests(clone):
    """Return the digest of each file that the build uploads."""
    files = [*(clone / "dist").iterdir(), clone / "sbom.json"]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_release_build_installs_only_locked_packages():
    commands = [step["run"] for step in steps(CHECKOUT, "build")]
    installs = [command.startswith(INSTALLS) for command in commands]
    build = next(number for number, command in enumerate(commands) if "-m build" in command)
    assert not any(installs[build:])
    others = [command for command, installing in zip(commands, installs, strict=True) if not installing]
    assert [one for one in others if re.search(r"\b(pip|pipx|uv|npm|npx|apt|apt-get|curl)\b", one)] == []


LOCKS = sorted(
    file.relative_to(CHECKOUT).as_posix()
    for file in (*CHECKOUT.glob(".ci/**/*.txt"), *CHECKOUT.glob("tests/**/pinned/*.txt"))
)


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_file_pins_every_package_hash(lock):
    text = (CHECKOUT / lock).read_text("utf-8").replace("\\\n", "")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines
    assert [line for line in lines if not re.match(r"[\w.-]+==\S+ .*--hash=sha256:[0-9a-f]{64}", line)] == []


INSTALLING = r"""\bpip"?( --python \S+)? (install|wheel|download)\b|\bnpm (install|i|ci|exec)\b|\b(npx|pipx|uvx|cargo|docker)\b|\bgo install\b"""
"""A command that fetches packages, in a line of shell."""

LOCKED = r"--require-hashes|--no-deps|\bnpm ci\b"
"""What such a command has if nothing of what it fetches floats."""


def test_ci_scripts_install_only_locked_packages():
    scripts = [file for file in (CHECKOUT / ".ci").iterdir() if file.is_file() and not file.suffix]
    workflows = sorted((CHECKOUT / ".github/workflows").glob("*.yml"))
    texts = {file.name: file.read_text("utf-8") for file in (*scripts, *workflows)}
    commands = {
        (name, line.strip())
        for name, text in texts.items()
        for line in text.replace("\\\n", " ").splitlines()
        if re.search(INSTALLING, line) and not line.lstrip().startswith("#")
    }
    assert {name for name, _ in commands} >= {"ci.yml", "install-fuse", "install-stores"}
    floating = {(name, line) for name, line in commands if not re.search(LOCKED, line)}
    # it installs as anybody would, in an environment that is thrown away
    assert {name for name, _ in floating} == {"try-release"}


def test_workflows_pin_python_patch_version():
    texts = [file.read_text("utf-8") for file in (CHECKOUT / ".github/workflows").glob("*.yml")]
    without_comments = [re.sub("#.*", "", text) for text in texts]
    versions = [found for text in without_comments for found in re.findall(r"\b3\.\d+(?:\.\d+)?\b", text)]
    assert len(versions) > 10
    assert [version for version in versions if version.count(".") != 2] == []


def test_only_one_script_runs_apt_get():
    scripts = [file for file in (CHECKOUT / ".ci").iterdir() if file.is_file()]
    assert [file.name for file in scripts if "apt-get" in commands_of(file.read_text("utf-8"))] == [
        "install-packages"
    ]


def commands_of(script):
    """Return the lines of a script of shell that are no comments."""
    return "\n".join(line for line in script.splitlines() if not line.lstrip().startswith("#"))


def test_changelog_links_point_to_existing_files():
    text = (CHECKOUT / "CHANGELOG.md").read_text("utf-8")
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text.replace("\n", " "))
    assert links
    assert [link for link in links if not (CHECKOUT / link).is_file()] == []
