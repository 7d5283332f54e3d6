"""Protocols with types: what mypy finds in them, and that they mean the same as those without."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from mypy import api

from tests.support import typed_log
from tests.support.command_line import ROOT
from tests.support.typed_log import Copying, CopyingState, Role
from verifier import (
    DefinitionError,
    Enum,
    Fields,
    Function,
    IndexSetConstant,
    Members,
    Option,
    Protocol,
    Range,
    Record,
    Sequence,
    SortError,
    State,
    Step,
    UsageError,
    action,
    field,
    forall,
    load,
    member,
    variable,
)
from verifier.encodings.printing import text
from verifier.encodings.values import BooleanValue
from verifier.specs.hashing import spec_hash
from verifier.specs.protocol import define

MISTAKES = {
    "a variable": ("s.holder.is_none |", "s.hodler.is_none |", '"CopyingState" has no attribute "hodler"'),
    "a field": ("m: m.epoch).maximum", "m: m.epcoh).maximum", '"Message" has no attribute "epcoh"'),
    "a field of an item": ("s.log[0].sender", "s.log[0].sneder", '"Message" has no attribute "sneder"'),
    "a member": ("0, Role.LEADER", "0, Role.LEADR", '"type[Role]" has no attribute "LEADR"'),
    "a constant": ("self.strict, s", "self.strcit, s", '"Copying" has no attribute "strcit"'),
    "an operand": ("s.epoch + 1", "s.epoch + s.role", "Unsupported operand types for +"),
    "no integer": ("< self.last", "< self.nodes", "Unsupported operand types for <"),
    "an equation": ("m.votes == s.epoch", "m.votes == m.sender", "Unsupported operand types for =="),
    "an option": ("m.votes.value + 1", "m.votes + 1", "Unsupported operand types for +"),
    "an element": ("contains(m.sender)", "contains(m.epoch)", 'Argument 1 to "contains"'),
    "a domain": ("count(s.sent, lambda", "count(s.epoch, lambda", 'No overload variant of "count"'),
    "a key": ("s.role[n] == Role.FOLLOWER", "s.role[s.epoch] == Role.FOLLOWER", "Invalid index type"),
}
"""A piece of ``typed_log``, what is written instead of it, and what mypy says of that."""


def test_mypy_finds_what_is_misspelt_and_nothing_else(tmp_path: Path) -> None:
    right = Path(typed_log.__file__).read_text()
    files = {"right.py": right}
    for number, (piece, mistake, _) in enumerate(MISTAKES.values()):
        assert piece in right
        files[f"wrong{number}.py"] = right.replace(piece, mistake, 1)
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    found, trouble, _ = api.run(
        [
            # As `make lint` runs it, so that what mypy then found of the package is not found again.
            *("--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(ROOT / ".mypy_cache")),
            *("--no-error-summary", *(str(tmp_path / name) for name in files)),
        ]
    )
    assert not trouble
    said: dict[str, list[str]] = {}
    for line in found.splitlines():
        place, error, words = line.partition(": error: ")
        if error:
            said.setdefault(Path(place).name.partition(":")[0], []).append(words)
    assert "right.py" not in said
    for number, (kind, (_, _, words)) in enumerate(MISTAKES.items()):
        assert len(said[f"wrong{number}.py"]) == 1, kind
        assert words in said[f"wrong{number}.py"][0], kind


class Plain(Protocol, camel_case=True):
    """The protocol without types."""

    nodes = IndexSetConstant(2, "nodes", kind="node")

    def state(self) -> State:
        phase = Enum("Phase", ("idle", "busy"))
        entry = Record(phase=phase, epoch=Range(0, 2))
        return State(holder=Option(self.nodes), phase=Function(self.nodes, phase), log=Sequence(entry, 2))

    def init(self, s: Any) -> Any:
        return s.holder.is_none & forall(self.nodes, lambda n: s.phase[n] == "idle") & s.log.is_empty

    @action(node="nodes")
    def take(self, s: Any, node: Any) -> Step:
        return Step(
            when=[s.holder.is_none],
            then={s.holder: node, s.phase[node]: "busy", s.log: s.log.append({"phase": "busy", "epoch": 1})},
        )


class Phase(Members):
    IDLE = member("idle")
    busy = member()


class Entry(Fields):
    def __init__(self) -> None:
        self.phase = field(Enum(Phase))
        self.epoch = field(Range(0, 2))


class Shared(State):
    def __init__(self, protocol: Typed) -> None:
        self.holder = variable(Option(protocol.nodes))
        self.phase = variable(Function(protocol.nodes, Enum(Phase)))


class TypedState(Shared):
    def __init__(self, protocol: Typed) -> None:
        super().__init__(protocol)
        self.log = variable(Sequence(Record(Entry()), 2))


class Typed(Protocol, camel_case=True):
    """The protocol with types."""

    name = "plain"
    nodes = IndexSetConstant(2, "nodes", kind="node")

    def state(self) -> TypedState:
        return TypedState(self)

    def init(self, s: TypedState) -> BooleanValue:
        return s.holder.is_none & forall(self.nodes, lambda n: s.phase[n] == Phase.IDLE) & s.log.is_empty

    @action(node="nodes")
    def take(self, s: TypedState, node: Any) -> Step:
        entry = {"phase": Phase.busy, "epoch": 1}
        return Step(
            when=[s.holder.is_none],
            then={s.holder: node, s.phase[node]: Phase.busy, s.log: s.log.append(entry)},
        )


def test_types_do_not_change_what_a_protocol_means() -> None:
    assert spec_hash(define(Typed())) == spec_hash(define(Plain()))


def test_a_typed_protocol_runs() -> None:
    definition = define(Copying())
    assert [symbol.name for symbol in definition.variables] == ["role", "epoch", "holder", "sent", "log"]


def test_an_equation_of_two_members_is_a_formula() -> None:
    equation: Any = Role.FOLLOWER == Role.LEADER
    assert isinstance(equation, BooleanValue)
    assert text(equation.term) == "FOLLOWER = leads"
    with pytest.raises(SortError, match="no truth value"):
        bool(equation)
    with pytest.raises(SortError, match="do not go together"):
        _ = Phase.busy == Role.LEADER  # type: ignore[operator]
    with pytest.raises(SortError, match="'LEADR' is not a value of Role"):
        _ = Role.LEADER == "LEADR"


def test_an_enumeration_has_the_members_of_its_class_and_of_those_before() -> None:
    class More(Phase, name="more phases"):
        gone = member(None)

    assert Enum(More) == Enum("more phases", ("idle", "busy", "gone"))
    with pytest.raises(SortError, match=r"Enum\(Members\) needs a subclass of Members"):
        Enum(Members)


def test_fields_are_those_of_a_record() -> None:
    assert Record(Entry()).fields == Record(phase=Enum("Phase", ("idle", "busy")), epoch=Range(0, 2)).fields
    wrongs: tuple[Any, ...] = (Entry, 3, Range(0, 1))
    for wrong in wrongs:
        with pytest.raises(SortError, match=re.escape("in Record(Entry(self)), not")):
            Record(wrong)
    with pytest.raises(SortError, match="a field has a sort, as field"):
        field(3)  # type: ignore[arg-type]


def test_a_state_is_declared_once_and_in_its_class() -> None:
    class Twice(Shared):
        def __init__(self, protocol: Typed) -> None:
            super().__init__(protocol)
            self.holder = variable(Option(protocol.nodes))

    class Hidden(State):
        def __init__(self) -> None:
            self.turn = variable(Range(0, 1))

        def turn(self) -> None: ...  # type: ignore[no-redef]

    with pytest.raises(SortError, match="holder is declared twice"):
        Twice(Typed())
    with pytest.raises(SortError, match="turn has the name of a method of Hidden"):
        Hidden()
    for name, wrong in (("symbols", Range(0, 1)), ("x", 3)):
        with pytest.raises(SortError, match="state variable"):
            State(**{name: wrong})  # type: ignore[arg-type]


def test_no_variable_is_added_while_the_actions_are_read() -> None:
    class Late(Typed):
        @action()
        def grow(self, s: Any) -> Step:
            s.more = variable(Range(0, 1))
            return Step(when=[], then={})

    with pytest.raises(DefinitionError, match=r"s\.more is not assigned in Python"):
        define(Late())


def test_a_misspelt_variable_is_named_without_mypy_too() -> None:
    state: Any = CopyingState(Copying())
    with pytest.raises(AttributeError, match="did you mean 'holder'"):
        _ = state.hodler


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("piece", "mistake", "words"),
    [
        (
            "Set(Record(Message(copying)))",
            "Set(Message(copying))",
            "fields of Message: write Record(Message(…))",
        ),
        ("Enum(Role)", "Role", "the members Role: write Enum(Role)"),
        ("0, Role.LEADER", "0, Role.LEADR", "Role has no member 'LEADR' (allowed: FOLLOWER, LEADER)"),
        ("m: m.epoch).maximum", "m: m.epcoh).maximum", "the record has no field 'epcoh'"),
        ("== Role.FOLLOWER", "is Role.FOLLOWER", "is decided by Python while it reads the protocol"),
        ("if_(s.epoch == 0,", "if_(True if Role.LEADER else False,", "a formula has no truth value"),
        ("variable(copying.epochs)", "3", "the state variable epoch needs a sort"),
        ("return CopyingState(self)", "return CopyingState()", "lacks copying"),
    ],
)
def test_mistakes_are_explained_without_mypy_too(
    tmp_path: Path, piece: str, mistake: str, words: str
) -> None:
    right = Path(typed_log.__file__).read_text()
    assert piece in right
    (tmp_path / "log.py").write_text(right.replace(piece, mistake, 1))
    with pytest.raises((DefinitionError, UsageError), match=re.escape(words)):
        load(str(tmp_path / "log.py"))
