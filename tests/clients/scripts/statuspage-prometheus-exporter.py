"""The samples that the exporter gives Prometheus: `{"url"}` in, samples out, as its own `once` mode writes them.

What it remembers between runs, and compares with, it keeps in the working folder.
"""

import json
import logging
import os
import sys
from pathlib import Path

services = {"page": {"url": f"{json.load(sys.stdin)['url']}/api/v2/summary.json", "name": "page"}}
Path("services.json").write_text(json.dumps(services), encoding="utf-8")
os.environ.update(RUN_MODE="once", METRICS_TEXTFILE_PATH="metrics.prom")

# The package reads its settings when it is imported.
from prometheus_client.parser import text_string_to_metric_families  # noqa: E402
from statuspage_prometheus_exporter.status_monitoring import main  # noqa: E402

logging.disable(logging.INFO)
main()
families = text_string_to_metric_families(Path("metrics.prom").read_text(encoding="utf-8"))
samples = [
    {"name": sample.name, "labels": sample.labels, "value": sample.value}
    for family in families
    for sample in family.samples
    if sample.name.startswith("statuspage_")
]
json.dump(samples, sys.stdout)
