"""A one-line progress display on a terminal; silent when standard error is piped."""

from __future__ import annotations

import sys
from typing import TextIO


class Progress:
    """Shows `[3/9] stage` on one line that each stage overwrites; `hide` wipes it for other text and at the end."""

    def __init__(self, total: int, stream: TextIO = sys.stderr) -> None:
        self._total = total
        self._done = 0
        self._stream = stream
        self._live = stream.isatty()

    def __call__(self, stage: str) -> None:
        self._done += 1
        if self._live:
            self._stream.write(f"\r\033[K[{self._done}/{self._total}] {stage}")
            self._stream.flush()

    def hide(self) -> None:
        if self._live:
            self._stream.write("\r\033[K")
            self._stream.flush()
