"""How long a log of 10 MB takes to read, whatever it holds."""

from __future__ import annotations

import time
from collections.abc import Iterator

from servelab.fidelity.logs.reader import FORMATS, read_log

SIZE = 10_000_000
MARKERS = [phrase.marker for form in FORMATS for phrase in form.phrases]

#: A server's ordinary log, and texts made to be slow: markers over and over, with what each pattern backs up over.
TEXTS = {
    "a day of requests": "INFO 11-21 12:00:00 [loggers.py:1] Avg prompt throughput: 12.3 tokens/s, Running: 4 reqs\n",
    "one letter": "a",
    "newlines": "\n",
    "escapes": "\x1b",
    "phrases without end": "".join(MARKERS),
    "phrases and digits": "".join(f"{marker}{'1' * 600}" for marker in MARKERS),
    "phrases and spaces": "".join(f"{marker}{' ' * 640}" for marker in MARKERS),
    "settings without end": "args: Namespace(" + "ab='" * 8000,
}


def rows() -> Iterator[tuple[str, str, str]]:
    """What, measured, bar."""
    for name, text in TEXTS.items():
        yield f"10 MB read as a log: {name}", f"{cpu_seconds(text):.2f} s CPU", "≤ 1 s"


def cpu_seconds(text: str) -> float:
    """Processor time of one reading of `text` repeated to 10 MB, the best of three."""
    whole = (text * (SIZE // len(text) + 1))[:SIZE]
    runs = []
    for _ in range(3):
        start = time.process_time()
        read_log(whole)
        runs.append(time.process_time() - start)
    return min(runs)
