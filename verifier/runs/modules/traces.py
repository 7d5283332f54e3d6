"""Executions of TLA+ modules as ITF, with TLA+ values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verifier.encodings.concrete import Concrete, FrozenMap, Tagged, show
from verifier.encodings.sorts import Sort, SortError
from verifier.encodings.terms import Symbol
from verifier.encodings.tla_values import Words, list_words
from verifier.errors import UsageError
from verifier.outcomes.content import files_of
from verifier.runs.modules.loading import temporal_named
from verifier.specs.definition import Definition
from verifier.tla.acting import collect_named_sets, domains
from verifier.tla.alias import evaluate_alias
from verifier.tla.ast import Definition as TlaDefined
from verifier.tla.explaining import demands, false_parts
from verifier.tla.exploration_result import State, Taken, Violation
from verifier.tla.explorer import Explorer
from verifier.tla.itf import as_json, show_state, trace_object
from verifier.tla.order import text
from verifier.tla.said_parts import SaidPart
from verifier.tla.specification import Specification
from verifier.tla.translate.coding import Names, NotInSort
from verifier.tla.translate.shape_sorts import sort_of
from verifier.tla.translate.shapes import NoShape, Shape
from verifier.tla.unmet import unmet_parts
from verifier.tla.value_types import Fn, ModelValue, NoValue, Value, boolean, function
from verifier.tla.waiting_parts import waiting_parts
from verifier.trust.trace import ActionTaken, FailingPart, Trace
from verifier.verdict import OF_STEPS, Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.runs.modules.translating import Symbolic


def about(definition: Definition, violates: str | None) -> dict[str, Any]:
    """Return the header of a trace."""
    return {
        "format": "ITF",
        "spec": definition.name,
        "spec_hash": definition.spec_hash,
        **files_of(definition),
        "constants": dict(definition.constants),
        "property": violates,
        "status": "violation" if violates is not None else "execution",
        "drawing": None,
    }


def write_trace(made: Symbolic, trace: Trace, names: Names) -> dict[str, Any]:
    """Return the execution that an engine found, as ITF. ``names``: the meaning of the words in its
    actions."""
    states = [made.translation.decode(dict(state)) for state in trace.states]
    spec = made.translation.specification
    file = as_file(spec, made.loaded.definition, trace, states, names)
    return with_loop(file, spec, trace, states, names)


def with_loop(
    file: dict[str, Any],
    spec: Specification,
    trace: Trace,
    states: Sequence[State],
    names: Names | None = None,
) -> dict[str, Any]:
    """Return the file of an execution with its loop, if it has one."""
    if trace.loop is None:
        return file
    closing = trace.loop.closing
    given = {} if closing is None else _parameters(closing, names or make_names(spec))
    how = {} if closing is None else {"action": closing.name, "parameters": given}
    conditions = [{"condition": name, "met": why} for name, why in trace.loop.conditions]
    loop: dict[str, Any] = {**how, "fairness": trace.loop.fairness, "conditions": conditions}
    unmet = explain_loop(spec, trace, states)
    loop |= {"failing": unmet} if unmet else {}
    return {**file, "#meta": {**file["#meta"], "loop": loop}, "loop": trace.loop.start}


def explain_loop(spec: Specification, trace: Trace, states: Sequence[State]) -> list[dict[str, Any]]:
    """Return what an infinite execution does not meet of its temporal property."""
    safety = spec.properties.get(str(trace.violates))
    if safety is None and trace.violates is not None:
        with suppress(UsageError):  # a file may name what the module does not have
            safety = temporal_named(spec, trace.violates, list(spec.properties))
    if safety is None or trace.loop is None:
        return []
    return [
        {
            **make_failing_part(one.part).as_json,
            "truth": one.truth,
            "states": one.states,
            **({"demand": one.demand} if one.demand else {}),
            **({} if one.at is None else {"at": one.at}),
        }
        for one in unmet_parts(spec, safety, states, trace.loop.start)
    ]


def as_file(
    spec: Specification,
    definition: Definition,
    trace: Trace,
    states: Sequence[State],
    words: Names | None = None,
) -> dict[str, Any]:
    """Return an execution of the interpreter's states as ITF. ``words``: the meaning of the words in its
    actions."""
    names = [one.name for one in spec.variables]
    actions = [(one.name, _parameters(one, words or make_names(spec))) for one in trace.actions]
    failing = [one.as_json for one in trace.failing or _waiting(spec, trace, states[-1])]
    meta = {
        **about(definition, trace.violates),
        "model_values": sorted(one.name for one in spec.evaluator.model_values.values()),
        **_participants(spec),
        "failing": failing,
        "about_step": trace.fails_in_step,
    }
    file = trace_object(names, states, actions, meta, spec.evaluator.order)
    for number, one in enumerate(trace.actions):
        guards = _guards(spec, one, words or make_names(spec), states[number])
        if guards:
            file["states"][number + 1]["#meta"]["guards"] = [part.as_json for part in guards]
    return file


def _waiting(spec: Specification, trace: Trace, last: State) -> list[FailingPart]:
    """Return for each action of a deadlock the first conjunct that is false."""
    if trace.violates != spec.titles.no_deadlock or trace.loop is not None:
        return []
    return [replace(make_failing_part(one.part), action=one.action) for one in waiting_parts(spec, last)]


def _participants(spec: Specification) -> dict[str, Any]:
    """Name the sets from which actions take parameters, and the sets that have a name."""
    order = spec.evaluator.order
    sets = {name: as_json(held, order) for name, held in collect_named_sets(spec).items()}
    taken = {
        action: {name: as_json(held, order) for name, held in of_action.items()}
        for action, of_action in domains(spec).items()
        if of_action
    }
    return {"sets": sets, "domains": taken}


def _guards(spec: Specification, taken: ActionTaken, words: Names, state: State) -> list[FailingPart]:
    """Return the demands of an action on the state before it, with the values there."""
    action = spec.module.names.get(taken.name)
    if not isinstance(action, TlaDefined):
        return []
    values = {name: _as_value(value, words) for name, value in taken.parameters.items()}
    return [
        FailingPart(one.formula, one.bound, one.reads, is_branch=one.is_branch)
        for one in demands(spec, action, values, state)
    ]


def _as_value(value: Concrete, names: Names) -> Value:
    """The value that was encoded at some sort. With a wrong one, what an action demands is false."""
    match value:
        case bool():
            return boolean(value)
        case str():
            return names.meant.get(value, value)
        case Tagged():
            return _as_value(value.payload, names)
        case frozenset():
            return frozenset(_as_value(item, names) for item in value)
        case tuple():
            return tuple(_as_value(item, names) for item in value)
        case FrozenMap():
            return function({_as_value(k, names): _as_value(v, names) for k, v in value.items()})
    assert isinstance(value, int)
    return value


def make_names(spec: Specification) -> Names:
    """Return names for the values of an execution, with those of the model values."""
    return Names(spec.evaluator.order, spec.evaluator.model_values.values())


def as_aliased(spec: Specification, trace: Trace, file: dict[str, Any], states: Sequence[State]) -> Trace:
    """Return an execution as the configuration's ALIAS shows it. Its file gets that besides the variables."""
    order, names = spec.evaluator.order, [one.name for one in spec.variables]
    if spec.alias is None:
        return trace
    shown: list[Mapping[str, str]] = []
    start = trace.loop.start if trace.loop is not None else None
    for number, alias in enumerate(evaluate_alias(spec, states, start)):
        if alias is None:
            shown.append(show_state(names, states[number], order))
            continue
        shown.append({key: text(value, order) for key, value in alias.items()})
        file["states"][number]["#meta"]["alias"] = {k: as_json(v, order) for k, v in alias.items()}
    return replace(trace, shown=tuple(shown))


