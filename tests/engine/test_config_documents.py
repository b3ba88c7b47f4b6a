"""Settings-only documents: after any change, they equal newly built ones."""

import os
from pathlib import Path

import pytest

from statuary.engine import config_documents as config
from statuary.publish.folder.folder_target import FolderTarget
from statuary.site.document import Document
from support.sites import (
    COMPONENTS,
    INCIDENT,
    MAINTENANCE,
    SITE,
    as_another_version,
    built_files,
    files_in,
    path_of,
    record_of,
    site_of_many,
    write_files,
)
from support.tiers import few_by_default

CHANGES: dict[str, dict[str, str | bytes | None]] = {
    "nothing": {},
    "name": {"site.yaml": SITE.replace("name: Plinth\n  url", "name: Socle\n  url")},
    "address": {"site.yaml": SITE.replace("status.plinth.example", "status.socle.example")},
    "zone": {"site.yaml": SITE.replace("  id:", "  time_zone: Europe/Zurich\n  id:")},
    "chain": {"site.yaml": SITE + "  - chain_id: 748464\n    name: Pedestal\n"},
    "title of a chain": {"site.yaml": SITE.replace("    name: Plinth", "    name: Base")},
    "no status pages": {"site.yaml": SITE + "pages: {status: false}\n"},
    "no uptime": {"site.yaml": SITE.replace("horizon_days: 2", "uptime: false")},
    "hosts": {"site.yaml": SITE + "hosting: {files: [netlify, github-pages]}\n"},
    "compressed": {"site.yaml": SITE + "hosting: {precompressed: [gz]}\n"},
    "no names in lower case": {"site.yaml": SITE + "hosting: {lower_case_names: false}\n"},
    "sharded": {"site.yaml": SITE + "hosting: {layout: sharded}\n"},
    "component": {"components.yaml": COMPONENTS + "  faucet:\n    name: Faucet\n"},
    "incident": {"incidents/other.yaml": INCIDENT.replace("Slow", "Slower")},
    "maintenance": {"maintenances/upgrade.yaml": None, "maintenances/other.yaml": MAINTENANCE},
    "contract": {path_of(9): record_of(9)},
    "no contract": {path_of(3): None},
    "style": {"theme/style.css": "body { color: teal }"},
    "template": {"theme/templates/not_found.html": "<!doctype html><title>gone</title>"},
    "logo": {"theme/logo.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>"},
}


@pytest.fixture
def content(tmp_path) -> Path:
    content = site_of_many(tmp_path, 3)
    (content / "site.yaml").write_text(SITE)
    return content


@pytest.fixture
def made(monkeypatch) -> list[str]:
    """The paths of the settings-only documents that were made."""
    paths: list[str] = []

    make = config.config_documents

    def documents(*of, **settings):
        for document in make(*of, **settings):
            paths.append(document.path)
            yield document

    monkeypatch.setattr(config, "config_documents", documents)
    return paths


@pytest.mark.parametrize("change", few_by_default(CHANGES, 2))
def test_cached_settings_documents_equal_fresh_build(content, tmp_path, change, made):
    built_files(content, tmp_path / "out")
    assert {"404.html", "api.html", "openapi.json", "chains"} <= set(made)
    made.clear()
    write_files(content, CHANGES[change])
    built_files(content, tmp_path / "out")
    assert bool(made) == (change != "nothing")
    assert files_in(tmp_path / "out") == built_files(content, tmp_path / "anew")


@pytest.mark.parametrize("harm", ["removed", "other bytes", "touched"])
def test_damaged_settings_document_is_rebuilt(content, tmp_path, harm, made):
    whole = built_files(content, tmp_path / "out")
    made.clear()
    file = tmp_path / "out/404.html"
    if harm == "other bytes":
        file.write_bytes(b"?" * file.stat().st_size)
    elif harm == "touched":
        os.utime(file, (1, 1))
    else:
        file.unlink()
    assert built_files(content, tmp_path / "out") == whole
    assert made


def test_new_version_rebuilds_settings_documents(content, tmp_path, made, monkeypatch):
    built_files(content, tmp_path / "out")
    made.clear()
    as_another_version(monkeypatch)
    built_files(content, tmp_path / "out")
    assert made


def test_overwritten_settings_documents_are_rebuilt(content, tmp_path):
    whole = built_files(content, tmp_path / "out")
    dated = SITE.replace("Plinth", "Socle").replace("  id:", "  created_at: 2026-01-01T00:00:00Z\n  id:")
    other = write_files(tmp_path / "other", {"site.yaml": dated})
    documents = [
        Document(path=path, body=body) for path, body in built_files(other, tmp_path / "elsewhere").items()
    ]
    with FolderTarget(tmp_path / "out") as publication:
        publication.add(documents)
        publication.apply()
    assert built_files(content, tmp_path / "out") == whole


def test_verify_option_rebuilds_configuration_documents(content, tmp_path, made):
    built_files(content, tmp_path / "out")
    made.clear()
    built_files(content, tmp_path / "out", verify=True)
    assert made
