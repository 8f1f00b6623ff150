"""`python -m wwho`: the command of a Python whose scripts are not on the path."""

import sys

from wwho.cli.main import main

sys.exit(main())
