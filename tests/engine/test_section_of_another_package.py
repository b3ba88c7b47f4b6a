"""A section outside of the package: a module, found by the entry point that a key of site.yaml names."""

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import orjson
import pytest

from support.sites import NOW, small_site

MODULE = '''
"""How many incidents a site has, as a document of the settings, of an instant and of a build."""

from typing import NamedTuple

from statuary.engine.extension_settings import ExtensionSource
from statuary.section import Section, SectionResult
from statuary.site.document import Document, encode_json
from statuary.site.operations import ApiDescription, Operation
from statuary.site.urls import SHORT_LIVED, TEXT, Url
from statuary.source.source_model import SourceModel, Text
from statuary.status.hooks import FollowsStatus, PublishesIncidents

ABOUT = Url("counter-about", "counter/about.json", "what is counted")
COUNT = Url("counter-count", "counter/count.json", "how many incidents are listed at an instant", cache=SHORT_LIVED)
TOTAL = Url("counter-total", "counter/total.json", "how many documents the incidents have")
KEPT = Url("counter-kept", "counter/kept/{name}.json", "what stays until the section is off", TEXT)
FILE = Url("counter-file", "counter.json", "a file without a folder, which stays too")


class CounterSettings(NamedTuple):
    title: str


class CounterSource(SourceModel):
    title: Text


class SiteCounterSource(ExtensionSource):
    counter: CounterSource | None = None

    def to_settings(self):
        return None if self.counter is None else CounterSettings(self.counter.title)


class CounterSection(Section, FollowsStatus):
    urls = (ABOUT, COUNT, TOTAL, KEPT, FILE)

    @classmethod
    def settings_model(cls):
        return SiteCounterSource

    def operations(self, run):
        return [ApiDescription("Counter", "What is counted.", (Operation(KEPT, tag="Counter"),))]

    def config_documents(self, site, skipped):
        yield Document(ABOUT.path(), encode_json({"title": self.settings.title}))

    def documents_at(self, timeline, start, pages):
        count = encode_json({"records": len(timeline.histories)})
        return lambda at: [Document(COUNT.path(), count)]

    def build(self, run):
        if self.settings.title == "broken at once":
            raise ZeroDivisionError("nobody foresaw this")
        for path in (KEPT.path(name="one"), FILE.path()):
            run.target.add([Document(path, b"{}", persistent=True)])
        [status] = run.sections_of(PublishesIncidents)
        total = encode_json({"documents": len(status.incident_documents())})
        run.target.add([Document(TOTAL.path(), total)])
        if self.settings.title == "broken":
            raise ZeroDivisionError("nobody foresaw this")
        return SectionResult(line="counted")
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a folder with a package that offers a section, as it is when it is installed."""
    folder = tmp_path / "packages"
    metadata = folder / "incident_counter-1.0.dist-info"
    metadata.mkdir(parents=True)
    (folder / "incident_counter.py").write_text(MODULE, "utf-8")
    (metadata / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: incident-counter\nVersion: 1.0\n", "utf-8"
    )
    entry = "[statuary.sections]\ncounter = incident_counter:CounterSection\n"
    (metadata / "entry_points.txt").write_text(entry, "utf-8")
    return folder


def build(content: Path, out: Path, *packages: Path) -> subprocess.CompletedProcess[str]:
    return run_statuary(packages, "build", "--content", content, "--out", out, "--now", NOW)


def run_statuary(packages: Iterable[Path], *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = (sys.executable, "-m", "statuary", *arguments)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, packages))}
    return subprocess.run(command, env=environment, check=False, capture_output=True, text=True)


def content_with(tmp_path: Path, settings: str) -> Path:
    content = small_site(tmp_path)
    with (content / "site.yaml").open("a", encoding="utf-8") as site:
        site.write(settings)
    return content


def document(out: Path, name: str) -> object:
    return orjson.loads((out / "counter" / name).read_bytes())


def test_third_party_extension_adds_documents(tmp_path: Path, package: Path) -> None:
    out, content = tmp_path / "out", content_with(tmp_path, "counter: {title: Incidents}\n")
    done = build(content, out, package)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\ncounted\n" in done.stdout
    assert document(out, "about.json") == {"title": "Incidents"}
    assert document(out, "count.json")["records"] > 0
    assert document(out, "total.json")["documents"] > 0
    assert build(content, out, package).returncode == 0
    assert document(out, "total.json")["documents"] > 0
    described = orjson.loads((out / "openapi.json").read_bytes())["paths"]["/counter/kept/{name}.json"]
    assert described["get"]["operationId"] == "counter-kept"
    kept = run_statuary([package], "explain", "counter/kept/one.json", "--out", out).stdout
    assert "counter-kept: what stays until the section is off (name one)" in kept
    assert "served as text/plain; charset=utf-8" in kept
    counted = run_statuary([package], "explain", "counter/count.json", "--out", out).stdout
    assert "Cache-Control: public, max-age=30" in counted


@pytest.mark.slow
def test_third_party_documents_get_host_headers(tmp_path: Path, package: Path) -> None:
    settings = "counter: {title: Incidents}\nhosting: {files: [netlify]}\n"
    out, content = tmp_path / "out", content_with(tmp_path, settings)
    assert build(content, out, package).returncode == 0
    rules = dict(block.split("\n", 1) for block in (out / "_headers").read_text("utf-8").split("\n\n"))
    assert "Cache-Control: public, max-age=30" in rules["/counter/*"]
    assert "Content-Type: text/plain; charset=utf-8" in rules["/counter/kept/*"]


@pytest.mark.slow
def test_disabled_third_party_extension_removes_documents(tmp_path: Path, package: Path) -> None:
    key = "counter: {title: Incidents}\n"
    out, content = tmp_path / "out", content_with(tmp_path, key)
    assert build(content, out, package).returncode == 0
    assert (out / "counter/kept/one.json").exists()
    site = content / "site.yaml"
    site.write_text(site.read_text("utf-8").replace(key, ""), "utf-8")
    for packages in ([], [package]):  # the package may be gone
        done = build(content, out, *packages)
        assert done.returncode == 0, done.stdout + done.stderr
        assert not (out / "counter").exists()
        assert not (out / "counter.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize("title", ["broken", "broken at once"])
def test_failing_third_party_extension_keeps_documents(tmp_path: Path, package: Path, title: str) -> None:
    out, content = tmp_path / "out", content_with(tmp_path, "counter: {title: Incidents}\n")
    assert build(content, out, package).returncode == 0
    counted = document(out, "total.json")
    site = content / "site.yaml"
    site.write_text(site.read_text("utf-8").replace("title: Incidents", f"title: {title}"), "utf-8")
    done = build(content, out, package)
    assert done.returncode == 4
    assert "extension-error" in done.stdout + done.stderr
    assert (out / "api/v2/summary.json").exists()
    assert document(out, "total.json") == counted
    assert document(out, "kept/one.json") == orjson.loads((out / "counter.json").read_bytes()) == {}


def test_setting_of_uninstalled_extension_is_unknown(tmp_path: Path) -> None:
    done = build(content_with(tmp_path, "counter: {title: Incidents}\n"), tmp_path / "out")
    assert done.returncode == 1
    assert "unknown-key" in done.stdout + done.stderr


def test_invalid_third_party_setting_reports_line(tmp_path: Path, package: Path) -> None:
    done = build(content_with(tmp_path, "counter: {name: Incidents}\n"), tmp_path / "out", package)
    assert done.returncode == 4
    assert "site.yaml:" in done.stdout + done.stderr


@pytest.mark.slow
def test_upgraded_third_party_extension_rebuilds_documents(tmp_path: Path, package: Path) -> None:
    out, content = tmp_path / "out", content_with(tmp_path, "counter: {title: Incidents}\n")
    assert build(content, out, package).returncode == 0
    records = document(out, "count.json")["records"]
    module = package / "incident_counter.py"
    module.write_text(
        module.read_text("utf-8").replace('"title":', '"name":').replace('"records":', '"incidents":'),
        "utf-8",
    )
    assert build(content, out, package).returncode == 0
    assert document(out, "about.json") == {"title": "Incidents"}  # the same version: nothing is made again
    metadata = package / "incident_counter-1.0.dist-info/METADATA"
    metadata.write_text(metadata.read_text("utf-8").replace("1.0", "1.1"), "utf-8")
    assert build(content, out, package).returncode == 0
    assert document(out, "about.json") == {"name": "Incidents"}
    assert document(out, "count.json") == {"incidents": records}
