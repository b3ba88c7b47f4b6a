"""Every benchmark that needs nothing else still runs, on as little as it takes; its figures are not looked at."""

import subprocess
import sys
from collections import Counter
from hashlib import sha256

import orjson
import pytest

from benchmarks.corpora import KINDS, replicas
from statuary.contracts.checks.prove import prove
from support.requirements import CHECKOUT

pytestmark = pytest.mark.slow

COMMANDS = {
    "corpora": ("S:3", "{folder}/corpus"),
    "records_against_generators": (
        "--corpora",
        "D:3",
        "--workers",
        "1",
        "--rounds",
        "1",
        "--against",
        "HEAD",
    ),
    "record_microseconds": ("M:3",),
    "records_against_copy": ("--rounds", "1", "tests/golden/world/content/contracts"),
    "no_change": ("--count", "120", "--rounds", "1"),
    "tick_against_build": ("--transitions", "1", "--content", "tests/golden/world/content"),
    "pages_against_hugo": ("--contracts", "2", "--render", "own", "--out", "{folder}"),
    "kill_at_random": ("--times", "1", "--contracts", "20"),
    "export_join": ("--matches", "1000"),
    "log_of_many": ("--entries", "1000"),
    "manifest_of_many": ("--incidents", "3", "--records", "3"),
    "expanding_content": ("blank lines, packed",),
    "start_up": ("--rounds", "1"),
    "serial_tail": ("20", "40", "--engine", "processes", "--workers", "2"),
    "year_of_incidents": ("--counts", "3", "--every", "MONTHLY"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_benchmark_script_runs_without_error(name, tmp_path):
    options = [option.format(folder=tmp_path) for option in COMMANDS[name]]
    done = subprocess.run(
        [sys.executable, CHECKOUT / f"tests/benchmarks/{name}.py", *options],
        cwd=CHECKOUT,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() or any(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["D", "W"])
def test_benchmark_records_pass_contract_checks(kind):
    count = 60
    records = [orjson.loads(replica.body) for replica in replicas(KINDS[kind], count)]
    for record in records:
        assert prove(record).findings == ()
    compilations = Counter(sha256(orjson.dumps(record["sources"])).digest() for record in records)
    alone = [times for times in compilations.values() if times == 1]
    assert len(alone) >= count // 2
    assert (len(alone) == count) is (KINDS[kind].repeated == 0)
