"""The base class of protocols: constants, ``state``, ``init``, actions and properties.

``docs/tutorial.md`` writes a protocol from the empty file on.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from verifier.encodings.partiality import is_total
from verifier.encodings.quantifiers import constantly
from verifier.encodings.sorts import Sort
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.encodings.values import wrap
from verifier.errors import among
from verifier.specs.constants import (
    AssumptionFailed,
    BooleanConstant,
    ChoiceConstant,
    Constant,
    IndexSetConstant,
    IntegerConstant,
    constants_of,
    parse_constants,
)
from verifier.specs.definition import (
    UNDEFINED_READ,
    Action,
    Definition,
    DefinitionError,
    Lemma,
    Parameter,
    Property,
    PropertyKind,
)
from verifier.specs.drawing import Call, Drawing, Lane, Mail
from verifier.specs.drawn import drawing_of
from verifier.specs.formulas import check_variables, formula
from verifier.specs.members import (
    ActionMember,
    Free,
    LemmaMember,
    PropertyMember,
    action,
    deadlock_invariant,
    free,
    free_or_expanded,
    invariant,
    lemma,
    reachable,
    step_invariant,
    type_invariant,
)
from verifier.specs.names import (
    TYPE_INVARIANT,
    Titled,
    check_kinds,
    check_titles,
    check_type_invariant,
    title_of,
)
from verifier.specs.outline import check_attributes, check_methods, check_parameters, sorts_of
from verifier.specs.participants import Drawn, columns_of
from verifier.specs.presentation import presentation
from verifier.specs.reading.explaining import explained
from verifier.specs.reading.places import place_of, place_of_attribute, place_of_class, placed, raised_at
from verifier.specs.reading.watching import reading
from verifier.specs.state import State, completed, successor_of
from verifier.specs.steps import Step
from verifier.specs.targets import assignments
from verifier.specs.temporal import Fairness, strong, weak
from verifier.specs.temporal_members import (
    always_eventually,
    eventually,
    eventually_always,
    fairness_variants,
    for_each,
    for_some,
    leads_to,
    temporal,
    temporal_properties,
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
    "always_eventually",
    "constants_of",
    "deadlock_invariant",
    "define",
    "eventually",
    "eventually_always",
    "for_each",
    "for_some",
    "free",
    "free_or_expanded",
    "invariant",
    "leads_to",
    "lemma",
    "parse_constants",
    "reachable",
    "step_invariant",
    "strong",
    "temporal",
    "type_invariant",
    "weak",
]


class Protocol:
    """Base of all protocols. The docstring's first line is what ``verify list`` shows."""

    name: ClassVar[str] = ""
    """The protocol's name for ``--spec``. The default is the class's name in words with hyphens."""
    next: ClassVar[tuple[str, ...]] = ()
    """The method names of the actions that the protocol has. The default is all, in the order written."""
    default_depth: ClassVar[int] = 10
    lanes: ClassVar[str] = ""
    """The constant whose index set gives a trace its columns. The default is the first index set."""
    drawing: ClassVar[Drawing | None] = None
    """How reports draw executions. The default has a lane for each element that actions or functions name."""

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        self.constants: Mapping[str, Any] = parse_constants(type(self), settings or {})
        given: Any = self.assumptions()  # whatever a protocol's author wrote
        if not isinstance(given, list | tuple):
            raise DefinitionError(
                placed(
                    place_of(type(self).assumptions),
                    f"assumptions of {self.spec_name()} returns a list of pairs, as in "
                    f"[(self.first <= self.last, 'first <= last')], not {given!r}",
                )
            )
        for entry in given:
            match entry:
                case bool(holds), str(meaning):
                    pass
                case _:
                    raise DefinitionError(
                        placed(
                            place_of(type(self).assumptions),
                            f"an assumption of {self.spec_name()} is True or False, and its words, as in "
                            f"(self.first <= self.last, 'first <= last'); got {entry!r}",
                        )
                    )
            if not holds:
                shown = ", ".join(f"{name}={value}" for name, value in self.constants.items())
                where = "" if settings else place_of(type(self).assumptions)
                raise AssumptionFailed(self.spec_name(), meaning, shown, where)

    @classmethod
    def spec_name(cls) -> str:
        """The name of this protocol for ``--spec``."""
        return cls.__dict__.get("name") or _words(cls.__name__, "-")

    def assumptions(self) -> list[tuple[bool, str]]:
        """The conditions on the constants (``ASSUME``), each with its description."""
        return []

    def symmetric(self, constant: str) -> bool:
        """Whether an index set that is declared symmetric is symmetric at these constants.

        Some settings may make a choice by order, which breaks the symmetry.
        """
        return True

    def state(self) -> State:
        """The state variables."""
        raise NotImplementedError

    def init(self, s: Any) -> Any:
        """The formula of the initial states, or a list of its conjuncts."""
        raise NotImplementedError

    def constraint(self, s: Any) -> Any:
        """Bounds the search: where it is false, no action is enabled. None means no bound."""
        return None

    def fairness(self) -> Sequence[Fairness]:
        """The fairness conditions that the protocol states: ``[weak()]`` is ``WF_vars(Next)``."""
        return []

    def fairness_variants(self) -> Mapping[str, Sequence[Fairness]]:
        """Other fairness conditions, under the names that ``--fairness`` takes."""
        return {}


