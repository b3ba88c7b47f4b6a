"""The manual's search: a newcomer's question finds its page among the first three sections."""

import csv
import json
import subprocess
from functools import cache
from pathlib import Path

import pytest

from statuary.engine.read_content import read_content
from statuary.extensions.own_pages.pages import iter_page_search_documents
from support.edge_runtimes import node
from support.requirements import CHECKOUT

HERE = Path(__file__).parent
SCRIPT = CHECKOUT / "src/statuary/extensions/own_pages/assets/page-search.js"
FIRST = 3
"""Sections that a reader looks at."""

with (HERE / "search_questions.tsv").open(encoding="utf-8", newline="") as opened:
    QUESTIONS = {
        row["question"]: f"pages/manual/{row['page']}.html" for row in csv.DictReader(opened, delimiter="\t")
    }
"""Questions in a newcomer's words, each with the page that answers it."""

pytestmark = pytest.mark.slow  # the script of the search runs in Node.js


@cache
def sections() -> list[list[str]]:
    """Return the sections of the manual, as its search reads them."""
    catalogue, _ = read_content(CHECKOUT / "content")
    assert catalogue is not None
    documents = {document.path: document for document in iter_page_search_documents(catalogue)}
    found: list[list[str]] = json.loads(documents["pages/manual/search.json"].body)
    return found


def answers(questions: list[str]) -> list[list[str]]:
    """Return for each question the paths that the search finds, the best first."""
    asked = {"script": str(SCRIPT), "sections": sections(), "questions": questions}
    command = [node(), str(HERE / "search_all.mjs")]
    done = subprocess.run(command, input=json.dumps(asked), capture_output=True, text=True, check=True)
    paths: list[list[str]] = json.loads(done.stdout)
    return paths


def test_manual_search_answers_typical_questions() -> None:
    found = dict(zip(QUESTIONS, answers(list(QUESTIONS)), strict=True))
    assert [question for question, paths in found.items() if not paths] == []
    first = {
        question: [path.partition("#")[0] for path in paths[:FIRST]] for question, paths in found.items()
    }
    missed = {
        question: first[question] for question, page in QUESTIONS.items() if page not in first[question]
    }
    assert len(QUESTIONS) == 50
    assert len(missed) <= 5, missed


def test_searching_rule_id_finds_message_page() -> None:
    names = [heading for _, heading, path, *_ in sections() if path.startswith("pages/manual/messages.html#")]
    names = [name for name in names if "-" in name]
    assert len(names) > 50
    first = [paths[0] for paths in answers(names)]
    assert first == [f"pages/manual/messages.html#{name}" for name in names]


def test_searching_command_name_finds_reference_page() -> None:
    names = ["statuary build", "statuary incident open", "statuary log rotate"]
    first = [paths[0] for paths in answers(names)]
    assert first == [f"pages/manual/command-reference/{name[9:].replace(' ', '-')}.html" for name in names]


def test_searching_misspelt_word_finds_manual_page() -> None:
    ((first, *_),) = answers(["certifcate"])
    assert first.startswith("pages/manual/deploy/index.html")
