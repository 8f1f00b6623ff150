"""The tables and layouts of other libraries that importers and exporters share."""
