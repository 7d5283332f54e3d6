"""The search for instances that suffice for a proof: a model of the instances so far tells which others it
violates.

A solver that gets all instances at once spends its time with reading and matching them, though a proof needs
about ten of up to 300,000. The search only selects instances, so a proof from them is a proof from all.
Without a violated instance, the answer for the selected instances is the answer for all.

Source: Ge and de Moura 2009, doi:10.1007/978-3-642-02658-4_25.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from verifier.parametric.evaluation import Evaluation
from verifier.parametric.nodes import Node
from verifier.parametric.query import Query
from verifier.parametric.smtlib import declarations
from verifier.solvers import Answer
from verifier.solvers.interface import ScriptModel, ScriptSolver
from verifier.solvers.solver_names import open_script_solver

_OF_FAMILY = 20
"""The limit of instances of one clause that are added at once."""
_OF_FORMULAS = 60
"""The limit of single formulas that a model adds."""
_FEW = 3_000
"""So many hypotheses are all added at the beginning."""
_NOT_MANY = 10_000
"""So many are all given to a new solver if no chosen instance is violated: it instantiates the quantifiers of
other formulas at the terms in them."""
_FOR_MODEL = 200_000
"""The limit of the solver's work for the first model. Some formulas have none that is soon found."""
_MORE = 4
"""The limit is multiplied by this where no model was found."""
_WITHOUT_MODEL = 3_000
"""The limit of hypotheses that are added where no model is found."""


@dataclass
class GuidedSearch:
    """A solver with the instances of a query that its models violated."""

    query: Query
    kept: tuple[int, ...] = ()
    """The hypotheses that the proof needs, once there is one."""
    _solver: ScriptSolver = field(default_factory=open_script_solver)
    _numbers: list[int] = field(default_factory=list)
    """The hypotheses that were added."""
    _taken: set[int] = field(default_factory=set)
    """The hypotheses that were added, and those that say nothing new."""
    _added: set[Node] = field(default_factory=set)
    """The formulas that were added."""
    _defined: set[tuple[str, Node]] = field(default_factory=set)
    """The definitions that were added."""
    _for_model: int = _FOR_MODEL
    """The limit of the solver's work for the next model."""
    _is_saturated: bool = False
    """True if the last model violates no instance that is not there."""

    def decide(self, steps: int, completing: int | None = None) -> Answer:
        """Decide whether the hypotheses contradict the other formulas. It goes on where it ended before.
        ``steps``: the limit of the solver's work. ``completing``: its part for one model of all quantifiers,
        which is sought if no instance is violated. With all hypotheses, such a model is sought at once."""
        if not self._added:
            self._begin()
        completing = steps if completing is None else completing
        end = self._solver.steps + steps
        while (left := end - self._solver.steps) > 0:
            if self._has_all:
                return self._ask(left, complete=True)
            if self._is_saturated and completing and self.query.size <= _NOT_MANY:
                self._begin_with_all()
                end = self._solver.steps + steps
            elif self._is_saturated:
                answer = self._ask(min(left, completing), complete=True) if completing else Answer.UNKNOWN
                if answer is Answer.UNSATISFIABLE or not self._add_from_model():
                    return answer
            else:
                answer = self._ask(min(left, self._for_model), complete=False)
                if answer is Answer.UNSATISFIABLE:
                    return answer
                if not self._add_from_model() and not self._is_saturated:
                    if left <= self._for_model:
                        return answer
                    self._add_next()
        return Answer.UNKNOWN

    @property
    def _has_all(self) -> bool:
        return len(self._taken) == self.query.size

    def _ask(self, steps: int, *, complete: bool) -> Answer:
        answer = self._solver.decide([f"h{number}" for number in self._numbers], steps, complete=complete)
        if answer.answer is Answer.UNSATISFIABLE:
            self.kept = tuple(sorted(int(name[1:]) for name in answer.core))
        return answer.answer

    def _begin(self) -> None:
        """Add the formulas of the obligation. Add all hypotheses if they are few, or if some have
        quantifiers: what the solver makes of these, a model without them does not tell."""
        local = [node for _, node in self.query.local]
        self._added.update(local)
        self._assert(local, [f"(assert {self._text(node)})" for node in local])
        if self.query.size <= _FEW or any(one.clause.body.quantified for one in self.query.families):
            self._add(range(self.query.size))

    def _begin_with_all(self) -> None:
        """Begin again with all hypotheses. The solver is a new one: the old one has instances of quantifiers
        that were made without them."""
        self._solver, self._is_saturated = open_script_solver(), False
        for known in (self._numbers, self._taken, self._added, self._defined):
            known.clear()
        self._begin()
        self._add(range(self.query.size))

    def _add_from_model(self) -> bool:
        """Add instances that the last model violates. False if there is no model, or no such instance."""
        model = self._solver.find_model()
        if model is None:
            return False  # the formulas are saturated still, if they were
        is_new = self._add(list(self._find_violated(model)))
        self._is_saturated = not is_new
        return is_new

    def _add_next(self) -> None:
        """Add the next hypotheses of each family, and let the solver work longer, where no model is found."""
        self._for_model *= _MORE
        if len(self._numbers) > _WITHOUT_MODEL:
            return
        chosen: list[int] = []
        for place, family in enumerate(self.query.families):
            begin = self.query.begin_of(place)
            numbers = (number for number in range(begin, begin + family.size) if number not in self._taken)
            chosen += islice(numbers, _OF_FAMILY)
        self._add(chosen)

    def _find_violated(self, model: ScriptModel) -> Iterator[int]:
        """Yield hypotheses that are false in a model, and not all instances of one clause."""
        evaluation = Evaluation(model)
        formulas = []
        for place, family in enumerate(self.query.families):
            begin = self.query.begin_of(place)
            violated = [begin + number for number in evaluation.find_violated(family)]
            if family.is_ground:
                formulas += violated
            else:
                yield from _spread(violated, _OF_FAMILY)
        yield from _spread(formulas, _OF_FORMULAS)

    def _add(self, numbers: Sequence[int]) -> bool:
        """Add hypotheses. False if all are there: a model whose functions were cut short may not satisfy
        them."""
        self._taken.update(numbers)
        new = {number: self.query.make(number) for number in numbers}
        new = {number: node for number, node in new.items() if node not in self._added}
        self._numbers += new
        self._added.update(new.values())
        names = [f"h{number}" for number in new]
        lines = [f"(declare-fun {name} () Bool)" for name in names]
        lines += [
            f"(assert (=> {name} {self._text(node)}))" for name, node in zip(names, new.values(), strict=True)
        ]
        self._assert(list(new.values()), lines)
        return bool(new)

    def _assert(self, nodes: Sequence[Node], lines: Sequence[str]) -> None:
        """Add lines about formulas, after what their symbols mean."""
        definitions = self.query.obligations.premises.axioms.list_named(nodes)
        defining = [one for one in definitions if one not in self._defined]
        self._defined.update(defining)
        said = [f"(assert {self._text(node)})" for _, node in defining]
        self._solver.add(declarations([*(node for _, node in defining), *nodes]), [*said, *lines])

    def _text(self, node: Node) -> str:
        return self.query.obligations.premises.printer.text(node)


def _spread(numbers: Sequence[int], most: int) -> Iterator[int]:
    """Yield at most so many numbers, from all parts of the list."""
    return islice(numbers[:: max(1, len(numbers) // most)], most)
