"""Looking records and status up from Python."""

import doctest
import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import statuary
from statuary import open_snapshot
from statuary.base.files import PublishingError
from statuary.base.primitives import InvalidValueError, parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.extensions.serving import site as look_up
from statuary.extensions.serving.site import DocumentNotFoundError
from statuary.extensions.snapshots.snapshot_reader import iter_snapshot_documents, read_snapshot
from statuary.extensions.snapshots.snapshot_target import SnapshotTarget
from statuary.publish.origin import SiteOrigin
from support.file_server import served
from support.requirements import CHECKOUT
from support.snapshots import published

BRIDGE = "0x7794f725ec37158E1f30e805EB7764e9c988693e"
INSTANT = parse_instant("2026-11-20T12:00:00Z")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo network's site without its manual as `site.zip`, and in the folder `mirror`."""
    root = tmp_path_factory.mktemp("look-up")
    content = shutil.copytree(CHECKOUT / "content", root / "content", ignore=shutil.ignore_patterns("pages"))
    origin = SiteOrigin(instant=INSTANT, revision="r1", statuary="0.1.0")
    with SnapshotTarget(root / "site.zip", origin) as publication:
        assert build_site(content, publication, INSTANT, NoProgress()).plan is not None
    with read_snapshot(str(root / "site.zip")) as snapshot:
        published(iter_snapshot_documents(snapshot), root / "mirror")
    return root


@pytest.mark.slow
def test_snapshot_api_docstring_examples_run(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world)
    results = doctest.testmod(look_up, optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    assert results.attempted >= 4
    assert results.failed == 0


@pytest.mark.parametrize("place", ["site.zip", "mirror"])
def test_snapshot_contract_has_all_record_fields(world: Path, place: str) -> None:
    record = json.loads((world / f"mirror/v2/contract/748463/{BRIDGE}").read_bytes())
    with open_snapshot(world / place) as site:
        for chain, address in ((748463, BRIDGE), ("748463", BRIDGE.lower())):
            contract = site.contract(chain, address)
            assert (contract.chain_id, contract.address) == ("748463", BRIDGE)
            assert contract.record == record
            assert contract.abi == record["abi"]
            assert contract.metadata == record["metadata"]
            assert contract.sources == {path: text["content"] for path, text in record["sources"].items()}
            assert contract.verified_at == datetime.fromisoformat(record["verifiedAt"])
            assert (contract.match, contract.creation_match, contract.runtime_match) == (
                record["match"],
                record["creationMatch"],
                record["runtimeMatch"],
            )
            assert contract.fully_qualified_name == record["compilation"]["fullyQualifiedName"]
            assert contract.compiler_version == record["compilation"]["compilerVersion"]
            assert contract.language == "Solidity"


def test_missing_contract_raises_lookup_error(world: Path) -> None:
    with open_snapshot(world / "site.zip") as site:
        with pytest.raises(DocumentNotFoundError, match="has no v2/contract/1/"):
            site.contract(1, BRIDGE)
        with pytest.raises(InvalidValueError, match="checksum"):
            site.contract(1, BRIDGE.replace("E", "e"))
        with pytest.raises(DocumentNotFoundError):
            site.incident("no-such")


@pytest.mark.parametrize("place", ["site.zip", "mirror", "url"])
def test_snapshot_contracts_are_read_lazily(world: Path, place: str) -> None:
    expected = {
        (path.parent.name, path.stem if path.suffix else path.name)
        for path in (CHECKOUT / "content/contracts").glob("*/0x*")
    }
    with (
        served(world) as (url, requested),
        open_snapshot(f"{url}/mirror" if place == "url" else world / place) as site,
    ):
        contracts = list(site.contracts())
        assert not any("/v2/contract/" in path for path in requested)
        assert {(contract.chain_id, contract.address) for contract in contracts} == expected
        assert len(contracts) == len(expected)
        assert len(list(site.contracts(748463))) == sum(chain == "748463" for chain, _ in expected)
        assert list(site.contracts("1")) == []
        assert contracts[0].name


def test_snapshot_status_matches_summary_document(world: Path) -> None:
    summary = json.loads((world / "mirror/api/v2/summary.json").read_bytes())
    with open_snapshot(world / "site.zip") as site:
        assert site.status().indicator == summary["status"]["indicator"]
        assert [component.value for component in site.components()] == summary["components"]
        assert [incident.id for incident in site.unresolved_incidents()] == [
            incident["id"] for incident in summary["incidents"]
        ]
        incidents = site.incidents()
        maintenances = site.scheduled_maintenances()
        one = site.incident(incidents[-1].id)
        chains = site.chains()
    assert one.value["name"] == incidents[-1].name
    assert one.created_at.tzinfo is UTC
    assert one.updates[-1].display_at <= one.updates[0].display_at
    assert one.scheduled_for is None
    assert maintenances[0].scheduled_for is not None
    assert maintenances[0].scheduled_until > maintenances[0].scheduled_for
    assert chains[0]["chainId"] == 748463


def test_snapshot_origin_has_instant_and_revision(world: Path) -> None:
    with open_snapshot(world / "mirror") as site:
        assert (site.origin.instant, site.origin.revision) == (INSTANT, "r1")


def test_site_url_without_manifest_is_unlistable(world: Path, tmp_path: Path) -> None:
    shutil.copytree(
        world / "mirror", tmp_path / "plain", ignore=shutil.ignore_patterns("snapshot", ".statuary")
    )
    with served(tmp_path) as (url, _), open_snapshot(f"{url}/plain") as site:
        assert site.contract(748463, BRIDGE).name == "Bridge"
        with pytest.raises(PublishingError, match="cannot be listed"):
            next(site.contracts())
        with pytest.raises(DocumentNotFoundError):
            _ = site.origin


def test_importing_statuary_loads_only_version_module() -> None:
    code = "import sys, statuary; print([m for m in sys.modules if m.startswith('statuary.')])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "['statuary.version']"
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(statuary, "nothing")  # noqa: B009 - the type checker knows that there is none
