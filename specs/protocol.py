"""The base class of protocols: constants, ``state``, ``init``, actions and properties.

``docs/tutorial.md`` writes a protocol from the empty file on.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from verifier.encodings.concrete import show_constants
from verifier.encodings.partiality import is_total
from verifier.encodings.quantifiers import constantly
from verifier.encodings.terms import Term
from verifier.specs.action_members import actions_of
from verifier.specs.claim_members import read_lemma, read_property
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
from verifier.specs.definition import Action, Definition, DefinitionError, Property, PropertyKind
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
    CAMEL_CASE,
    TYPE_INVARIANT,
    Titled,
    check_kinds,
    check_titles,
    check_type_invariant,
    title_of,
)
from verifier.specs.outline import check_attributes, check_given_once, check_marked, check_methods
from verifier.specs.participants import Drawn, columns_of
from verifier.specs.presentation import presentation
from verifier.specs.ranking_members import Ranking, ranking, rankings
from verifier.specs.reading.code_places import place_of, prefix_place
from verifier.specs.reading.keys import Keys, Site
from verifier.specs.refinement_members import refinements, refines
from verifier.specs.state import State, complete, successor_of
from verifier.specs.steps import Step
from verifier.specs.temporal import Fairness, strong, weak
from verifier.specs.temporal_members import (
    always,
    always_eventually,
    eventually,
    eventually_always,
    fairness_variants,
    for_each,
    for_some,
    leads_to,
    now,
    temporal,
    temporal_properties,
    until,
)
from verifier.specs.titles import UNDEFINED_READ
from verifier.specs.watching import reading

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
    "Ranking",
    "State",
    "Step",
    "action",
    "always",
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
    "now",
    "parse_constants",
    "ranking",
    "reachable",
    "refines",
    "step_invariant",
    "strong",
    "temporal",
    "type_invariant",
    "until",
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
    """The drawing of executions in reports. The default has a lane for each element that actions or
    functions name."""

    def __init_subclass__(cls, *, camel_case: bool | None = None, **more: Any) -> None:
        """``class Raft(Protocol, camel_case=True)``: properties and lemmas are named as TLA+ operators are,
        ``log_matching`` is LogMatching. Subclasses inherit this. Otherwise they keep their names."""
        super().__init_subclass__(**more)
        if camel_case is not None:
            setattr(cls, CAMEL_CASE, camel_case)

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        check_marked(type(self), Protocol)
        self.constants: Mapping[str, Any] = parse_constants(type(self), settings or {})
        given: Any = self.assumptions()  # whatever a protocol's author wrote
        if not isinstance(given, list | tuple):
            raise DefinitionError(
                prefix_place(
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
                        prefix_place(
                            place_of(type(self).assumptions),
                            f"an assumption of {self.spec_name()} is True or False, and its words, as in "
                            f"(self.first <= self.last, 'first <= last'); got {entry!r}",
                        )
                    )
            if not holds:
                shown = show_constants(self.constants)
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
        """True if the symmetry of an index set that is declared symmetric may be used at these constants.

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


def define(protocol: Protocol, *, of_executions: bool = True) -> Definition:
    """The protocol as plain data. Raises DefinitionError if it is not well formed. ``of_executions``: with
    what it says of whole executions, which are temporal properties, fairness and rankings."""
    return read(protocol, of_executions=of_executions)[0]


def read(protocol: Protocol, *, of_executions: bool = True) -> tuple[Definition, frozenset[Site]]:
    """The protocol as plain data, and the instructions of its code that make the targets of steps."""
    with reading(protocol) as keys:
        return _define(protocol, of_executions, keys), keys.places()


