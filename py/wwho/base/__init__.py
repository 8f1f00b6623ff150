"""Base BPE vocabularies: importing them and bringing them into the artifact's form."""
