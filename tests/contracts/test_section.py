"""What the section of contracts tells other documents."""

from statuary.contracts.section import ContractsSection
from statuary.engine.read_content import read_content
from support.sites import CHAIN, small_site


def test_chain_without_contracts_counts_zero(tmp_path):
    site, _ = read_content(small_site(tmp_path))
    [(_, chain_id, count)] = ContractsSection(None).api_facts(site).chains
    assert (chain_id, count) == (CHAIN, 0)
