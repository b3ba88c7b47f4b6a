"""The key `metrics` of site.yaml: measurements and graphs."""

from enum import StrEnum
from typing import Annotated, NamedTuple, Self

from pydantic import Field, field_validator, model_validator
from typing_extensions import override

from statuary.base.primitives import InvalidValueError
from statuary.engine.extension_settings import ExtensionSource
from statuary.source.source_model import Identifier, Name, SourceModel, Text, WholeNumber, convert_model


class PointsForm(StrEnum):
    """The format of a file with measured values."""

    CSV = "csv"
    PROMETHEUS = "prometheus"
    GATUS = "gatus"
    UPTIME_KUMA = "uptime_kuma"
    UPPTIME = "upptime"


class Metric(NamedTuple):
    """A series of measured values that the site shows."""

    id: str
    name: str
    file: str  # relative to the folder of points
    unit: str = ""
    form: PointsForm = PointsForm.CSV
    series: str = ""  # the column of a CSV file; the endpoint or the monitor of Gatus and Uptime Kuma


class ProbeKind(StrEnum):
    """The kind of a probe, such as an HTTP request."""

    HTTP = "http"
    TCP = "tcp"
    JSONRPC = "jsonrpc"
    OPTIMISM = "optimism"
    ZKSYNC = "zksync"


class Probe(NamedTuple):
    """A regular measurement of a service, which `statuary probe` makes."""

    id: str
    kind: ProbeKind
    url: str  # the address; HOST:PORT for TCP
    component: str  # the component that a failure of the probe affects
    url_variable: str = ""  # the environment variable with the address, if that is secret
    group: str = ""  # the name for nodes of the same chain, whose newest blocks are compared
    most_age: int = 0  # the largest age of the newest block in seconds; 0 for no limit
    most_lag: int = 0  # the largest number of blocks behind the highest node of the group; 0 for no limit
    most_batch_age: int = (
        0  # largest age of a rollup's newest block in an L1 batch, in seconds; 0 for no limit
    )
    most_unfinalized: int = 0  # the largest number of blocks that are not finalized; 0 for no limit
    expected_status: tuple[int, ...] = (200,)
    failures: int = 2  # the number of failures in a row before an alert fires
    timeout: int = 10  # seconds


class MetricsSettings(NamedTuple):
    """The probes of a site, and the metrics that it shows."""

    folder: str
    shown: tuple[Metric, ...] = ()
    probes: tuple[Probe, ...] = ()


def is_safe_relative_path(file_path: str) -> bool:
    """Return whether a path stays in its folder and is not hidden."""
    names = file_path.split("/")
    return "\\" not in file_path and all(name.strip() and not name.startswith(".") for name in names)


def is_probe_address(probe_kind: ProbeKind, address_text: str) -> bool:
    """Return whether a string can be the address of a probe.

    Args:
        probe_kind: the kind of probe: a TCP probe needs a port, all others an http(s) URL.
        address_text: the string, such as `https://rpc.example.org`.
    """
    if probe_kind is ProbeKind.TCP:
        return address_text.rpartition(":")[2].isdecimal()
    return address_text.startswith(("http://", "https://"))


class MetricSource(SourceModel):
    """A graph: its title, and the file with its values."""

    name: Name
    """The title of the graph on the page."""
    unit: Annotated[Text, Field(max_length=12)] = ""
    """The unit of the values, such as `ms`."""
    file: Text
    """The file with the measurements, relative to `folder`."""
    form: PointsForm = PointsForm.CSV
    """The format of the file: `csv`, or a saved response of Prometheus (`prometheus`, from `query_range`),
    Gatus (`gatus`), Uptime Kuma (`uptime_kuma`) or Upptime (`upptime`)."""
    series: Text = ""
    """The part of the file to show: the name of a CSV column (default: the second column), the key or name of
    a Gatus endpoint, or the number of an Uptime Kuma monitor."""

    @field_validator("file")
    @classmethod
    def _validate_file(cls, file: str) -> str:
        if not is_safe_relative_path(file):
            raise InvalidValueError(
                f"{file!r} is not a path below the folder of measurements", "write a relative path"
            )
        return file


