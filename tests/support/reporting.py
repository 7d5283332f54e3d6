"""Rows for the tests of reports: a toy whose text is as hostile as text can be, and every verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.examples import kip320_first_try
from verifier.outcomes.row import Row
from verifier.verdict import VerdictKind

JUNIT_SCHEMA = Path(__file__).with_name("junit-10.xsd")
"""From Jenkins' xUnit plugin, under the MIT licence, which stands in it."""

HOSTILE = '</script><script>document.title="broken"</script><b>&amp;`|*'
"""A value of the protocol below."""

_SPEC = f'''
from verifier.encodings.sorts import Enum, Function, Set
from verifier.specs.protocol import IndexSetConstant, Protocol, State, Step, action, invariant

WORDS = Enum("word", ("plain", {HOSTILE!r}))


class Hostile(Protocol, camel_case=True):
    """Nodes pass on a word that wants to be a script."""

    nodes = IndexSetConstant(3, kind="node")
    words = WORDS

    def state(self):
        return State(heard=Function(self.nodes, Set(WORDS)))

    def init(self, s):
        from verifier.encodings.quantifiers import forall
        return forall(self.nodes, lambda n: s.heard[n].is_empty)

    @action(node="nodes", word="words")
    def say(self, s, node, word):
        return Step(when=[~s.heard[node].contains(word)], then={{s.heard[node]: s.heard[node].add(word)}})

    @action(teller="nodes", hearer="nodes", word="words")
    def tell(self, s, teller, hearer, word):
        return Step(
            when=[s.heard[teller].contains(word), ~s.heard[hearer].contains(word)],
            then={{s.heard[hearer]: s.heard[hearer].add(word)}},
        )

    @invariant()
    def somebody_is_spared(self, s):
        from verifier.encodings.quantifiers import exists
        return exists(self.nodes, lambda n: ~s.heard[n].contains({HOSTILE!r}))
'''


def hostile_spec(folder: Path) -> Path:
    """A protocol file whose violation has the hostile word in it."""
    path = folder / "hostile.py"
    path.write_text(_SPEC, encoding="utf-8")
    return path


def like(row: Row, **changes: Any) -> Row:
    """The row with other contents; without its trace unless it is given."""
    return replace(row, **{"trace": None, "steps": None, **changes})


def every_verdict() -> list[Row]:
    """A row of each kind."""
    row = kip320_first_try()
    kinds: list[tuple[VerdictKind, dict[str, Any]]] = [
        (VerdictKind.HOLDS, {"depth": 12}),
        (VerdictKind.PROVED, {"depth": None}),
        (VerdictKind.REACHED, {"trace": row.trace, "steps": row.steps}),
        (VerdictKind.VIOLATED, {"trace": row.trace, "steps": row.steps}),
        (VerdictKind.NOT_INDUCTIVE, {"reason": "BecomeLeader breaks a|lemma"}),
        (VerdictKind.INCONCLUSIVE, {"reason": "timeout of 60 s", "depth": 7}),
        (VerdictKind.ERROR, {"reason": "two\x00sides", "error": "two\x00sides"}),
    ]
    return [
        like(row, verdict=kind, property_name=f"Of{kind.title()}", exit_code=kind.exit_code, **rest)
        for kind, rest in kinds
    ]
