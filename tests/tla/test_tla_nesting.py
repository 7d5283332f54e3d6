"""The depth to which an operator can call itself, and results that all its calls share."""

from __future__ import annotations

import json
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import explore_module, translate_body, write_module
from verifier.encodings.sorts import Range
from verifier.encodings.terms import Symbol, Term
from verifier.runs.modules import refining
from verifier.runs.modules.policy import POLICY
from verifier.tla.translate import calls, nesting, translation
from verifier.tla.translate.coding import Names
from verifier.tla.translate.definition import translate
from verifier.tla.translate.sampling import sample
from verifier.tla.translate.symbolic import Known
from verifier.tla.translate.terms import variable

_CONFIG = "INIT Init\nNEXT Next\nINVARIANT Inv\nCHECK_DEADLOCK FALSE\n"
_LIST = """EXTENDS Naturals
VARIABLES after, got, k
N == 1..4
Init == after = [n \\in N |-> n] /\\ got = 1 /\\ k = 0
Link == \\E n, m \\in N : /\\ m < n /\\ after[n] # m /\\ after' = [after EXCEPT ![n] = m]
                        /\\ UNCHANGED <<got, k>>
Inv == got # 3 \\/ after[4] # 1
"""
_FORMS = {
    "a list": """RECURSIVE Last(_)
Last(n) == IF after[n] = n THEN n ELSE Last(after[n])
Value == Last(4)
""",
    "a list by an operator of its own": """Smaller(n) == IF after[n] # n THEN after[n] ELSE n
RECURSIVE Last(_)
Last(n) == IF Smaller(n) = n THEN n ELSE Last(Smaller(n))
Value == Last(4)
""",
    "calls in arguments, which do not stand within each other": """RECURSIVE Down(_)
Down(n) == IF after[n] = n THEN n ELSE IF after[n] > 2 THEN Down(after[n]) ELSE after[n]
Value == Down(Down(Down(Down(Down(Down(Down(Down(Down(Down(4))))))))))
""",
    "another argument that grows": """RECURSIVE Steps(_, _)
Steps(n, d) == IF after[n] = n THEN d ELSE Steps(after[n], (d + 1) % 5)
Value == 1 + (Steps(4, 0) % 4)
""",
    "an argument that is only compared with others": """RECURSIVE To(_, _)
To(n, m) == IF n = m THEN n ELSE IF after[n] = n THEN n ELSE To(after[n], m)
Value == To(4, got)
""",
    "a LET that calls itself within one that does": """RECURSIVE Outer(_, _)
Outer(n, d) == LET RECURSIVE Inner(_)
                   Inner(j) == IF j = 0 THEN IF d = 0 THEN n ELSE Outer(after[n], d - 1) ELSE Inner(j - 1)
               IN Inner(1)
Value == Outer(4, 5)
""",
    "an operator that does not always read its argument": """Of(n, j) == IF j = 0 THEN 1 ELSE after[n]
RECURSIVE Far(_, _)
Far(n, j) == IF j = 0 THEN Of(n, 0) ELSE Far(after[n + 1], j - 1)
Value == Far(3, k)
""",
    "an operator with another argument elsewhere": """Of(n, j) == IF after[n] # n THEN after[n] ELSE j
RECURSIVE Far(_, _)
Far(n, j) == IF Of(n, j) = j \\/ after[n] = n THEN Of(n, j) ELSE Far(Of(n, j), j)
Value == IF Far(4, 1) = 1 THEN Far(4, 2) ELSE Far(4, 3)
""",
    "operators that call each other": """RECURSIVE Even(_), Odd(_)
Even(n) == IF after[n] = n THEN 1 ELSE Odd(after[n])
Odd(n) == IF after[n] = n THEN 2 ELSE Even(after[n])
Value == Even(4)
""",
    "an operator that leads back": """RECURSIVE Last(_)
Next1(n) == Last(after[n])
Last(n) == IF after[n] = n THEN n ELSE IF after[n] = 1 THEN 1 ELSE Next1(n)
Value == Last(4)
""",
}


