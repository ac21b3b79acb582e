"""A clock with alarms."""

from __future__ import annotations

import os
from functools import cache

LIMIT: int = 3
low, high = 0, 10
first = second = None
double = lambda n: n * 2  # noqa: E731

if os.name == "nt":
    SHELL = "cmd"
else:
    SHELL = "sh"


def ring(times: int = LIMIT) -> str:
    """Ring the bell."""
    sound = "dring"

    def once() -> str:
        return sound

    return once() * times


@cache
async def wait(seconds): ...


class Clock(Base):
    """Shows the time."""

    zone: str = "UTC"
    alarms = ()

    @property
    def hour(self):
        return self._hour

    @hour.setter
    def hour(self, value):
        self._hour = (value,)

    class Hand:
        def turn(self):
            hand = self
            return hand


ring(2)
