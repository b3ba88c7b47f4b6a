"""`statuary hosting`: what is printed, what is written, and what is left alone."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from statuary.cli.main import command
from statuary.extensions.hosting.hosts import HOSTS
from support.sites import small_site, write_files


@pytest.fixture
def content(tmp_path: Path) -> Path:
    return small_site(tmp_path)


def run(content: Path, *arguments: str) -> Result:
    """Run the command; how an installation is repeated is tested in test_installation.py."""
    return CliRunner().invoke(
        command, ["hosting", "--install", "statuary", *arguments, "--content", str(content)]
    )


@pytest.mark.parametrize("name", HOSTS)
def test_host_configuration_is_printed_and_written(name, content, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the branch of a workflow is the one that is checked out here
    printed = run(content, name)
    assert printed.exit_code == 0, printed.output
    out = tmp_path / "out"
    assert run(content, name, "--out", str(out)).exit_code == 0
    shown = [file for file in out.rglob("*") if file.is_file() and ".edge" not in file.parts]
    assert shown
    assert all(file.read_text(encoding="utf-8") in printed.stdout for file in shown)


def test_edge_only_writes_no_host_configuration(content, tmp_path):
    assert run(content, "netlify", "--edge-only", "--out", str(tmp_path / "out")).exit_code == 0
    written = {file.relative_to(tmp_path / "out").as_posix() for file in (tmp_path / "out").rglob("*.*")}
    assert {".edge/statuary.js", ".edge/modules/netlify.js", ".edge/modules/answer-request.js"} <= written
    assert "netlify.toml" not in written


def test_edited_configuration_is_not_replaced(content, tmp_path):
    mine = tmp_path / "out" / "netlify.toml"
    write_files(tmp_path, {"out/netlify.toml": "# mine\n"})
    refused = run(content, "netlify", "--out", str(tmp_path / "out"))
    assert (refused.exit_code, mine.read_text()) == (3, "# mine\n")
    assert "netlify.toml already exists with other content" in refused.stderr
    assert not (tmp_path / "out" / ".edge").exists()
    assert run(content, "netlify", "--out", str(tmp_path / "out"), "--force").exit_code == 0
    assert mine.read_text() != "# mine\n"
    assert run(content, "netlify", "--out", str(tmp_path / "out")).exit_code == 0


def test_hosting_command_reports_missing_files_setting(content):
    assert "hosting: {files: [cloudflare]}" in run(content, "cloudflare").stderr
    write_files(
        content, {"site.yaml": (content / "site.yaml").read_text() + "hosting: {files: [cloudflare]}\n"}
    )
    assert run(content, "cloudflare").stderr.startswith("--out FOLDER also writes ")


def test_host_without_support_rejects_sharded_layout(content, tmp_path):
    write_files(content, {"site.yaml": (content / "site.yaml").read_text() + "hosting: {layout: sharded}\n"})
    assert run(content, "netlify", "--out", str(tmp_path / "out")).exit_code == 0
    assert "SHARDED = true" in (tmp_path / "out/.edge/modules/layout.js").read_text()
    refused = run(content, "nginx")
    assert refused.exit_code == 2
    assert "nginx cannot serve the sharded layout" in refused.stderr


def test_site_without_lowercase_files_requires_edge(content, tmp_path):
    site = (content / "site.yaml").read_text() + "hosting: {lower_case_names: false}\n"
    write_files(content, {"site.yaml": site})
    for host in ("s3", "vercel", "github-pages"):
        refused = run(content, host)
        assert refused.exit_code == 2
        assert f"{host} needs a file for each address in lower case" in refused.stderr
        assert "--edge" not in refused.stderr
    for host in ("nginx", "caddy"):
        advice = f"remove `lower_case_names: false` from `hosting` in {content / 'site.yaml'} or put the edge module behind it with --edge"
        assert advice in run(content, host).stderr
        assert run(content, host, "--edge", "127.0.0.1:8001").exit_code == 0
    rules = (("netlify", ".edge/statuary.js", '"/proof/*"'), ("cloudflare", "wrangler.jsonc", '"!/proof/*"'))
    for host, file, rule in rules:
        assert run(content, host, "--out", str(tmp_path / host)).exit_code == 0
        assert rule not in (tmp_path / host / file).read_text()
        write_files(content, {"site.yaml": site.replace("hosting:", "# hosting:")})
        assert run(content, host, "--out", str(tmp_path / host), "--force").exit_code == 0
        assert rule in (tmp_path / host / file).read_text()
        write_files(content, {"site.yaml": site})


def test_hosting_options_appear_in_host_configuration(content):
    nginx = run(
        content, "nginx", "--root", "/var/www/status", "--listen", "8443", "--edge", "127.0.0.1:9001"
    ).stdout
    assert "root /var/www/status;" in nginx
    assert "listen 8443;" in nginx
    assert "server 127.0.0.1:9001;" in nginx
    assert "pip install -q statuary==1" in run(content, "vercel", "--install", "statuary==1").stdout


def test_hosting_without_content_uses_default_settings(tmp_path):
    assert run(tmp_path / "none", "caddy").exit_code == 0


def test_upload_script_is_executable(content, tmp_path):
    assert run(content, "s3", "--out", str(tmp_path)).exit_code == 0
    script = tmp_path / "s3" / "upload.sh"
    assert script.stat().st_mode & 0o111
    assert "--content-type 'application/json; charset=utf-8'" in script.read_text()


def test_unknown_host_is_rejected(content):
    assert run(content, "geocities").exit_code == 2


CADDY_SITES = {
    "8080": ("http://:8080 {", None),
    "127.0.0.1:8182": ("http://:8182 {", "127.0.0.1"),
    "[::1]:8182": ("http://:8182 {", "::1"),
    "::1": ("http://:80 {", "::1"),
    "10.0.0.1": ("http://:80 {", "10.0.0.1"),
    "localhost:8182": ("http://:8182 {", "localhost"),
    "status.example.org": ("status.example.org {", None),
    "status.example.org:8443": ("status.example.org:8443 {", None),
}
"""What Caddy takes a value of --listen for: a host name alone gets a certificate."""


@pytest.mark.parametrize("listen", CADDY_SITES)
def test_caddy_requests_certificates_only_for_hostnames(content, listen):
    site, bind = CADDY_SITES[listen]
    lines = run(content, "caddy", "--listen", listen).stdout.splitlines()
    place = lines.index(site)
    assert (lines[place + 1] == f"\tbind {bind}") == (bind is not None)


def test_edge_module_is_ignored_by_git(content, tmp_path):
    out = tmp_path / "out"
    write_files(out, {".gitignore": "/build/\n"})
    assert run(content, "netlify", "--out", str(out)).exit_code == 0
    assert (out / ".gitignore").read_text() == "/build/\n/.edge/\n"
    assert run(content, "netlify", "--out", str(tmp_path / "bare")).exit_code == 0
    assert not (tmp_path / "bare/.gitignore").exists()


@pytest.mark.parametrize("name", ["site.yaml", "site.yml", "site.json"])
def test_host_requirements_name_settings_file(tmp_path, name):
    settings = {"page": {"name": "Demo", "url": "https://status.example.org"}}
    for hosting, host, message in (
        ({}, "cloudflare", f"add to {tmp_path / name}:"),
        ({"layout": "sharded"}, "nginx", f"remove hosting.layout from {tmp_path / name}"),
        (
            {"lower_case_names": False},
            "nginx",
            f"remove `lower_case_names: false` from `hosting` in {tmp_path / name}",
        ),
    ):
        (tmp_path / name).write_text(json.dumps({**settings, "hosting": hosting}))
        assert message in run(tmp_path, host).output
