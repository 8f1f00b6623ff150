"""Language models of token ids, trained and measured here: what vocabularies are compared with."""
