"""The link to your sign-up page for notifications, in the panel *Subscribe*."""

from pathlib import Path

from statuary.extensions.notify.settings import NotifySettings
from statuary.site.pages.page_parts import PageParts


def make_sign_up_template_values(settings: NotifySettings) -> dict[str, str]:
    """Return the URL of the e-mail sign-up page, for the page's template."""
    return {"sign_up": settings.sign_up}


PARTS = PageParts(
    folder=Path(__file__).parent,
    urls=(),
    slots={"subscribe": "notify_subscribe.html"},
    scripts={},
    values=make_sign_up_template_values,
)
