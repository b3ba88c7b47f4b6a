"""`statuary theme preview`: every part and state in a theme."""

from pathlib import Path

import click

from statuary.base.errors import StatuaryError
from statuary.base.files import describe_folder_overlap
from statuary.cli.options import content_option
from statuary.contracts.pages.contract_assets import contract_assets
from statuary.contracts.pages.verdict_signs import VERDICT_SIGNS
from statuary.engine.read_content import read_content
from statuary.site.document import Document
from statuary.site.pages.assets import frame_assets
from statuary.site.pages.page_parts import PageParts
from statuary.site.pages.page_templates import PageTemplates
from statuary.site.pages.rendering import renderer_of
from statuary.site.pages.site_context import PageHead, site_context
from statuary.site.pages.states import IMPACT_STATES, STATUS_STATES
from statuary.site.settings import ThemeError
from statuary.site.site_content import SiteContent
from statuary.status.pages.status_assets import status_assets
from statuary.system.writing import replace_file

PARTS = PageParts(folder=Path(__file__).parent, urls=(), slots={}, scripts={}, values=lambda _: {})

PAGE = "index.html"

MARKS = ("cborAuxdata", "immutable", "library", "constructorArguments", "callProtection")


@click.group("theme")
def theme_command() -> None:
    """Preview your theme."""


@theme_command.command()
@content_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("theme-preview"),
    show_default=True,
    help="Write the preview into this folder, which must be empty or new.",
)
def preview_command(content: Path, out: Path) -> None:
    """Write a page that shows every part and state in your theme.

    Open the preview's index.html in a browser. It also shows parts that your site may not have today: bars, tags,
    cards and tables in each state, each verdict of a contract, code, fields and buttons.
    """
    site = read_content(content).site
    if site is None:
        raise StatuaryError(f"the content in {str(content)!r} cannot be read", "run `statuary check`")
    if overlap := describe_folder_overlap(content, out, "the folder"):
        raise StatuaryError(overlap, "name another folder with --out")
    if out.is_dir() and any(out.iterdir()):
        raise StatuaryError(f"the folder {str(out)!r} is not empty", "name another folder with --out")
    try:
        theme = site.pages.theme
        files = (*frame_assets(theme), *status_assets(), *contract_assets(theme, search=False))
        documents = [render_preview_page(site), *files]
    except ThemeError as error:
        raise StatuaryError(
            f"a template of the theme cannot be rendered: {error}", "run `statuary check`"
        ) from error
    for document in documents:
        file = out / document.path
        replace_file(file, document.body)
    click.echo(f"{out / PAGE}: every part in every state")


def render_preview_page(site: SiteContent) -> Document:
    """Return an HTML page that shows the site's theme.

    It shows each part of a page in each state, such as a component with an outage. Its links lead to files in
    the same folder.
    """
    context = site_context(site)
    renderer = renderer_of(context)
    templates = PageTemplates(context, renderer.localization.texts, [*renderer.parts, PARTS])
    head = PageHead(path=PAGE, title="Theme", description="Every part of pages in every state.")
    text = templates.render(
        "theme_preview.html",
        head=head,
        root="",
        sections=(),
        states=list(dict.fromkeys(STATUS_STATES.values())),
        statuses=STATUS_STATES,
        impacts=IMPACT_STATES,
        verdicts=VERDICT_SIGNS,
        marks=MARKS,
    )
    return Document(path=PAGE, body=text.encode("utf-8", "replace"))
