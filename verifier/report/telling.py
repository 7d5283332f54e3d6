"""Sentences on what an execution does wrong: the step that breaks a property, or what a loop never does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verifier.outcomes.row import ASSUMED, Row
from verifier.printable import join_words, say_count
from verifier.report.causes import Piece, earlier_causes
from verifier.report.diagram import Change, Diagram, DiagramStep
from verifier.report.failing import Failing
from verifier.report.fair_loop import STUTTERS
from verifier.specs.titles import TYPED, deadlock_title
from verifier.text.deltas import LOST
from verifier.verdict import VerdictKind

_LONGEST, _LONGEST_VALUE, _LONGEST_FORMULA = 110, 120, 170
_MOST_CHANGES, _MOST_NAMED = 3, 6
_LONGEST_AROUND = 400
_LONGEST_PART = 60
"""A longer part of a formula is not written out where a sentence says why it is false."""
_LONGEST_WITNESS, _MOST_CONDITIONS = 75, 3
_LONGEST_GIVEN = 24
"""A longer parameter is left out of a step that is too long."""
_HOW_OFTEN = {"eventually": "some time", "always eventually": "again and again"}
_WITHIN = {
    "eventually": "The formula above must come true some time. It never does.",
    "always eventually": "The formula above must come true again and again. It never does.",
    "eventually always": "From some state on, the formula above must be true forever. It is not.",
}
"""The demand on a formula of which only a part is told."""
_INITIALLY = "fails in an initial state"
"""The end of an engine's reason where no step is needed."""
_TAKEN = "taken in the loop"
REQUIRED = "This is required because"
"""The beginning of the sentence on what demands a false part."""
_LONGEST_NAME = 48
"""A longer name of a property stands only above."""
_STRENGTHEN = (
    "Next: a lemma that excludes the first state (--lemma), or a search for an execution to it (verify bmc)."
)
_PLACE = re.compile(r"^([\w.-]+\.(?:tla|py):\d+): ")


@dataclass(frozen=True)
class Told:
    """The head and the sentences below it."""

    head: str
    lines: tuple[str, ...]
    around: tuple[str, ...] = ()
    """Sentences that may be left out where there is little room."""
    earlier: tuple[tuple[Piece, ...], ...] = ()
    """Sentences on what led to it, with links to steps."""


def tell(row: Row, diagram: Diagram) -> Told | None:
    """Say what went wrong; None for an execution that reaches what was looked for."""
    if row.verdict not in (VerdictKind.VIOLATED, VerdictKind.NOT_INDUCTIVE) or row.trace is None:
        return None
    if "loop" in row.trace:
        short = failing_name(row) if len(failing_name(row)) <= _LONGEST_NAME else "the property"
        return _tell_loop(row.trace, diagram, short)
    last = len(diagram.steps) - 1
    step, name = _shorten_call(diagram.steps[-1], _LONGEST), failing_name(row)
    name = name if len(name) <= _LONGEST_NAME else "it"
    if row.verdict is VerdictKind.NOT_INDUCTIVE:
        head = _tell_start(row, diagram, step, name)
    elif last == 0:
        head = f"The first state breaks {name}."
    elif diagram.about_step:
        head = f"{'It' if name == 'it' else name} does not allow step {last}, {step}."
    else:
        head = f"Step {last}, {step}, breaks {name}."
    unkept = list(unkept_formulas(row))
    held = list(_tell_held(row, diagram)) if row.verdict is VerdictKind.NOT_INDUCTIVE else []
    lines = [*held, *_changes(diagram), *(_why(one, diagram) for one in diagram.failing)]
    if row.property_name == deadlock_title(row.statistics):
        after = f"After step {last}, {step}, no action" if last else "In the first state no action"
        head = f"{after} is enabled: a deadlock."
        lines = [*(_why(one, diagram) for one in diagram.failing), *_changes(diagram)]
    around = dict.fromkeys([*(words for part in diagram.failing for words in _around(part)), *unkept])
    is_arbitrary = row.verdict is VerdictKind.NOT_INDUCTIVE
    advice = [(Piece(_STRENGTHEN),)] if is_arbitrary else []
    earlier = (*earlier_causes(diagram, is_arbitrary=is_arbitrary), *advice)
    return Told(head, tuple(lines), tuple(around), earlier)


