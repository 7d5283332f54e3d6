"""``results/soundness.md``: modules and protocols that were once answered wrongly, by every engine.

Run ``python -m results.generators.soundness_table FOLDER TLC [--seconds N] [--budget N]``: the folder of the
texts, and TLC's command, which is asked of each property alone. An answer is wrong where it claims a property
that is violated; a claim of ``n`` steps only where the violation is as near. After ``--budget`` seconds it
ends.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.support.measuring import run_to_end, verify

_ASKED = frozenset({"INVARIANT", "INVARIANTS", "PROPERTY", "PROPERTIES"})
_KEYWORDS = {
    *_ASKED, "CONSTANT", "CONSTANTS", "INIT", "NEXT", "SPECIFICATION", "CHECK_DEADLOCK", "CONSTRAINT",
    "CONSTRAINTS", "ACTION_CONSTRAINT", "ACTION_CONSTRAINTS", "VIEW", "SYMMETRY", "ALIAS", "POSTCONDITION",
}  # fmt: skip
_TABLE = Path(__file__).resolve().parents[1] / "soundness.md"
_CLAIMS = frozenset({"HOLDS", "PROVED", "REACHED"})
_BOUNDED = ("--depth", "4", "--steps")
ENGINES: dict[str, tuple[str, ...]] = {
    "explore, interpreter": ("explore", "--by", "interpreter"),
    "explore, translation": ("explore", "--by", "translation"),
    "bmc serial": ("bmc", *_BOUNDED, "serial", "--by", "translation"),
    "bmc parallel": ("bmc", *_BOUNDED, "parallel", "--by", "translation"),
    "prove": ("prove",),
    "ic3": ("prove", "--engine", "ic3"),
    "k-induction": ("prove", "--engine", "kind"),
    "induct": ("induct",),
    "live": ("live",),
    "simulate": ("simulate", "--walks", "200"),
    "check": ("check",),
}
OF_PROTOCOLS: dict[str, tuple[str, ...]] = {
    "explore": ("explore",),
    "bmc serial": ("bmc", *_BOUNDED, "serial"),
    "bmc parallel": ("bmc", *_BOUNDED, "parallel"),
    **{name: ENGINES[name] for name in ("prove", "ic3", "k-induction", "induct", "simulate", "check")},
    "all constants": ("prove", "--all-constants"),
}


@dataclass(frozen=True)
class Truth:
    """The true answer for a text: every property holds, one is violated, or it ends with an error."""

    words: str
    steps: int | None = None
    """The fewest steps of a violation, if they are known."""

    def __str__(self) -> str:
        return self.words if self.steps is None else f"{self.words} in {self.steps}"


_OF_PROTOCOL: dict[str, dict[str, int | None]] = {
    "latest/hashed/dict_get.py": {"never_two": 2},
    "latest/hashed/len_set.py": {"never_one": 1},
    "latest/hashed/isdisjoint.py": {"outside": 0},
    "latest/hashed/dict_equal.py": {"apart": 0},
    "lowest_node.py": {"the_first_leads": 3},
    "lowest_node2.py": {"the_first_never_leads": 3},
    "two_kinds_one_letter.py": {"unused": 3},
    "bag_parameter.py": {"not_all": 3},
    "bag_parameter2.py": {"not_all": 3},
    "same_title_properties.py": {"no_two": 2},
    "key_names.py": {"opened": 1, "other_stays_closed": None},
    "rare2.py": {"never_all": None},
}
"""The steps of the shortest violation of each property, by the folder; None where it holds."""
PROTOCOLS = {
    name: {
        title: Truth("holds") if steps is None else Truth("violated", steps) for title, steps in of.items()
    }
    for name, of in _OF_PROTOCOL.items()
} | {"unreachable.py": {"three": Truth("violated")}}  # it is never reached, and was said to be
"""The answers that the folder gives for its protocols."""


def modules(folder: Path) -> list[Path]:
    """The modules of the folder."""
    return sorted((folder / "latest" / "translation").glob("*.tla")) + sorted(
        (folder / "latest").glob("*.tla")
    )


def of_tlc(module: Path, tlc: Path, seconds: float = 60) -> dict[str, Truth]:
    """Return TLC's answer for each property of a module."""
    sections: list[list[str]] = []
    for word in module.with_suffix(".cfg").read_text().split():
        if word in _KEYWORDS:
            sections.append([])
        sections[-1].append(word)
    others = [" ".join(section) for section in sections if section[0] not in _ASKED]
    asked = [(section[0], name) for section in sections if section[0] in _ASKED for name in section[1:]]
    alone = {name: "\n".join([*others, f"{keyword} {name}\n"]) for keyword, name in asked}
    return {name: _of_one(module, config, tlc, seconds) for name, config in alone.items()}


def _of_one(module: Path, config: str, tlc: Path, seconds: float) -> Truth:
    with tempfile.TemporaryDirectory() as states:
        alone = Path(states) / "Alone.cfg"
        alone.write_text(config)
        words = [str(tlc.resolve()), "-workers", "1", "-noGenerateSpecTE", "-metadir", states]
        run = run_to_end([*words, "-config", str(alone), module.name], limit=seconds, folder=module.parent)
    if run is None:
        return Truth("not finished")
    if "No error has been found" in run.output:
        return Truth("holds")
    places = [int(number) for number in re.findall(r"^State (\d+):", run.output, re.MULTILINE)]
    return Truth("violated" if "violated" in run.output else "error", max(places, default=1) - 1)


def ask_verdicts(text: Path, words: tuple[str, ...], seconds: float) -> tuple[list[dict[str, Any]], str]:
    """Return the verdicts of a command; if it gives none, the last line of its output."""
    run = run_to_end(
        verify(words[0], str(text), *words[1:], "--timeout", f"{seconds:g}s", "--format", "json"),
        limit=seconds + 60,
    )
    if run is None:
        return [], "did not end"
    if not run.output.startswith("{"):
        return [], run.last_error
    return json.loads(run.output)["results"], ""


