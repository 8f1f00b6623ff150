"""Other libraries' tokenizers as artifacts that give the same ids.

`import_file` finds out by its content what a file is, and gives the model, with notes of what was
left out. What a file holds that no artifact can, is refused by name: `wwho.errors.SourceError`.

Each kind of file is a `Reader`, in a module of its own; `wwho.importers.detect` lists them.
"""

from wwho.importers.detect import import_file, import_source
from wwho.importers.reader import Imported, Options
from wwho.importers.source import Source

__all__ = ["Imported", "Options", "Source", "import_file", "import_source"]
