"""Small modules with temporal properties under fairness. ``results/tla-lasting.json`` has TLC's verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "results" / "tla-lasting.json"


@dataclass(frozen=True)
class Small:
    """A small module, with fairness and properties that are asked about."""

    body: str
    """It defines Init, Next and vars."""
    fairness: Mapping[str, str]
    """By name what stands behind ``Init /\\ [][Next]_vars``."""
    properties: Mapping[str, str]
    config: str = ""
    translated: bool = True
    """True if it can be translated."""

    def text(self) -> str:
        """The whole module."""
        found = ["---- MODULE M ----", self.body]
        found += [f"Spec{name} == Init /\\ [][Next]_vars{more}" for name, more in self.fairness.items()]
        found += [f"{name} == {formula}" for name, formula in self.properties.items()]
        return "\n".join((*found, "====", ""))

    def configuration(self, fairness: str, name: str) -> str:
        """The configuration that asks about one property."""
        words = f"SPECIFICATION Spec{fairness}\nPROPERTY {name}\nCHECK_DEADLOCK FALSE\n"
        return f"{words}{self.config}"


MODULES = {
    "ring": Small(
        """EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x \\in 0..1 /\\ y = 0
Inc == x < 3 /\\ x' = x + 1 /\\ UNCHANGED y
Flip == x = 3 /\\ y' = 1 - y /\\ UNCHANGED x
Reset == x = 3 /\\ y = 1 /\\ x' = 0 /\\ UNCHANGED y
Next == Inc \\/ Flip \\/ Reset""",
        {
            "Strong": " /\\ WF_vars(Inc) /\\ SF_vars(Reset)",
            "Weak": " /\\ WF_vars(Inc) /\\ WF_vars(Flip) /\\ WF_vars(Reset)",
        },
        {
            "Stays": "[](x = 3 => [](x = 3))",
            "Past": "(x = 1) => [](x # 0)",
            "Comes": "(x = 0) ~> (x = 3)",
            "Again": "[]<>(x = 0)",
            "Ends": "<>[](x = 3)",
            "Each": "\\A n \\in 0..3 : []<>(x = n)",
            "If": "[]<>(y = 1) => []<>(x = 0)",
            "Or": "[]<>(x = 0) \\/ <>[](x = 3)",
            "Nested": "[](y = 1 => <>(x = 0 /\\ <>(x = 2)))",
            "Steps": "[]<><<Flip>>_vars",
            "NoSteps": "<>[][~Reset]_vars",
            "SomeSteps": "[]<><<Reset>>_vars => []<><<Flip>>_vars",
            "Some": "\\E n \\in 0..3 : <>[](x = n)",
            "Fair": "WF_vars(Reset)",
            "Can": "[]<>(ENABLED <<Reset>>_vars)",
            "Equal": "([]<>(x = 0) => []<>(y = 0)) /\\ ([]<>(y = 0) => []<>(x = 0))",
            "Let": "LET P(n) == x = n IN P(0) ~> P(2)",
        },
    ),
    "mutex": Small(
        """EXTENDS Naturals
