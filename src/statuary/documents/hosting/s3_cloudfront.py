"""S3 and CloudFront: the metadata of objects, and the settings of a distribution in front of them.

An object store has no rules: each object carries its own type and cache rule, and CloudFront adds the rest.
"""

from collections import defaultdict

from statuary.documents.hosting.host_files import HostFile, HostOptions, json_text, render_config
from statuary.documents.url import CONTENT_SECURITY_POLICY, SHORT_LIVED, Url
from statuary.documents.url_table import (
    EPOCH_DOCUMENT,
    EPOCH_PATCH,
    EPOCHS,
    HOST_FILES,
    NOT_FOUND_JSON,
    PATTERN_PARTS,
    URLS,
)

ObjectMetadata = tuple[str, str]
"""`Content-Type` (empty: by the extension) and `Cache-Control`."""


def s3_files(options: HostOptions) -> list[HostFile]:
    """Return the upload script and CloudFront's settings."""
    return [
        HostFile("s3/upload.sh", render_config("upload.sh.jinja", options=options, groups=object_groups())),
        HostFile("cloudfront/response-headers-policy.json", json_text(response_headers_policy())),
        HostFile("cloudfront/custom-error-responses.json", json_text(custom_error_responses())),
        HostFile("cloudfront/viewer-request.js", render_config("viewer-request.js.jinja")),
    ]


def object_groups() -> list[tuple[ObjectMetadata, list[str]]]:
    """Return the patterns of keys by the metadata of their objects; `*` is any text, slashes included.

    Timed documents come last, so that nothing they name is missing.
    """
    groups: dict[ObjectMetadata, list[str]] = defaultdict(list)
    for url in URLS:
        if url is EPOCH_DOCUMENT or url in HOST_FILES:
            continue
        groups[url.media_type, url.cache].extend(_key_patterns(url))
    return sorted(groups.items(), key=lambda group: group[0][1] == SHORT_LIVED)


def _key_patterns(url: Url) -> list[str]:
    """Return the patterns of a URL's keys; a timed document has one more for later instants."""
    pattern = "".join(
        "*" if parameter else literal for parameter, literal in PATTERN_PARTS.findall(url.pattern)
    )
    later = url.is_timed and url not in (EPOCHS, EPOCH_PATCH)
    return [pattern, EPOCH_DOCUMENT.path(epoch="*", path=pattern)] if later else [pattern]


def response_headers_policy() -> dict[str, object]:
    """Return CloudFront's `ResponseHeadersPolicyConfig`: the headers of every response."""
    return {
        "Name": "statuary",
        "CorsConfig": {
            "AccessControlAllowOrigins": _items("*"),
            "AccessControlAllowHeaders": _items("*"),
            "AccessControlAllowMethods": _items("GET", "HEAD", "OPTIONS"),
            "AccessControlAllowCredentials": False,
            "OriginOverride": True,
        },
        "SecurityHeadersConfig": {
            "ContentSecurityPolicy": {
                "Override": True,
                "ContentSecurityPolicy": CONTENT_SECURITY_POLICY,
            },
            "ContentTypeOptions": {"Override": True},
            "FrameOptions": {"Override": True, "FrameOption": "DENY"},
            "ReferrerPolicy": {"Override": True, "ReferrerPolicy": "no-referrer"},
        },
    }


def custom_error_responses() -> dict[str, object]:
    """Return CloudFront's `CustomErrorResponses`; S3 answers 403 for a missing object to those who may not list."""
    page = f"/{NOT_FOUND_JSON.path()}"
    items = [
        {"ErrorCode": code, "ResponsePagePath": page, "ResponseCode": "404", "ErrorCachingMinTTL": 10}
        for code in (403, 404)
    ]
    return {"Quantity": len(items), "Items": items}


def _items(*items: str) -> dict[str, object]:
    return {"Quantity": len(items), "Items": list(items)}
