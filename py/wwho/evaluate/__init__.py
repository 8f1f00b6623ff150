"""Measures tokenizers on text, and compares them in a report."""
