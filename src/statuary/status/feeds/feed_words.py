"""The words of feeds, badges and notifications in each language."""

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

import orjson

from statuary.site.pages.page_texts import PageTexts
from statuary.status.model.vocabulary import STANDARD_BODIES, ComponentStatus, UpdateStatus
from statuary.system.files import read_file

FEED_TEXTS = (
    "event",
    "cancelled_event",
    "affects",
    "history",
    "component_history",
    "about",
    "maintenances",
    "reminder",
    "changed",
    "open_page",
)


class Words:
    """The words of feeds in one language, such as the names of statuses.

    Two objects are never equal, so that caches keep the texts of each language apart.
    """

    def __init__(self, language: str, words: Mapping[str, str]) -> None:
        self.language = language  # BCP 47
        self._words = words

    def __call__(self, key: str, **values: str) -> str:
        """Return a text of the language, with values in its placeholders."""
        return self._words[key].format(**values)

    def translate_body(self, body: str) -> str:
        """Translate an update's text if it is one of Statuspage's defaults.

        Any other text is returned as it is.
        """
        return self._words.get(f"body.{STANDARD_BODIES.get(body)}", body)

    def translate_description(self, description: str) -> str:
        """Translate the page's status description if it is a default text.

        Any other description is returned as it is.
        """
        return self._words.get(f"description.{description}", description)


ENGLISH = Words("en-US", orjson.loads(read_file(Path(__file__).with_name("words.json"))))
"""The words of Statuspage's feeds, in which its standard bodies and descriptions stay as they are."""


def feed_words(texts: PageTexts) -> Words:
    """Return the words of feeds in the language of the site.

    Args:
        texts: the translated texts of pages.
    """
    if texts.language == "en":
        return ENGLISH
    keys = (
        "date.brief",
        *(f"month.{number}.short" for number in range(1, 13)),
        *(f"status.{status}" for status in get_args(ComponentStatus)),
        *(key for key in texts.by_key if key.startswith(("body.", "description."))),
    )
    words = {key: texts(key) for key in keys}
    words |= {name: texts(f"update.{name}") for name in (*get_args(UpdateStatus), "same", "cancelled")}
    return Words(texts.language, words | {name: texts(f"feed.{name}") for name in FEED_TEXTS})
