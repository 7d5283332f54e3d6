"""``results/coverage.md``: the counts of formulas by `verify explore --coverage` beside TLC's ``-coverage``.

Run ``python -m results.generators.coverage_table EXAMPLES TLC``: the folder of the models of tlaplus/Examples
and TLC's command. Temporal properties are left out of the configurations, for TLC counts a formula again
where it evaluates fairness. TLC lists the formulas of each action and each property by themselves, and of a
formula only the parts that it evaluated another number of times. So the counts of a formula are added up, and
compared with the own count if TLC lists the formula at all. TLC counts a guard again when it goes on behind
it (six evaluations of which three are true are nine). Its operands are counted once: they stand for it.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from tests.support.measuring import run_to_end, verify

_TABLE = Path(__file__).resolve().parents[1] / "coverage.md"
_MODELS = (
    "CigaretteSmokers/CigaretteSmokers.cfg",
    "DiningPhilosophers/DiningPhilosophers.cfg",
    "LearnProofs/MCFindHighest.cfg",
    "Majority/MCMajority.cfg",
    "Paxos/MCConsensus.cfg",
    "Paxos/MCPaxos.cfg",
    "Prisoners/Prisoners.cfg",
    "ReadersWriters/MC.cfg",
    "ewd840/EWD840.cfg",
    "transaction_commit/TwoPhase.cfg",
)
_SECONDS = 120
_LISTED = re.compile(r"^  (\|*)line (\d+), col (\d+) to line (\d+), col (\d+) of module (\w+): ([\d,]+)")
_PROPERTIES = re.compile(r"^\s*PROPERT(?:Y|IES)\b[^\n]*(?:\n\s+[^\n]*)*", re.MULTILINE)
_BY_ELEMENTS = ("\\A", "\\E", "~ \\E", "~ \\A")
"""The beginnings of formulas whose parts are evaluated for each element."""
_Place: TypeAlias = tuple[str, int, int, int]
"""A module, and the line, first and last column of a formula."""
_WHY = """Formulas with another count are below. TLC counts a formula with an operator that is an argument, as
`P(y)`, again. Why the other counts differ, of Paxos and of the constraint `Len(f) <= MaxLength`, is open."""
_HEAD = """# Coverage beside TLC's

Run ``python -m results.generators.coverage_table EXAMPLES TLC``. TLC's ``-coverage`` counts evaluations of
expressions; ``verify explore --coverage`` those of formulas. Temporal properties are left out, for TLC counts
a formula again where it evaluates fairness. TLC lists a part of a formula only where it counts another number
than for the whole, and lists a definition for each action that calls it: these counts are added up. It counts
a guard again when it goes on behind it, so the counts of its operands stand for it. Compared are formulas on
one line that TLC lists.

| model | states | formulas | compared | equal | TLC more | TLC fewer |
|---|---|---|---|---|---|---|
"""


@dataclass
class _Comparison:
    model: str
    states: int
    formulas: int
    equal: int = 0
    more: list[str] = field(default_factory=list)
    """Formulas that TLC counts more often, with both counts."""
    fewer: list[str] = field(default_factory=list)

    def view(self) -> str:
        """Return the row of the table."""
        compared = self.equal + len(self.more) + len(self.fewer)
        figures = (self.states, self.formulas, compared, self.equal, len(self.more), len(self.fewer))
        return f"| {self.model} | {' | '.join(f'{figure:,}' for figure in figures)} |"


@dataclass
class _Listed:
    """An expression in TLC's list, with the expressions right below it."""

    depth: int
    place: _Place
    count: int
    operands: list[_Listed] = field(default_factory=list)

    def count_by_operands(self) -> int:
        """Return how often it was evaluated, if it is a formula made of operands."""
        within = [one.count for one in self.operands if self._has(one.place)]
        return max(within, default=self.count)

    def _has(self, other: _Place) -> bool:
        module, line, first, last = self.place
        return other[:2] == (module, line) and first <= other[2] and other[3] <= last


def read_listing(output: str) -> dict[_Place, list[_Listed]]:
    """Return the expressions on one line in the last coverage that TLC lists, by their places."""
    listed, around = dict[_Place, list[_Listed]](), list[_Listed]()
    for text in output.rpartition("The coverage statistics at")[2].splitlines():
        found = _LISTED.match(text)
        if found is None:
            around = []
            continue
        bars, line, first, end, last, module, count = found.groups()
        place = module, int(line), int(first), int(last) if line == end else 0
        one = _Listed(len(bars), place, int(count.replace(",", "")))
        while around and around[-1].depth >= one.depth:
            around.pop()
        if around:
            around[-1].operands.append(one)
        around.append(one)
        listed.setdefault(place, []).append(one)
    return listed


def compare_counts(
    model: str, states: int, counted: list[dict[str, Any]], listed: dict[_Place, list[_Listed]]
) -> _Comparison:
    """Compare the own counts with those that TLC lists."""
    found = _Comparison(model, states, len(counted))
    for one in counted:
        file, line, column = one["place"].rsplit(":", 2)
        place = Path(file).stem, int(line), int(column), int(column) + len(one["formula"]) - 1
        if place not in listed or one["formula"].endswith("…"):
            continue
        by_elements = one["formula"].startswith(_BY_ELEMENTS)
        count = sum(each.count if by_elements else each.count_by_operands() for each in listed[place])
        if count == one["evaluated"]:
            found.equal += 1
            continue
        words = f"`{one['formula']}` ({Path(file).name}:{line}): {one['evaluated']:,}, TLC {count:,}"
        (found.more if count > one["evaluated"] else found.fewer).append(words)
    return found


def measure_model(model: str, examples: Path, tlc: Path) -> _Comparison:
    """Run both commands on a copy of a model."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / Path(model).parent.name
        shutil.copytree((examples / model).parent, folder)
        config = folder / Path(model).name
        config.write_text(_PROPERTIES.sub("", config.read_text()))
        spec = config.with_suffix(".tla")
        words = ["explore", str(spec), "--config", str(config), "--coverage", "--format", "json"]
        own = run_to_end(verify(*words), limit=_SECONDS)
        words = [str(tlc), "-workers", "1", "-coverage", "60", "-noGenerateSpecTE", "-metadir", made]
        other = run_to_end([*words, "-config", config.name, spec.name], limit=_SECONDS, folder=folder)
    if own is None or other is None:
        raise SystemExit(f"{model} takes too long")
    figures = json.loads(own.output)["statistics"]
    return compare_counts(model, figures["distinct_states"], figures["coverage"], read_listing(other.output))


def main() -> None:
    """Measure all models, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("examples", type=Path)
    parser.add_argument("tlc", type=Path)
    asked = parser.parse_args()
    rows = [measure_model(model, asked.examples, asked.tlc) for model in _MODELS]
    differing = [f"- {one.model}: {words}" for one in rows for words in (*one.more, *one.fewer)]
    lines = [one.view() for one in rows]
    rest = ["", _WHY, "", *differing] if differing else []
    _TABLE.write_text(_HEAD + "\n".join([*lines, *rest]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
