"""The facts about a contract's deployment and compilation."""

from collections.abc import Iterator
from typing import NamedTuple

import orjson

from statuary.documents.pages.contracts.contract_page_context import ContractPageContext
from statuary.documents.pages.contracts.lenient_json import as_object, as_text
from statuary.documents.pages.page_texts import PageTexts
from statuary.documents.pages.visible_text import one_line, visible_text
from statuary.domain.contracts.record import RecordValue
from statuary.domain.json_values import Json

MAX_SETTINGS_LENGTH = 50_000
"""Characters of the compiler's settings that are shown."""


class FactRow(NamedTuple):
    """A fact about compilation or deployment."""

    name: str
    value: str
    href: str = ""  # its page in the chain's explorer; empty for none


def fact_rows(record: RecordValue, pages: ContractPageContext, texts: PageTexts) -> Iterator[FactRow]:
    """Yield the known facts about deployment and compilation."""
    compilation, deployment = as_object(record.get("compilation")), as_object(record.get("deployment"))
    settings = as_object(compilation.get("compilerSettings"))
    block = as_text(deployment.get("blockNumber"))
    values: list[tuple[str, Json, str]] = [
        ("transaction", deployment.get("transactionHash"), "tx"),
        ("block", texts("contract.genesis") if block == "-1" else block, "block"),
        ("deployer", deployment.get("deployer"), "address"),
        (
            "compiler",
            f"{as_text(compilation.get('compiler'))} {as_text(compilation.get('compilerVersion'))}",
            "",
        ),
        ("language", compilation.get("language"), ""),
        ("optimizer", _optimizer(settings.get("optimizer"), texts), ""),
        ("evm", settings.get("evmVersion"), ""),
        ("qualified", compilation.get("fullyQualifiedName"), ""),
        ("match_id", record.get("matchId"), ""),
    ]
    for name, value, kind in values:
        if isinstance(value, str) and value:
            href = pages.explorer_page(record["chainId"], kind, value) if kind and block != "-1" else ""
            yield FactRow(texts(f"fact.{name}"), one_line(value), href)


def _optimizer(optimizer: Json, texts: PageTexts) -> str:
    held = as_object(optimizer)
    if not held.get("enabled"):
        return texts("contract.optimizer_off") if held else ""
    runs = held.get("runs")
    return (
        texts.count("contract.optimizer_on", runs)
        if isinstance(runs, int)
        else texts("contract.optimizer_plain")
    )


def settings_text(settings: Json) -> str:
    """Return the compiler's settings as JSON; empty if they cannot be written."""
    try:
        text = visible_text(orjson.dumps(settings, option=orjson.OPT_INDENT_2).decode("utf-8"))
    except TypeError:  # orjson's own error: deeper than it goes, or lone surrogates
        return ""
    return text if len(text) <= MAX_SETTINGS_LENGTH else text[:MAX_SETTINGS_LENGTH] + " …"
