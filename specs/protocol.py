"""How a protocol is written: a class with constants, ``state``, ``init``, actions and properties.

See ``docs/tutorial.md`` for a protocol from the empty file on.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, TypeVar, overload

from verifier.encodings.partiality import is_total
from verifier.encodings.sorts import IndexSet, Sort
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import BOOLEAN, Value, coerce, wrap
from verifier.errors import UsageError, unknown_name
from verifier.specs.definition import (
    UNDEFINED_READ,
    Action,
    Definition,
    Lemma,
    Parameter,
    Property,
    PropertyKind,
)
from verifier.specs.drawing import Call, Drawing, Lane, Mail, described
from verifier.specs.members import (
    ActionMember,
    Free,
    LemmaMember,
    PropertyMember,
    Step,
    action,
    deadlock_invariant,
    free,
    invariant,
    lemma,
    reachable,
    type_invariant,
)

__all__ = [
    "ActionMember",
    "AssumptionFailed",
    "BooleanConstant",
    "Call",
    "ChoiceConstant",
    "Constant",
    "DefinitionError",
    "Drawing",
    "Free",
    "IndexSetConstant",
    "IntegerConstant",
    "Lane",
    "LemmaMember",
    "Mail",
    "PropertyMember",
    "Protocol",
    "State",
    "Step",
    "action",
    "constants_of",
    "deadlock_invariant",
    "define",
    "free",
    "invariant",
    "lemma",
    "parse_constants",
    "reachable",
    "type_invariant",
]

Setting = TypeVar("Setting")


class DefinitionError(Exception):
    """A protocol is not well formed. The message says where and what is expected there."""


class AssumptionFailed(UsageError):
    """Constants that a protocol's assumptions reject."""

    def __init__(self, spec: str, assumption: str, constants: str) -> None:
        super().__init__(f"{spec} assumes {assumption}; got {constants}")
        self.assumption = assumption


@dataclass(frozen=True)
class Constant(Generic[Setting]):
    """A constant of a protocol, with its default and what is allowed.

    On the class it is this description; on an instance it is its value.
    """

    default: Any
    description: str = ""

    @overload
    def __get__(self, instance: None, owner: type) -> Constant[Setting]: ...
    @overload
    def __get__(self, instance: Protocol, owner: type) -> Setting: ...
    def __get__(self, instance: Protocol | None, owner: type) -> Constant[Setting] | Setting:
        if instance is None:
            return self
        return self.meaning(instance.constants[self._name_in(owner)], instance)

    def _name_in(self, owner: type) -> str:
        return next(name for name, constant in constants_of(owner).items() if constant is self)

    @property
    def allowed(self) -> str:
        """What values are allowed, in words."""
        raise NotImplementedError

    def parse(self, value: Any) -> Any:
        """A setting from the command line or a file. Raises ValueError if it is not allowed."""
        raise NotImplementedError

    def meaning(self, setting: Any, protocol: Protocol) -> Setting:
        """What the protocol sees."""
        return setting  # type: ignore[no-any-return]


