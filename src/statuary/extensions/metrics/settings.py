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


def is_visible_path(path: str) -> bool:
    """Return whether a path stays inside of its folder, and names no hidden file."""
    names = path.split("/")
    return "\\" not in path and all(name.strip() and not name.startswith(".") for name in names)


def is_address(kind: ProbeKind, url: str) -> bool:
    """Return whether a text can be the address of a probe.

    Args:
        kind: the kind of probe: a TCP probe needs a port, all others an http(s) URL.
        url: the text.
    """
    if kind is ProbeKind.TCP:
        return url.rpartition(":")[2].isdecimal()
    return url.startswith(("http://", "https://"))


class MetricSource(SourceModel):
    """A series of points that is shown."""

    name: Name
    """Its name on the page."""
    unit: Annotated[Text, Field(max_length=12)] = ""
    """The unit of its values, such as `ms`."""
    file: Text
    """The file of its points, below `folder`."""
    form: PointsForm = PointsForm.CSV
    """Whose form the file has: `csv`, `prometheus` (`query_range`), `gatus`, `uptime_kuma` or `upptime`."""
    series: Text = ""
    """The column of a CSV file (default: the second), the key or name of Gatus's endpoint, or the number of Uptime Kuma's monitor."""

    @field_validator("file")
    @classmethod
    def _validate_file(cls, file: str) -> str:
        if not is_visible_path(file):
            raise InvalidValueError(f"{file!r} is not a file below the folder", "write a relative path")
        return file


class ProbeSource(SourceModel):
    """A probe of `statuary probe`."""

    kind: ProbeKind
    """`http`, `tcp`, `jsonrpc` (an Ethereum node), `optimism` (the `op-node` of an OP Stack chain) or `zksync` (a node of a ZKsync chain)."""
    url: Text = ""
    """The address; for `tcp` HOST:PORT."""
    url_variable: Annotated[Text, Field(pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$")] = ""
    """The environment variable that holds the address, in place of `url`: an address with a key is a secret."""
    component: Text
    """The component that its failure is about, by key or id."""
    group: Text = ""
    """Nodes of one chain: each is compared with the highest head of its group."""
    most_age: Annotated[WholeNumber, Field(ge=0)] = 0
    """Seconds that the newest block may be old; default: any."""
    most_lag: Annotated[WholeNumber, Field(ge=0)] = 0
    """Blocks that the node may be behind the highest of its group; default: any."""
    most_batch_age: Annotated[WholeNumber, Field(ge=0)] = 0
    """The maximum age in seconds of a rollup's newest block whose batch is on L1 (`optimism`, `zksync`). Default: any."""
    most_unfinalized: Annotated[WholeNumber, Field(ge=0)] = 0
    """Blocks that the finalized block may be behind the head; default: any."""
    expected_status: Annotated[tuple[WholeNumber, ...], Field(min_length=1)] = (200,)
    """The HTTP statuses that count as success."""
    failures: Annotated[WholeNumber, Field(ge=1, le=100)] = 2
    """Failures in a row before an alert fires."""
    timeout: Annotated[WholeNumber, Field(ge=1, le=60)] = 10
    """Seconds to wait for the response."""

    @model_validator(mode="after")
    def _check_probe(self) -> Self:
        if bool(self.url) == bool(self.url_variable):
            raise InvalidValueError("a probe needs either url or url_variable", "write one of them")
        if self.url and not is_address(self.kind, self.url):
            if self.kind is ProbeKind.TCP:
                raise InvalidValueError(f"{self.url!r} is not HOST:PORT", "write it like node.example:30303")
            raise InvalidValueError(f"{self.url!r} is not a web address", "begin it with https://")
        return self


class MetricsSource(SourceModel):
    """The measurements, and those that are shown."""

    folder: Text = "measurements"
    """The folder of the files of points, relative to the one that the content folder is in."""
    shown: Annotated[dict[Identifier, MetricSource], Field(max_length=50)] | None = None
    """The metrics that the status page shows, by id."""
    probes: Annotated[dict[Identifier, ProbeSource], Field(max_length=200)] | None = None
    """The probes of `statuary probe`, by id. The points of a probe are in `<id>.csv`."""

    @field_validator("folder")
    @classmethod
    def _validate_folder(cls, folder: str) -> str:
        if not is_visible_path(folder):
            raise InvalidValueError(
                f"{folder!r} is not a folder beside the content folder",
                "write a relative path, such as measurements",
            )
        return folder


class SiteMetricsSource(ExtensionSource):
    """The key `metrics` of site.yaml."""

    metrics: MetricsSource | None = None
    """The measurements, and those that the status page shows."""

    @override
    def settings(self) -> MetricsSettings | None:
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
