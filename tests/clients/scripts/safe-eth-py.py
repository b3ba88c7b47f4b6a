"""What safe-eth-py reads: `{"url", "contracts": [[chain, address]]}` in, its metadata of each out."""

import json
import sys
from types import SimpleNamespace

from safe_eth.eth.clients import SourcifyClient

request = json.load(sys.stdin)
clients = {}
read = []
for chain, address in request["contracts"]:
    # Its enumeration of networks cannot hold a chain of our own; of a network it uses name and number only.
    network = SimpleNamespace(name=f"chain {chain}", value=int(chain))
    if chain not in clients:
        clients[chain] = SourcifyClient(network, base_url_api=request["url"])
    found = clients[chain].get_contract_metadata(address)
    read.append(found and {"name": found.name, "abi": found.abi, "partial_match": found.partial_match})
json.dump(read, sys.stdout)
