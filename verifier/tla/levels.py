"""What SANY rejects by levels: constant, of one state, of two states, temporal.

Of a definition it is known which level its parameters may have, and whether theirs counts for its own. So
``F(x')`` is an error where ``F(a) == a'``, whether it is evaluated or not. What a configuration puts for
names does not matter here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

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

_SAYS = ("is constant", "speaks of one state", "speaks of two states", "is temporal")
_ALLOWED = ("what is constant", "what speaks of one state", "what speaks of two states", "a temporal formula")


@dataclass
class Summary:
    """What is known of an expression, or of an operator's body."""

    level: int = CONSTANT
    counting: frozenset[Symbol] = frozenset()
    """The parameters whose level counts for it."""
    limits: dict[Symbol, int] = field(default_factory=dict)
    """The highest level that a parameter may have, where that is not any."""
    needs: dict[tuple[Symbol, int], int] = field(default_factory=dict)
    """Of parameters that are operators: the level that an argument of it has."""
    passed: frozenset[tuple[Symbol, int, Symbol]] = frozenset()
    """``(F, 0, a)``: the parameter a stands in the first argument of the parameter F."""
    named: frozenset[Symbol] = frozenset()
    """The parameters that stand in it."""
    opaque: frozenset[Symbol] = frozenset()
    """Those of them for which equals are not put for equals: below a prime, say."""

    def join(self, other: Summary) -> None:
        """Adds what is known of a part whose level counts."""
        self.level = max(self.level, other.level)
        self.counting |= other.counting
        self.ask(other)

    def ask(self, other: Summary) -> None:
        """Adds what a part asks of parameters, but not its level."""
        for symbol, level in other.limits.items():
            self.limit(symbol, level)
        for key, level in other.needs.items():
            self.needs[key] = max(level, self.needs.get(key, CONSTANT))
        self.passed |= other.passed

    def see(self, other: Summary, *, opaque: bool) -> None:
        """Adds which parameters stand in a part."""
        self.named |= other.named
        self.opaque |= other.opaque | other.named if opaque else other.opaque

    def limit(self, symbol: Symbol, level: int) -> None:
        """A parameter may have no higher level."""
        if level < TEMPORAL:
            self.limits[symbol] = min(level, self.limits.get(symbol, TEMPORAL))

    def give(self, function: Symbol, index: int, argument: Summary) -> None:
        """A parameter that is an operator gets an argument."""
        self.needs[function, index] = max(argument.level, self.needs.get((function, index), CONSTANT))
        self.passed |= {(function, index, one) for one in argument.counting}

    def without(self, own: Sequence[Symbol]) -> Summary:
        """What it says of other parameters than its own."""
        if not own or not (self.named or self.counting or self.limits or self.needs or self.passed):
            return self
        return Summary(
            self.level,
            self.counting.difference(own),
            {one: level for one, level in self.limits.items() if one not in own},
            {key: level for key, level in self.needs.items() if key[0] not in own},
            frozenset(one for one in self.passed if one[0] not in own and one[2] not in own),
            self.named.difference(own),
            self.opaque.difference(own),
        )


@dataclass(frozen=True)
class _Operator:
    """An operator that is an argument."""

    body: Summary
    """Without its own parameters."""
    limits: tuple[int, ...] = ()
    limit: int = TEMPORAL
    """The highest level of each of its arguments, and of those further on."""
    opaque: tuple[bool, ...] = ()
    """For which of its arguments equals are not put for equals."""

    def allows(self, index: int) -> int:
        """The highest level of an argument."""
        return self.limits[index] if index < len(self.limits) else self.limit


def check_levels(module: Module) -> None:
    """Raises TlaError for what SANY rejects in a module, those that it extends, and instances."""
    _Levels().check(module)