def _tell_start(row: Row, diagram: Diagram, step: str, name: str) -> str:
    """Say where an induction fails, and that the state in which it does so need not be reachable."""
    reached = (row.reason or "").partition("; the first state ")[2]
    if len(diagram.steps) == 1 and (row.reason or "").endswith(_INITIALLY):
        return f"Not decided: {name} fails in an initial state."
    if len(diagram.steps) == 1:
        return (
            "Not decided: the induction fails. "
            f"A state satisfies what is assumed, and violates {name}. That state may be unreachable."
        )
    shown = ", ".join(_values_at_fault(diagram))
    state = f"a state with {shown}," if shown else "state 0"
    is_known = "is reachable" if reached.startswith("is reached") else "may be unreachable"
    return (
        f"Not decided: the induction fails at {step}. "
        f"From {state} it leads to one that violates {name}. That state {is_known}."
    )


def _tell_held(row: Row, diagram: Diagram) -> Iterator[str]:
    """Say which formulas hold where a failed induction begins."""
    figures = row.statistics.get("properties", {}).get(row.property_name, {})
    lemmas = row.options.get("lemmas") or ()
    assumed = [name for name in figures.get(ASSUMED, ()) if name.partition(":")[0] != TYPED]
    assumed.sort(key=lambda name: (name != row.property_name, name in lemmas))
    words = [f"the lemma {name}" if name in lemmas else name for name in assumed]
    if words:
        yield f"State 0 satisfies {join_words(words)}."


def _values_at_fault(diagram: Diagram) -> list[str]:
    """Return the values to blame in the first state, those that are short."""
    places = dict.fromkeys(place for part in diagram.failing for one in part.blamed for place in one.places)
    values = [(diagram.names[place], diagram.start[place]) for place in places]
    return [f"{name} {value}" for name, value in values if len(value) <= _LONGEST_VALUE][:_MOST_CHANGES]


def unkept_formulas(row: Row) -> Iterator[str]:
    """Say of each formula of an induction which actions do not keep it: first of the one that is shown."""
    obligations: Sequence[Mapping[str, Any]] = (row.proof or {}).get("obligations") or ()
    steps = [one for one in obligations if one.get("kind") == "consecution"]
    actions = dict.fromkeys(one["at"] for one in steps)
    broken: dict[str, dict[str, None]] = {}
    for one in steps:
        if one["holds"] is False:
            broken.setdefault(one["formula"], {})[one["at"]] = None
    shown = failing_name(row)
    for formula in sorted(broken, key=lambda name: name != shown):
        names = broken[formula]
        do_not = "does not" if len(names) == 1 else "do not"
        of_them = f"{len(names)} of {say_count(len(actions), 'action')}"
        yield _sentence(f"{of_them} {do_not} keep {formula}: {', '.join(names)}")


def failing_name(row: Row) -> str:
    """Return the name of what fails: a lemma may fail in the place of the property."""
    failing = (row.trace or {}).get("#meta", {}).get("property")
    return row.claim if failing in (None, row.property_name) else str(failing)


def _title(step: DiagramStep) -> str:
    return str(step).removesuffix("()")


def _shorten_call(step: DiagramStep, most: int) -> str:
    """Say a step; where that is too long, with its short parameters, or with none."""
    if len(_title(step)) <= most:
        return _title(step)
    given = ", ".join(
        f"{name}={value if len(value) <= _LONGEST_GIVEN else '…'}" for name, value in step.parameters
    )
    short = f"{step.action}({given})"
    return short if len(short) <= most else f"{_cut(step.action, most - 3)}(…)"


def _changes(diagram: Diagram) -> Iterator[str]:
    """The changes of the last step to what the property reads."""
    read = {place for part in diagram.failing for one in part.blamed for place in one.places}
    read |= {place for part in diagram.failing for place in part.premises}
    changes = [change for change in diagram.steps[-1].changes if change.place in read]
    if changes and len(diagram.steps) > 1:
        told = [
            f"{diagram.name_change(change)}: {_cut(_in_words(diagram, change), _LONGEST_VALUE)}"
            for change in changes[:_MOST_CHANGES]
        ]
        more = len(changes) - len(told)
        rest = f"; and {more} more" if more else ""
        yield _sentence(f"Step {len(diagram.steps) - 1} changes {'; '.join(told)}{rest}")


def _in_words(diagram: Diagram, change: Change) -> str:
    """Say a change; of a set what it gains and loses."""
    if change.words != change.delta or change.delta[:2] not in ("+ ", f"{LOST} "):
        return diagram.words(change)
    parts = re.split(rf"(?:^|, )([+{LOST}]) ", change.delta)
    told = []
    for sign, verb in (("+", "gains"), (LOST, "loses")):
        members = [item for mark, item in zip(parts[1::2], parts[2::2], strict=True) if mark == sign]
        told += [f"{verb} {', '.join(members)}"] if members else []
    return ", ".join(told)


