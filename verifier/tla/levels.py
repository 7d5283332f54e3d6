"""SANY's errors by levels: constant, of one state, of two states, temporal.

For each definition, the levels that its parameters may have are known, and whether they count for its own
level. So ``F(x')`` is an error if ``F(a) == a'``, whether it is evaluated or not. Substitutes of a
configuration do not matter here.

Source: Specifying Systems (Lamport, 2002), section 17.2; in tlaplus/tlaplus, levelCheck of the nodes in
``tla2sany.semantic``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from verifier.tla import ast
from verifier.tla.ast import Bound, Builtin, Definition, Expression, Module, Parameter, Symbol
from verifier.tla.errors import Place, TlaError
from verifier.tla.facts import ACTION, CONSTANT, STATE, TEMPORAL, subexpressions
from verifier.tla.level_rules import (
    UNCOUNTED,
    is_constant,
    limit_of_builtin,
    limits_of,
    mistaken,
    own_level,
    tells_equals_apart,
)
from verifier.tla.level_summaries import Operator, Summary, copy_of, summarize_operator

_SAYS = ("is constant", "is about one state", "is about two states", "is temporal")
_ALLOWED = ("what is constant", "what is about one state", "what is about two states", "a temporal formula")


def check_levels(module: Module) -> Mapping[Expression, str]:
    """Raise TlaError for the level errors of a module, of those that it extends, and of instances. Return the
    expressions that cannot be evaluated (see ``by_value``)."""
    levels = _Levels()
    levels.check(module)
    return levels.by_value


class _Levels:
    """Computes the summaries of definitions; for recursive ones by iteration to a fixed point.

    An error in an intermediate summary is also an error in the final one, so it is raised at once.
    """

    def __init__(self) -> None:
        self.before: dict[Definition, Summary] = {}
        self.summaries: dict[Definition, Summary] = {}
        self.active: set[Definition] = set()
        self.circular = False
        self.by_value: dict[Expression, str] = {}
        self.flexible: set[Bound] = set()
        r"""The variables of \EE and \AA."""
        self.updated: list[Summary] = []
        """The summaries of the functions in the EXCEPTs around: @ has their level."""
        self.caps: dict[Symbol, ast.Put] = {}
        """The substitutes of instances whose level is bounded."""
        self.bounded: dict[tuple[Symbol, Module | None], int] = {}
        """The levels of parameters that an instance substitutes, in the module of the instance."""

    def check(self, module: Module) -> None:
        """Check all definitions, again while recursive definitions change."""
        modules = list(dict.fromkeys(with_instances(module)))
        puts = [put for one in modules for put in one.puts]
        constant = {put.module: is_constant(put.module) for put in puts}
        for put in puts:
            if put.variable or not constant[put.module]:
                self.caps[put.symbol] = put
                if put.symbol in put.parameters:
                    self.bounded[put.symbol, put.module] = STATE if put.variable else CONSTANT
        while True:
            self.summaries, self.circular = {}, False
            for put in puts:
                self._put(put, constant[put.module])
            for one in modules:
                self._module(one)
            if not self.circular or self.summaries == self.before:
                return
            self.before = self.summaries

    def _module(self, module: Module) -> None:
        for symbol in module.names.values():
            if isinstance(symbol, Definition):
                self.definition(symbol)
        for theorem in module.theorems:
            self.of(theorem)
        for step in module.steps:
            self._step(step)
        for assumption in module.assumptions:
            level = self.of(assumption.body).level
            if level > CONSTANT and not module.instantiated:
                words = f"an assumption is about constants only, and this one {_SAYS[level]}"
                raise TlaError(assumption.body.place, words)

    def _step(self, step: ast.ProofStep) -> None:
        if step.goals is None or any(self.of(goal).level == TEMPORAL for goal in step.goals):
            level = max(self.of(formula).level for formula in step.formulas)
            if level > step.limit:
                raise TlaError(step.place, f"{step.words}, and this {_SAYS[level]}")

    def _put(self, put: ast.Put, constant: bool) -> None:
        symbol = put.symbol
        if isinstance(symbol, Definition) and self.definition(symbol).opaque - {*put.parameters}:
            words = f"the instance of {put.module.name} puts {symbol.name} for {put.name}, which tells equal"
            raise TlaError(put.place, f"{words} arguments apart: it is about other states or steps of them")
        limit = STATE if put.variable else CONSTANT
        if not put.variable and constant:
            return
        level = self._operator(ast.OperatorArgument(put.symbol, place=put.place)).body.level
        if level > limit:
            words = f"the instance of {put.module.name} puts something for {put.name} that {_SAYS[level]}"
            raise TlaError(put.place, f"{words}: at most {_ALLOWED[limit]} is allowed")

    def definition(self, definition: Definition) -> Summary:
        """Return the summary of a definition's body, with its own parameters."""
        known = self.summaries.get(definition)
        if known is not None:
            return known
        if definition.body is None or definition in self.active:
            self.circular = True
            return self.before.get(definition, Summary())
        self.active.add(definition)
        made = self.of(definition.body)
        self.active.discard(definition)
        primed = [one for one in definition.parameters if made.limits.get(one, TEMPORAL) < ACTION]
        if primed and definition.recursive:
            words = f"{definition.shown} is RECURSIVE, so it cannot prime its argument {primed[0].name}"
            raise TlaError(definition.place, words)
        put = self.caps.get(definition)
        if put is not None:
            made = copy_of(made)
            for symbol in made.counting:
                if symbol in put.parameters or symbol not in definition.parameters:
                    made.limit(symbol, STATE if put.variable else CONSTANT)
        of_instance = [one for one in definition.parameters if (one, definition.home) in self.bounded]
        if of_instance:
            made = copy_of(made)
            for one in made.counting.intersection(of_instance):
                made.limit(one, self.bounded[one, definition.home])
        self.summaries[definition] = made
        return made

    def of(self, whole: Expression) -> Summary:
        """Return the summary of an expression. Raises TlaError for SANY's errors in it."""
        if isinstance(whole, ast.Apply):
            return self._apply(whole)
        if isinstance(whole, ast.At):
            return self.updated[-1]
        if isinstance(whole, ast.Let):
            made = copy_of(self.of(whole.body))
            for definition in whole.definitions:
                made.ask(self.definition(definition).without(definition.parameters))
            return made
        if isinstance(whole, ast.Unbounded) and whole.kind in ("\\AA", "\\EE"):
            self.flexible.update(whole.names)
        parts, _ = subexpressions(whole)
        made = Summary(own_level(whole))
        levels = []
        for part, known, limit in zip(parts, self._of_all(whole, parts), limits_of(whole), strict=True):
            place = whole.place if isinstance(whole, ast.Prime) else part.place
            self._within(place, known, limit, _name_of(whole))
            for symbol in known.counting:
                made.limit(symbol, limit)
            levels.append(known.level)
            made.see(known, opaque=tells_equals_apart(whole))
            if isinstance(whole, ast.Enabled):
                made.ask(known)
            else:
                made.join(known)
        self._together(whole, levels)
        return made

    def _of_all(self, whole: Expression, parts: list[Expression]) -> list[Summary]:
        if not isinstance(whole, ast.Except):
            return [self.of(part) for part in parts]
        function, *others = parts
        self.updated.append(self.of(function))
        known = [self.of(part) for part in others]
        return [self.updated.pop(), *known]

    @staticmethod
    def _within(place: Place, known: Summary, limit: int, name: str) -> None:
        if known.level > limit and name == "'" and known.level == ACTION:
            raise TlaError(
                place, "a prime stands below another one: what it primes is about two states already"
            )
        if known.level > limit:
            raise TlaError(place, f"{name} takes at most {_ALLOWED[limit]}, and this {_SAYS[known.level]}")

    @staticmethod
    def _together(whole: Expression, levels: list[int]) -> None:
        words = mistaken(whole, levels)
        if words:
            raise TlaError(whole.place, words)

    # -- operators with their arguments

    def _apply(self, whole: ast.Apply) -> Summary:
        symbol, arguments = whole.operator, whole.arguments
        match symbol:
            case ast.Variable():
                return Summary(STATE)
            case Bound():
                return Summary(STATE if symbol in self.flexible else CONSTANT)
            case Parameter():
                return self._of_parameter(symbol, arguments)
            case Definition():
                return self._of_definition(symbol, whole)
        made, levels = Summary(own_level(whole)), []
        limit = limit_of_builtin(symbol) if isinstance(symbol, Builtin) else TEMPORAL
        for argument in arguments:
            takes_operator = isinstance(argument, ast.OperatorArgument | ast.Lambda)
            known = self._operator(argument).body if takes_operator else self.of(argument)
            self._within(argument.place, known, limit, symbol.name.rstrip("."))
            for one in known.counting:
                made.limit(one, limit)
            levels.append(known.level)
            made.see(known, opaque=tells_equals_apart(whole))
            if symbol.name in UNCOUNTED:
                made.ask(known)
            else:
                made.join(known)
        self._together(whole, levels)
        return made

    def _of_parameter(self, symbol: Parameter, arguments: tuple[Expression, ...]) -> Summary:
        made = Summary(counting=frozenset({symbol}), named=frozenset({symbol}))
        for index, argument in enumerate(arguments):
            known = self.of(argument)
            made.join(known)
            made.see(known, opaque=False)
            made.give(symbol, index, known)
        return made

    def _of_definition(self, symbol: Definition, whole: ast.Apply) -> Summary:
        body, own = self.definition(symbol), symbol.parameters
        made = replace(copy_of(body.without(own)), named=frozenset())
        pairs = list(zip(own, whole.arguments, strict=False))
        values: dict[Symbol, Summary] = {p: self.of(a) for p, a in pairs if not p.arity}
        operators: dict[Symbol, tuple[Operator, Expression]] = {
            p: (self._operator(a), a) for p, a in pairs if p.arity
        }
        for parameter, argument in pairs:
            known = operators[parameter][0].body if parameter.arity else values[parameter]
            limit = body.limits.get(parameter, TEMPORAL)
            self._within(argument.place, known, limit, f"{symbol.shown}, for {parameter.name},")
            made.ask(known)
            made.see(known, opaque=parameter in body.opaque)
            if parameter in body.valued:
                self._record_argument(made, known, whole)
            for one in known.counting:
                made.limit(one, limit)
            if parameter in body.counting:
                made.level = max(made.level, known.level)
                made.counting |= known.counting
        for (function, index), level in body.needs.items():
            if function in operators:
                self._check_operator_argument(made, operators[function], index, Summary(level), whole)
        for function, index, inside in body.passed:
            given = values.get(inside) or Summary(counting=frozenset({inside}), named=frozenset({inside}))
            if inside in operators:
                given = operators[inside][0].body
            if function in operators:
                made.see(given, opaque=operators[function][0].is_opaque(index))
                self._check_operator_argument(made, operators[function], index, given, whole)
            elif function not in own:
                made.give(function, index, given)
        return made

    def _record_argument(self, made: Summary, given: Summary, whole: ast.Apply) -> None:
        """Record that a value is passed to an operator that distinguishes equal arguments."""
        made.valued |= given.named
        if given.level > CONSTANT:
            words = "an operator that is an argument primes its own argument, or says of it what holds later"
            self.by_value[whole] = f"{words}: this is not supported, since it gets a value: write it out"

    def _check_operator_argument(
        self,
        made: Summary,
        operator: tuple[Operator, Expression],
        index: int,
        given: Summary,
        whole: ast.Apply,
    ) -> None:
        """Check an argument that an operator argument gets where an operator is applied."""
        known, node = operator
        if known.is_opaque(index):
            self._record_argument(made, given, whole)
        if isinstance(node, ast.OperatorArgument) and isinstance(node.operator, Parameter):
            made.give(node.operator, index, given)
            return
        limit = known.allows(index)
        if given.level > limit:
            assert isinstance(whole.operator, Definition)
            words = f"{whole.operator.shown} gives this operator something that {_SAYS[given.level]}"
            raise TlaError(node.place, f"{words}, and it takes at most {_ALLOWED[limit]}")
        for one in given.counting:
            made.limit(one, limit)

    def _operator(self, argument: Expression) -> Operator:
        if isinstance(argument, ast.Lambda):
            return summarize_operator(self.of(argument.body), argument.parameters)
        assert isinstance(argument, ast.OperatorArgument)
        match argument.operator:
            case Definition() as definition:
                return summarize_operator(self.definition(definition), definition.parameters)
            case Parameter() as parameter:
                return Operator(Summary(counting=frozenset({parameter})))
            case ast.Variable():
                return Operator(Summary(STATE))
            case Builtin() as builtin:
                level = own_level(ast.Apply(builtin, place=argument.place))
                opaque = (tells_equals_apart(ast.Apply(builtin, place=argument.place)),) * builtin.arity
                return Operator(Summary(level), limit=limit_of_builtin(builtin), opaque=opaque)
        return Operator(Summary())


def _name_of(whole: Expression) -> str:
    match whole:
        case ast.Prime():
            return "'"
        case ast.Unchanged():
            return "UNCHANGED"
        case ast.Enabled():
            return "ENABLED"
        case ast.Step():
            return "[A]_v" if whole.stuttering else "<<A>>_v"
        case ast.Fairness():
            return "SF_v(A)" if whole.strong else "WF_v(A)"
        case ast.Choose() | ast.Unbounded():
            return "CHOOSE"
        case ast.Except():
            return "EXCEPT"
        case ast.Tuple():
            return "a tuple"
        case ast.FunctionApply():
            return "f[x]"
        case ast.Quantifier():
            return "a quantifier, as its set,"
    return "a set or function"


def with_instances(module: Module) -> Iterator[Module]:
    """Yield a module, the modules inside it, and the modules of its named instances and of theirs."""
    yield module
    for one in (*module.inner, *(instance.module for instance in module.instances.values())):
        yield from with_instances(one)
