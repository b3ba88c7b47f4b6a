"""GitHub Pages: a workflow that builds the site, keeps it for the next run, and deploys it."""

from statuary.documents.hosting.config_templates import render_config
from statuary.documents.hosting.host_file import HostFile
from statuary.documents.hosting.host_options import HostOptions


def github_pages_files(choices: HostOptions) -> list[HostFile]:
    """Return the workflow.

    A cache of GitHub Actions is never overwritten: each run saves under a key of its own and restores the newest.
    """
    return [HostFile(".github/workflows/site.yml", render_config("github-pages.yml.jinja", choices=choices))]
