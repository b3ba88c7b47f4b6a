"""Encode metrics in Prometheus's text format.

Described in https://prometheus.io/docs/instrumenting/exposition_formats/.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
"""The type by which Prometheus knows the format."""


class Sample(NamedTuple):
    """A value of a metric, with the labels that identify it."""

    value: int
    labels: Mapping[str, str]


class Gauge(NamedTuple):
    """A metric whose value may go up and down."""

    name: str
    help: str
    samples: tuple[Sample, ...]


def encode_gauges(gauges: Iterable[Gauge]) -> str:
    """Format metrics as text that Prometheus can read.

    Args:
        gauges: the name, help text and samples of each metric.
    """
    lines: list[str] = []
    for gauge in gauges:
        lines += [f"# HELP {gauge.name} {gauge.help}", f"# TYPE {gauge.name} gauge"]
        for sample in gauge.samples:
            labels = ",".join(f'{name}="{_escape_label(value)}"' for name, value in sample.labels.items())
            lines.append(f"{gauge.name}{{{labels}}} {sample.value}")
    return "\n".join(lines) + "\n"


def _escape_label(label_value: str) -> str:
    return label_value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
