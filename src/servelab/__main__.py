"""`python -m servelab` is the same as `servelab`."""

import sys

from servelab.cli.main import main

sys.exit(main())