@dataclass(frozen=True)
class IntegerConstant(Constant[int]):
    """An integer of at least ``minimum`` and, if given, at most ``maximum``."""

    minimum: int = 0
    maximum: int | None = None

    @property
    def allowed(self) -> str:
        upper = "" if self.maximum is None else f" up to {self.maximum}"
        return f"an integer from {self.minimum}{upper}"

    def parse(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise ValueError
        number = int(value)
        if number < self.minimum or (self.maximum is not None and number > self.maximum):
            raise ValueError
        return number


@dataclass(frozen=True)
class IndexSetConstant(Constant[IndexSet]):
    """How many elements an index set has; ``kind`` is what one of them is called."""

    kind: str = "element"
    minimum: int = 1
    symmetric: bool = True

    @property
    def allowed(self) -> str:
        return f"an integer from {self.minimum}"

    def parse(self, value: Any) -> int:
        return IntegerConstant(self.default, minimum=self.minimum).parse(value)

    def meaning(self, setting: Any, protocol: Protocol) -> IndexSet:
        interchangeable = self.symmetric and protocol.symmetric(self._name_in(type(protocol)))
        others = constants_of(type(protocol)).values()
        kinds = [other.kind for other in others if isinstance(other, IndexSetConstant)]
        return IndexSet(self.kind, setting, interchangeable, _prefix(self.kind, kinds))


def _prefix(kind: str, kinds: Iterable[str]) -> str:
    """The least beginning of a kind that none of the others has; the whole kind if there is none."""
    others = [other for other in kinds if other != kind]
    beginnings = (kind[:length] for length in range(1, len(kind)))
    return next((part for part in beginnings if not any(o.startswith(part) for o in others)), kind)


@dataclass(frozen=True)
class BooleanConstant(Constant[bool]):
    """True or false."""

    @property
    def allowed(self) -> str:
        return "true or false"

    def parse(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        return (
            {"true": True, "false": False}[str(value).lower()]
            if str(value).lower() in ("true", "false")
            else _no()
        )


@dataclass(frozen=True)
class ChoiceConstant(Constant[str]):
    """One of several words."""

    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        return " or ".join(self.choices)

    def parse(self, value: Any) -> str:
        return str(value) if value in self.choices else _no()


def _no() -> Any:
    raise ValueError


class State:
    """The state variables: declared with their sorts, then read as expressions."""

    def __init__(self, **sorts: Sort) -> None:
        self.__dict__["_symbols"] = {name: Symbol(name, sort) for name, sort in sorts.items()}
        for name, symbol in self._symbols.items():
            self.__dict__[name] = wrap(Term(Operator.VARIABLE, symbol.sort, (), symbol))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(str(unknown_name("state variable", name, self._symbols)))

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The variables' symbols, in the order declared."""
        return tuple(self._symbols.values())


class Protocol:
    """Base of all protocols. The docstring's first line is what ``verify list`` shows."""

    name: ClassVar[str] = ""
    """What ``--spec`` calls it; by default the class's name in words with hyphens."""
    next: ClassVar[tuple[str, ...]] = ()
    """The actions that take part, by method name; by default all, in the order written."""
    default_depth: ClassVar[int] = 10
    lanes: ClassVar[str] = ""
    """The constant whose index set gives a trace its columns; by default the first one."""
    drawing: ClassVar[Drawing | None] = None
    """How reports draw executions; by default with a lane for each element that is named."""

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        self.constants: Mapping[str, Any] = parse_constants(type(self), settings or {})
        for holds, meaning in self.assumptions():
            if not holds:
                shown = ", ".join(f"{name}={value}" for name, value in self.constants.items())
                raise AssumptionFailed(self.spec_name(), meaning, shown)

    @classmethod
    def spec_name(cls) -> str:
        """What ``--spec`` calls this protocol."""
        return cls.__dict__.get("name") or _words(cls.__name__, "-")

    def assumptions(self) -> list[tuple[bool, str]]:
        """What must hold among the constants (``ASSUME``), each with its words."""
        return []

    def symmetric(self, constant: str) -> bool:
        """Whether an index set declared symmetric is so at these constants (a choice in order, that
        only some settings make, breaks it)."""
        return True

    def state(self) -> State:
        """The state variables."""
        raise NotImplementedError

    def init(self, s: Any) -> Any:
        """The formula of the initial states."""
        raise NotImplementedError

    def constraint(self, s: Any) -> Any:
        """Bounds the exploration: nothing happens in a state that does not satisfy it. None: no bound."""
        return None


def constants_of(protocol: type) -> dict[str, Constant[Any]]:
    """The constants of a protocol class by name, base classes first."""
    found: dict[str, Constant[Any]] = {}
    for base in reversed(protocol.__mro__):
        found.update((name, member) for name, member in vars(base).items() if isinstance(member, Constant))
    return found


def parse_constants(protocol: type[Protocol], settings: Mapping[str, Any]) -> dict[str, Any]:
    """All constants: the settings given, defaults for the rest. Raises UsageError for unknown or bad ones."""
    known = constants_of(protocol)
    for name in settings:
        if name not in known:
            raise unknown_name("constant", name, known)
    values = {}
    for name, description in known.items():
        value = settings.get(name, description.default)
        try:
            values[name] = description.parse(value)
        except ValueError:
            raise UsageError(
                f"constant {name}={value} is not allowed: {name} is {description.allowed}"
            ) from None
    return values


def define(protocol: Protocol) -> Definition:
    """The protocol as plain data. Raises DefinitionError if it is not well formed."""
    state = protocol.state()
    members = dict(_members(type(protocol)))
    names = protocol.next or tuple(n for n, member in members.items() if isinstance(member, ActionMember))
    for name in names:
        if not isinstance(members.get(name), ActionMember):
            raise DefinitionError(f"{protocol.spec_name()}: next names {name!r}, which is no action")
    if not names:
        raise DefinitionError(f"{protocol.spec_name()} has no action: mark a method with @action()")
    properties = [
        _property(protocol, state, name, member)
        for name, member in members.items()
        if isinstance(member, PropertyMember)
    ]
    if not any(prop.kind is PropertyKind.TYPE_INVARIANT for prop in properties):
        always = coerce(True, BOOLEAN).term
        words = "No enabled action would assign a value outside its variable's sort."
        properties.append(Property("TypeInvariant", PropertyKind.TYPE_INVARIANT, always, True, words))
    lemmas = tuple(
        _lemma(protocol, state, name, member)
        for name, member in members.items()
        if isinstance(member, LemmaMember)
    )
    for name in {prop.name for prop in properties}.intersection(item.name for item in lemmas):
        raise DefinitionError(f"{protocol.spec_name()}: {name} is both a property and a lemma")
    bound = protocol.constraint(state)
    actions = tuple(_action(protocol, state, name, members[name]) for name in names)  # type: ignore[arg-type]
    definition = Definition(
        name=protocol.spec_name(),
        constants=protocol.constants,
        variables=state.symbols,
        init=_formula(protocol.init(state), "init"),
        actions=actions,
        properties=tuple(properties),
        constraint=None if bound is None else _formula(bound, "constraint"),
        lemmas=lemmas,
        drawing=_drawing(protocol, state, actions),
    )
    if all(is_total(term) for _, term in definition.terms()):
        return definition
    always = coerce(True, BOOLEAN).term
    words = "No enabled action, and no property, reads what has no value."
    reads = Property(UNDEFINED_READ, PropertyKind.UNDEFINED_READ, always, False, words)
    return replace(definition, properties=(*definition.properties, reads))


def _drawing(protocol: Protocol, state: State, actions: tuple[Action, ...]) -> dict[str, Any] | None:
    if protocol.drawing is None:
        return None
    return described(protocol.drawing, protocol, tuple(symbol.name for symbol in state.symbols), actions)


def _members(protocol: type) -> Iterator[tuple[str, ActionMember | PropertyMember | LemmaMember]]:
    seen: dict[str, None] = {}
    for base in reversed(protocol.__mro__):
        seen.update(dict.fromkeys(vars(base)))
    for name in seen:
        member = inspect.getattr_static(protocol, name)
        if isinstance(member, ActionMember | PropertyMember | LemmaMember):
            yield name, member


def _formula(value: Any, where: str) -> Term:
    try:
        return coerce(value, BOOLEAN).term
    except TypeError as error:
        raise DefinitionError(f"{where} is not a formula: {error}") from error


def _action(protocol: Protocol, state: State, method: str, member: ActionMember) -> Action:
    parameters = []
    for name, domain in member.domains.items():
        attribute = domain.domain if isinstance(domain, Free) else domain
        sort = getattr(protocol, attribute, None)
        if not isinstance(sort, Sort):
            raise DefinitionError(
                f"action {method}: the domain {attribute!r} of {name} is no sort of the protocol"
            )
        parameters.append(Parameter(Symbol(name, sort), isinstance(domain, Free)))
    arguments = {
        p.symbol.name: wrap(Term(Operator.VARIABLE, p.symbol.sort, (), p.symbol)) for p in parameters
    }
    try:
        step = member.method(protocol, state, **arguments)
        when = tuple(_formula(line, f"a guard line of {method}") for line in step.when)
        then = tuple(
            (target.term, coerce(value, _assigned_sort(target)).term) for target, value in step.then.items()
        )
    except TypeError as error:
        raise DefinitionError(f"action {method}: {error}") from error
    return Action(_title(method), tuple(parameters), when, then, inspect.getdoc(member.method) or "")


def _assigned_sort(target: Value) -> Sort:
    term = target.term
    while term.operator in (Operator.APPLY, Operator.FIELD):
        term = term.arguments[0]
    if term.operator is not Operator.VARIABLE:
        raise DefinitionError("an action assigns state variables, or applications and fields of them")
    return target.sort


def _property(protocol: Protocol, state: State, method: str, member: PropertyMember) -> Property:
    name = member.name or _title(method)
    formula = _formula(member.method(protocol, state), f"property {name}")
    return Property(name, member.kind, formula, member.default, inspect.getdoc(member.method) or "")


def _lemma(protocol: Protocol, state: State, method: str, member: LemmaMember) -> Lemma:
    name = member.name or _title(method)
    formula = _formula(member.method(protocol, state), f"lemma {name}")
    return Lemma(name, formula, inspect.getdoc(member.method) or "")


def _title(words: str) -> str:
    return "".join(word[:1].upper() + word[1:] for word in words.split("_"))


def _words(title: str, joint: str) -> str:
    return "".join((joint if c.isupper() and place else "") + c.lower() for place, c in enumerate(title))
