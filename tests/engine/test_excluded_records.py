"""Whatever goes wrong with one record withholds that record, with a finding that names it; the rest is as without it."""

from itertools import islice
from pathlib import Path
from typing import Any

import orjson
import pytest

from statuary.base.budget import DEFECT, StepLimitError, consume_steps, limit_steps, run_guarded
from statuary.base.findings import Finding
from statuary.base.limits import MAX_STEPS
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.contracts.api import documents as record_documents
from statuary.contracts.checks.prove import CONTRACT_CHECKS
from statuary.contracts.incremental import build_contract
from statuary.contracts.incremental import rebuild as contracts
from statuary.contracts.pages import page as contract_pages
from statuary.engine.build import build_site
from statuary.engine.check_site import check_site
from statuary.engine.report import BuildResult
from statuary.extensions.bulk.jsonl import LineRange
from statuary.extensions.own_pages import pages as own_pages
from statuary.publish.folder.folder_target import FolderTarget
from statuary.status.api import documents as status_documents
from statuary.status.feeds import feed_documents
from statuary.status.model import timeline
from statuary.status.pages import pages as status_pages
from statuary.status.sources import incident_source
from statuary.workers.task_window import WorkersLostError
from support.contracts import made_record
from support.hostile_shapes import CHAIN, NAMED, Shape, at_address
from support.sites import INCIDENT, NOW, contract_count, files_in, small_site, write_files
from support.tiers import few_by_default

COUNT = 5
VICTIM = 3


def site_of(root: Path, records: dict[str, bytes]) -> Path:
    return write_files(small_site(root), dict(records))


def made_records() -> dict[str, bytes]:
    return dict(at_address(made_record(), number) for number in range(1, COUNT + 1))


def build(content: Path, out: Path) -> BuildResult:
    with FolderTarget(out) as target:
        return build_site(content, target, parse_instant(NOW), NoProgress())


def incident_of(out: Path) -> list[Path]:
    return [file for file in (out / "api/v2/incidents").glob("*") if file.is_file()]


ERRORS = [RecursionError("too deep"), MemoryError(), KeyError("gone"), ValueError("\ud800"), AssertionError()]


class Panic(BaseException):
    """What a library of Rust raises."""


STAGES = ("read", "check", "row", "record", "page")
KINDS = (*ERRORS, Panic("at the disco"))
CASES = [
    pytest.param(
        stage,
        error,
        marks=() if number % len(STAGES) == place else pytest.mark.slow,  # each of them once
        id=f"{stage}-{type(error).__name__}",
    )
    for place, stage in enumerate(STAGES)
    for number, error in enumerate(KINDS)
]


@pytest.fixture(scope="module")
def expected(tmp_path_factory) -> dict[str, bytes]:
    """The files of a site without the victim."""
    root = tmp_path_factory.mktemp("less")
    records = made_records()
    del records[list(records)[VICTIM]]
    build(site_of(root, records), root / "out")
    return files_in(root / "out")


@pytest.mark.parametrize(("stage", "error"), CASES)
def test_unexpected_exception_excludes_only_faulty_record(
    tmp_path, monkeypatch, expected, stage, error
) -> None:
    records = made_records()
    paths = list(records)
    address = paths[VICTIM].rpartition("/")[2].removesuffix(".json")

    def failing(function: Any) -> Any:
        def call(first: Any, *others: Any, **named: Any) -> Any:
            value = getattr(first, "value", first)
            text = str(others[0].path) if stage == "read" else value["address"]
            if address in text:
                raise error
            return function(first, *others, **named)

        return call

    places = {
        "read": (build_contract, "read_contract"),
        "row": (build_contract, "make_contract_row"),
        "record": (record_documents, "encode_unchecked"),
        "page": (contract_pages, "contract_fact_rows"),
    }
    if stage == "check":
        check = CONTRACT_CHECKS[0]
        broken = check._replace(observe=failing(check.observe))
        changed = (broken, *CONTRACT_CHECKS[1:])
        monkeypatch.setattr(build_contract, "CONTRACT_CHECKS", changed)
        monkeypatch.setattr("statuary.contracts.checks.prove.CONTRACT_CHECKS", changed)
    else:
        monkeypatch.setattr(*places[stage], failing(getattr(*places[stage])))
    result = build(site_of(tmp_path, records), tmp_path / "out")
    (finding,) = result.checked.exclusion_reasons
    assert (finding.rule, finding.path) == (DEFECT, paths[VICTIM])
    assert f"unexpected {type(error).__name__}" in finding.message
    assert "defect of statuary" in finding.hint
    assert (result.applied, result.checked.excluded_count) == (True, 1)
    found = files_in(tmp_path / "out")
    assert {path: body for path, body in found.items() if address.lower() not in path.lower()} == {
        path: body for path, body in expected.items() if address.lower() not in path.lower()
    }
    assert incident_of(tmp_path / "out")
    monkeypatch.undo()
    again = build(tmp_path / "content", tmp_path / "out")
    assert again.checked.exclusion_reasons == ()
    assert any(address in path for path in files_in(tmp_path / "out"))


