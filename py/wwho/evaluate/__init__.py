"""What a tokenizer is worth: measured on text, beside others, as a report."""
