"""The tokenizers of transformers' classes, from a model's folder without a tokenizer.json.

A vocabulary alone does not say how a model cuts text. The class does that the folder's settings
name: `choice` finds it as AutoTokenizer does, and each module beside it has a table `CLASSES` of
some classes, which say what is made of which files. `classes` joins these tables. A class that no
table has is refused by name.
"""
