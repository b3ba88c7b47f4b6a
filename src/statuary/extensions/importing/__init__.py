"""Import contracts and status pages (`statuary import`, `statuary contract`).

`commands` and `contract_commands` are the commands. `sources` reads servers and files; `report` is the
result. `status/` reads the status pages of other systems into a `StatusPlan`, which is merged with the
content. `toolchains/` reads compilations from compilers, tool chains and explorers. `evidence/` gets evidence
about contracts from nodes and compilers. `prepare_contract` derives the record of one contract, and
`import_contracts` imports all contracts of a source.
"""
