"""Configuration files by template: plain text, so that nothing is escaped."""

from functools import cache
from importlib.resources import files

from jinja2 import Environment, FunctionLoader, StrictUndefined

TEMPLATES = files("statuary.documents.hosting").joinpath("templates")


def render_config(template: str, **values: object) -> str:
    """Return a template's text with its values."""
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    return Environment(
        loader=FunctionLoader(lambda name: TEMPLATES.joinpath(name).read_text("utf-8")),
        autoescape=False,  # noqa: S701 - what is made is no markup
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
