"""What was worked out lately, kept so that a look at another part of it repeats nothing: caches of pure functions."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import Any, Generic, TypeVar

from servelab.specs.fields import as_json

Value = TypeVar("Value")


class Kept(Generic[Value]):
    """Values by their keys, up to so many bytes together: the least lately used are let go first."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[Value, int]] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> Value | None:
        """The value of that key, if it is still kept."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: str, value: Value, nbytes: int) -> None:
        """Keep a value that takes so many bytes; one larger than all the room is not kept."""
        with self._lock:
            if nbytes > self._most_bytes or key in self._kept:
                return
            self._kept[key] = value, nbytes
            self._bytes += nbytes
            while self._bytes > self._most_bytes:
                _, (_, freed) = self._kept.popitem(last=False)
                self._bytes -= freed

    @property
    def nbytes(self) -> int:
        """Bytes of all that is kept."""
        return self._bytes


def key_of(*parts: Any) -> str:
    """A key for a question: equal where all its parts are, records, texts and numbers."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(hashlib.sha256(as_json(part).encode()).digest())
    return digest.hexdigest()


def digest_of(text: str) -> str:
    """What a text is known by."""
    return hashlib.sha256(text.encode()).hexdigest()
