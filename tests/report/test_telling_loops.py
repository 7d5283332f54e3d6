"""Sentences on an infinite execution: what the property demands, and what is false in the loop."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.test_telling import draw, list_blamed, tell_row
from tests.support.examples import rabbit_lasso, run_rows
from verifier.report.telling import _fair


def test_of_a_loop_the_part_that_is_false_in_all_states_is_told() -> None:
    found = tell_row(rabbit_lasso())
    assert found.head.endswith(" repeat forever, and Liveness is never met for a = a1, q = q1.")
    assert found.lines[0] == "The formula above must come true again and again. It never does."
    whose = "for a = a1, q = q1, in every state of the loop"
    assert found.lines[1].startswith(f"This part of it stays false {whose}: (active[q1] = a1) ∨ ")
    assert found.lines[2].startswith("In state 4, neither alternative holds: active[q1] is a2, not a1; and")
    assert found.lines[2].endswith(" is not in subscriber_queue[q1], which is ⟨⟩.")
    assert found.lines[3:] == ("a1 takes no step in the loop.",)
    assert found.around[0].startswith("The loop: ")
    assert {path.partition("[")[0] for path, _ in list_blamed(rabbit_lasso())} <= {
        "active", "length(subscriber_queue", "subscriber_queue",
    }  # fmt: skip


COUNTER = """---- MODULE Counter ----
EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\\ y = 0
Up == x < 3 /\\ x' = x + 1 /\\ UNCHANGED y
Flip == x >= 2 /\\ y' = 1 - y /\\ UNCHANGED x
Next == Up \\/ Flip
Spec == Init /\\ [][Next]_vars /\\ WF_vars(Up)
Formula == FORMULA
====
"""


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        (
            "<>(x = 4)",
            ["It must come true some time: x = 4.", "It never does: in state 3, x is 3, and must be 4."],
        ),
        (
            "<>(x = 3 /\\ y = 1)",
            [
                "It must come true some time: x = 3 /\\ y = 1.",
                "It never does.",
                "y = 1 is false in state 3, forever: y is 0, and must be 1.",
            ],
        ),
        (
            "[]<>(x = 0)",
            [
                "It must come true again and again: x = 0.",
                ("It does not: it is false in state 1 and in all that follow: "
                "in state 3, x is 3, and must be 0."),
            ],
        ),
        (
            "<>[](x # 3)",
            [
                "From some state on, x # 3 must be true forever.",
                "It is not: in state 3 it is false each time: x is 3, and must not be.",
            ],
        ),
        (
            "x = 2 ~> y = 1",
            [
                "x = 2 is true, in state 2. Then y = 1 must hold, in this state or later.",
                "It never does: y is 0, and must be 1.",
            ],
        ),
        (  # A choice demands none of its parts.
            "[]<>(x = 0) \\/ <>(y = 2)",
            [
                "x = 0 is false in state 1 and in all that follow: in state 3, x is 3, and must be 0.",
                "y = 2 is false in every state: in state 3, y is 0, and must be 2.",
            ],
        ),
        (
            "WF_vars(Flip)",
            [
                ("WF_vars(Flip) is false in every state: <<Flip>>_vars is enabled from state 2 on, "
                "and no step of the loop takes it.")
            ],
        ),
        (
            "[]<><<x' = 0>>_x",
            ["It must come true again and again: <<x' = 0>>_x.", "It never does."],
        ),
    ],
)
def test_what_is_demanded_of_a_loop_is_what_the_property_says(
    formula: str, words: list[str], tmp_path: Path
) -> None:
    module = tmp_path / "Counter.tla"
    module.write_text(COUNTER.replace("FORMULA", formula))
    module.with_suffix(".cfg").write_text("SPECIFICATION Spec\nPROPERTY Formula\nCHECK_DEADLOCK FALSE\n")
    (row,) = run_rows("live", "--spec", str(module), "--by", "interpreter")
    assert list(tell_row(row).lines) == words


TURNS = """---- MODULE Turns ----
EXTENDS Naturals
VARIABLES n
Init == n = 0
Step(k) == n < 3 /\\ n' = n + k
Back == n = 3 /\\ n' = 0
Next == (\\E k \\in {1, 2} : Step(k) /\\ n' <= 3) \\/ Back
Spec == Init /\\ [][Next]_n /\\ WF_n(Next)
Formula == FORMULA
====
"""


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("<>[][n' # 0]_n", "It is not: in step LAST it is false each time."),
        (
            "SF_n(Step(2))",
            ("SF_n(Step(2)) is false in every state: <<Step(2)>>_n is enabled in state 0, again and again, "
            "and no step of the loop takes it."),
        ),
    ],
)
def test_steps_of_a_loop_have_the_numbers_of_the_drawing(formula: str, words: str, tmp_path: Path) -> None:
    """The step from state 2 is step 3; the step that leads back has the number after the last state."""
    module = tmp_path / "Turns.tla"
    module.write_text(TURNS.replace("FORMULA", formula))
    module.with_suffix(".cfg").write_text("SPECIFICATION Spec\nPROPERTY Formula\nCHECK_DEADLOCK FALSE\n")
    (row,) = run_rows("live", "--spec", str(module), "--by", "interpreter")
    back = next(number for number, step in enumerate(draw(row).steps) if step.action == "Back")
    assert tell_row(row).lines[-1] == words.replace("LAST", str(back))
    assert list_blamed(row) == []


@pytest.mark.parametrize(
    ("formula", "at", "culprits"),
    [
        ("[](x # 1)", 1, ["x"]),  # false before the loop
        ("<>(x = 3 /\\ y = 1)", None, ["y"]),  # x is as demanded
    ],
)
def test_values_of_a_loop_are_those_of_the_state_that_is_told(
    formula: str, at: int | None, culprits: list[str], tmp_path: Path
) -> None:
    module = tmp_path / "Counter.tla"
    module.write_text(COUNTER.replace("FORMULA", f"{formula} \\/ <>[](x = 9)"))
    module.with_suffix(".cfg").write_text("SPECIFICATION Spec\nPROPERTY Formula\nCHECK_DEADLOCK FALSE\n")
    (row,) = run_rows("live", "--spec", str(module), "--by", "interpreter")
    found = draw(row)
    assert found.fails_at == (len(found.steps) - 1 if at is None else at)
    assert {one.path for one in found.unmet[0].blamed or found.unmet[1].blamed} == set(culprits)


def test_of_a_choice_in_a_protocol_each_side_is_told(tmp_path: Path) -> None:
    spec = tmp_path / "flips.py"
    spec.write_text(
        """from verifier import *
class Flips(Protocol):
    \"\"\"A switch.\"\"\"
    def state(self): return State(t=Range(0, 3), on=Boolean())
    def init(self, s): return [s.t == 0, ~s.on]
    @action
    def up(self, s): return Step(when=s.t < 3, then={s.t: s.t + 1})
    @action
    def flip(self, s): return Step(when=s.t == 3, then={s.on: ~s.on})
    @temporal
    def either(self, s): return eventually_always(s.t < 2) | always_eventually(s.t == 1)
    def fairness(self): return [weak()]
"""
    )
    (row,) = [one for one in run_rows("live", "--spec", str(spec)) if one.trace is not None]
    assert [line.partition(":")[0] for line in tell_row(row).lines] == [
        "t < 2 is false in every state of the loop", "t = 1 is false in every state of the loop",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("formula", "values"),
    [
        # Each side of a choice in the state that its sentence tells; state 5 is state 3 again.
        ("[](x # 1) \\/ <>[](x = 9)", [("x", "1", ((1, 1),)), ("x", "3", ((3, 3), (5, 5)))]),
        ("<>[](y = 1)", [("y", "0", ((3, 3), (5, 5)))]),
        ("x = 2 ~> y = 9", [("y", "0", ((3, 3), (2, 5)))]),
        ("<>[](x < 3)", [("x", "3", ((3, 3), (5, 5)))]),
    ],
)
def test_a_value_of_a_loop_belongs_to_the_states_that_are_told(
    formula: str, values: list[object], tmp_path: Path
) -> None:
    module = tmp_path / "Counter.tla"
    text = COUNTER.replace("WF_vars(Up)", "WF_vars(Up) /\\ WF_vars(Flip)")
    module.write_text(text.replace("FORMULA", formula))
    module.with_suffix(".cfg").write_text("SPECIFICATION Spec\nPROPERTY Formula\nCHECK_DEADLOCK FALSE\n")
    (row,) = run_rows("live", "--spec", str(module), "--by", "interpreter")
    found = [(one.path, one.value, part.states) for part in draw(row).unmet for one in part.blamed]
    assert found == values


def test_a_value_that_stays_belongs_to_all_states_that_are_told(tmp_path: Path) -> None:
    """It is false "in state 2 and in all that follow": from there on, and not in the last state alone."""
    module = tmp_path / "Counter.tla"
    module.write_text(COUNTER.replace("FORMULA", "x = 2 ~> y = 1"))
    module.with_suffix(".cfg").write_text("SPECIFICATION Spec\nPROPERTY Formula\nCHECK_DEADLOCK FALSE\n")
    (row,) = run_rows("live", "--spec", str(module), "--by", "interpreter")
    (part,) = draw(row).unmet
    assert [one.path for one in part.blamed] == ["y"]
    assert part.states == ((2, len(draw(row).steps) - 1),)


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ("Range(0, 1)", "a1 is not in line, which is ⟨a2, a2⟩"),
        ("Range(0, 0)", "no p has (p < length(line)) ∧ (line[p] = a1)"),  # place 1 was not asked
    ],
)
def test_an_item_is_absent_only_if_all_places_were_asked(places: str, words: str, tmp_path: Path) -> None:
    spec = tmp_path / "lines.py"
    spec.write_text(
        f"""from verifier import *
class Lines(Protocol):
    \"\"\"Apps wait in a line.\"\"\"
    apps = IndexSetConstant(2, kind="app")
    def state(self): return State(line=Sequence(self.apps, 2))
    def init(self, s): return s.line.is_empty
    @action(app="apps")
    def join(self, s, app): return Step(when=s.line.length < 2, then={{s.line: s.line.append(app)}})
    @invariant
    def first_waits(self, s):
        waits = exists((p < s.line.length) & (s.line[p] == "a1") for p in {places})
        return (s.line.length < 2) | waits
"""
    )
    (row,) = run_rows("bmc", str(spec), "--property", "first_waits", "--depth", "3")
    assert words in tell_row(row).lines[-1]


def test_conditions_that_are_not_named_are_counted() -> None:
    conditions = [{"condition": f"WF of Deliver({n})", "met": "enabled in no state"} for n in range(5)]
    words = "WF of Deliver(0), WF of Deliver(1), WF of Deliver(2) and 2 more conditions: enabled in no state"
    assert words in _fair(conditions)
