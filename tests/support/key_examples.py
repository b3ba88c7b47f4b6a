"""What source files are, and examples of keys that no content of this repository has."""

DESCRIPTIONS = {
    "site": "The settings of the site: its page, chains, pages, log and hosts.",
    "components": "The components of the status page, and their groups.",
    "incident": "An incident with its updates: one file each.",
    "maintenance": "A planned maintenance, once or by a rule: one file each.",
    "template": "What a new incident begins with.",
    "page": "The keys at the beginning of a page in Markdown.",
    "contract": "What only the author of a contract knows; the rest of its record is derived.",
    "anchor": "The chain's own proofs of a contract; statuary contract anchor writes it.",
}

EXAMPLES = {
    "about": "about: The status of **Plinth** and its services.",
    "account": "account: [0xf90211a0…]",
    "agreed": "agreed: [rpc.example.org, node.example.net]",
    "body": "body: Requests to the RPC fail. We are looking into it.",
    "branch": "branch: main",
    "code": "code: rpc",
    "component_order": "component_order: [rpc, explorer]",
    "components": "components: {rpc: major_outage}",
    "creation": "creation: creation.hex",
    "custom_tweet": "custom_tweet: The RPC answers again.",
    "description": "description: What the page is about.",
    "explorer": "explorer: https://explorer.example.org",
    "feed_host": "feed_host: example.statuspage.io",
    "files": "files: [netlify]",
    "group": "group: Guides",
    "header": "header: 0xf90261a0…",
    "id": "id: abc123def456",
    "input": "input: input.json",
    "key": "key: witness.example+1a2b3c4d+AQIDBA…",
    "language": "language: de",
    "missing": "missing: {deployment: a contract created it}",
    "name": "name: RPC outage",
    "next_update_in": "next_update_in: 30m",
    "order": "order: 10",
    "output": "output: output.json",
    "precompressed": "precompressed: [gz, br]",
    "quorum": "quorum: 2",
    "receipt": "receipt: [0xf9014e…]",
    "record": "record: 9f86d081884c7d65…",
    "reminder_intervals": "reminder_intervals: '[3, 6, 12, 24]'",
    "runtime": "runtime: runtime.hex",
    "shortlink": "shortlink: https://stspg.io/abc",
    "sources": "sources: [s3://bucket/contracts.parquet]",
    "storage": "storage: {'0x36089…': [0xf90211a0…]}",
    "title": "title: About Plinth",
    "transaction": "transaction: [0xf8ac…]",
    "tweet_id": "tweet_id: 1234567890",
    "url": "url: https://log.example.org",
    "hash": 'hash: "0xcfad20811df6…"',
}
"""By the last name of the key's path."""

BY_FORMAT = {"date-time": "2026-11-02T10:00:00Z", "date": "2026-11-02", "integer": "1"}
"""By the format or type of the value."""
