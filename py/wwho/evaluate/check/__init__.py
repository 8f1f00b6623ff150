"""Comparisons and checks: an imported model with its library, a vocabulary, a schema on text."""