def test_endless_check_excludes_only_faulty_record(tmp_path, monkeypatch) -> None:
    records = made_records()
    path = list(records)[VICTIM]

    def endless(view: Any) -> Any:
        if view.address in path:
            while True:
                consume_steps(1_000)
        return iter(())

    changed = (CONTRACT_CHECKS[0]._replace(observe=endless), *CONTRACT_CHECKS[1:])
    monkeypatch.setattr(build_contract, "CONTRACT_CHECKS", changed)
    monkeypatch.setattr("statuary.contracts.checks.prove.CONTRACT_CHECKS", changed)
    checked = check_site(site_of(tmp_path, records), parse_instant(NOW), NoProgress())
    (finding,) = [one for one in checked.exclusion_reasons if one.path == path]
    assert (finding.rule, finding.path) == ("limit-exceeded", path)
    assert f"more than {MAX_STEPS:,} steps" in finding.message


def test_step_limit_applies_only_inside_context() -> None:
    consume_steps(MAX_STEPS + 1)
    with limit_steps(), pytest.raises(StepLimitError):
        consume_steps(MAX_STEPS + 1)
    with limit_steps():
        consume_steps(MAX_STEPS)


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit])
def test_interruption_inside_guarded_function_is_reraised(interruption) -> None:
    def interrupted() -> None:
        raise interruption

    with pytest.raises(interruption):
        run_guarded(interrupted, "a", "reading")


def test_unexpected_error_finding_has_source_location() -> None:
    finding = run_guarded(lambda: parse_instant(None), "a.json", "reading the record")  # type: ignore[arg-type]
    assert isinstance(finding, Finding)
    assert finding.message.startswith("reading the record: unexpected TypeError: ")
    assert " in base/primitives.py:" in finding.message


@pytest.mark.parametrize("shape", few_by_default(NAMED, 3), ids=lambda shape: shape.name)
def test_malformed_record_keeps_other_records(tmp_path: Path, shape: Shape) -> None:
    path, text = at_address(shape.make(), 7)
    good = dict([at_address(made_record(), 8)])
    content = site_of(tmp_path, {path: text, **good})
    result = build(content, tmp_path / "out")
    found = result.checked.exclusion_reasons
    assert {finding.path for finding in found} <= {path}
    assert DEFECT not in {finding.rule for finding in found}
    assert all(finding.position is not None for finding in found)
    assert incident_of(tmp_path / "out")
    assert (
        tmp_path / "out/v2/contract" / next(iter(good)).removeprefix("contracts/").removesuffix(".json")
    ).is_file()


def test_record_verified_in_future_is_excluded(tmp_path) -> None:
    """An earlier and a later build give what a build from nothing gives then; a day's difference of clocks is none."""
    days = {1: "2026-11-21T11:00:00Z", 2: "2026-11-22T11:00:00Z", 3: "2099-01-01T00:00:00Z"}
    later = {number: made_record() | {"verifiedAt": day} for number, day in days.items()}
    content = site_of(
        tmp_path / "content", dict(at_address(record, number) for number, record in later.items())
    )

    def published(now: str, out: str) -> tuple[list[str], list[Finding]]:
        with FolderTarget(tmp_path / out) as target:
            result = build_site(content, target, parse_instant(now), NoProgress())
        records = [
            path.name[-1] for path in (tmp_path / out / "v2/contract" / CHAIN).iterdir() if path.is_file()
        ]
        return sorted(set(records) & set("123")), list(result.checked.exclusion_reasons)

    found, because = published("2026-11-20T12:00:00Z", "site")
    assert found == ["1"]
    assert {finding.rule for finding in because} == {"verified-in-future"}
    assert {finding.pointer for finding in because} == {("verifiedAt",)}
    found, because = published("2026-11-21T12:00:00Z", "site")
    assert (found, len(because)) == (["1", "2"], 1)
    assert "verifiedAt is 2099-01-01T00:00:00Z, which is later than this build" in because[0].message
    published("2026-11-21T12:00:00Z", "fresh")
    assert files_in(tmp_path / "site") == files_in(tmp_path / "fresh")


OTHER = INCIDENT.replace("Slow answers", "No answers")


def names_of(out: Path) -> list[str]:
    return [one["name"] for one in orjson.loads((out / "api/v2/incidents.json").read_bytes())["incidents"]]


