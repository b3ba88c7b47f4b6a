"""Import deployments of titanoboa and moccasin (SQLite).

`source_code_result` is the output of Vyper 0.4 with `-f solc_json`: its standard JSON input, in which
`outputSelection` names the one contract. Format: `Deployment` in titanoboa's boa/deployments.py (0.2.8).
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Final

import orjson

from statuary.base.json_values import Json, JsonObject, as_object, as_text
from statuary.base.primitives import Address
from statuary.extensions.importing.evidence.on_chain_contract import OnChainContract
from statuary.extensions.importing.report import NotImportableError
from statuary.extensions.importing.toolchains.compilation import ImportedCompilation
from statuary.extensions.importing.toolchains.listed_contract import (
    UNCHECKED_CREATION,
    ListedContract,
    ListedContracts,
    SourceContract,
    UnreadableContract,
    find_creation_code,
    make_deployment,
    not_importable_if_malformed,
    parse_any_hex,
    parse_json_address,
    parse_json_chain_id,
    to_decimal_string,
    yield_contracts_or_error,
)
from statuary.system.databases import open_untrusted_database

DATABASES: Final = (".deployments.db", "deployments.db", ".boa/deployments.db")
"""Paths of the database in a project; moccasin's default is first."""

COLUMNS: Final = (
    "contract_address",
    "contract_name",
    "deployer",
    "tx_hash",
    "tx_dict",
    "receipt_dict",
    "source_code",
)

TABLE_QUERY: Final = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'deployments'"

INPUT_MEMBERS: Final = ("language", "sources", "settings", "storage_layout_overrides")


def read_titanoboa(source: Path) -> ListedContracts:
    """Yield the contracts in a titanoboa database, newest first.

    Args:
        source: the database file, or the folder of a project that contains one.

    Raises:
        NotImportableError: if there is no database.
    """
    files = (
        [source] if source.is_file() else [source / name for name in DATABASES if (source / name).is_file()]
    )
    if not files:
        raise NotImportableError(
            f"{source} has no {DATABASES[0]}",
            "give the database: moccasin writes it with `save_to_db = true`, titanoboa with `boa.set_deployments_db`",
        )
    for file in files:
        yield from yield_contracts_or_error(file, file.name, _list_database_contracts(file))


def _list_database_contracts(database_file: Path) -> ListedContracts:
    for row in _read_deployment_rows(database_file):
        name = as_text(row["contract_name"]) or str(row["contract_address"])
        yield from yield_contracts_or_error(
            database_file, f"{name} ({row['contract_address']})", _list_row_contract(database_file, name, row)
        )


def _read_deployment_rows(database_file: Path) -> Iterator[dict[str, Json]]:
    try:
        with closing(open_untrusted_database(database_file)) as database:
            if database.execute(TABLE_QUERY).fetchone() is None:
                raise NotImportableError(
                    f"{database_file} is not a titanoboa database: it has no table of deployments"
                )
            ids = database.execute("SELECT rowid FROM deployments ORDER BY deployment_id DESC")
            for row_id in ids.fetchall():  # one row at a time: sorting whole rows would copy their sources
                row = database.execute("SELECT * FROM deployments WHERE rowid = ?", row_id).fetchone()
                values: dict[str, Json] = dict(row)
                if missing_columns := [column for column in COLUMNS if column not in values]:
                    raise NotImportableError(
                        f"{database_file} is not a current titanoboa database: its deployments have no column "
                        f"{missing_columns[0]}"
                    )
                yield values
    except sqlite3.Error as error:
        raise NotImportableError(f"{database_file} cannot be read as a titanoboa database: {error}") from None


def _list_row_contract(database_file: Path, name: str, row: dict[str, Json]) -> ListedContracts:
    sent = _parse_json_object_column(row["tx_dict"])
    receipt = _parse_json_object_column(row["receipt_dict"])
    address = parse_json_address(row["contract_address"], str(database_file))
    chain_id = parse_json_chain_id(to_decimal_string(sent.get("chainId")), f"{database_file}, {name}")
    if row["source_code"] is None:
        yield UnreadableContract(
            name, "the database has no sources of it", chain_id=chain_id, address=address
        )
        return
    on_chain = _on_chain_contract(row, sent, receipt, address)
    yield ListedContract(
        chain_id, address, name, partial(_read_row_contract, database_file, row["source_code"], on_chain)
    )


def _parse_json_object_column(column_text: Json) -> JsonObject:
    return as_object(orjson.loads(as_text(column_text) or "{}"))


def _on_chain_contract(
    row: dict[str, Json], sent_transaction: JsonObject, receipt: JsonObject, address: Address
) -> OnChainContract:
    sender = parse_any_hex(row["deployer"])
    creation = find_creation_code(
        address,
        sender,
        sent_transaction.get("nonce"),
        sent_transaction.get("to"),
        sent_transaction.get("data"),
    )
    return OnChainContract(
        creation=creation,
        runtime=None,
        deployment=make_deployment(
            row["tx_hash"], receipt.get("blockNumber"), receipt.get("transactionIndex"), sender
        ),
        notes=(UNCHECKED_CREATION,) if creation is None else (),
    )


def _read_row_contract(database_file: Path, contract_json: Json, on_chain: OnChainContract) -> SourceContract:
    with not_importable_if_malformed(database_file):
        bundle = _parse_json_object_column(contract_json)
        settings = as_object(bundle["settings"])
        [path] = as_object(settings["outputSelection"])
        compilation = ImportedCompilation(
            compiler="vyper",
            version=as_text(bundle.get("compiler_version")).removeprefix("v"),
            fully_qualified_name=f"{path}:{PurePosixPath(path).stem}",
            std_json_input={name: bundle[name] for name in INPUT_MEMBERS if name in bundle},
            std_json_output=None,
        )
    return SourceContract(compilation=compilation, on_chain=on_chain)
