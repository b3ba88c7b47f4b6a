"""S3 and CloudFront: metadata of objects, and what a distribution before them is set to.

An object store knows no rules: each object carries its own type and cache rule, CloudFront adds the rest.
"""

import json
from collections import defaultdict

from statuary.documents.hosting.config_templates import render_config
from statuary.documents.hosting.globs import PATTERN_PARTS
from statuary.documents.hosting.host_file import HostFile
from statuary.documents.hosting.host_options import HostOptions
from statuary.documents.url_table import (
    CONTENT_SECURITY_POLICY,
    EPOCH_DOCUMENT,
    EPOCHS,
    HOST_FILES,
    NOT_FOUND_JSON,
    SHORT_LIVED,
    URLS,
    Url,
)

ObjectMetadata = tuple[str, str]
"""`Content-Type` (empty: by the extension) and `Cache-Control`."""


def s3_files(choices: HostOptions) -> list[HostFile]:
    """Return the upload script and CloudFront's settings."""
    return [
        HostFile("s3/upload.sh", render_config("upload.sh.jinja", choices=choices, groups=object_groups())),
        HostFile("cloudfront/response-headers-policy.json", _json(response_headers_policy())),
        HostFile("cloudfront/custom-error-responses.json", _json(custom_error_responses())),
        HostFile("cloudfront/viewer-request.js", render_config("viewer-request.js.jinja")),
    ]


def object_groups() -> list[tuple[ObjectMetadata, list[str]]]:
    """Return the patterns of keys by the metadata of their objects; `*` is anything, slashes included.

    What tells the present comes last.
    """
    groups: dict[ObjectMetadata, list[str]] = defaultdict(list)
    for url in URLS:
        if url is EPOCH_DOCUMENT or url in HOST_FILES:
            continue
        groups[url.media_type, url.cache].extend(_key_patterns(url))
    return sorted(groups.items(), key=lambda group: group[0][1] == SHORT_LIVED)


def _key_patterns(url: Url) -> list[str]:
    """Return the pattern of a URL's keys; of what keeps time, that of its later instants too."""
    pattern = "".join("*" if member else literal for member, literal in PATTERN_PARTS.findall(url.pattern))
    later = url.is_timed and url is not EPOCHS
    return [pattern, EPOCH_DOCUMENT.path(epoch="*", path=pattern)] if later else [pattern]


def response_headers_policy() -> dict[str, object]:
    """Return CloudFront's `ResponseHeadersPolicyConfig`: what every answer has."""
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
    """Return CloudFront's `CustomErrorResponses`; S3 says 403 of what is not there to those who may not list."""
    page = f"/{NOT_FOUND_JSON.path()}"
    items = [
        {"ErrorCode": code, "ResponsePagePath": page, "ResponseCode": "404", "ErrorCachingMinTTL": 10}
        for code in (403, 404)
    ]
    return {"Quantity": len(items), "Items": items}


def _items(*items: str) -> dict[str, object]:
    return {"Quantity": len(items), "Items": list(items)}


def _json(value: object) -> str:
    return json.dumps(value, indent=2) + "\n"