def define(protocol: Protocol) -> Definition:
    """The protocol as plain data. Raises DefinitionError if it is not well formed."""
    with reading(protocol):
        return _defined(protocol)


def _defined(protocol: Protocol) -> Definition:
    spec, kind = protocol.spec_name(), type(protocol)
    check_attributes(spec, kind)
    check_methods(spec, kind, Protocol)
    check_kinds(spec, kind)
    state = protocol.state()
    if not isinstance(state, State):
        raise DefinitionError(placed(place_of(kind.state), f"state of {spec} returns no State(…)"))
    completed(state)
    members = dict(_members(kind))
    actions = _actions(protocol, state, members)
    after = successor_of(state)
    properties = [
        _property(protocol, state, after, name, member)
        for name, member in members.items()
        if isinstance(member, PropertyMember)
    ]
    lemmas = [
        _lemma(protocol, state, name, member)
        for name, member in members.items()
        if isinstance(member, LemmaMember)
    ]
    lasting = temporal_properties(protocol, state)
    others = [item for item, _ in (*lemmas, *lasting)]
    check_titles(spec, [*(item for item, _ in properties), *others], [item for item, _ in actions])
    if not check_type_invariant(spec, [*properties, *((item, None) for item in others)]):
        always, words = (
            constantly(True).term,
            "No enabled action would assign a value outside its variable's sort.",
        )
        added = Property(TYPE_INVARIANT, PropertyKind.TYPE_INVARIANT, always, True, words)
        properties.append((Titled(TYPE_INVARIANT, "property", "", ""), added))
    bound = protocol.constraint(state)
    drawn = _drawn(protocol, state, [item for _, item in actions], members)
    columns = columns_of(protocol, drawn)
    definition = Definition(
        name=spec,
        constants=protocol.constants,
        variables=state.symbols,
        init=_init(protocol, state),
        actions=tuple(item for _, item in actions),
        properties=tuple(prop for _, prop in properties),
        constraint=None if bound is None else formula(bound, "the constraint", kind.constraint),
        lemmas=tuple(item for _, item in lemmas),
        successor=after.symbols,
        drawing=drawing_of(protocol, drawn, columns),
        presentation=presentation(protocol, columns),
        temporal=tuple(prop for _, prop in lasting),
        fairness=fairness_variants(protocol, [item for _, item in actions]),
    )
    check_variables(definition)
    if all(is_total(term) for _, term in definition.terms()):
        return definition
    words = "No enabled action, and no property asked for, reads what has no value."
    reads = Property(UNDEFINED_READ, PropertyKind.UNDEFINED_READ, constantly(True).term, False, words)
    return replace(definition, properties=(*definition.properties, reads))


def _init(protocol: Protocol, state: State) -> Term:
    """The formula of the initial states. Raises DefinitionError if it leaves a variable out."""
    method = type(protocol).init
    init = formula(protocol.init(state), "init", method)
    left = [
        f"s.{symbol.name}" for symbol in state.symbols if symbol not in init.free and symbol.sort.size > 1
    ]
    if left:
        raise DefinitionError(
            placed(
                place_of(method),
                f"init says nothing of {', '.join(left)}: give a value, "
                f"or say & arbitrary({', '.join(left)}) if any value is meant",
            )
        )
    return init


def _actions(protocol: Protocol, state: State, members: Mapping[str, Any]) -> list[tuple[Titled, Action]]:
    spec = protocol.spec_name()
    names = protocol.next or tuple(n for n, member in members.items() if isinstance(member, ActionMember))
    for name in names:
        if not isinstance(members.get(name), ActionMember):
            known = [n for n, member in members.items() if isinstance(member, ActionMember)]
            raise _of_next(protocol, f"next names {name!r}, which is no action {among(name, known)}")
    if not names:
        where = place_of_class(type(protocol))
        raise DefinitionError(placed(where, f"{spec} has no action: mark a method with @action"))
    if len(set(names)) < len(names):
        raise _of_next(protocol, f"next names an action twice: {', '.join(names)}")
    return [_action(protocol, state, name, members[name]) for name in names]


def _of_next(protocol: Protocol, words: str) -> DefinitionError:
    return DefinitionError(placed(place_of_attribute(type(protocol), "next"), words))


def _drawn(protocol: Protocol, state: State, actions: list[Action], members: Mapping[str, Any]) -> Drawn:
    domains = {
        title_of(name): {key: d.domain if isinstance(d, Free) else d for key, d in member.domains.items()}
        for name, member in members.items()
        if isinstance(member, ActionMember)
    }
    sorts = {symbol.name: symbol.sort for symbol in state.symbols}
    return Drawn(protocol, sorts, actions, domains, "drawing" not in vars(type(protocol)))


