"""`statuary init`: what it writes, what it leaves alone, and that the result builds."""

import json
import re

import pytest
from click.testing import CliRunner

from statuary.cli.main import command
from statuary.extensions.importing import sources
from support.json_server import serve_json
from support.sites import files_in, git
from support.statuspage_captures import capture

NOW = ("--now", "2026-11-02T10:00:00Z")

COMPONENT = {
    "id": "rpc1",
    "name": "Old RPC",
    "status": "operational",
    "created_at": "2026-01-02T00:00:00.000Z",
    "updated_at": "2026-01-02T00:00:00.000Z",
    "position": 1,
    "description": None,
    "showcase": True,
    "start_date": None,
    "group_id": None,
    "page_id": "old1",
    "group": False,
    "only_show_if_degraded": False,
}

SUMMARY = {
    "page": {
        "id": "old1",
        "name": "Old Status",
        "url": "https://old.example",
        "time_zone": "Etc/UTC",
        "updated_at": "2026-01-02T00:00:00.000Z",
    },
    "components": [COMPONENT],
    "incidents": [],
    "scheduled_maintenances": [],
    "status": {"indicator": "none", "description": "All Systems Operational"},
}
"""What a small Statuspage answers, in the measured members."""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs a command in an empty folder and returns its result."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(command, arguments, catch_exceptions=False)


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--demo",), ("--component", "rpc=RPC"), ("--chain-id", "1")])
def test_new_site_builds_without_findings(run, tmp_path, options):
    written = run("init", *options, *NOW)
    assert written.exit_code == 0
    assert written.stdout.endswith("Now run: statuary build\n")
    built = run("build", *NOW)
    assert (built.exit_code, "no errors or warnings" in built.stdout) == (0, True)
    assert "Now run: statuary serve build" in built.stdout
    again = run("build", *NOW)
    assert "Now run" not in again.stdout
    summary = json.loads((tmp_path / "build/api/v2/summary.json").read_text())
    assert summary["page"]["updated_at"].startswith("2026-11-")
    assert run("check", "--strict", *NOW).exit_code == 0


@pytest.mark.slow
def test_new_site_has_no_sample_data(run, tmp_path):
    run("init", *NOW)
    run("build", *NOW)
    summary = json.loads((tmp_path / "build/api/v2/summary.json").read_text())
    assert [summary[key] for key in ("components", "incidents", "scheduled_maintenances")] == [[], [], []]
    page = (tmp_path / "build/index.html").read_text()
    assert "Nothing to report yet" in page
    assert page.count("Nothing to report yet") == 5  # titles, descriptions, the banner
    assert "systems operational" not in page.lower()
    assert sorted(file.name for file in (tmp_path / "content").iterdir()) == [
        ".schema",
        "components.yaml",
        "site.yaml",
    ]


def test_commented_examples_are_valid_settings(run, tmp_path):
    run("init", *NOW)
    components, site = tmp_path / "content/components.yaml", tmp_path / "content/site.yaml"
    text = components.read_text()
    example = [line[2:] for line in text.splitlines() if line.startswith("#   ")]
    components.write_text("components:\n" + "\n".join(example) + "\n")
    lines = site.read_text().splitlines()
    start = next(place for place, line in enumerate(lines) if line == "# chains:")
    lines[start:] = [line.removeprefix("# ") for line in lines[start:]]
    site.write_text("\n".join(lines).replace("# about", "about") + "\n")
    assert run("check", "--strict", *NOW).exit_code == 0
    listed = run("component", "list", "--format", "json", *NOW).stdout
    assert [name in listed for name in ('"explorer"', '"rpc"')] == [True, True]


def test_demo_site_at_public_url_warns(run, tmp_path):
    run("init", "--demo", *NOW)
    run("build", *NOW)
    pages = [*(tmp_path / "build").rglob("*.html")]
    assert len(pages) > 8
    assert [page for page in pages if "Demo site." not in page.read_text()] == []
    site = tmp_path / "content/site.yaml"
    for host, code in (
        ("http://127.0.0.1:8000", 0),
        ("https://localhost.example.org", 1),
        ("https://x.org", 1),
    ):
        site.write_text(re.sub(r"url: \S+", f"url: {host}", site.read_text()))
        checked = run("check", "--strict", *NOW)
        assert checked.exit_code == code, host
        assert ("[demo-published]" in checked.output) == bool(code)