def _define(protocol: Protocol, of_executions: bool, keys: Keys) -> Definition:
    spec, kind = protocol.spec_name(), type(protocol)
    check_attributes(spec, kind)
    check_given_once(kind)
    check_methods(spec, kind, Protocol)
    check_kinds(spec, kind)
    state = protocol.state()
    if not isinstance(state, State):
        raise DefinitionError(prefix_place(place_of(kind.state), f"state of {spec} returns no State(…)"))
    keys.variables = complete(state).symbols
    members = dict(members_of(kind))
    actions = actions_of(protocol, state, members)
    after = successor_of(state)
    properties = [
        read_property(protocol, state, after, name, member)
        for name, member in members.items()
        if isinstance(member, PropertyMember)
    ]
    init = _init(protocol, state)
    refined = refinements(protocol, state, after, init, define)
    properties += [claim for one in refined for claim in one.properties]
    helping = {name: member for name, member in members.items() if isinstance(member, LemmaMember)}
    lemmas = [read_lemma(protocol, state, name, helping) for name in helping]
    lasting = temporal_properties(protocol, state) if of_executions else []
    lasting += [claim for one in refined if of_executions for claim in one.temporal]
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
    drawn = _draw(protocol, state, [item for _, item in actions], members)
    columns = columns_of(protocol, drawn)
    definition = Definition(
        name=spec,
        constants=protocol.constants,
        variables=state.symbols,
        init=init,
        actions=tuple(item for _, item in actions),
        properties=tuple(prop for _, prop in properties),
        constraint=None if bound is None else formula(bound, "the constraint", kind.constraint),
        lemmas=tuple(item for _, item in lemmas),
        successor=after.symbols,
        drawing=drawing_of(protocol, drawn, columns),
        presentation=presentation(protocol, columns),
        temporal=tuple(prop for _, prop in lasting),
        refinements=tuple(one.refinement for one in refined),
    )
    if of_executions:
        definition = replace(
            definition,
            fairness=fairness_variants(protocol, definition.actions),
            rankings=rankings(protocol, state, definition.actions, definition.temporal),
        )
    check_variables(definition)
    return _with_undefined_read(definition)


def _with_undefined_read(definition: Definition) -> Definition:
    """The definition, with the property that nothing without value is read, where something can be."""
    lasting = (term for prop in definition.temporal for term in prop.formula.all_terms())
    if all(map(is_total, (*(term for _, term in definition.terms()), *lasting))):
        return definition
    words = "No enabled action, and no property asked for, reads what has no value."
    reads = Property(UNDEFINED_READ, PropertyKind.UNDEFINED_READ, constantly(True).term, False, words)
    return replace(definition, properties=(*definition.properties, reads))


def _init(protocol: Protocol, state: State) -> Term:
    """The formula of the initial states. Raises DefinitionError if it leaves a variable out."""
    method = type(protocol).init
    given = protocol.init(state)
    init = formula(given, "init", method)
    left = [
        f"s.{symbol.name}" for symbol in state.symbols if symbol not in init.free and symbol.sort.size > 1
    ]
    if left:
        names = ", ".join(left)
        any_value = f"arbitrary({names})"
        is_list = isinstance(given, list | tuple)
        how = f"add {any_value} to the list" if is_list else f"write (…) & {any_value}"
        words = f"init does not mention {names}: give a value, or {how} if any value is meant"
        raise DefinitionError(prefix_place(place_of(method), words))
    return init


def _draw(protocol: Protocol, state: State, actions: list[Action], members: Mapping[str, Any]) -> Drawn:
    domains = {
        title_of(name): {key: d.domain if isinstance(d, Free) else d for key, d in member.domains.items()}
        for name, member in members.items()
        if isinstance(member, ActionMember)
    }
    sorts = {symbol.name: symbol.sort for symbol in state.symbols}
    return Drawn(protocol, sorts, actions, domains, "drawing" not in vars(type(protocol)))


def members_of(protocol: type) -> Iterator[tuple[str, ActionMember | PropertyMember | LemmaMember]]:
    """The actions, properties and lemmas of a class, by the names of their methods."""
    seen: dict[str, None] = {}
    for base in reversed(protocol.__mro__):
        seen.update(dict.fromkeys(vars(base)))
    for name in seen:
        member = inspect.getattr_static(protocol, name)
        if isinstance(member, ActionMember | PropertyMember | LemmaMember):
            yield name, member
        elif member is not None and (hidden := _explain_hidden(protocol, name)):
            raise DefinitionError(
                f"{protocol.__name__}.{name} hides the {hidden} of that name but is not decorated: decorate "
                f"it as that, or write {name} = None to leave it out"
            )


def _explain_hidden(protocol: type, name: str) -> str:
    """The members of base classes whose name means something else in the protocol."""
    kinds = {ActionMember: "action", PropertyMember: "property", LemmaMember: "lemma"}
    kinds_found = (kinds.get(type(vars(base).get(name))) for base in protocol.__mro__)
    return next((kind for kind in kinds_found if kind), "")


def _words(title: str, joint: str) -> str:
    return "".join((joint if c.isupper() and place else "") + c.lower() for place, c in enumerate(title))
