"""The former name of `wwho.compile.pattern_characters`, for importers that are being rewritten."""

from wwho.compile.pattern_characters import CharReader

__all__ = ["CharReader"]
