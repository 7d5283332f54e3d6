r"""The parts of Next: its disjuncts, for each value of the names of quantifiers over constant sets.

A step of Next is a step of one of its parts, and a step of a part is one of Next. TLC's simulation divides
Next in this way too: a random step then needs the successors by one part only, not those by all parts.

Source: tlaplus/tlaplus, ``tlc2.tool.impl.SpecProcessor``, processSpec (the vector of actions).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from verifier.tla import action_forms as forms
from verifier.tla import ast
from verifier.tla.actions import Walker
from verifier.tla.arguments import argument_sources, frame_source, unit_of
from verifier.tla.ast import Definition, Expression
from verifier.tla.calls import endless
from verifier.tla.errors import Place
from verifier.tla.evaluator import Walk
from verifier.tla.facts import CONSTANT
from verifier.tla.frames import Frame, Undefined, Unit
from verifier.tla.lets import extend_frame
from verifier.tla.specification import Specification
from verifier.tla.value_types import NoValue, Value
from verifier.tla.values import has_at_most

_MOST_MEMBERS, _MOST_PARTS = 32, 1_000
"""The most members of a set whose quantifier is divided, and the most parts of a quantifier."""


@dataclass(frozen=True, eq=False)
class Part:
    """A disjunct of Next."""

    action: Definition | None
    """The innermost definition around it that gives the action its name."""
    place: Place
    unit: Unit
    frame: Frame
    """The values of the names around it."""
    action_frame: Frame
    walk: Walk

    @property
    def name(self) -> str:
        """Return the name of the action."""
        return self.action.shown if self.action is not None else "Next"


def parts_of_next(specification: Specification) -> list[Part]:
    """Return the parts of Next, in the order of the text."""
    formula = specification.next
    assert formula is not None
    body = formula.body.action if isinstance(formula.body, ast.Step) else formula.body
    unit = Unit(formula.module)
    return list(_Division(specification).divide(body, _Around(unit, unit.frame(), None, []), ()))


@dataclass(frozen=True)
class _Around:
    """The surroundings of a formula."""

    unit: Unit
    frame: Frame
    action: Definition | None
    action_frame: Frame


class _Division:
    def __init__(self, specification: Specification) -> None:
        self.evaluator = specification.evaluator
        self.walker = specification.evaluator.actions
        self.walks: dict[tuple[Expression, Unit], Walk] = {}

    def divide(self, whole: Expression, around: _Around, seen: tuple[Definition, ...]) -> Iterator[Part]:
        """Yield the parts of a formula. ``seen``: the definitions around it."""
        match self.walker.form_of(whole, around.unit):
            case forms.Disjunction(items):
                for item in items:
                    yield from self.divide(item, around, seen)
                return
            case forms.Conjunction((item,)):
                yield from self.divide(item, around, seen)
                return
            case forms.Choice(quantifier):
                frames = self._frames(quantifier, around)
                if frames is not None:
                    for frame in frames:
                        own = _Around(around.unit, frame, around.action, around.action_frame)
                        yield from self.divide(quantifier.body, own, seen)
                    return
            case forms.Call(definition, call) if definition not in seen:
                inside = self._inside(definition, call, around)
                if inside is not None:
                    assert definition.body is not None
                    yield from self.divide(definition.body, inside, (*seen, definition))
                    return
        yield self._part(whole, around)

    def _frames(self, quantifier: ast.Quantifier, around: _Around) -> list[Frame] | None:
        """Return a frame for each choice of values; None if the sets differ from state to state."""
        held: list[tuple[int, list[Value]]] = []
        unit, module = around.unit, around.unit.module
        for binding in quantifier.bindings:
            facts = self.evaluator.analysis.of(binding.domain, module)
            if binding.is_tuple or facts.level != CONSTANT or facts.changing:
                return None
            try:
                evaluate = self.evaluator.value(binding.domain, unit)
                value = evaluate(extend_frame(around.frame[:], unit))
                if not has_at_most(value, _MOST_MEMBERS):
                    return None
                members = list(self.evaluator.order.walk(value))
            except (Undefined, NoValue, RecursionError):
                return None  # a step reports it
            held += [(unit.slot(name), members) for name in binding.names]
        total = 1
        for _, members in held:
            total *= len(members)
        if total > _MOST_PARTS:
            return None
        frames = []
        for values in product(*(choices for _, choices in held)):
            frame = extend_frame(around.frame[:], unit)
            for (slot, _), value in zip(held, values, strict=True):
                frame[slot] = value
            frames.append(frame)
        return frames

    def _inside(self, definition: Definition, call: ast.Apply, around: _Around) -> _Around | None:
        """Return the surroundings of a definition's body; None if its arguments differ from state to
        state."""
        unit, evaluator = around.unit, self.evaluator
        if definition.nested or any(parameter.arity for parameter in definition.parameters):
            return None
        for argument in call.arguments:
            facts = evaluator.analysis.of(argument, unit.module)
            if facts.level != CONSTANT or facts.changing:
                return None
        target = unit_of(evaluator, definition)
        sources = argument_sources(evaluator, definition, call, unit, primed=False, walked=True)
        make = evaluator.emit.function(frame_source(evaluator, target, sources))
        try:
            frame: Frame = make(extend_frame(around.frame[:], unit))
        except (Undefined, NoValue, RecursionError):
            return None
        self.walker.units[definition] = target
        return _Around(target, frame, definition, frame)

    def _part(self, whole: Expression, around: _Around) -> Part:
        key = (whole, around.unit)
        walk = self.walks.get(key)
        if walk is None:
            walk = self.walks[key] = self.walker.walk(whole, around.unit, False, top=True)
        return Part(around.action, whole.place, around.unit, around.frame, around.action_frame, walk)


def walk_part(walker: Walker, part: Part, follow: Callable[[], None]) -> None:
    """Call ``follow`` once for each step by a part from the state that is set. Raises Undefined."""
    frame = extend_frame(part.frame[:], part.unit)
    walker.action = part.action
    walker.frame = frame if part.action_frame is part.frame else part.action_frame
    try:
        part.walk(frame, follow)
    except NoValue as error:
        raise Undefined(part.place, str(error)) from None
    except RecursionError:
        raise Undefined(part.place, endless("an action")) from None
