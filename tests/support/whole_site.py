"""This repository's own site with everything on that a site may have, for `build_project`."""

import json

from support.signing_sites import descriptor, field, messages

FAUCET = "0xA4354f1f8f8fd3ae96d8F48fF0714611da9dC986"
DESCRIPTOR = "registry/plinth/calldata-Faucet.json"
MESSAGES = "registry/plinth/eip712-Faucet.json"
SERVE = {"intent": "Serve", "fields": [field("visitor", "Visitor", "addressName")]}
ADDITIONS = {
    f"content/clear-signing/{DESCRIPTOR}": json.dumps(descriptor({"serve(address visitor)": SERVE}, FAUCET)),
    f"content/clear-signing/{MESSAGES}": json.dumps(messages({"Visit(address visitor)": SERVE}, FAUCET)),
    "measurements/age.csv": "at,age\n2026-11-20T11:00:00Z,2.5\n2026-11-20T11:10:00Z,3\n",
}
SETTINGS = """
hosting: {files: [netlify, cloudflare]}
clear_signing: {}
metrics: {shown: {age: {name: Age of the newest block, file: age.csv}}}
packs: true
embed: true
instatus: true
prometheus: true
cards: {}
languages: [en, de]
"""
