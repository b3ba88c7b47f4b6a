"""Answer requests for ranges of bytes (RFC 9110, 14)."""

import re
from dataclasses import replace
from http import HTTPStatus

from statuary.extensions.serving.lookup import Response

RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{1,18})?|-(\d{1,18}))")
"""One range of bytes: from a first to a last byte, from a first byte on, or a number at the end."""


def make_range_response(response: Response, range_header: str | None) -> Response:
    """Cut a response to the range of bytes that the client requests.

    If the client requests several ranges, or another unit than bytes, the whole response is returned.

    Args:
        response: the response to a GET request.
        range_header: the header `Range` of the request, such as `bytes=0-99`, or None.
    """
    match = None if range_header is None else RANGE.fullmatch(range_header.replace(" ", ""))
    if match is None or response.status != HTTPStatus.OK:
        return response
    size = len(response.body)
    (first_text, last_text, ending) = match.groups()
    start = max(0, size - int(ending)) if first_text is None else int(first_text)
    end = min(size - 1, size - 1 if last_text is None else int(last_text))
    if first_text is not None and last_text is not None and int(last_text) < start:
        return response  # no range: the header is as if it were not there
    if start > end:
        return Response(
            status=HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE, headers={"Content-Range": f"bytes */{size}"}
        )
    headers = response.headers | {"Content-Range": f"bytes {start}-{end}/{size}"}
    return replace(
        response, status=HTTPStatus.PARTIAL_CONTENT, body=response.body[start : end + 1], headers=headers
    )
