"""Hundreds of hostile shapes and mutants of records: none raises, none takes long, and the news beside them are published."""

from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from benchmarks.record_mutants import mutant, true_texts
from statuary.base.budget import DEFECT
from statuary.base.primitives import parse_instant
from statuary.base.progress import NoProgress
from statuary.contracts.incremental.build_contract import build_contract_batch
from statuary.contracts.incremental.built_contracts import contract_build_settings
from statuary.contracts.pages.context import contract_page_context
from statuary.contracts.sources.contract_source import ContractForm, ContractSource
from statuary.contracts.sources.parse_record import parse_record_json
from statuary.engine.build import build_site
from statuary.engine.read_content import read_content
from statuary.publish.folder.folder_target import FolderTarget
from statuary.source.unreadable import UnreadableError
from support.contracts import made_record
from support.hostile_shapes import CHAIN, NAMED, at_address, generic_shapes
from support.random_runs import seeded, times
from support.sites import NOW, files_in, small_site, write_files

pytestmark = pytest.mark.thorough

MUTANTS = times(300)
GOOD = 1
BESIDE = 150


def published(tmp_path: Path, records: list[tuple[str, bytes]]) -> tuple[dict[str, bytes], set[str]]:
    """Build a site of records; return its files, and the rules of the findings."""
    content = write_files(small_site(tmp_path), dict(records))
    with FolderTarget(tmp_path / "out") as target:
        result = build_site(content, target, parse_instant(NOW), NoProgress())
    assert result.applied
    return files_in(tmp_path / "out"), {one.rule for one in result.checked.all_findings}


def assert_news(files: dict[str, bytes], good: tuple[str, bytes]) -> None:
    assert b"Slow answers" in files["api/v2/incidents.json"]
    assert files[good[0].replace("contracts/", "v2/contract/").removesuffix(".json")] == good[1]


def test_malformed_records_still_publish_status(tmp_path: Path) -> None:
    shapes = [*NAMED, *islice(generic_shapes("everything"), 0, None, 5)]
    assert len(shapes) >= 200
    good = at_address(made_record(), GOOD)
    records = [at_address(shape.make(), number) for number, shape in enumerate(shapes, start=GOOD + 1)]
    files, rules = published(tmp_path, [good, *records])
    assert_news(files, good)
    assert DEFECT not in rules


def as_record(record: Any, number: int) -> tuple[str, bytes]:
    try:
        return at_address(record, number)
    except TypeError:
        return f"contracts/{CHAIN}/{number}.json", b"{}"


def test_mutated_records_cause_no_defects(tmp_path: Path) -> None:
    chance, texts = seeded(1), true_texts()
    good = at_address(made_record(), GOOD)
    content = write_files(small_site(tmp_path), dict([good]))
    catalogue = read_content(content).site
    assert catalogue is not None
    settings = contract_build_settings(catalogue, None, contract_page_context(catalogue))
    beside, slowest, withheld, defects = [good], 0.0, 0, []
    for number in range(GOOD + 1, GOOD + 1 + MUTANTS):
        made = mutant(texts, chance)
        path, text = as_record(made.record, number)
        beside += [(path, text)] if len(beside) <= BESIDE else []
        began = process_time()
        try:
            read = parse_record_json(text, path)
        except UnreadableError:
            withheld += 1
            continue
        source = ContractSource(
            path, CHAIN, path.rpartition("/")[2].removesuffix(".json"), ContractForm.RECORD
        )
        (built,) = build_contract_batch([(source, read)], settings)
        built, _ = built.with_documents()
        slowest = max(slowest, process_time() - began)
        withheld += not built.is_published
        defects += [(made.place, made.change, one) for one in built.findings if one.rule == DEFECT]
    print(f"{MUTANTS} mutants: {withheld} withheld, {len(defects)} defects, slowest {slowest:.3f} s")
    assert defects == []
    assert_news(published(tmp_path / "beside", beside)[0], good)