def _why(part: Failing, diagram: Diagram) -> str:
    """Say why a part is false; of a step, when it is so before it."""
    if part.action:
        return _tell_waiting(part)
    words, named = part.says or f"{_cut(part.formula, _LONGEST_FORMULA)} is false", _name_part(part)
    is_before = diagram.about_step and any(one.is_before for one in part.blamed) and "'" not in words
    if 0 < len(named) <= _LONGEST_WITNESS:
        return _sentence(f"For {named}{', before the step' if is_before else ''}: {words}")
    return _sentence(f"{'Before the step' if is_before else 'Now'} {words}")


def _tell_waiting(part: Failing) -> str:
    """Say what an action waits for that cannot be taken, and what is the case instead."""
    given = ", ".join(f"{name}={_cut(value, _LONGEST_VALUE)}" for name, value in part.witnesses)
    action = f"{part.action}({given})" if given else part.action
    formula = _cut(_plain(part.formula), _LONGEST_FORMULA)
    values = ", ".join(f"{one.path} = {_cut(one.value, _LONGEST_VALUE)}" for one in part.where)
    says = values if part.says in ("", f"{_plain(part.formula)} is false") else part.says
    says = says.partition(", and must be ")[0]
    return _sentence(f"{action} waits for {formula}{f': {says}' if says else ''}")


def _around(part: Failing) -> Iterator[str]:
    """Say for which long values a part is false, and what demands it."""
    if len(_name_part(part)) > _LONGEST_WITNESS:
        yield _sentence(f"This is so for {_name_part(part, _LONGEST_AROUND)}")
    demands = [_plain(one) for one in part.demanded_by]
    while len(", ".join(demands)) > _LONGEST_FORMULA:  # the last one is the nearest
        del demands[0]
    if demands:
        yield f"{REQUIRED} {', '.join(demands)}."
    for branch in map(_plain, part.branches):
        yield _sentence(f"{branch[0].upper()}{_cut(branch[1:], _LONGEST_FORMULA)}")


def _name_part(part: Failing, most: int = _LONGEST_VALUE) -> str:
    return ", ".join(f"{name} = {_cut(value, most)}" for name, value in part.witnesses)


def _sentence(words: str) -> str:
    return words if words.endswith("…") else f"{words}."


def _plain(formula: str) -> str:
    """A formula of a module without its place."""
    return _PLACE.sub("", formula)


def _tell_loop(trace: Mapping[str, Any], diagram: Diagram, name: str) -> Told:
    start, last = trace["loop"], len(diagram.steps) - 1
    names = [step.action for step in diagram.steps[start + 1 :]]
    if last == start + 1 and names[0] == STUTTERS:
        after = f"After step {start}" if start else "From the start"
        head, loop = f"{after} nothing changes", f"The execution stays in state {start} forever."
    else:
        shown = [_shorten_call(step, 50) for step in diagram.steps[start + 1 :][:_MOST_NAMED]]
        rest = [f"{len(names) - _MOST_NAMED} more"] if len(names) > _MOST_NAMED else []
        steps = f"Step {last} repeats" if last == start + 1 else f"Steps {start + 1} to {last} repeat"
        head, loop = f"{steps} forever", f"The loop: {', '.join([*shown, *rest])}."
    about = trace["#meta"].get("loop", {})
    missing = [part for part in about.get("failing", ()) if not part.get("truth")]
    for_whom = _at(missing[0]) if len(missing) == 1 and len(_at(missing[0])) <= _LONGEST_WITNESS else ""
    fair = (Piece(_fair(about.get("conditions", ()))),)
    lines = (*_unmet(about.get("failing", ())), *_idle(missing, diagram, start))
    return Told(
        f"{head}, and {name} is never met{for_whom}.", lines, (loop,), (*earlier_causes(diagram), fair)
    )


def _idle(missing: Sequence[Mapping[str, Any]], diagram: Diagram, start: int) -> Iterator[str]:
    """Say which of those that a formula is about take no step in the loop, where others of their kind do."""
    steps = [step for step in diagram.steps[start + 1 :] if step.action != STUTTERS]
    acting = {step.lane for step in steps}
    kinds = {diagram.lanes[lane].kind for lane in acting if lane < len(diagram.lanes)}
    named = {str(value) for part in missing for _, value in part["witnesses"]}
    given = {value for step in steps for _, value in step.parameters}
    for number, lane in enumerate(diagram.lanes):
        if (lane.element or lane.name) in named - given and lane.kind in kinds and number not in acting:
            yield f"{lane.name} takes no step in the loop."


