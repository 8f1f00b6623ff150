"""Making artifacts: base vocabularies, and other tokenizers' files that give the same ids."""