def _parameters(action: ActionTaken, names: Names) -> Mapping[str, Any]:
    """Return the parameters of an action as ITF."""
    return {name: _as_itf(value, names) for name, value in action.parameters.items()}


def _as_itf(value: Concrete, names: Names) -> Any:
    """Return a value that was encoded at some sort as ITF."""
    match value:
        case str() if value in names.meant:
            return as_json(names.meant[value], names.order)
        case Tagged():
            return _as_itf(value.payload, names)
        case frozenset():
            return {"#set": [_as_itf(item, names) for item in sorted(value, key=show)]}
        case tuple():
            return [_as_itf(item, names) for item in value]
        case FrozenMap():
            pairs = [[_as_itf(key, names), _as_itf(item, names)] for key, item in value.items()]
            is_function = any(not isinstance(key, str) or _is_model_value(key, names) for key in value)
            return {"#map": pairs} if is_function else dict(pairs)
    return value


def _is_model_value(word: str, names: Names) -> bool:
    return isinstance(names.meant.get(word), ModelValue)


def label_steps(spec: Specification, states: Sequence[State], names: Names) -> list[ActionTaken]:
    """Return the actions between states, as `Walks.actions` labels each step. Raises Undefined if
    there is no such step."""
    coder, explorer = _Coder(names), Explorer(spec, properties=())
    return [coder.encode_action(one) for one in explorer.walks.actions(states)]