def _fair(conditions: Sequence[Mapping[str, str]]) -> str:
    """Say why fairness allows the loop: first the conditions that no step of the loop meets."""
    if not conditions:
        return "Fairness allows it: none is assumed."
    groups: dict[str, list[str]] = {}
    by = re.fullmatch(rf"{_TAKEN}, by (.*) from state \d+", conditions[0]["met"])
    if len(conditions) == 1 and conditions[0]["condition"].endswith(" of the next step") and by:
        demand = "only demands that some step is taken"
        return f"Fairness allows it: {conditions[0]['condition']} {demand}; {by[1]} is one."
    for one in conditions:
        groups.setdefault(one["met"], []).append(one["condition"])
    taken = [met for met in groups if met.startswith(_TAKEN)]
    told = [f"{_list_names(names)}: {met}" for met, names in groups.items() if met not in taken]
    count = sum(len(groups[met]) for met in taken)
    if taken and (told or count > _MOST_CONDITIONS):
        number = "the other" if told and count == 1 else f"{'the other ' if told else ''}{count}"
        rest = f"{number} condition{'s are' if count > 1 else ' is'} met by steps"
        told.append(f"{rest} of the loop")
    elif taken:
        told += [f"{_list_names(groups[met])}: {met}" for met in taken]
    return _sentence(f"Fairness allows it: {'; '.join(told)}")


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - _MOST_CONDITIONS
    shown = ", ".join(names[:_MOST_CONDITIONS])
    return f"{shown} and {say_count(more, 'more condition')}" if more > 0 else shown


def _unmet(parts: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say what the property asks for, and what is the case instead."""
    missing = [part for part in parts if not part.get("truth")]
    for due in (part for part in parts if part.get("truth")):
        then = next((_formula(part) for part in missing if part.get("demand") == "leads to"), None)
        then = "what it leads to" if any(part.get("within") == "leads to" for part in missing) else then
        comes = "" if then is None else f" Then {then} must hold, in this state or later."
        yield f"{_formula(due)} is true{_at(due)}, {due.get('states', '')}.{comes}"
    for number, part in enumerate(missing):
        if number == 0 or part.get("says") or not missing[0].get("says"):
            yield from _unmet_part(part)


def _unmet_part(part: Mapping[str, Any]) -> Iterator[str]:
    """Say what is demanded of a formula, and that it is false; of a part of it only that."""
    states, because = str(part.get("states", "")), _because(part)
    never = "every state" in states or "every step" in states or states.endswith(" forever")
    again = states.removesuffix(", again and again")
    false = f"it is false {states}" if again == states else f"{again} it is false each time"
    if "within" in part:
        yield _WITHIN.get(part["within"], "It never does.")
    if "within" in part and because and states.startswith("in every state of the loop"):
        when = states.partition(", in state")[0]
        yield f"This part of it stays false{_at(part)}, {when}: {_formula(part)}."
        yield f"{because[2].upper()}{because[3:]}."
        return
    match part.get("demand"):
        case "eventually always":
            yield f"From some state on, {_formula(part)} must be true forever."
            yield f"It is not{_at(part)}: {false}{because}."
        case "eventually" | "always eventually" as demand:
            yield f"It must come true {_HOW_OFTEN[demand]}: {_formula(part)}."
            is_not = f"never does{_at(part)}" if never else f"does not{_at(part)}: {false}"
            yield f"It {is_not}{because}."
        case "leads to":
            yield f"It never does{_at(part)}{because}."
        case _:
            formula = _formula(part)
            is_told = "within" in part and because and len(formula) > _LONGEST_PART
            what = "A part of it" if is_told else formula
            yield f"{what} is false{_at(part)}{',' if _at(part) else ''} {states}{because}."


def _because(part: Mapping[str, Any]) -> str:
    at, says = f" in state {part['at']}" if "at" in part else "", part.get("says", "")
    is_told = says and says != f"{_plain(part['formula'])} is false"
    return f":{at}{',' if at else ''} {says}" if is_told else ""


def _at(part: Mapping[str, Any]) -> str:
    named = ", ".join(f"{name} = {_cut(value, _LONGEST_VALUE)}" for name, value in part["witnesses"])
    return f" for {named}" if named else ""


def _formula(part: Mapping[str, Any]) -> str:
    return _cut(_plain(part["formula"]), _LONGEST_FORMULA)


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"