def failing_for(name: str, function: Any) -> Any:
    """Return a function that fails for the incident of a name."""

    def call(record: Any, *others: Any, **named: Any) -> Any:
        state = next((one for one in (record, *others) if hasattr(one, "incident")), record)
        if getattr(state, "incident", state).name == name:
            raise KeyError("gone")
        return function(record, *others, **named)

    return call


@pytest.mark.parametrize(
    "case",
    [
        (incident_source, "incident_from_source", False, False),
        (timeline, "IncidentHistory", False, False),
        (status_documents, "incident_json", False, False),
        (feed_documents, "feed_entry", True, True),
        (status_pages, "incident_page_head", True, False),
    ],
)
def test_incident_exception_excludes_only_faulty_incident(tmp_path, monkeypatch, case) -> None:
    module, function, published, on_page = case
    content = write_files(small_site(tmp_path), {"incidents/none.yaml": OTHER})
    monkeypatch.setattr(module, function, failing_for("No answers", getattr(module, function)))
    result = build(content, tmp_path / "out")
    (finding,) = (*result.checked.exclusion_reasons, *result.checked.skipped)
    assert (finding.rule, finding.path) == (DEFECT, "incidents/none.yaml")
    assert "unexpected KeyError: " in finding.message
    assert (result.applied, result.checked.is_clean) == (True, False)
    assert names_of(tmp_path / "out") == ["No answers"] * published + ["Slow answers"]
    page = (tmp_path / "out/history.html").read_text("utf-8")
    assert ("Slow answers" in page, "No answers" in page) == (True, on_page)
    monkeypatch.undo()
    assert build(content, tmp_path / "out").checked.is_clean
    assert names_of(tmp_path / "out") == ["No answers", "Slow answers"]


def test_page_exception_excludes_only_faulty_page(tmp_path, monkeypatch) -> None:
    page = "---\ntitle: {}\n---\nText.\n"
    content = write_files(
        small_site(tmp_path), {f"pages/{name}.md": page.format(name) for name in ("one", "two")}
    )
    tokens = own_pages._Pages.parse_page_with_links

    def failing(self: Any, page: Any) -> Any:
        if page.path == "one":
            raise RecursionError
        return tokens(self, page)

    monkeypatch.setattr(own_pages._Pages, "parse_page_with_links", failing)
    result = build(content, tmp_path / "out")
    (finding,) = result.checked.skipped
    assert (finding.rule, finding.path) == (DEFECT, "pages/one.md")
    assert "Text." in (tmp_path / "out/pages/two.html").read_text("utf-8")
    assert not (tmp_path / "out/pages/one.html").exists()
    assert names_of(tmp_path / "out") == ["Slow answers"]


def test_lost_worker_processes_keep_previous_contracts(tmp_path, monkeypatch) -> None:
    content = site_of(tmp_path, made_records())
    build(content, tmp_path / "out")
    before = {path for path in files_in(tmp_path / "out") if path.startswith(("v2/", "proof/", "contracts/"))}
    path, text = at_address(made_record(), 99)
    write_files(content, {path: text, "incidents/none.yaml": OTHER})

    def lost(*_: Any) -> Any:
        raise WorkersLostError("workers were lost 5 times")

    monkeypatch.setattr(contracts, "build_partition", lost)
    result = build(content, tmp_path / "out")
    (finding,) = result.checked.skipped
    assert "workers were lost 5 times" in finding.message
    assert result.applied
    after = {path for path in files_in(tmp_path / "out") if path.startswith(("v2/", "proof/", "contracts/"))}
    assert after == before
    assert names_of(tmp_path / "out") == ["No answers", "Slow answers"]
    monkeypatch.undo()
    assert build(content, tmp_path / "out").checked.is_clean
    assert any(path.rpartition("/")[2].removesuffix(".json") in one for one in files_in(tmp_path / "out"))
    build(content, tmp_path / "anew")
    assert files_in(tmp_path / "out") == files_in(tmp_path / "anew")


def test_partially_read_bulk_file_is_published(tmp_path, monkeypatch) -> None:
    lines = [text for _, text in (at_address(made_record(), number) for number in range(1, 4))]
    content = write_files(small_site(tmp_path), {"contracts/all.jsonl": b"\n".join(lines) + b"\n"})
    whole = LineRange.read

    def failing(self: Any, root: Path) -> Any:
        yield from islice(whole(self, root), 2)
        raise MemoryError

    monkeypatch.setattr(LineRange, "read", failing)
    result = build(content, tmp_path / "out")
    (finding,) = result.checked.exclusion_reasons
    assert (finding.rule, finding.path) == (DEFECT, "contracts/all.jsonl")
    assert contract_count(result.checked) == 2
    assert incident_of(tmp_path / "out")
