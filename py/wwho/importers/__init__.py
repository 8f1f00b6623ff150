"""Other tokenizers' files as models that give the same ids."""
