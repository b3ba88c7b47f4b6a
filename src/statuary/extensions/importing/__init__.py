"""Import contracts and status pages (`statuary import`, `statuary contract`).

`commands` and `contract_commands` are the commands; `sources` reads servers and files, `report` says what was
added and what was skipped. `status/` reads the status pages of other systems into a `StatusPlan`, which is
merged with the content. `toolchains/` reads what compilers, tool chains and explorers write into a
compilation; `evidence/` asks nodes and compilers for what shows that it is on the chain; `prepare_contract`
makes the record of both, and `import_contracts` does so for each contract of a source. Requests go out
through the extension `http`.
"""