def is_wrong(truths: dict[str, Truth], verdicts: list[dict[str, Any]]) -> bool:
    """True if a verdict contradicts the true answer."""
    return any(_contradicts(truths[one["property"]], one) for one in verdicts if one["property"] in truths)


def _contradicts(truth: Truth, verdict: dict[str, Any]) -> bool:
    kind = verdict["verdict"]
    if kind == "ERROR":
        return truth.words in ("holds", "violated")
    if kind == "VIOLATED":
        return truth.words == "holds"
    return truth.words == "violated" and _reaches(truth, verdict)


def _reaches(truth: Truth, verdict: dict[str, Any]) -> bool:
    """True if a verdict claims a property for as many steps as it is known to hold for, and more."""
    if verdict["verdict"] != "HOLDS" or verdict["depth"] is None or truth.steps is None:
        return verdict["verdict"] in _CLAIMS
    return bool(verdict["depth"] >= truth.steps)


def is_more(truths: dict[str, Truth], verdicts: list[dict[str, Any]]) -> bool:
    """True if a property is claimed of which TLC ends with an error as near."""
    named = [(truths[one["property"]], one) for one in verdicts if one["property"] in truths]
    return any(truth.words == "error" and _reaches(truth, one) for truth, one in named)


def _say(verdicts: list[dict[str, Any]], refusal: str, folder: Path) -> str:
    if not verdicts:
        words = refusal.removeprefix("verify: ").replace(f"{folder}/", "").replace("|", "\\|")
        return words if len(words) <= 120 else f"{words[:117]}..."
    parts = []
    for one in verdicts:
        steps = one["steps"] if one["verdict"] == "VIOLATED" else one["depth"]
        shown = f"{one['verdict']}({steps})" if steps is not None else one["verdict"]
        reason = f": {one['reason']}" if one["verdict"] == "ERROR" else ""
        parts.append(f"{one['property']} {shown}{reason}")
    return "; ".join(parts).replace("|", "\\|")


def judge_properties(truths: dict[str, Truth], answers: Iterable[list[dict[str, Any]]]) -> set[str]:
    """Return the properties with a verdict of some engine and a known true answer. Raises ValueError if
    engines have verdicts, but none on such a property."""
    named = {one["property"] for verdicts in answers for one in verdicts}
    if named and not named & truths.keys():
        raise ValueError(f"no verdict is of one of {', '.join(truths)}, but of {', '.join(named)}")
    return named & truths.keys()


def _rows(
    text: Path, truths: dict[str, Truth], folder: Path, seconds: float
) -> list[tuple[str, str, str, str, str]]:
    engines = ENGINES if text.suffix == ".tla" else OF_PROTOCOLS
    of = () if text.suffix == ".tla" else tuple(word for name in truths for word in ("--property", name))
    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(lambda words: ask_verdicts(text, (*words, *of), seconds), engines.values()))
    judge_properties(truths, (verdicts for verdicts, _ in answers))
    name = str(text.relative_to(folder)).removeprefix("latest/")
    so = "; ".join(f"{name} {truth}" for name, truth in truths.items())
    rows = []
    for engine, (verdicts, refusal) in zip(engines, answers, strict=True):
        mark = "**wrong**" if is_wrong(truths, verdicts) else "more" if is_more(truths, verdicts) else ""
        rows.append((name, so, engine, _say(verdicts, refusal, folder), mark))
    return rows


def table(rows: list[tuple[str, str, str, str, str]], left: int, seconds: float) -> str:
    """The rows as Markdown."""
    wrong, more = (sum(row[4] == mark for row in rows) for mark in ("**wrong**", "more"))
    names = {row[0] for row in rows}
    solvers = ", ".join(f"{name} {version(name)}" for name in ("z3-solver", "python-sat", "cvc5"))
    lines = [
        "# What was answered wrongly once, by every engine",
        "",
        f"`python -m results.generators.soundness_table FOLDER TLC --seconds {seconds:g}` made this table on",
        f"{datetime.now(UTC):%Y-%m-%d}, beside TLC 2026.04 with one worker; {solvers}.",
        "TLC says what is so of each property of a module, the folder what is so of a protocol.",
        "`violated in n` names the steps of the counterexample. **wrong**: a property is claimed that is",
        "violated as near, VIOLATED is said of one that holds, or ERROR where TLC has a verdict.",
        '"more": a property is claimed of which TLC ends with an error as near.',
        "",
        f"Of {len(rows)} answers on {len(names)} texts {wrong} are wrong, {more} claim more than TLC.",
        f"{left} texts of the folder were not begun within the budget of the run.",
        "",
        "| text | it is so | engine | answer | |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows), ""])


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("tlc", type=Path)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--budget", type=float, default=7200)
    given = parser.parse_args()
    texts = [given.folder / name for name in PROTOCOLS] + modules(given.folder)
    rows: list[tuple[str, str, str, str, str]] = []
    began = time.monotonic()
    for number, text in enumerate(texts):
        if time.monotonic() - began > given.budget:
            break
        known = PROTOCOLS.get(str(text.relative_to(given.folder)))
        truths = of_tlc(text, given.tlc) if known is None else known
        rows += _rows(text, truths, given.folder, given.seconds)
        print(
            text.name,
            {name: f"{one}" for name, one in truths.items()},
            [row[2] for row in rows if row[0].endswith(text.name) and row[4]],
            flush=True,
        )
        _TABLE.write_text(table(rows, len(texts) - number - 1, given.seconds))


if __name__ == "__main__":
    main()
