"""The rules of the checks that proofs name, generated from the checks.

python tests/support/proof_checks.py        writes src/statuary/contracts/api/checks.json again
"""

import json
from pathlib import Path

from statuary.contracts.api.proof_rules import CHECKS_FILE
from statuary.contracts.checks.proof_rule_list import proof_rules

CHECKS = Path(__file__).parents[2] / "src/statuary/contracts/api" / CHECKS_FILE


def generated_checks() -> str:
    """Return the text of the file."""
    rules = [{"check": one.name, "severity": one.severity, "rule": one.sentence} for one in proof_rules()]
    return json.dumps({"checks": rules}, indent=1) + "\n"


if __name__ == "__main__":
    CHECKS.write_text(generated_checks(), encoding="utf-8", newline="\n")