class _Levels:
    """Finds the summaries of definitions; of recursive ones by taking less for them, until it is enough.

    Whatever is wrong with less is wrong with more, so errors are raised at once.
    """

    def __init__(self) -> None:
        self.before: dict[Definition, Summary] = {}
        self.found: dict[Definition, Summary] = {}
        self.active: set[Definition] = set()
        self.circular = False
        self.flexible: set[Bound] = set()
        r"""The variables of \EE and \AA."""
        self.updated: list[Summary] = []
        """What the EXCEPTs around take: @ has the level of that."""
        self.caps: dict[Symbol, ast.Put] = {}
        """What instances put for names whose level is bounded."""

    def check(self, module: Module) -> None:
        """Looks at everything, again where definitions need themselves."""
        modules = list(dict.fromkeys(with_instances(module)))
        puts = [put for one in modules for put in one.puts]
        constant = {put.module: is_constant(put.module) for put in puts}
        for put in puts:
            if put.variable or not constant[put.module]:
                self.caps[put.symbol] = put
        while True:
            self.found, self.circular = {}, False
            for put in puts:
                self._put(put, constant[put.module])
            for one in modules:
                self._module(one)
            if not self.circular or self.found == self.before:
                return
            self.before = self.found

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
                words = f"an assumption speaks of constants only, and this one {_SAYS[level]}"
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
            raise TlaError(put.place, f"{words} arguments apart: it speaks of other states or steps of them")
        limit = STATE if put.variable else CONSTANT
        if not put.variable and constant:
            return
        level = self._operator(ast.OperatorArgument(put.symbol, place=put.place)).body.level
        if level > limit:
            words = f"the instance of {put.module.name} puts something for {put.name} that {_SAYS[level]}"
            raise TlaError(put.place, f"{words}: at most {_ALLOWED[limit]} is allowed")

    def definition(self, definition: Definition) -> Summary:
        """What is known of a definition's body, its own parameters included."""
        known = self.found.get(definition)
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
            made = _copy(made)
            for symbol in made.counting:
                if symbol in put.parameters or symbol not in definition.parameters:
                    made.limit(symbol, STATE if put.variable else CONSTANT)
        self.found[definition] = made
        return made

    def of(self, whole: Expression) -> Summary:
        """What is known of an expression. Raises TlaError for what SANY rejects in it."""
        if isinstance(whole, ast.Apply):
            return self._apply(whole)
        if isinstance(whole, ast.At):
            return self.updated[-1]
        if isinstance(whole, ast.Let):
            made = _copy(self.of(whole.body))
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
                place, "a prime stands below another one: what it primes speaks of two states already"
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
        made = replace(_copy(body.without(own)), named=frozenset())
        pairs = list(zip(own, whole.arguments, strict=False))
        values: dict[Symbol, Summary] = {p: self.of(a) for p, a in pairs if not p.arity}
        operators: dict[Symbol, tuple[_Operator, Expression]] = {
            p: (self._operator(a), a) for p, a in pairs if p.arity
        }
        for parameter, argument in pairs:
            known = operators[parameter][0].body if parameter.arity else values[parameter]
            limit = body.limits.get(parameter, TEMPORAL)
            self._within(argument.place, known, limit, f"{symbol.shown}, for {parameter.name},")
            made.ask(known)
            made.see(known, opaque=parameter in body.opaque)
            for one in known.counting:
                made.limit(one, limit)
            if parameter in body.counting:
                made.level = max(made.level, known.level)
                made.counting |= known.counting
        for (function, index), level in body.needs.items():
            if function in operators:
                self._asked_of(made, operators[function], index, Summary(level), symbol)
        for function, index, inside in body.passed:
            given = values.get(inside) or Summary(counting=frozenset({inside}))
            if inside in operators:
                given = operators[inside][0].body
            if function in operators:
                made.see(given, opaque=operators[function][0].opaque[index : index + 1] == (True,))
                self._asked_of(made, operators[function], index, given, symbol)
            elif function not in own:
                made.give(function, index, given)
        return made

    def _asked_of(
        self,
        made: Summary,
        operator: tuple[_Operator, Expression],
        index: int,
        given: Summary,
        user: Definition,
    ) -> None:
        """An operator that is an argument gets an argument itself."""
        known, node = operator
        if isinstance(node, ast.OperatorArgument) and isinstance(node.operator, Parameter):
            made.give(node.operator, index, given)
            return
        limit = known.allows(index)
        if given.level > limit:
            words = f"{user.shown} gives this operator something that {_SAYS[given.level]}"
            raise TlaError(node.place, f"{words}, and it takes at most {_ALLOWED[limit]}")
        for one in given.counting:
            made.limit(one, limit)

    def _operator(self, argument: Expression) -> _Operator:
        if isinstance(argument, ast.Lambda):
            return _seen_from_outside(self.of(argument.body), argument.parameters)
        assert isinstance(argument, ast.OperatorArgument)
        match argument.operator:
            case Definition() as definition:
                return _seen_from_outside(self.definition(definition), definition.parameters)
            case Parameter() as parameter:
                return _Operator(Summary(counting=frozenset({parameter})))
            case ast.Variable():
                return _Operator(Summary(STATE))
            case Builtin() as builtin:
                level = own_level(ast.Apply(builtin, place=argument.place))
                return _Operator(Summary(level), limit=limit_of_builtin(builtin))
        return _Operator(Summary())


def _seen_from_outside(body: Summary, own: Sequence[Parameter]) -> _Operator:
    limits = tuple(body.limits.get(one, TEMPORAL) for one in own)
    return _Operator(body.without(own), limits, opaque=tuple(one in body.opaque for one in own))


def _copy(summary: Summary) -> Summary:
    return replace(summary, limits=dict(summary.limits), needs=dict(summary.needs))


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
    """A module, those inside of it, and the modules of its named instances and of theirs."""
    yield module
    for one in (*module.inner, *(instance.module for instance in module.instances.values())):
        yield from with_instances(one)
