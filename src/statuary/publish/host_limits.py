"""Warn of a site that its host refuses: too large a file, too many files, or too many bytes."""

from collections.abc import Iterator
from itertools import islice

from statuary.base.findings import Finding, Severity
from statuary.publish.plan import Plan
from statuary.publish.target import BuildTarget
from statuary.site.settings import HOST_LIMITS
from statuary.site.site_content import SiteContent

RULE = "too-large-for-host"

MOST_FILES = 20
"""Files that are each reported; one of them is enough for a host to refuse the site."""


def find_exceeded_limits(site: SiteContent, target: BuildTarget, plan: Plan) -> Iterator[Finding]:
    """Yield warnings about the limits of the hosts in site.yaml that the site exceeds.

    Call this function after all documents were added.

    Args:
        plan: the changes of the build, with the number and size of all files.
    """
    for platform in site.hosting.files:
        if (limits := HOST_LIMITS.get(platform)) is None:
            continue
        exceeded = list[str]()
        if limits.file_size is not None:
            exceeded += (
                f"{path} has {size:,} bytes; {limits.name} accepts files of at most {limits.file_size:,} bytes"
                for path, size in islice(target.ledger.documents.files_above(limits.file_size), MOST_FILES)
            )
        if limits.files is not None and plan.document_count > limits.files:
            exceeded.append(
                f"the site has {plan.document_count:,} files; {limits.name} accepts at most {limits.files:,}"
            )
        if limits.site_size is not None and plan.size > limits.site_size:
            exceeded.append(
                f"the site has {plan.size:,} bytes; {limits.name} accepts at most {limits.site_size:,}"
            )
        for message in exceeded:
            yield Finding(
                rule=RULE,
                message=message,
                hint="publish to another host, or make the site smaller",
                path=site.source,
                pointer=("hosting", "files"),
                on_key=True,
                severity=Severity.WARNING,
            )