class ProbeSource(SourceModel):
    """A probe: what `statuary probe` tests, and when the test fails."""

    kind: ProbeKind
    """What the probe tests: `http`, `tcp`, `jsonrpc` (an Ethereum node), `optimism` (the `op-node` of an OP
    Stack chain) or `zksync` (a node of a ZKsync chain)."""
    url: Text = ""
    """The URL to test. For `tcp`, write HOST:PORT."""
    url_variable: Annotated[Text, Field(pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")] = ""
    """The environment variable that holds the URL to test. Use it instead of `url` if the URL contains a
    secret key."""
    component: Text
    """The component that the probe tests, by key or id."""
    group: Text = ""
    """A name of your choice, the same for all nodes of one chain. `most_lag` compares these nodes with each
    other."""
    most_age: Annotated[WholeNumber, Field(ge=0)] = 0
    """The maximum age of the newest block, in seconds. 0 means no limit."""
    most_lag: Annotated[WholeNumber, Field(ge=0)] = 0
    """How many blocks the node may be behind the best node of its `group`. 0 means no limit."""
    most_batch_age: Annotated[WholeNumber, Field(ge=0)] = 0
    """For rollups (`optimism` and `zksync`): the maximum age, in seconds, of the newest block that has
    reached L1 in a batch. 0 means no limit."""
    most_unfinalized: Annotated[WholeNumber, Field(ge=0)] = 0
    """How many of the newest blocks may not be final yet. 0 means no limit."""
    expected_status: Annotated[tuple[WholeNumber, ...], Field(min_length=1)] = (200,)
    """The HTTP status codes that count as success."""
    failures: Annotated[WholeNumber, Field(ge=1, le=100)] = 2
    """How many times in a row the probe must fail before its alert fires."""
    timeout: Annotated[WholeNumber, Field(ge=1, le=60)] = 10
    """The time to wait for the response, in seconds."""

    @model_validator(mode="after")
    def _check_probe(self) -> Self:
        if bool(self.url) == bool(self.url_variable):
            raise InvalidValueError("a probe needs either url or url_variable", "write one of them")
        if self.url and not is_probe_address(self.kind, self.url):
            if self.kind is ProbeKind.TCP:
                raise InvalidValueError(f"{self.url!r} is not HOST:PORT", "write it like node.example:30303")
            raise InvalidValueError(f"{self.url!r} is not a web address", "begin it with https://")
        return self


class MetricsSource(SourceModel):
    """The probes to run, and the graphs that the status page shows."""

    folder: Text = "measurements"
    """The folder with the measurement files, relative to the parent folder of the content folder."""
    shown: Annotated[dict[Identifier, MetricSource], Field(max_length=50)] | None = None
    """The graphs that the status page shows, by id."""
    probes: Annotated[dict[Identifier, ProbeSource], Field(max_length=200)] | None = None
    """The probes that `statuary probe` runs, by id. The command writes the measurements of a probe to
    `<id>.csv`."""

    @field_validator("folder")
    @classmethod
    def _validate_folder(cls, folder: str) -> str:
        if not is_safe_relative_path(folder):
            raise InvalidValueError(
                f"{folder!r} is not a folder beside the content folder",
                "write a relative path, such as measurements",
            )
        return folder


class SiteMetricsSource(ExtensionSource):
    """The key `metrics` of site.yaml."""

    metrics: MetricsSource | None = None
    """The probes to run, and the graphs that the status page shows."""

    @override
    def to_settings(self) -> MetricsSettings | None:
        """Return the settings, or None if site.yaml has no `metrics`."""
        if self.metrics is None:
            return None
        return MetricsSettings(
            folder=self.metrics.folder,
            shown=tuple(
                convert_model(Metric, row, id=name) for name, row in (self.metrics.shown or {}).items()
            ),
            probes=tuple(
                convert_model(Probe, row, id=name) for name, row in (self.metrics.probes or {}).items()
            ),
        )
