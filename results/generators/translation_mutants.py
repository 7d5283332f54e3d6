"""``results/translation-mutants.md``: how many wrong rules of the translation its validation finds.

Run ``python -m results.generators.translation_mutants``. Each rule of ``translation_rules`` is made wrong, as
it stands in memory. A small module is asked twice: without validation, where the verdict is a wrong one, and
with it, within the time that it has by default. Most rules are tried in two modules: in one the rule matters
in the first states, in the other only in states that no walk reaches, behind a guard that one state of 1,681
satisfies. A module whose verdict is no wrong one, though the rule is wrong, is not counted.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.support.translation_mutants import CLAIMS, Answer, Trial, trials, try_mutant
from tests.support.translation_rules import RULES, Rule

_HERE = Path(__file__).resolve().parents[1]
_TABLE = _HERE / "translation-mutants.md"
_LONGEST = 160


def _row(trial: Trial, alone: Answer, validated: Answer) -> str:
    what = validated.reason.partition(": the interpreter says")[0].replace("|", "\\|")
    shown = what if len(what) <= _LONGEST else f"{what[:_LONGEST]} …"
    cause = " (cause)" if trial.rule.cause else ""
    function = trial.rule.where.rpartition(".")[2]
    cells = (trial.rule.name + cause, f"`{function}`", trial.shape, alone.verdict, validated.verdict, shown)
    return f"| {' | '.join(cells)} |"


def answers(rules: Sequence[Rule] = RULES) -> Iterator[tuple[Trial, Answer, Answer]]:
    """Yield the answers on each module."""
    with tempfile.TemporaryDirectory() as folder:
        for trial in (trial for rule in rules for trial in trials(rule)):
            alone, validated = try_mutant(trial, Path(folder))
            print(_row(trial, alone, validated), file=sys.stderr, flush=True)
            yield trial, alone, validated


def table(every: Iterable[tuple[Trial, Answer, Answer]]) -> str:
    """The table, and how many are found."""
    said = list(every)
    rows = [_row(*one) for one in said]
    claims = [validated for _, alone, validated in said if alone.verdict in CLAIMS]
    wrong, found = len(claims), sum(validated.verdict not in CLAIMS for validated in claims)
    head = ("wrong rule", "function", "module", "without validation", "with it", "what it says")
    lines = ["# Wrong rules of the translation", "", (__doc__ or "").split("\n\n", 1)[1].strip(), ""]
    lines += [f"Of {wrong} wrong verdicts validation finds {found} ({100 * found // max(wrong, 1)} %).", ""]
    lines += [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *rows]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    _TABLE.write_text(table(answers()))
