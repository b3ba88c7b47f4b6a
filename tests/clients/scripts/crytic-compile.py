"""What crytic-compile reads and compiles: `{"url", "targets": [target]}` in, one compilation for each out.

It has the address of sourcify.dev built in as a constant.
"""

import json
import sys

from crytic_compile import CryticCompile
from crytic_compile.platform import sourcify
from crytic_compile.platform.exceptions import InvalidCompilation


def compile_target(target: str) -> dict:
    """Fetch a contract, compile its sources, and return what came of it."""
    try:
        compiled = CryticCompile(target)
    except InvalidCompilation as refusal:
        return {"refused": str(refusal)}
    ((_, unit),) = compiled.compilation_units.items()
    version = unit.compiler_version
    return {
        "contracts": {
            name: {
                "abi": source.abis[name],
                "creation": source.bytecodes_init[name],
                "runtime": source.bytecodes_runtime[name],
            }
            for source in unit.source_units.values()
            for name in source.contracts_names
        },
        "version": version.version,
        "optimized": version.optimized,
        "runs": version.optimize_runs,
        "implementations": sorted(unit.implementation_addresses),
    }


request = json.load(sys.stdin)
sourcify.SOURCIFY_API_BASE = f"{request['url']}/server/v2/contract"
json.dump({target: compile_target(target) for target in request["targets"]}, sys.stdout)
