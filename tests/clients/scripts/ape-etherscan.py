"""What ape-etherscan reads: `{"url", "node", "chain", "addresses"}` in, one value for each address out.

The address is set as its users do, in `ape-config.yaml`; the chain, which Ape does not know, is a custom network.
"""

import json
import sys
from contextlib import redirect_stdout
from pathlib import Path

request = json.load(sys.stdin)
chain = request["chain"]
explorer = {"uri": request["url"], "api_uri": f"{request['url']}/explorer/{chain}/api"}
settings = {
    "etherscan": {"ethereum": {"rate_limit": 1000, "retries": 1, "tested": explorer}},
    "networks": {"custom": [{"name": "tested", "chain_id": int(chain), "ecosystem": "ethereum"}]},
}
Path("ape-config.yaml").write_text(json.dumps(settings), encoding="utf-8")

# Ape reads the configuration of the working folder when it is imported.
from ape import networks as known_networks  # noqa: E402
from ape_etherscan.exceptions import ContractNotVerifiedError, EtherscanResponseError  # noqa: E402
from ape_etherscan.explorer import Etherscan  # noqa: E402


def read_contract(explorer: Etherscan, address: str) -> dict:
    """Return what Ape has of a contract: its parsed answers, and the manifest with what it was compiled from."""
    client = explorer._client_factory.get_contract_client(address)
    try:
        creations = [item.model_dump() for item in client.get_creation_data()]
    except EtherscanResponseError as error:
        creations = str(error)
    try:
        source = client.get_source_code()
    except ContractNotVerifiedError:
        found = [explorer.get_contract_type(address), explorer.get_manifest(address)]
        return {"verified": False, "found": found, "creations": creations}
    contract_type = explorer.get_contract_type(address)
    manifest = explorer.get_manifest(address)
    (compiler,) = manifest.compilers
    return {
        "verified": True,
        "name": contract_type.name,
        "abi": [item.model_dump(mode="json", by_alias=True) for item in contract_type.abi],
        "response": source.model_dump(exclude={"abi", "source_code"}),
        "compiler": [compiler.name, compiler.version, compiler.settings],
        "sources": {path: str(source.content) for path, source in manifest.sources.items()},
        "creations": creations,
    }


network = known_networks.get_ecosystem("ethereum").get_network("tested")
node = network.use_provider("node", provider_settings={"uri": request["node"]})
with redirect_stdout(sys.stderr), node:  # Ape says there that it connects
    tested = Etherscan(name="etherscan", network=network)
    read = [read_contract(tested, address) for address in request["addresses"]]
json.dump(read, sys.stdout)