def module_trace(
    spec: Specification,
    definition: Definition,
    violates: str | None,
    states: Sequence[State],
    actions: Sequence[Taken],
) -> Trace:
    """Return an execution of the interpreter's states, at sorts made of these alone. Without sorts, its
    values are in TLA+ syntax."""
    order, names = spec.evaluator.order, [one.name for one in spec.variables]
    coder = _Coder(make_names(spec))
    taken = tuple(map(coder.encode_action, actions))
    trace = Trace(definition.name, definition.spec_hash, definition.constants, violates, (), taken)
    columns = [coder.encode_values(values) for values in zip(*states, strict=True)]
    variables = tuple(Symbol(name, one[0]) for name, one in zip(names, columns, strict=True) if one)
    if len(variables) < len(names):
        shown = tuple(show_state(names, state, order) for state in states)
        return replace(trace, states=shown, shown=shown)
    rows = zip(*(one[1] for one in columns if one), strict=True)
    encoded = tuple(dict(zip(names, row, strict=True)) for row in rows)
    return replace(trace, states=encoded, variables=variables, words=say_words(encoded, coder.names))


def say_words(rows: Iterable[Mapping[str, Concrete]], names: Names) -> Words:
    """Return the meaning of the words in encoded values, as text."""
    words = {word for row in rows for value in row.values() for word in list_words(value)}
    return {word: text(names.meant[word], names.order) for word in sorted(words & names.meant.keys())}


def report_violation(
    spec: Specification, definition: Definition, violation: Violation, seconds: float
) -> tuple[Verdict, dict[str, Any]]:
    """Return the verdict of the interpreter's exploration, and the file of the execution."""
    name, states = violation.property, violation.states
    trace = explain_trace(spec, module_trace(spec, definition, name, states, violation.actions), states)
    file = as_file(spec, definition, trace, states)
    trace = as_aliased(spec, trace, file, states)
    kind, steps = VerdictKind.VIOLATED, len(violation.actions)
    is_fewest = spec.view is None  # of states with equal views only the first has successors
    return Verdict(name, kind, steps, seconds, trace=trace, fewest=is_fewest, found_by="explore"), file


def explain_trace(spec: Specification, trace: Trace, states: Sequence[State]) -> Trace:
    """Return the execution with the parts of the property that are false at the end."""
    name, last = str(trace.violates), states[-1]
    name = name if name in spec.properties else name.removesuffix(OF_STEPS)
    if trace.loop is not None:
        return trace
    said_parts, of_step = list[SaidPart](), False
    if name in spec.invariants:
        said_parts = false_parts(spec, [spec.invariants[name]], last)
    elif name in spec.properties:
        safety = spec.properties[name]
        own = [*safety.always, *(safety.initially if len(states) == 1 else ())]
        said_parts = false_parts(spec, own, last)
        of_step = not said_parts and len(states) > 1
        if of_step:
            said_parts = false_parts(spec, list(safety.steps), states[-2], last)
    parts = tuple(map(make_failing_part, said_parts))
    return replace(trace, failing=parts, fails_in_step=of_step and bool(parts))


def make_failing_part(one: SaidPart) -> FailingPart:
    formula = f"{Path(one.place.file).name}:{one.place.line}: {one.formula}"
    premises = tuple(map(make_failing_part, one.premises))
    return FailingPart(formula, one.bound, one.reads, one.blame, premises, one.is_branch)


class _Coder:
    """Encodes values of the interpreter at sorts that hold them."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def encode_values(self, values: Sequence[Value]) -> tuple[Sort, list[Concrete]] | None:
        """Return a sort of values, and the encoded values; None if there is no such sort."""
        shape = Shape()
        try:
            for value in dict.fromkeys(values):
                shape.add(value)
            sort = sort_of(shape, self.names)
            return sort, [self.names.encode(value, sort) for value in values]
        except (NoValue, NoShape, SortError, NotInSort):
            return None

    def encode_action(self, action: Taken) -> ActionTaken:
        """Return an action with encoded parameters."""
        values = {name: self._encode_alone(value) for name, value in action.parameters.items()}
        return ActionTaken(action.name, values, say_words([values], self.names))

    def _encode_alone(self, value: Value) -> Concrete:
        """Encode a value; of a tuple, set or function without a sort each member, all else as text."""
        coded = self.encode_values([value])
        match value:
            case _ if coded is not None:
                return coded[1][0]
            case tuple():
                return tuple(map(self._encode_alone, value))
            case frozenset():
                return frozenset(map(self._encode_alone, value))
            case Fn():
                pairs = ((self._encode_alone(key), self._encode_alone(item)) for key, item in value.items())
                return FrozenMap(pairs)
        return text(value, self.names.order)
