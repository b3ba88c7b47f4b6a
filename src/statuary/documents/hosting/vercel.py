"""Vercel: `vercel.json`, for the site as plain files."""

import json

from statuary.documents.hosting.header_rules import header_rules
from statuary.documents.hosting.host_file import HostFile
from statuary.documents.hosting.host_options import HostOptions
from statuary.documents.hosting.redirects import server_rewrites


def vercel_files(choices: HostOptions) -> list[HostFile]:
    """Return `vercel.json`; its paths are written for path-to-regexp, where a star is `(.*)`."""
    configuration = {
        "$schema": "https://openapi.vercel.sh/vercel.json",
        "buildCommand": choices.build_command,
        "outputDirectory": choices.publish,
        "headers": [
            {
                "source": rule.glob.replace("*", "(.*)"),
                "headers": [{"key": name, "value": text} for name, text in rule.headers.items()],
            }
            for rule in header_rules()
        ],
        "rewrites": [
            {"source": asked.replace("*", "(.*)"), "destination": held.replace(":splat", "$1")}
            for asked, held in server_rewrites()
        ],
    }
    return [HostFile("vercel.json", json.dumps(configuration, indent=2) + "\n")]
