"""Script schemas: what a script's characters are, and what its syllables look like."""
