"""`python -m servelab` is the same as `servelab`."""

import sys

from servelab.cli import run

sys.exit(run())
