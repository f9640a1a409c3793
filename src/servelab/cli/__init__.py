"""The command line: parse, call, print."""

from __future__ import annotations


def run() -> int:
    """`servelab`: the exit status. All else is imported inside, so that Ctrl-C ends a start as it ends a run."""
    try:
        from servelab.cli.main import main

        return main()
    except KeyboardInterrupt:
        return 130
