"""Runs that were asked for lately, kept so that a look at another part of them simulates nothing again."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import Any

from servelab.sim.recording import Recording
from servelab.specs.fields import as_json

#: Bytes of all runs that are kept together.
MOST_BYTES = 2**28


class Recordings:
    """A bounded cache of what a question's runs are: the least lately used are let go first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Recording] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> Recording | None:
        """The run of that key, if it is still kept."""
        with self._lock:
            recording = self._kept.get(key)
            if recording:
                self._kept.move_to_end(key)
            return recording

    def put(self, key: str, recording: Recording) -> None:
        """Keep a run; one larger than all the room is not kept."""
        with self._lock:
            if recording.nbytes > self._most_bytes or key in self._kept:
                return
            self._kept[key] = recording
            self._bytes += recording.nbytes
            while self._bytes > self._most_bytes:
                _, oldest = self._kept.popitem(last=False)
                self._bytes -= oldest.nbytes

    @property
    def nbytes(self) -> int:
        """Bytes of the runs that are kept."""
        return self._bytes


def key_of(*parts: Any) -> str:
    """A key for a question: equal where all its parts are, records, texts and numbers."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(as_json(part).encode()).digest())
    return digest.hexdigest()
