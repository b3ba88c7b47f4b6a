"""The URLs of packs."""

from statuary.site.urls import IMMUTABLE, JSON, REVALIDATE, PutStep, Url

PACK_LIST = Url(
    "packs",
    "packs/packs.json",
    "the list of packs, by age and key",
    JSON,
    REVALIDATE,
    put=PutStep.INDEX,
    own_rule=True,
)
PACK = Url(
    "pack",
    "packs/data/{digest}.pack",
    "documents of contracts, sorted and compressed, with an index",
    "application/octet-stream",
    IMMUTABLE,
    put=PutStep.BODY,
)
URLS = (PACK_LIST, PACK)
