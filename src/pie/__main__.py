"""``python -m pie``: the command line."""

import sys

from .discovery.cli import main

sys.exit(main())
