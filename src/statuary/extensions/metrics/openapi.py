"""OpenAPI operations of metrics."""

from typing import Final

from statuary.contracts.model.contract_row import ContractRow
from statuary.extensions.metrics.documents import GRAPH, PERIODS, POINTS
from statuary.extensions.metrics.settings import MetricsSettings
from statuary.site.operations import ApiDescription, Operation

TAG: Final = "measurements"


def describe_operations(settings: MetricsSettings, example: ContractRow | None) -> tuple[ApiDescription, ...]:
    """Describe the API documents about the site's metrics, for openapi.json.

    Args:
        settings: the metrics of the site.
        example: not used; other extensions use it as an example.
    """
    del example
    names = [metric.id for metric in settings.shown]
    if not names:
        return ()
    metric = _describe_path_parameter("metric_id", names)
    period = _describe_path_parameter("period", [period.name for period in PERIODS])
    example_values = {"metric_id": names[0], "period": PERIODS[0].name}
    return (
        ApiDescription(
            TAG,
            "What was measured, as pages of Statuspage load it, and as a graph.",
            (
                Operation(
                    POINTS,
                    tag=TAG,
                    example=POINTS.path(**example_values),
                    extra_members={"parameters": [metric, period]},
                ),
                Operation(
                    GRAPH,
                    tag=TAG,
                    example=GRAPH.path(**example_values),
                    extra_members={"parameters": [metric]},
                ),
            ),
        ),
    )


def _describe_path_parameter(parameter_name: str, allowed_values: list[str]) -> dict[str, object]:
    return {
        "name": parameter_name,
        "in": "path",
        "required": True,
        "schema": {"type": "string", "enum": allowed_values},
    }
