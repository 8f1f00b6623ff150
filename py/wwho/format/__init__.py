"""The `.wwho` artifact: its data model, writer and reader. The specification is wasm/FORMAT.md."""
