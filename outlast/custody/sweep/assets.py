"""Objects among the assets that no row owns: they are told, and stay."""

from collections.abc import Iterator

from outlast.custody.sweep.ground import PAGE, Fate, Found, Ground, Step
from outlast.custody.sweep.pages import pages
from shared.keys import asset_of
from shared.objects.behaviour import PROBED


def assets(ground: Ground) -> Iterator[Found]:
    """Look at every object of the bucket of assets; an asset's file of facts belongs to it."""
    for page in pages(ground.store.listed(ground.assets_bucket), PAGE):
        keys = [asset_of(listed.key) for listed in page]
        rows = ground.database.run("sweep_assets", bucket=ground.assets_bucket, keys=keys)
        for listed, row in zip(page, rows, strict=True):
            is_ours = row["is_owned"] or listed.key.startswith(PROBED)
            fate, why = (Fate.KEPT, "owned") if is_ours else (Fate.UNOWNED, "no asset")
            yield Found(Step.ASSETS, fate, listed.key, why, listed.size)
