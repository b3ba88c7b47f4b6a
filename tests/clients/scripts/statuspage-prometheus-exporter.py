"""The samples that the exporter gives Prometheus: `{"url"}` in, samples out, as its own `once` mode writes them.

With `{"url", "metrics"}`, the samples of that document of the site, as prometheus_client parses them.

What it remembers between runs, and compares with, it keeps in the working folder.
"""

import json
import logging
import os
import sys
from pathlib import Path
from urllib.request import urlopen

request = json.load(sys.stdin)
services = {"page": {"url": f"{request['url']}/api/v2/summary.json", "name": "page"}}
Path("services.json").write_text(json.dumps(services), encoding="utf-8")
os.environ.update(RUN_MODE="once", METRICS_TEXTFILE_PATH="metrics.prom")

# The package reads its settings when it is imported.
from prometheus_client.parser import text_string_to_metric_families  # noqa: E402
from statuspage_prometheus_exporter.status_monitoring import main  # noqa: E402

logging.disable(logging.INFO)
if "metrics" in request:
    with urlopen(f"{request['url']}/{request['metrics']}") as response:
        text = response.read().decode()
else:
    main()
    text = Path("metrics.prom").read_text(encoding="utf-8")
families = text_string_to_metric_families(text)
samples = [
    {"name": sample.name, "labels": sample.labels, "value": sample.value}
    for family in families
    for sample in family.samples
    if sample.name.startswith("statuspage_")
]
json.dump(samples, sys.stdout)
