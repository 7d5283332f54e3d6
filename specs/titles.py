"""The titles of what is checked of every protocol, beside the names that the protocol gives itself.

Protocols in Python may not use these titles (``verifier.specs.names``). The names of a TLA+ module are
those of strangers: where one of them is such a title, the check gets a title that is no name.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, fields
from typing import Any

NO_DEADLOCK = "NoDeadlock"
"""Freedom from deadlock: in every reachable state some action is enabled."""
UNDEFINED_READ = "UndefinedRead"
"""That nothing is read that has no value."""
TYPED = "Typed"
"""The conjunct of every invariant that says that the bits hold a state."""
SORTS = "Sorts"
"""Of a TLA+ module, that no execution leaves the sorts that are guessed."""
_BUILT_IN = " (built in)"
_KEY = "deadlock_title"


@dataclass(frozen=True)
class Titles:
    """The titles of one protocol's built-in checks."""

    no_deadlock: str = NO_DEADLOCK
    undefined_read: str = UNDEFINED_READ
    typed: str = TYPED
    sorts: str = SORTS

    @property
    def of_the_translation(self) -> tuple[str, str]:
        """Checks that a TLA+ module does not ask for, and that every verdict on its translation rests on."""
        return self.sorts, self.undefined_read


def titles_beside(names: Container[str]) -> Titles:
    """The titles, where a protocol has these names: none is one of them."""
    every = {one.name: str(one.default) for one in fields(Titles)}
    return Titles(**{key: f"{title}{_BUILT_IN}" if title in names else title for key, title in every.items()})


def as_statistics(titles: Titles) -> dict[str, str]:
    """Entries of a run's statistics for titles that are not the usual ones."""
    return {} if titles.no_deadlock == NO_DEADLOCK else {_KEY: titles.no_deadlock}


def deadlock_title(statistics: Mapping[str, Any]) -> str:
    """The title of freedom from deadlock in a run with these statistics."""
    return str(statistics.get(_KEY, NO_DEADLOCK))
AS_LEMMA = ".lemma"
"""The end of the name of a lemma that is a property of its module, too."""
