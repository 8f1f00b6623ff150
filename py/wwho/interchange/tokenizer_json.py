"""What the record of an artifact keeps of a tokenizer.json of Hugging Face."""

from __future__ import annotations

from typing import Final

KEY: Final = "components"
"""What the record calls the components, as JSON: all of the file but its vocabulary."""
