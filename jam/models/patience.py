"""Long work waits for a server that is down, a few times; then what is left is left for another day."""

from __future__ import annotations

import logging
import threading
import time

from jam.models.endpoint import Endpoint

_log = logging.getLogger(__name__)
_RESTS = 2


class Patience:
    """What one build has of it. Shared by all that it asks: a rest is one rest for all."""

    def __init__(self, rests: int = _RESTS) -> None:
        self._left = rests
        self._until = 0.0
        self._lock = threading.Lock()

    def wait(self, endpoint: Endpoint) -> bool:
        """Waits until the server has rested; false at once where there is no patience left."""
        with self._lock:
            if time.monotonic() >= self._until:
                if self._left <= 0:
                    return False
                self._left -= 1
                self._until = endpoint.rest()
                _log.warning("%s doesn't answer; asked again in %.0f s", endpoint.where, self._until - time.monotonic())
        time.sleep(max(0.0, self._until - time.monotonic()))
        return True
