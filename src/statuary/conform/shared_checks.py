"""Checks that several rules share: a document exists, has its media type, has its shape."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from statuary.conform.checked_deployment import CheckedDeployment, NotApplicableError
from statuary.conform.http_requests import HttpResponse

JSON_TYPE = "application/json"

MAX_SHAPE_PROBLEMS = 3
"""Violations of a shape that are listed; the others are counted."""


def check_document(deployment: CheckedDeployment, target: str, shape: Any) -> Iterator[str]:
    """Yield what is wrong with the status, the media type or the shape of a JSON document."""
    response = deployment.get(target)
    if response.status != 200:
        yield f"{target} returns {response.status}, not 200"
        return
    if response.media_type != JSON_TYPE:
        yield f"{target} is sent as {response.media_type or 'nothing'}, not {JSON_TYPE}"
    try:
        value = json.loads(response.body)
    except ValueError as error:
        yield f"{target} is not JSON: {error}"
        return
    yield from (f"{target}: {problem}" for problem in shape_problems(value, shape))


def shape_problems(value: Any, shape: Any) -> Iterator[str]:
    """Yield the violations of a shape."""
    try:
        _adapter(shape).validate_python(value)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_context=False)
        for problem in problems[:MAX_SHAPE_PROBLEMS]:
            yield f"{'.'.join(map(str, problem['loc']))}: {problem['msg']}"
        if len(problems) > MAX_SHAPE_PROBLEMS:
            yield f"and {len(problems) - MAX_SHAPE_PROBLEMS} more"


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


def allows_any_origin(response: HttpResponse) -> bool:
    """Say whether any origin may read a response."""
    return response.headers.get("access-control-allow-origin") == "*"


def check_api_headers(deployment: CheckedDeployment, targets: list[str]) -> Iterator[str]:
    """Yield what browsers and caches miss in responses.

    Any origin may read them, HEAD has the same headers without a body, and conditional requests are answered with 304.
    """
    for target in targets:
        got = deployment.get(target)
        if got.status != 200:
            raise NotApplicableError(f"{target} returns {got.status}")
        if not allows_any_origin(got):
            yield f"{target}: no Access-Control-Allow-Origin: *"
        head = deployment.ask(target, "HEAD", {})
        if head.status != 200 or head.body or head.media_type != got.media_type:
            yield f"HEAD {target} returns {head.status} {head.media_type}, {len(head.body)} bytes"
        yield from _conditional(deployment, target, got)


def _conditional(deployment: CheckedDeployment, target: str, got: HttpResponse) -> Iterator[str]:
    tag = got.headers.get("etag")
    if not tag:
        yield f"{target}: no ETag"
        return
    again = deployment.ask(target, "GET", {"If-None-Match": tag})
    if again.status != 304 or again.body:
        yield f"{target} with If-None-Match: {tag} returns {again.status}, not 304"