@pytest.fixture
def look_at_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few states are looked at, so that these small modules are translated."""

    def few(spec: Any, *_: object, symmetry: Any = None, **__: object) -> Any:
        return sample(spec, most=12, most_initial=4, symmetry=symmetry)

    monkeypatch.setattr(translation, "sample", few)
    monkeypatch.setattr(refining, "POLICY", replace(POLICY, long_translation_seconds=inf))


@pytest.mark.parametrize("form", _FORMS)
def test_recursive_operators_have_the_values_of_the_interpreter(
    tmp_path: Path, form: str, look_at_few: None
) -> None:
    body = _LIST + _FORMS[form] + "Next == Link \\/ (got' = Value /\\ k' = (k + 1) % 3 /\\ UNCHANGED after)\n"
    found = explore_module(tmp_path, body, _CONFIG).result
    (tmp_path / "M.cfg").write_text(_CONFIG)
    done = verify("explore", "--spec", str(write_module(tmp_path, body)), "--keep-going", "--format", "json")
    run = json.loads(done.stdout)
    figures = run["statistics"]
    assert "explored using the translation" in done.stderr, done.stderr
    own = (figures["distinct_states"], figures["generated_states"], figures["levels"])
    assert own == (found.distinct, found.generated, found.levels)
    assert figures["distinct_states"] > 24
    violated = {r["property"]: r["steps"] for r in run["results"] if r["verdict"] == "VIOLATED"}
    assert violated == {name: len(one.states) - 1 for name, one in found.violations.items()}


def _size(folder: Path, form: str) -> int:
    """The number of terms of the translation."""
    body = _LIST + _FORMS[form] + "Next == Link \\/ (got' = Value /\\ UNCHANGED <<after, k>>)\n"
    made = translate_body(folder, body, _CONFIG).translation
    translate(made)
    return sum(1 for action in made.actions for _, value in action.then for _ in value.walk())


def test_recursion_is_unrolled_as_deep_as_there_are_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    least = _size(tmp_path, "a list")
    monkeypatch.setattr(calls, "some_are_equal", lambda *_: False)
    assert _size(tmp_path, "a list") > 4 * least


def test_what_recursion_asks_of_others_is_computed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    once = calls._make_table_for

    def note(self: Any, *rest: Any) -> Any:
        asked.append(self)
        return once(self, *rest)

    monkeypatch.setattr(calls, "_make_table_for", note)
    _size(tmp_path, "a list by an operator of its own")
    assert len(asked) > 12
    tables = {id(one): one for one in asked}.values()
    assert [len(one.tabled) for one in tables] == [4]  # type: ignore[attr-defined]


def _of(low: int, high: int) -> Term:
    return variable(Symbol("n", Range(low, high)))


@pytest.mark.parametrize(
    ("first", "others", "arguments"),
    [
        (_of(1, 3), (1, 3), 4),  # three values, and that there is none
        (_of(1, 2), (2, 4), 5),
        (Known(7), (1, 2), 4),
    ],
)
def test_more_calls_than_arguments_have_some_in_common(
    first: Any, others: tuple[int, int], arguments: int
) -> None:
    names, same = Names(None), _of(1, 9)  # type: ignore[arg-type]
    for count in range(2, 9):
        given = [(first, same), *((_of(*others), same) for _ in range(count - 1))]
        assert nesting.some_are_equal(given, names, 40) is (count > arguments)


def test_arguments_of_large_sorts_are_not_counted() -> None:
    names = Names(None)  # type: ignore[arg-type]
    wide = [(variable(Symbol("m", Range(0, 50))),) for _ in range(39)]
    assert not nesting.some_are_equal(wide, names, 40)
    assert not nesting.some_are_equal([], names, 40)
