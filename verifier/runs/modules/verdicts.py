"""An engine's results on a translated module as verdicts of the module.

They are replayed by the interpreter and written with TLA+ values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from verifier.encodings.concrete import Concrete
from verifier.outcomes.expectations import exit_code
from verifier.runs.modules.loading import temporal_name
from verifier.runs.modules.replaying import Around, disagreement
from verifier.runs.modules.traces import (
    as_aliased,
    explain_trace,
    label_steps,
    make_names,
    module_trace,
    say_words,
    write_trace,
)
from verifier.runs.news import Known
from verifier.specs.temporal import NO_FAIRNESS
from verifier.tla.exploration_result import State
from verifier.tla.frames import Undefined
from verifier.tla.itf import encode_value
from verifier.tla.translate.fair_steps import FAIR
from verifier.tla.translate.sampling import Stepper
from verifier.trust.certificate import Certificate
from verifier.trust.trace import ActionTaken, Trace
from verifier.verdict import LEFT_TO_LIVE, Verdict, VerdictKind

if TYPE_CHECKING:
    from verifier.outcomes.run import Run
    from verifier.runs.modules.module_question import ModuleQuestion
    from verifier.runs.modules.translating import Symbolic
    from verifier.specs.titles import Titles
    from verifier.tla.specification import Specification
    from verifier.tla.translate.coding import Names

_NO_ERROR = (VerdictKind.HOLDS, VerdictKind.PROVED, VerdictKind.VIOLATED, VerdictKind.INCONCLUSIVE)


def check_run(made: Symbolic, run: Run, asked: ModuleQuestion) -> Run:
    """Return the run with counterexamples replayed by the interpreter. Verdicts that only concern the
    translation are removed."""
    verdicts = tuple(_replay_and_explain(made, verdict) for verdict in _select_module_verdicts(run, asked))
    if not asked.engine.decides_temporal:
        verdicts += tuple(temporal_verdicts(made.translation.specification, asked.named))
    labelled = [_label_steps(made, verdict) for verdict in verdicts]
    enabled = tuple(dict.fromkeys(_name_action(made, name) for name in run.outcome.enabled))
    ways = _group_actions(made, run)
    left_out = _list_left_out_actions(ways, run, asked)
    unseen = [name for name, those in ways.items() if those <= set(run.outcome.never_enabled)]
    never = [name for name in (*unseen, *left_out) if name not in enabled]
    traces = {v.property_name: write_trace(made, v.trace, w) for v, w in labelled if v.trace is not None}
    verdicts = tuple(_show_by_alias(made, verdict, traces) for verdict, _ in labelled)
    outcome = replace(
        run.outcome,
        verdicts=verdicts,
        never_enabled=tuple(never),
        enabled=enabled,
        statistics=_count(made, run.outcome.statistics, left_out),
    )
    expectations = asked.question.expectations
    titles = asked.module.definition.titles
    names = [name for name in run.options["properties"] if name != titles.sorts]
    return replace(
        run,
        outcome=outcome,
        exit_code=exit_code(verdicts, expectations, enabled),
        expected=asked.question.options.expect,
        missing=expectations.never_enabled(enabled),
        options={**run.options, "properties": names},
        traces=traces,
        proofs=tuple(proof for proof in run.proofs if proof["property"] not in titles.of_the_translation),
        certificates={
            name: _add_sorts(made, one, run.outcome.statistics.get("validation"))
            for name, one in run.certificates.items()
            if name not in titles.of_the_translation
        },
    )


@dataclass
class ClosedDepths:
    """The depths that runs closed for some properties before an execution left the sorts.

    To these depths the sorts were not left either, since each search checks that too. So wider sorts change
    nothing there. A depth at which something has no value is not closed.
    """

    properties: tuple[str, ...]
    depths: dict[str, int] = field(default_factory=dict)

    def add(self, run: Run, leaving: Verdict) -> None:
        """Add the depths of a run that left the sorts."""
        for one in run.outcome.verdicts:
            if not (_is_open(one) and one.property_name in self.properties):
                continue
            if one.depth is not None and one.depth < (leaving.steps or 0):
                self.depths[one.property_name] = max(one.depth, self.depths.get(one.property_name, -1))


def _is_open(verdict: Verdict) -> bool:
    return verdict.kind is VerdictKind.INCONCLUSIVE


@dataclass(frozen=True)
class SettledVerdicts:
    """The violated properties that stand although the sorts are too narrow: no execution as short leaves
    them."""

    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    states: Mapping[str, Sequence[State]] = field(default_factory=dict)
    """The states of the execution that violates each property."""
    traces: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def add_violations(
        self, made: Symbolic, run: Run, leaving: Verdict, asked: ModuleQuestion
    ) -> SettledVerdicts:
        """Return these, and the violations that a run found before an execution left the sorts."""
        titles = asked.module.definition.titles
        if not any(_is_settled(verdict, leaving, titles) for verdict in run.outcome.verdicts):
            return self
        run = check_run(made, run, asked)
        more = {one.property_name: one for one in run.outcome.verdicts if _is_settled(one, leaving, titles)}
        new = tuple(one for name, one in more.items() if name not in self.verdicts)
        if new:
            asked.listen(Known(replace(run, outcome=replace(run.outcome, verdicts=new))))
        states = {name: _states(made, one.trace) for name, one in more.items() if one.trace is not None}
        traces = {name: run.traces[name] for name in more}
        return SettledVerdicts(
            {**self.verdicts, **more}, {**self.states, **states}, {**self.traces, **traces}
        )

    def add_to(self, made: Symbolic, run: Run, asked: ModuleQuestion) -> Run:
        """Return a run of the other properties, with these added."""
        if not self.verdicts:
            return run
        every = {verdict.property_name: verdict for verdict in run.outcome.verdicts}
        every |= {name: self._fit_to_run(made, run, name) for name in self.verdicts}
        names = [name for name in asked.question.properties if name in every]
        names += [name for name in every if name not in names]
        verdicts = tuple(every[name] for name in names)
        code = exit_code(verdicts, asked.question.expectations, run.outcome.enabled)
        return replace(
            run,
            outcome=replace(run.outcome, verdicts=verdicts),
            exit_code=code,
            options={**run.options, **_list_options(asked)},
            traces={**run.traces, **self.traces},
        )

    def _fit_to_run(self, made: Symbolic, run: Run, name: str) -> Verdict:
        """Return a verdict with its execution at the sorts of a run; at its own sorts if a run has no
        model."""
        verdict, states, translation = self.verdicts[name], self.states[name], made.translation
        trace = verdict.trace
        assert trace is not None
        if run.model is None:  # the module may not be translated yet
            own = module_trace(translation.specification, run.definition, name, states, ())
            shown = trace.shown or own.shown
            trace = replace(
                trace, states=own.states, variables=own.variables, shown=shown, words=own.words
            )
            return replace(verdict, trace=trace)
        encoded_states = tuple(
            {
                s.name: translation.names.encode(v, s.sort)
                for s, v in zip(translation.variables, state, strict=True)
            }
            for state in states
        )
        if translation.excluded is not None:
            flags = _find_excluded(translation.specification, states)
            named = ({translation.excluded.name: flag} for flag in flags)
            encoded_states = tuple(one | more for one, more in zip(encoded_states, named, strict=True))
        words = say_words(encoded_states, translation.names)
        return replace(verdict, trace=replace(trace, states=encoded_states, words=words))


def _find_excluded(spec: Specification, states: Sequence[State]) -> list[bool]:
    """Return for each state whether the ACTION_CONSTRAINT excludes the step to it."""
    stepper = Stepper(spec)
    return [False, *(not stepper.goes_on(one, other) for one, other in pairwise(states))]


def _is_settled(verdict: Verdict, leaving: Verdict, titles: Titles) -> bool:
    """True if a property of the module is violated, and the sorts were not left in fewer steps."""
    assert leaving.trace is not None
    return (
        verdict.kind is VerdictKind.VIOLATED
        and verdict.property_name not in titles.of_the_translation
        and verdict.trace is not None
        and verdict.trace.steps <= leaving.trace.steps
    )


def add_undecided(asked: ModuleQuestion, run: Run, reasons: Mapping[str, str]) -> Run:
    """Return a run of some properties without expectations as the run of all. The others are INCONCLUSIVE,
    each with its reason."""
    known = {one.property_name: one for one in run.outcome.verdicts}
    known |= {
        name: Verdict(name, VerdictKind.INCONCLUSIVE, None, 0.0, reason) for name, reason in reasons.items()
    }
    verdicts = tuple(known[name] for name in asked.question.properties if name in known)
    expectations, enabled = asked.question.expectations, run.outcome.enabled
    return replace(
        run,
        outcome=replace(run.outcome, verdicts=verdicts),
        exit_code=exit_code(verdicts, expectations, enabled),
        expected=asked.question.options.expect,
        missing=expectations.never_enabled(enabled),
        options={**run.options, **_list_options(asked)},
    )


def _list_options(asked: ModuleQuestion) -> dict[str, Any]:
    """Return the options of a question that a run of some of its properties lacks."""
    given = asked.question.recorded
    sorts = asked.module.definition.titles.sorts
    names = [name for name in asked.question.properties if name != sorts]
    return {**{name: given[name] for name in ("expect", "deadlock") if name in given}, "properties": names}


def _add_sorts(made: Symbolic, certificate: Certificate, validation: Mapping[str, Any] | None) -> Certificate:
    """Return the certificate with the data for its sorts, which its checker needs. It also gets the extent to
    which the translation was compared."""
    order = made.translation.specification.evaluator.order
    beyond = tuple([encode_value(value, order) for value in state] for state in made.beyond)
    own_sorts = not made.translation.keeps_sorts
    compared = validation and {name: validation[name] for name in ("states", "steps", "seed")}
    return replace(certificate, beyond=beyond, own_sorts=own_sorts, validation=compared)


def _show_by_alias(made: Symbolic, verdict: Verdict, traces: dict[str, dict[str, Any]]) -> Verdict:
    """Return the verdict with its execution as the configuration's ALIAS shows it."""
    spec, trace = made.translation.specification, verdict.trace
    if spec.alias is None or trace is None:
        return verdict
    states = _states(made, trace)
    return replace(verdict, trace=as_aliased(spec, trace, traces[verdict.property_name], states))