@pytest.mark.slow
def test_git_option_commits_project(run, tmp_path, monkeypatch):
    for name in ("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"):
        monkeypatch.setenv(name, "a@example.org")
    written = run("init", "--git", "--component", "rpc=Public RPC", *NOW)
    assert (written.exit_code, "committed to git as " in written.stdout) == (0, True)
    assert "wrote .gitattributes\n" in written.stdout
    for words in ("open --name Slow --component rpc=partial_outage", "resolve slow"):
        assert run("incident", *words.split(), "--commit", "--build", *NOW).exit_code == 0
    assert git(tmp_path, "status", "--porcelain") == ""
    assert git(tmp_path, "log", "--format=%s").splitlines() == [
        "Resolve incident: Slow",
        "Open incident: Slow",
        "Start",
    ]


def test_init_without_git_identity_gives_hint(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    (tmp_path / "gitconfig").write_text("[user]\n    useConfigOnly = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    refused = run("init", "--git", *NOW)
    assert refused.exit_code == 3
    assert "git does not know your name and address" in refused.stderr
    assert "git config --global user.name" in refused.stderr
    assert (tmp_path / "content/site.yaml").is_file()


def test_statuspage_import_adds_components(run, tmp_path):
    run("init", *NOW)
    saved = tmp_path / "saved"
    saved.mkdir()
    (saved / "summary.json").write_text(json.dumps(SUMMARY))
    imported = run("import", "statuspage", "saved", *NOW)
    assert imported.exit_code == 0, imported.output
    listed = json.loads(run("component", "list", "--format", "json", *NOW).stdout)
    assert "Old RPC" in json.dumps(listed)


@pytest.mark.slow
def test_undated_page_uses_earliest_record_date(run, tmp_path):
    run("init", "--demo", *NOW)
    site = tmp_path / "content/site.yaml"
    lines = [line for line in site.read_text().splitlines() if "created_at" not in line]
    site.write_text("\n".join(lines) + "\n")
    (incident,) = (tmp_path / "content/incidents").iterdir()
    assert run("build", *NOW).exit_code == 0
    summary = json.loads((tmp_path / "build/api/v2/summary.json").read_text())
    assert {one["created_at"][:10] for one in summary["components"]} == {incident.name[:10]}
    written = [*(tmp_path / "build/api").rglob("*.json"), *(tmp_path / "build").glob("*.atom")]
    assert [file for file in written if "1970-" in file.read_text()] == []
    incident.unlink()
    (maintenance,) = (tmp_path / "content/maintenances").iterdir()
    maintenance.unlink()
    undated = run("build", *NOW)
    assert "warning: the content has no dates" in undated.output
    assert "1970" not in (tmp_path / "build/index.html").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("name", ['Say "yes": a \\ network', "1337", "- #", "Ünïcode", "null"])
def test_site_name_is_published_unchanged(run, tmp_path, name):
    assert run("init", "--name", name, *NOW).exit_code == 0
    assert run("build", *NOW).exit_code == 0
    assert json.loads((tmp_path / "build/api/v2/status.json").read_bytes())["page"]["name"] == name


@pytest.mark.slow
def test_gitignore_is_written_unless_present(run, tmp_path):
    run("init", *NOW)
    assert (tmp_path / ".gitignore").read_text() == "/build/\n/.venv/\n/.edge/\n/keys/\n/notified.json\n"
    (tmp_path / ".gitignore").write_text("mine\n")
    assert run("init", "--content", "other", *NOW).exit_code == 0
    assert (tmp_path / ".gitignore").read_text() == "mine\n"


def test_init_leaves_nonempty_folder_unchanged(run, tmp_path):
    (tmp_path / "content").mkdir()
    (tmp_path / "content/note.txt").write_text("mine")
    refused = run("init", *NOW)
    assert (refused.exit_code, "content is not empty; nothing was written" in refused.stderr) == (3, True)
    assert [file.name for file in tmp_path.rglob("*") if file.is_file()] == ["note.txt"]


@pytest.mark.parametrize("kept", ["", "content/site.yaml", "content/.schema/site.json"])
def test_interrupted_init_can_be_repeated(run, tmp_path, kept):
    """A killed `init` leaves some of its files, and the beginning of one."""
    run("init", *NOW)
    whole = files_in(tmp_path)
    for path in whole:
        if path != kept:
            (tmp_path / path).unlink()
    (tmp_path / "content/.components.yaml.0a1b2c3d").write_bytes(b"compo")
    assert run("init", *NOW).exit_code == 0
    (tmp_path / "content/.components.yaml.0a1b2c3d").unlink()
    assert files_in(tmp_path) == whole
    assert run("init", *NOW).exit_code == 3
    # a file that differs is somebody's
    (tmp_path / "content/site.yaml").unlink()
    (tmp_path / "content/components.yaml").write_text("mine")
    assert run("init", *NOW).exit_code == 3
    assert (tmp_path / "content/components.yaml").read_text() == "mine"
    assert not (tmp_path / "content/site.yaml").exists()


def test_invalid_chain_id_is_rejected(run, tmp_path):
    refused = run("init", "--chain-id", "mainnet", *NOW)
    assert (refused.exit_code, "--chain-id" in refused.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_init_imports_existing_status_page(run, tmp_path):
    with serve_json(documents_of(SUMMARY)) as server:
        made = run(
            "init",
            "--from",
            "statuspage",
            server.url,
            "--url",
            "https://new.example",
            "--chain-id",
            "5",
            *NOW,
        )
    assert made.exit_code == 0, made.output
    assert run("check", "--strict", *NOW).exit_code == 0
    assert run("build", *NOW).exit_code == 0
    summary = json.loads((tmp_path / "build/api/v2/summary.json").read_bytes())
    assert summary["page"] == SUMMARY["page"] | {"url": "https://new.example"}
    assert summary["components"] == SUMMARY["components"]
    assert json.loads((tmp_path / "build/chains").read_bytes())[0]["chainId"] == 5
    assert (tmp_path / "content/.schema/site.json").is_file()


def test_init_from_statuspage_rebuilds_identical_summary(run, tmp_path):
    summary = capture("linuxfabrik-minor-bexio.summary.json")
    with serve_json(documents_of(summary)) as server:
        made = run("init", "--from", "statuspage", server.url, "--now", "2026-04-21T11:00:00Z")
    assert made.exit_code == 0, made.output
    assert run("build", "--now", "2026-04-21T11:00:00Z").exit_code == 0
    assert json.loads((tmp_path / "build/api/v2/summary.json").read_bytes()) == summary


def documents_of(summary):
    return {
        "/api/v2/summary.json": summary,
        "/api/v2/incidents.json": {"page": summary["page"], "incidents": summary["incidents"]},
        "/api/v2/scheduled-maintenances.json": {
            "page": summary["page"],
            "scheduled_maintenances": summary["scheduled_maintenances"],
        },
    }


WRONG = {
    ("--url", "status.example.org"): (2, "page URL 'status.example.org' is not an absolute http(s) URL"),
    ("--component", "rpc"): (2, "'rpc' has no name; write it like"),
    ("--component", "a b=RPC"): (2, "'a b=RPC' has a key that is not made of letters"),
    ("--demo", "--component", "rpc=RPC"): (
        2,
        "--demo brings its own components; leave out --component",
    ),
    ("--demo", "--from", "statuspage", "x"): (
        2,
        "--from brings its own components; leave out --demo",
    ),
    ("--from", "statuspag", "x"): (2, "unknown kind of status page 'statuspag'; did you mean 'statuspage'?"),
    ("--from", "sourcify", "x"): (2, "use one of statuspage, cstate, upptime"),
    ("--from", "statuspage", "http://127.0.0.1:9"): (3, "refuses the connection"),
    ("--name", ""): (2, "--name"),
}


@pytest.mark.parametrize("options", WRONG, ids=" ".join)
def test_init_with_invalid_option_writes_nothing(run, tmp_path, monkeypatch, options):
    monkeypatch.setattr(sources, "RETRIES", sources.RETRIES._replace(tries=1))
    code, message = WRONG[options]
    refused = run("init", *options, *NOW)
    assert (refused.exit_code, message in refused.stderr) == (code, True), refused.stderr
    assert list(tmp_path.iterdir()) == []


def test_init_chain_options_write_chain_names(run, tmp_path):
    run("init", "--chain", "1=Ethereum", "--chain", "10=OP: Mainnet", "--chain-id", "4242", *NOW)
    assert (
        "chains:\n  - chain_id: 4242\n    name: Example Network\n  - chain_id: 1\n    name: Ethereum\n"
        in (tmp_path / "content/site.yaml").read_text()
    )
    assert run("check", "--strict", *NOW).exit_code == 0


@pytest.mark.parametrize(
    ("chain", "message"), [("1", "has no name"), ("main=Main", "'main'"), ("1=", "no name")]
)
def test_init_with_invalid_chain_writes_nothing(run, tmp_path, chain, message):
    refused = run("init", "--chain", chain, *NOW)
    assert (refused.exit_code, message in refused.stderr) == (2, True), refused.stderr
    assert not (tmp_path / "content").exists()


def test_init_with_failed_commit_prints_command(run, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "none"))
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "config", "user.useConfigOnly", "true")
    done = run("init", "--git", *NOW)
    assert done.exit_code == 3
    assert "git config --global user.email" in done.stderr
    assert done.stdout.endswith("Now run: statuary build\n")
