"""The evidence that a contract was compiled again: `contracts/<chainId>/<address>/compilation.json`."""

from pathlib import Path
from typing import Annotated

import orjson
from pydantic import AfterValidator

from statuary.content.load_model import load_model
from statuary.content.source_files import SourceFile
from statuary.content.source_model import SourceModel, Text
from statuary.domain.catalogue import ContractSource, evidence_folder
from statuary.domain.contracts.proof import CompilationEvidence
from statuary.domain.findings import Finding
from statuary.domain.limits import LARGEST_SOURCE_FILE
from statuary.domain.primitives import InvalidValueError, is_hex_digits

COMPILATION_FILE = "compilation.json"
SHA256_DIGITS = 64


def _digest(text: str) -> str:
    if len(text) != SHA256_DIGITS or not is_hex_digits(text):
        raise InvalidValueError(f"{text!r} is not a SHA-256 digest", "run `statuary contract compile` again")
    return text


Digest = Annotated[Text, AfterValidator(_digest)]


class CompilationSource(SourceModel):
    """The evidence of one compilation."""

    record: Digest
    compiler_version: Text
    compiler_sha256: Digest
    input_sha256: Digest
    output_sha256: Digest
    statuary: Text
    members: tuple[Text, ...]


def compilation_path(source: ContractSource) -> str:
    """Return the path of the evidence, relative to the content folder."""
    return f"{evidence_folder(source)}/{COMPILATION_FILE}"


def read_compilation_evidence(
    root: Path, source: ContractSource, findings: list[Finding]
) -> CompilationEvidence | None:
    """Return the evidence beside a contract; None if there is none or it is wrong (see `findings`)."""
    path = compilation_path(source)
    if not (root / path).is_file():
        return None
    model = load_model(SourceFile(root, path), CompilationSource, LARGEST_SOURCE_FILE, findings)
    return None if model is None else CompilationEvidence(**dict(model))


def compilation_json(evidence: CompilationEvidence) -> bytes:
    """Return the file that keeps the evidence."""
    return orjson.dumps(evidence._asdict(), option=orjson.OPT_INDENT_2) + b"\n"
