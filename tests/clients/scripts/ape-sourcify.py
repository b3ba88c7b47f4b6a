"""What ape-sourcify reads: `{"url", "contracts": [[chain, address]]}` in, chains and contracts out.

The address is set as its users do, in `ape-config.yaml`; chains that Ape does not know are custom networks.
"""

import json
import sys
from pathlib import Path

request = json.load(sys.stdin)
chains = sorted({chain for chain, _ in request["contracts"]})
networks = [{"name": f"chain-{chain}", "chain_id": int(chain), "ecosystem": "ethereum"} for chain in chains]
settings = {"sourcify": {"api_url": request["url"], "retries": 0}, "networks": {"custom": networks}}
Path("ape-config.yaml").write_text(json.dumps(settings), encoding="utf-8")

# Ape reads the configuration of the working folder when it is imported.
from ape import networks as known_networks  # noqa: E402
from ape_sourcify import Sourcify  # noqa: E402


def read_contract(chain: str, address: str) -> dict | None:
    """Return what Ape has of a contract: its type, and the manifest with everything it was compiled from."""
    network = known_networks.get_ecosystem("ethereum").get_network(f"chain-{chain}")
    explorer = Sourcify(name="sourcify", network=network)
    contract_type = explorer.get_contract_type(address)
    if contract_type is None:
        return None
    manifest = explorer.get_manifest(address)
    (compiler,) = manifest.compilers
    return {
        "name": contract_type.name,
        "source_id": contract_type.source_id,
        "abi": [item.model_dump(mode="json", by_alias=True) for item in contract_type.abi],
        "deployment_bytecode": str(contract_type.deployment_bytecode.bytecode),
        "runtime_bytecode": str(contract_type.runtime_bytecode.bytecode),
        "compiler": [compiler.name, compiler.version, compiler.settings],
        "sources": {path: str(source.content) for path, source in manifest.sources.items()},
    }


json.dump(
    {
        "supported": [Sourcify.supports_chain(int(chain)) for chain in chains],
        "contracts": [read_contract(chain, address) for chain, address in request["contracts"]],
    },
    sys.stdout,
)
