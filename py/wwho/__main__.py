"""Run the command `wwho` as `python -m wwho`, where the scripts of Python are not on the path."""

import sys

from wwho_command import main

sys.exit(main())
