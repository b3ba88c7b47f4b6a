"""What an anchor costs: its size and the time to verify it, as ratios to the record's own.

    PYTHONPATH=tests python tests/benchmarks/anchors.py

The contracts are those of the demo network; each time is the best of five.
"""

from statistics import median
from time import perf_counter

from statuary.contracts.checks.anchor_claims import decide_chain_claims
from statuary.contracts.checks.prove import CONTRACT_CHECKS, prove
from statuary.contracts.checks.record_view import RecordView
from statuary.contracts.site_contracts import SiteContracts
from statuary.contracts.sources.evidence import encode_anchor
from statuary.contracts.sources.read_contract import read_contract
from statuary.engine.read_content import read_content
from statuary.site.document import encode_unchecked
from support.requirements import CHECKOUT


def best(work):
    times = []
    for _ in range(5):
        began = perf_counter()
        work()
        times.append(perf_counter() - began)
    return min(times)


def main():
    content = CHECKOUT / "content"
    sizes, size_ratios, times, time_ratios = [], [], [], []
    for source in read_content(content).site.content_of(SiteContracts).sources:
        read = read_contract(content, source)
        size, own = len(encode_anchor(read.anchor)), len(encode_unchecked(read.record))
        verifying = best(lambda r=read: decide_chain_claims(RecordView(r.record), r.anchor, r.anchor.record))
        proving = best(lambda r=read: prove(r.record, CONTRACT_CHECKS))
        sizes.append(size)
        size_ratios.append(size / own)
        times.append(verifying * 1000)
        time_ratios.append(verifying / proving)
    for name, values in (
        ("anchor.json, bytes", sizes),
        ("  to its record", size_ratios),
        ("verifying it, ms", times),
        ("  to proving its record", time_ratios),
    ):
        print(f"{name:26} min {min(values):8.2f}  median {median(values):8.2f}  max {max(values):8.2f}")


if __name__ == "__main__":
    main()
