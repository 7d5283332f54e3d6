"""The participants of a module: sets from which actions take their parameters, and the names of sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TypeAlias

from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Symbol
from verifier.tla.errors import TlaError
from verifier.tla.frames import Undefined, Unit
from verifier.tla.lets import extend_frame
from verifier.tla.specification import Specification
from verifier.tla.value_types import ModelValue, NoValue, Value
from verifier.tla.values import has_at_most, members

_MOST = 64
"""The most members of a set of participants."""
_Domains: TypeAlias = Mapping[Symbol, frozenset[Value] | None]


def domains(specification: Specification) -> dict[str, dict[str, frozenset[Value]]]:
    """Return for each action the sets from which its parameters are, where these are the same in all states.

    An action that is taken in several places has what each of them gives.
    """
    formula, domains = specification.next, _ParameterSets()
    if formula is None:
        return {}
    body = formula.body.action if isinstance(formula.body, ast.Step) else formula.body
    with suppress(RecursionError):
        _Walk(specification, domains).collect(body, formula.module, None, {}, ())
    return {action: dict(given) for action, given in domains.select_known()}


def collect_named_sets(specification: Specification) -> dict[str, frozenset[Value]]:
    """The sets of words and numbers that the module gives a name, the largest first."""
    evaluator, named = specification.evaluator, dict[str, frozenset[Value]]()
    for name, symbol in specification.module.names.items():
        if not isinstance(symbol, Definition | ast.Constant):
            continue
        meant = evaluator.resolve(symbol, specification.module.name) or symbol
        if isinstance(meant, Definition):
            facts = evaluator.analysis.of_definition(meant)
            if meant.parameters or not facts.fixed or facts.costly:
                continue
        elif not isinstance(meant, ast.Constant) or meant.arity:
            continue
        whole = ast.Apply(symbol, place=symbol.place)
        held = _set(specification, whole, specification.module.name) or frozenset()
        if len(held) > 1 and all(isinstance(one, ModelValue | str | int) for one in held):
            named[name] = held
    return dict(sorted(named.items(), key=lambda one: -len(one[1])))


def _set(specification: Specification, whole: Expression, module: str) -> frozenset[Value] | None:
    """The members of a set that is the same in all states; None of anything else."""
    evaluator = specification.evaluator
    if not evaluator.analysis.of(whole, module).fixed:
        return None
    unit = Unit(module)
    try:
        value = evaluator.value(whole, unit)(extend_frame(unit.frame(), unit))
        return frozenset(members(value)) if has_at_most(value, _MOST) else None
    except (Undefined, NoValue, RecursionError, TlaError):  # it is for readers only
        return None


class _ParameterSets:
    """The known sets of parameters; None where a place gives what is not known."""

    def __init__(self) -> None:
        self.sets: dict[str, dict[str, frozenset[Value] | None]] = {}

    def add(self, action: str, name: str, given: frozenset[Value] | None) -> None:
        of_action = self.sets.setdefault(action, {})
        before = of_action.get(name, frozenset())
        of_action[name] = None if given is None or before is None else before | given

    def select_known(self) -> Iterator[tuple[str, dict[str, frozenset[Value]]]]:
        for action, of_action in self.sets.items():
            yield action, {name: given for name, given in of_action.items() if given is not None}


class _Walk:
    """Goes down from Next to the actions, as their names are found (``verifier.tla.naming``)."""

    def __init__(self, specification: Specification, domains: _ParameterSets) -> None:
        self.specification, self.domains = specification, domains

    def collect(
        self,
        whole: Expression,
        module: str,
        inside: str | None,
        given: _Domains,
        seen: tuple[Definition, ...],
    ) -> None:
        """Note the parameters of the actions of a formula; ``inside`` is the innermost that has a name."""
        match whole:
            case ast.Junction():
                for item in whole.items:
                    self.collect(item, module, inside, given, seen)
            case ast.Quantifier() if not whole.universal:
                self.collect(
                    whole.body, module, inside, self._find_chosen_values(whole, module, inside, given), seen
                )
            case ast.Let():
                self.collect(whole.body, module, inside, given, seen)
            case ast.If():
                for part in (whole.then, whole.otherwise):
                    self.collect(part, module, inside, given, seen)
            case ast.Apply():
                self._apply(whole, module, given, seen)

    def _find_chosen_values(
        self, whole: ast.Quantifier, module: str, inside: str | None, given: _Domains
    ) -> dict[Symbol, frozenset[Value] | None]:
        chosen = dict(given)
        for binding in whole.bindings:
            held = None if binding.is_tuple else _set(self.specification, binding.domain, module)
            for name in binding.names:
                chosen[name] = held
                if inside is not None:
                    self.domains.add(inside, name.name, held)
        return chosen

    def _apply(self, whole: ast.Apply, module: str, given: _Domains, seen: tuple[Definition, ...]) -> None:
        symbol = self.specification.evaluator.resolve(whole.operator, module) or whole.operator
        if not isinstance(symbol, Definition) or symbol.body is None or symbol in seen:
            return
        passed = dict(given)
        for parameter, argument in zip(symbol.parameters, whole.arguments, strict=True):
            own = argument.operator if isinstance(argument, ast.Apply) and not argument.arguments else None
            passed[parameter] = given.get(own) if own is not None else None
            self.domains.add(symbol.shown, parameter.name, passed[parameter])
        self.collect(symbol.body, symbol.module, symbol.shown, passed, (*seen, symbol))