def _states(made: Symbolic, trace: Trace) -> list[State]:
    return [made.translation.decode(dict(state)) for state in trace.states]


def _label_steps(made: Symbolic, verdict: Verdict) -> tuple[Verdict, Names]:
    """Return the verdict with the interpreter's labels of its steps, so that each engine names a step alike.
    Also return the meaning of the words in them."""
    trace = verdict.trace
    if trace is None:
        return verdict, made.translation.names
    spec, loop = made.translation.specification, trace.loop
    taken, path, following = list(trace.actions), _states(made, trace), list(trace.states[1:])
    if loop is not None and loop.closing is not None:
        taken.append(loop.closing)
        path.append(path[loop.start])
        following.append(trace.states[loop.start])
    words = make_names(spec)
    try:
        labels = label_steps(spec, path, words)
    except Undefined:  # the interpreter has no such step: an ERROR, or an induction's unreachable state
        words = made.translation.names
        labels = [_action(made, one, then) for one, then in zip(taken, following, strict=True)]
    actions = tuple(labels[: len(trace.actions)])
    if loop is not None and loop.closing is not None:
        named = list(zip(taken, labels, strict=True))
        met = tuple((name, _explain_fairness(named, reason)) for name, reason in loop.conditions)
        loop = replace(loop, closing=labels[-1], conditions=met)
    said = say_words(trace.states, made.translation.names)
    return replace(verdict, trace=replace(trace, actions=actions, loop=loop, words=said)), words


