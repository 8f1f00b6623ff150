"""The formats of shards: a module for each, named as the command line names it."""

from wwho.shards.formats import arrow, bin, mds, megatron, npy, parquet
from wwho.shards.formats.shard_format import ShardFormat

FORMATS: dict[str, ShardFormat] = {
    each.NAME: each for each in (bin, npy, megatron, arrow, parquet, mds)
}
"""The formats by name."""
