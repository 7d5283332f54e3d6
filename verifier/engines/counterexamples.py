"""Replays counterexamples to induction without a solver."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.encodings.evaluator import Evaluator
from verifier.engines.inductive_question import Kind, ObligationResult, Question
from verifier.system.model import Model
from verifier.trust.replay import Replayer, ReplayFailure
from verifier.trust.trace import ActionTaken, Trace


class Counterexamples:
    """Replays counterexamples to induction on the evaluator."""

    def __init__(self, model: Model, question: Question) -> None:
        self.model = model
        self.names = tuple(question.formulas)
        self.evaluate = Evaluator(model.system.bits, list(question.formulas.values()))

    def trace(self, answer: ObligationResult) -> Trace:
        """One or two states. All assumed formulas hold in the first; the formula fails in the last.

        If it is a step invariant, a step that breaks it follows.
        Raises ReplayFailure if that is not so, and ValueError for bits that hold no state.
        """
        assert answer.state is not None
        system = self.model.system
        states, actions = [list(answer.state)], []
        self._require(states[0], answer.assumed)
        if answer.kind is Kind.INITIATION and not Replayer(self.model).is_initial(states[0]):
            raise ReplayFailure(0, "not an initial state")
        if answer.instance is not None:
            instance = system.instances[answer.instance]
            following = Replayer(self.model).successor(states[0], instance, answer.inputs)
            if following is None:
                raise ReplayFailure(1, f"{instance.label} is not enabled")
            states.append(following)
            values = self.model.parameter_values(instance, answer.inputs)
            actions.append(ActionTaken(instance.action, values))
        if self._values(states[-1])[answer.formula]:
            raise ReplayFailure(len(actions), f"{answer.formula} holds")
        definition = self.model.definition
        trace = Trace(
            spec=definition.name,
            spec_hash=definition.spec_hash,
            constants=definition.constants,
            violates=answer.formula,
            states=tuple(map(self.model.layout.decode_state, states)),
            actions=tuple(actions),
        )
        return Replayer(self.model).complete_trace(trace) if system.about_steps(answer.formula) else trace

    def _values(self, state: Sequence[bool]) -> dict[str, bool]:
        return dict(zip(self.names, self.evaluate.single(state), strict=True))

    def _require(self, state: Sequence[bool], assumed: Sequence[str]) -> None:
        values = self._values(state)
        for name in assumed:
            if not values[name]:
                raise ReplayFailure(0, f"{name} does not hold")
