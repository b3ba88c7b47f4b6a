"""Contracts in an object store give the same bytes as contracts in a folder."""

import gzip

import orjson
import pytest

from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.engine.build import build_site
from statuary.engine.report import BuildResult
from statuary.publish.folder.folder_target import FolderTarget
from support.export_tables import tables_of_records, write_tables
from support.requirements import require_module
from support.sites import NOW, record_of, small_site, write_files

pytestmark = pytest.mark.slow

LINES = b"".join(record_of(number) + b"\n" for number in range(1, 6))


@pytest.fixture(scope="module")
def bucket(moto_server):
    """The URL of a bucket; the environment says where it is."""
    obstore = require_module("obstore", install='pip install "statuary[s3]"')
    with pytest.MonkeyPatch.context() as patch:
        for name, value in moto_server.environment().items():
            patch.setenv(name, value)
        url = moto_server.make_bucket("contracts-of-a-site")
        yield url, obstore.store.from_url(url)


def build(content, out) -> BuildResult:
    with FolderTarget(out) as publication:
        return build_site(content, publication, parse_instant(NOW), NoProgress())


def contracts_in(site) -> dict[str, bytes]:
    folders = ("v2", "proof")
    files = (file for folder in folders for file in (site / folder).rglob("*") if file.is_file())
    return {file.relative_to(site).as_posix(): file.read_bytes() for file in files}


def site_with(root, *sources: str):
    content = small_site(root)
    listed = "".join(f"    - {source}\n" for source in sources)
    return write_files(
        content, {"site.yaml": (content / "site.yaml").read_text() + f"contracts:\n  sources:\n{listed}"}
    )


@pytest.fixture
def wanted(tmp_path) -> dict[str, bytes]:
    content = write_files(small_site(tmp_path / "local"), {"contracts/all.jsonl": LINES})
    assert build(content, tmp_path / "wanted").checked.all_findings == []
    return contracts_in(tmp_path / "wanted")


@pytest.mark.parametrize("form", ["jsonl", "jsonl.gz"])
def test_bucket_lines_are_published(bucket, form, tmp_path, wanted):
    url, store = bucket
    store.put(f"lines/all.{form}", LINES if form == "jsonl" else gzip.compress(LINES))
    outcome = build(site_with(tmp_path, f"{url}/lines/all.{form}"), tmp_path / "out")
    assert outcome.checked.all_findings == []
    assert contracts_in(tmp_path / "out") == wanted


def test_bucket_export_is_published(bucket, tmp_path, wanted):
    require_module("duckdb", install='pip install "statuary[parquet]"')
    url, store = bucket
    records = [orjson.loads(line) for line in LINES.splitlines()]
    tables = write_tables(tmp_path / "tables", tables_of_records(records))
    for file in tables.rglob("*.parquet"):
        store.put(f"exports/export/{file.relative_to(tables).as_posix()}", file.read_bytes())
    outcome = build(site_with(tmp_path, f"{url}/exports"), tmp_path / "out")
    assert outcome.checked.all_findings == []
    assert contracts_in(tmp_path / "out").keys() == wanted.keys()


def test_missing_bucket_is_reported(bucket, tmp_path):
    outcome = build(site_with(tmp_path, "s3://nowhere-at-all/all.jsonl"), tmp_path / "out")
    (finding,) = outcome.checked.exclusion_reasons
    assert (finding.rule, finding.path) == ("source-unavailable", "site.yaml")
    assert (tmp_path / "out" / "api/v2/summary.json").is_file()
