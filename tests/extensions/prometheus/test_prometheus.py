"""`metrics.txt`: the metrics of an instant, and their text."""

import re

import pytest

from statuary.base.primitives import parse_instant
from statuary.engine.tick import tick
from statuary.extensions.prometheus.exposition import Gauge, Sample, encode_gauges
from support.sites import SITE, build, built_files, small_site, write_files

LINE = re.compile(
    r'(?P<name>[a-z_]+)\{(?P<labels>[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\["\\n])*")*)\} (?P<value>\d+)'
)


@pytest.fixture
def content(tmp_path):
    return write_files(small_site(tmp_path), {"site.yaml": SITE + "prometheus: true\n"})


def values(text: str) -> dict[str, int]:
    """Return the value of each sample, by its name and labels without the page's."""
    samples = [LINE.fullmatch(line) for line in text.splitlines() if not line.startswith("#")]
    assert all(samples), text
    page = re.compile(r'service_name="Plinth",?')
    return {
        f"{sample['name']} {page.sub('', sample['labels'])}".strip(): int(sample["value"])
        for sample in samples
    }


def test_prometheus_label_values_are_escaped():
    text = encode_gauges([Gauge("a", "Help.", (Sample(3, {"name": 'back\\slash, "quote" and\nline'}),))])
    assert text == '# HELP a Help.\n# TYPE a gauge\na{name="back\\\\slash, \\"quote\\" and\\nline"} 3\n'


@pytest.mark.slow
def test_prometheus_metrics_count_components_in_outage(content, tmp_path):
    text = built_files(content, tmp_path / "site", "2026-11-02T10:30:00Z")["metrics.txt"].decode()
    samples = values(text)
    rpc = 'component_name="Public RPC",component_id="rpc",group_name="Network"'
    assert samples["statuspage_service_status"] == samples[f"statuspage_component_status {rpc}"] == 0
    states = {name: value for name, value in samples.items() if rpc in name and "_state " in name}
    assert [name.rpartition("status=")[2] for name, value in states.items() if value] == [
        '"degraded_performance"'
    ]
    assert len(states) == 5
    assert samples['statuspage_unresolved_incidents impact="minor"'] == 1
    [incident] = (name for name in samples if name.startswith("statuspage_incident_info"))
    assert (
        'incident_id="slow",incident_name="Slow answers",impact="minor",started_at="2026-11-02T10:00:00Z"'
        in incident
    )
    assert (
        'shortlink="https://status.plinth.example/incidents/slow",affected_components="Public RPC"'
        in incident
    )


@pytest.mark.slow
@pytest.mark.parametrize(("now", "active"), [("2026-11-21T00:00:00Z", 0), ("2026-11-21T22:30:00Z", 1)])
def test_prometheus_maintenance_after_tick_matches_build(content, tmp_path, now, active):
    built = built_files(content, tmp_path / "built", now)["metrics.txt"].decode()
    assert values(built)["statuspage_active_maintenances"] == active
    build(content, tmp_path / "ticked", "2026-11-20T12:00:00Z")
    tick(tmp_path / "ticked", parse_instant(now))
    ticked = (tmp_path / "ticked/metrics.txt").read_text()
    due = re.compile(r"(statuspage_build_due_timestamp_seconds\{.*\}) \d+")
    assert due.sub(r"\1", ticked) == due.sub(r"\1", built)


@pytest.mark.slow
def test_removed_component_is_missing_from_metrics(content, tmp_path):
    components = (content / "components.yaml").read_text()
    write_files(
        content,
        {
            "components.yaml": components.replace(
                "name: Public RPC", "name: Public RPC\n        removed: true"
            )
        },
    )
    text = built_files(content, tmp_path / "site", "2026-11-02T10:30:00Z")["metrics.txt"].decode()
    assert 'affected_components=""' in text
    assert "Public RPC" not in text