def _explain_fairness(named: Sequence[tuple[ActionTaken, ActionTaken]], reason: str) -> str:
    """Return the reason why a loop meets a fairness condition (``trust.lasso``), with the module's name of
    the step."""
    for place, (taken, shown) in enumerate(named):
        reason = reason.replace(f"{taken} from state {place}", f"{shown} from state {place}")
    return reason


def _action(made: Symbolic, taken: ActionTaken, following: Mapping[str, Concrete]) -> ActionTaken:
    """Return an action with the module's name. The next state shows the chosen value of ``x'``; no constant
    may express it."""
    values = {
        name: following.get(name.rstrip("_").removesuffix("'"), value) if "'" in name else value
        for name, value in taken.parameters.items()
    }
    said = say_words([values], made.translation.names)
    return replace(taken, name=_name_action(made, taken.name), parameters=values, words=said)


def _name_action(made: Symbolic, action: str) -> str:
    """Return the module's name of an action. There may be one for each way to take it, or one for
    fairness."""
    plain = action.partition(FAIR)[0]
    return made.translation.named.get(plain, plain)


def _group_actions(made: Symbolic, run: Run) -> dict[str, set[str]]:
    """Return the translation's actions for each action of the module. It is never enabled if none of these
    is."""
    ways: dict[str, set[str]] = {}
    for action in run.definition.actions:
        if FAIR not in action.name:
            ways.setdefault(_name_action(made, action.name), set()).add(action.name)
    return ways


def _list_left_out_actions(ways: Collection[str], run: Run, asked: ModuleQuestion) -> Sequence[str]:
    """Return the actions of the module without a step in the translation: their guards are false at all
    values. Empty if no state was searched, or if a prover has not shown that the sorts suffice."""
    shown = any(verdict.kind in (VerdictKind.HOLDS, VerdictKind.PROVED) for verdict in run.outcome.verdicts)
    searched = bool(run.outcome.enabled or run.outcome.never_enabled)
    if not shown and (asked.engine.writes_certificates or not searched):
        return ()
    return [action.name for action in asked.module.definition.actions if action.name not in ways]


