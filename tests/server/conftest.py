"""Before the server's tests: the compiled engine is there.

Compiling in the background and building routes at their first use both change the process's warning filters for a
moment; where warnings are errors, each could make one of the other.
"""

from __future__ import annotations

import pytest

from servelab.sim import compiled


@pytest.fixture(scope="session", autouse=True)
def compiled_engine() -> None:
    """Compile it now, or take it from its cache."""
    compiled.run()
