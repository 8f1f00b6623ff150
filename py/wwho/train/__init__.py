"""The SGPE trainer: from a corpus to a vocabulary of syllables and merges of syllables."""
