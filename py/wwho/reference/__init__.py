"""FORMAT.md, Encoding and Decoding, in plain Python: a lesson, and a second opinion."""
