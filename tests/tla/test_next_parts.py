"""The parts of Next: together they have the steps that Next has, with the same actions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

from tests.support.tla_modules import specify_module
from tests.support.tla_random_texts import configuration, module
from verifier.tla.frames import Undefined
from verifier.tla.next_parts import parts_of_next
from verifier.tla.specification import Specification
from verifier.tla.translate.sampling import Stepper, sample

CONFIG = "CONSTANT Node = {1, 2, 3}\nINIT Init\nNEXT Next"
BODY = """
EXTENDS Naturals
CONSTANT Node
VARIABLES at, log
Init == at = [n \\in Node |-> 0] /\\ log = {}
Move(n, by) == at[n] + by < 4 /\\ at' = [at EXCEPT ![n] = @ + by] /\\ UNCHANGED log
Meet(n, m) == /\\ n # m /\\ at[n] = at[m]
              /\\ \\/ log' = log \\cup {<<n, m>>} /\\ at' = at
                 \\/ \\E k \\in log : log' = log \\ {k} /\\ at' = [at EXCEPT ![k[1]] = 0]
Read(v) == v > 2 /\\ log' = {} /\\ UNCHANGED at
Of(n) == \\/ \\E by \\in 1..2, m \\in Node : m >= n /\\ Move(n, by)
         \\/ \\E m \\in Node : Meet(n, m)
         \\/ LET v == at[n] IN Read(v)
         \\/ Read(at[n] + 1)
         \\/ IF at[n] = 3 THEN Move(1, 1) ELSE UNCHANGED <<at, log>>
Back == \\E n \\in {m \\in Node : at[m] > 1} : at' = [at EXCEPT ![n] = 0] /\\ UNCHANGED log
Next == (\\E n \\in Node : Of(n)) \\/ Back \\/ \\A n \\in Node : at[n] = 3 /\\ UNCHANGED <<at, log>>
"""


def _compare(spec: Specification, most: int) -> tuple[int, int]:
    """Compare the steps from the first states. Return the number of these, and of parts."""
    stepper, parts, compared = Stepper(spec), parts_of_next(spec), 0
    for state in sample(spec, most=most, walks=False).states[:most]:
        try:
            expected = Counter(stepper.ways(state))
        except Undefined:
            continue
        found = Counter(way for part in parts for way in stepper.ways_by(part, state))
        assert found == expected
        compared += 1
    return compared, len(parts)


def test_quantifiers_over_constants_are_divided(tmp_path: Path) -> None:
    compared, parts = _compare(specify_module(tmp_path, BODY, CONFIG), 300)
    # For each node 6 moves (2 lengths, 3 others), 3 meetings, and 3 formulas that stay whole.
    assert (compared, parts) == (300, 3 * (6 + 3 + 3) + 2)


def test_a_part_is_told_by_its_place(tmp_path: Path) -> None:
    parts = parts_of_next(specify_module(tmp_path, BODY, CONFIG))
    assert {part.name for part in parts} == {"Meet", "Of", "Back", "Next"}
    of = {part.place for part in parts if part.name == "Of"}
    assert len(of) == 4


def test_random_modules(tmp_path: Path) -> None:
    compared = 0
    for seed in range(12):
        chance = Random(seed)
        body = module(chance)
        compared += _compare(specify_module(tmp_path, body, configuration(chance)[0]), 20)[0]
    assert compared > 50