def _count(made: Symbolic, figures: Mapping[str, Any], left_out: Sequence[str]) -> dict[str, Any]:
    """Return the counts of an exploration as TLC counts, and those of walks by the module's actions. Init may
    be true of a state in several ways, and an action may occur several times, or not at all."""
    if "actions" not in figures:
        return dict(figures)
    figures = {**figures, "actions": _merge_actions(made, figures["actions"], left_out)}
    if "generated_states" not in figures:
        return figures
    ways = made.translation.sample.ways
    more = ways - figures["initial_states"] if ways is not None and figures["initial_states"] else 0
    levels = list(figures["levels"])
    while levels and not levels[-1]:  # all states at this depth are outside the constraint
        levels.pop()
    return {
        **figures,
        "generated_states": figures["generated_states"] + more,
        "generated_by_level": [generated + more for generated in figures["generated_by_level"]],
        "levels": levels,
    }


def _merge_actions(
    made: Symbolic, counted: Mapping[str, Mapping[str, int]], left_out: Sequence[str]
) -> dict[str, dict[str, int]]:
    """Return the counts by the module's actions. Where an action has several ways, nobody counted the states
    in which one of them is enabled."""
    actions: dict[str, dict[str, int]] = {}
    several = len({_name_action(made, name) for name in counted}) < len(counted)
    for name, counts in counted.items():
        known = actions.setdefault(_name_action(made, name), {})
        for kind, count in counts.items():
            if kind != "enabled" or not several:
                known[kind] = known.get(kind, 0) + count
    kinds = next(iter(actions.values()), {"taken": 0})
    return actions | {name: dict.fromkeys(kinds, 0) for name in left_out}


def _select_module_verdicts(run: Run, asked: ModuleQuestion) -> Sequence[Verdict]:
    """Return the verdicts without those that only concern the translation. A depth is closed only as far as
    the sorts were checked, because a step that leaves them is not taken. If no property was asked, one
    verdict remains: all expressions have values."""
    every, titles = run.outcome.verdicts, asked.module.definition.titles
    beside = [v for v in every if v.property_name in titles.of_the_translation and v.kind in _NO_ERROR]
    own = [_as_far(verdict, beside) for verdict in every if verdict not in beside]
    if own or asked.engine.counts_states:
        return own
    return [replace(verdict, property_name=titles.undefined_read) for verdict in beside[:1]]


def _as_far(verdict: Verdict, beside: Sequence[Verdict]) -> Verdict:
    for other in beside:
        open_ = other.kind is VerdictKind.INCONCLUSIVE and verdict.kind is VerdictKind.HOLDS
        if open_ and (other.depth is None or (verdict.depth is not None and other.depth < verdict.depth)):
            return replace(verdict, kind=VerdictKind.INCONCLUSIVE, depth=other.depth, reason=other.reason)
    return verdict


def temporal_verdicts(specification: Specification, named: Collection[str]) -> Iterator[Verdict]:
    """Yield the verdicts on the temporal parts of properties, which this engine does not decide. If the user
    named properties, those of other properties are left out."""
    for name, safety in specification.properties.items():
        part = temporal_name(name, safety)
        is_asked = not named or name in named or ("all" in named and part != name)
        if safety.liveness and is_asked:
            yield Verdict(part, VerdictKind.INCONCLUSIVE, None, 0.0, LEFT_TO_LIVE)


def _replay_and_explain(made: Symbolic, verdict: Verdict) -> Verdict:
    if verdict.kind not in (VerdictKind.VIOLATED, VerdictKind.NOT_INDUCTIVE) or verdict.trace is None:
        return verdict
    spec, states = made.translation.specification, _states(made, verdict.trace)
    explained = replace(verdict, trace=explain_trace(spec, verdict.trace, states))
    # A counterexample to induction is no execution: its first state may be unreachable.
    return explained if verdict.kind is VerdictKind.NOT_INDUCTIVE else replay_verdict(spec, explained, states)


def replay_verdict(spec: Specification, verdict: Verdict, states: Sequence[State]) -> Verdict:
    """Return the verdict that an execution of these states shows, or an error if it shows none."""
    assert verdict.trace is not None
    loop = verdict.trace.loop
    around = None if loop is None else Around(loop.start, loop.fairness != NO_FAIRNESS)
    wrong = disagreement(spec, states, verdict.property_name, around)
    if wrong is None:
        return verdict
    return replace(verdict, kind=VerdictKind.ERROR, reason=f"the interpreter does not agree: {wrong}")
