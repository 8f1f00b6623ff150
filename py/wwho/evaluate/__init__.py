"""Measures tokenizers on texts, compares them in a report, and checks what goes into one."""
