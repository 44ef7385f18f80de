"""``python -m lastrites`` is the command ``lastrites``."""

import sys

from lastrites.cli import main

sys.exit(main())
