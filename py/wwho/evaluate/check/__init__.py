"""Judges: of an imported model, of a vocabulary, and of a schema."""