def _members(protocol: type) -> Iterator[tuple[str, ActionMember | PropertyMember | LemmaMember]]:
    seen: dict[str, None] = {}
    for base in reversed(protocol.__mro__):
        seen.update(dict.fromkeys(vars(base)))
    for name in seen:
        member = inspect.getattr_static(protocol, name)
        if isinstance(member, ActionMember | PropertyMember | LemmaMember):
            yield name, member
        elif member is not None and (hidden := _hidden(protocol, name)):
            raise DefinitionError(
                f"{protocol.__name__}.{name} hides the {hidden} of that name and is none itself: decorate it "
                f"as that, or write {name} = None to leave it out"
            )


def _hidden(protocol: type, name: str) -> str:
    """The members of base classes whose name means something else in the protocol."""
    kinds = {ActionMember: "action", PropertyMember: "property", LemmaMember: "lemma"}
    found = (kinds.get(type(vars(base).get(name))) for base in protocol.__mro__)
    return next((kind for kind in found if kind), "")


def _action(protocol: Protocol, state: State, method: str, member: ActionMember) -> tuple[Titled, Action]:
    item = Titled(title_of(method), "action", method, place_of(member.method))
    check_parameters(f"action {method}", member.method, ("s",), member.domains)
    parameters = tuple(_parameter(protocol, item, name, domain) for name, domain in member.domains.items())
    arguments = {
        p.symbol.name: wrap(Term(Operator.VARIABLE, p.symbol.sort, (), p.symbol)) for p in parameters
    }
    try:
        step: Any = member.method(protocol, state, **arguments)
    except TypeError as error:
        where = raised_at(error) or item.place
        raise DefinitionError(placed(where, f"action {method}: {explained(error)}")) from error
    if not isinstance(step, Step):
        given = "nothing" if step is None else repr(step)
        words = f"action {method} returns {given}, not a Step: write return Step(when=…, then=…)"
        raise DefinitionError(placed(item.place, words))
    when = tuple(formula(line, f"a guard line of {method}", member.method) for line in step.when)
    try:
        then = assignments(step.then, state.symbols)
    except (TypeError, DefinitionError) as error:
        raise DefinitionError(placed(item.place, f"action {method}: {error}")) from error
    return item, Action(item.title, parameters, when, then, inspect.getdoc(member.method) or "")


def _parameter(protocol: Protocol, action: Titled, name: str, domain: str | Free) -> Parameter:
    attribute: Any = domain.domain if isinstance(domain, Free) else domain
    if not isinstance(attribute, str):
        raise DefinitionError(
            placed(
                action.place,
                f"action {action.method}: the domain of {name} is the name of an attribute in quotes, as in "
                f"{name}='nodes', not {_described(attribute)}",
            )
        )
    if not name.isidentifier():
        raise DefinitionError(
            f"{action.words}: a parameter cannot be called {name!r}, which is no name in Python"
        )
    sort = getattr(protocol, attribute, None)
    if not isinstance(sort, Sort):
        raise DefinitionError(
            placed(
                action.place,
                f"action {action.method}: the domain {attribute!r} of {name} is no sort of the protocol "
                f"{among(attribute, sorts_of(protocol))}",
            )
        )
    if isinstance(domain, Free):
        return Parameter(Symbol(name, sort), free=domain.always, left_open=not domain.always)
    return Parameter(Symbol(name, sort), free=False)


def _described(value: Any) -> str:
    return "the constant itself" if isinstance(value, Constant) else repr(value)


def _property(
    protocol: Protocol, state: State, after: State, method: str, member: PropertyMember
) -> tuple[Titled, Property]:
    given = {"s": state} | ({"after": after} if member.kind is PropertyKind.STEP_INVARIANT else {})
    item = _claim("property", method, member, *given)
    claimed = member.method(protocol, *given.values())
    said = formula(claimed, f"property {item.title}", member.method)
    about = inspect.getdoc(member.method) or ""
    return item, Property(item.title, member.kind, said, member.default, about)


def _lemma(protocol: Protocol, state: State, method: str, member: LemmaMember) -> tuple[Titled, Lemma]:
    item = _claim("lemma", method, member, "s")
    said = formula(member.method(protocol, state), f"lemma {item.title}", member.method)
    return item, Lemma(item.title, said, inspect.getdoc(member.method) or "")


def _claim(what: str, method: str, member: PropertyMember | LemmaMember, *states: str) -> Titled:
    check_parameters(f"{what} {method}", member.method, states)
    given: Any = member.name
    if given is not None and not isinstance(given, str):
        words = f"the name of {what} {method} is a word in quotes, not {given!r}"
        raise DefinitionError(placed(place_of(member.method), words))
    title = title_of(method) if member.name is None else member.name
    return Titled(title, what, method, place_of(member.method))


def _words(title: str, joint: str) -> str:
    return "".join((joint if c.isupper() and place else "") + c.lower() for place, c in enumerate(title))