VARIABLES pc, turn
vars == <<pc, turn>>
P == {1, 2}
Init == pc = [p \\in P |-> "out"] /\\ turn = 0
Try(p) == pc[p] = "out" /\\ pc' = [pc EXCEPT ![p] = "try"] /\\ UNCHANGED turn
Enter(p) == pc[p] = "try" /\\ turn = 0 /\\ pc' = [pc EXCEPT ![p] = "in"] /\\ turn' = p
Leave(p) == pc[p] = "in" /\\ pc' = [pc EXCEPT ![p] = "out"] /\\ turn' = 0
Next == \\E p \\in P : Try(p) \\/ Enter(p) \\/ Leave(p)""",
        {
            "Weak": " /\\ \\A p \\in P : WF_vars(Try(p)) /\\ WF_vars(Enter(p)) /\\ WF_vars(Leave(p))",
            "Strong": " /\\ \\A p \\in P : SF_vars(Enter(p)) /\\ WF_vars(Leave(p))",
            "One": " /\\ SF_vars(Enter(1)) /\\ \\A p \\in P : WF_vars(Leave(p))",
            "Any": " /\\ WF_vars(\\E p \\in P : Enter(p) \\/ Leave(p))",
        },
        {
            "Served": '\\A p \\in P : (pc[p] = "try") ~> (pc[p] = "in")',
            "OneServed": '(pc[1] = "try") ~> (pc[1] = "in")',
            "SomeServed": '(\\E p \\in P : pc[p] = "try") ~> (\\E p \\in P : pc[p] = "in")',
            "Frees": "(turn # 0) ~> (turn = 0)",
            "Live": "[]<>(turn # 0)",
            "Starves": '<>[](pc[2] = "try") => []<>(pc[1] = "in")',
            "Taken": "\\A p \\in P : []<><<Enter(p)>>_vars",
        },
    ),
    "counter": Small(
        """EXTENDS Naturals
VARIABLES x
vars == x
Init == x = 0
Up == x' = x + 1
Down == x > 2 /\\ x' = x - 1
Next == Up \\/ Down
Small == x <= 4""",
        {"Up": " /\\ WF_x(Up)", "Down": " /\\ SF_x(Down)", "Next": " /\\ WF_x(Next)"},
        {
            "Reaches": "<>(x = 3)",
            "Grows": "<>[](x > 1)",
            "Again": "[]<>(x = 2)",
            "Falls": "(x = 4) ~> (x = 2)",
            "Ups": "[]<><<Up>>_x",
        },
        config="CONSTRAINT Small\n",
    ),
    "limited": Small(
        """EXTENDS Naturals
VARIABLES x, y
vars == <<x, y>>
Init == x = 0 /\\ y = 0
Up == x' = (x + 1) % 4 /\\ UNCHANGED y
Other == y' = 1 - y /\\ UNCHANGED x
Next == Up \\/ Other
Allowed == x = 3 => x' # 0""",
        {"None": "", "Up": " /\\ WF_vars(Up)", "Both": " /\\ WF_vars(Up) /\\ SF_vars(Other)"},
        {"Last": "<>[](x = 3)", "Again": "[]<>(x = 0)", "Moves": "[]<>(y = 1)"},
        config="ACTION_CONSTRAINT Allowed\n",
    ),
    "level": Small(
        """EXTENDS Naturals, TLC
VARIABLES x
vars == x
Init == x = 0
Next == x' = x + 1 \\/ (x > 0 /\\ x' = x - 1)
Early == TLCGet("level") < 5""",
        {"None": "", "Next": " /\\ WF_x(Next)", "Up": " /\\ SF_x(x' = x + 1)"},
        {"Leaves": "<>(x = 1)", "Returns": "(x = 1) ~> (x = 0)", "Bounded": "<>[](x < 3)"},
        config="CONSTRAINT Early\n",
        translated=False,
    ),
    "stuck": Small(
        """EXTENDS Naturals, Sequences
VARIABLES q, done
vars == <<q, done>>
Init == q \\in {<<>>, <<1>>, <<1, 2>>} /\\ done = {}
Take == q # <<>> /\\ done' = done \\cup {Head(q)} /\\ q' = Tail(q)
Next == Take""",
        {"None": "", "Take": " /\\ WF_vars(Take)", "Q": " /\\ WF_q(Take)"},
        {
            "Empties": "<>(q = <<>>)",
            "Rests": "<>[](q = <<>>)",
            "Both": "<>(done = {1, 2})",
            "Keeps": "[](1 \\in done => [](1 \\in done))",
        },
    ),
}


def rows() -> Iterator[tuple[str, str, str]]:
    """Modules, fairness and properties that are asked about."""
    for name, small in MODULES.items():
        for fairness in small.fairness:
            for claim in small.properties:
                yield name, fairness, claim
