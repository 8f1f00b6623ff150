"""The `wwho` command: `main.py` reads the command line, and each command is a module."""
