"""Formulas of the verifier as TLA+ text, by the kinds of a module's variables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from verifier.encodings.concrete import Element
from verifier.encodings.sorts import Boolean, IndexSet, Range
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.tla.first_order.families import Family
from verifier.tla.first_order.kinds import (
    Fields,
    Kind,
    Linear,
    Map,
    Member,
    Optional,
    Pair,
    SetOf,
    Truth,
    Whole,
    Word,
)

_JOINTS = {Operator.AND: "/\\", Operator.OR: "\\/", Operator.IMPLIES: "=>"}
_BINARY = {
    Operator.LESS: "<",
    Operator.LESS_EQUAL: "<=",
    Operator.ADD: "+",
    Operator.SUBTRACT: "-",
    Operator.MULTIPLY: "*",
}


class NoText(Exception):
    """Raised for a formula that this module has no text for."""


class LemmaWriter:
    """Writes formulas about the state."""

    def __init__(
        self,
        kinds: Mapping[str, Kind],
        atoms: Collection[str],
        taken: Collection[str],
        number: Callable[[int], str],
        families: Collection[Family] = (),
    ) -> None:
        """``kinds``: of the variables, by name. ``atoms``: the single model values. Other words are
        strings. ``taken``: the names of the module. ``number`` returns the text of a bound, with constants
        by name."""
        self._kinds, self._atoms, self._taken, self._number = kinds, atoms, taken, number
        self._families = {one.variable: one for one in families}
        self._names: dict[Symbol, str] = {}
        """The names of bound variables."""

    def write(self, term: Term) -> str:
        """Return a formula as text. Raises NoText."""
        return self._formula(term, {})

    def _formula(self, term: Term, bound: Mapping[Symbol, Kind]) -> str:
        match term.operator:
            case Operator.FORALL | Operator.EXISTS:
                return self._write_quantifiers(term, bound)
            case Operator.AND | Operator.OR | Operator.IMPLIES:
                sign = _JOINTS[term.operator]
                parts = list(_flatten(term)) if sign != "=>" else list(term.arguments)
                *firsts, last = parts
                said = [*(self._operand(one, bound) for one in firsts), self._formula(last, bound)]
                return f"({f' {sign} '.join(said)})"
            case Operator.NOT if term.arguments[0].operator is Operator.EQUAL:
                return self._equal(term.arguments[0], bound, "#")
            case Operator.NOT:
                return f"~{self._operand(term.arguments[0], bound)}"
            case Operator.EQUAL:
                return self._equal(term, bound)
            case Operator.LESS | Operator.LESS_EQUAL:
                one, other = (self._value(part, bound)[0] for part in term.arguments)
                return f"({one} {_BINARY[term.operator]} {other})"
            case Operator.CONTAINS | Operator.SUBSET:
                return self._of_sets(term, bound)
            case Operator.IS_NONE:
                return self._is_none(term.arguments[0], bound)
            case Operator.LITERAL if isinstance(term.sort, Boolean):
                return "TRUE" if term.data else "FALSE"
        text, kind = self._value(term, bound)
        if not isinstance(kind, Truth):
            raise NoText
        return text

    def _operand(self, term: Term, bound: Mapping[Symbol, Kind]) -> str:
        """Return a formula before others: a quantifier would take them in."""
        said = self._formula(term, bound)
        return f"({said})" if term.operator in (Operator.FORALL, Operator.EXISTS) else said

    def _of_sets(self, term: Term, bound: Mapping[Symbol, Kind]) -> str:
        """Return membership, or that a set is a part of another one."""
        members, kind = self._value(term.arguments[0], bound)
        if not isinstance(kind, SetOf) or kind.element is None:
            raise NoText
        if term.operator is Operator.SUBSET:
            return f"({members} \\subseteq {self._of_kind(term.arguments[1], kind, bound)})"
        return f"({self._of_kind(term.arguments[1], kind.element, bound)} \\in {members})"

    def _write_quantifiers(self, term: Term, bound: Mapping[Symbol, Kind]) -> str:
        """Return quantifiers over one set together."""
        operator, inner, groups = term.operator, dict(bound), list[tuple[str, list[str]]]()
        while term.operator is operator and term.binds is not None:
            kind, domain = self._domain(term.binds)
            self._names[term.binds] = self._free_name(term.binds, inner)
            inner[term.binds] = kind
            if not groups or groups[-1][0] != domain:
                groups.append((domain, []))
            groups[-1][1].append(self._names[term.binds])
            term = term.arguments[0]
        sign = "\\A" if operator is Operator.FORALL else "\\E"
        said = ", ".join(f"{', '.join(names)} \\in {domain}" for domain, names in groups)
        return f"{sign} {said} : {self._formula(term, inner)}"

    def _free_name(self, symbol: Symbol, bound: Mapping[Symbol, Kind]) -> str:
        """Return a name for a bound variable, which nothing else in the module or around it has."""
        name, around = symbol.name, {self._names[one] for one in bound}
        while name in self._taken or name in around:
            name = f"{name}_"
        return name

    def _word(self, word: str) -> str:
        return word if word in self._atoms else f'"{word}"'

    def _write_absent(self, kind: Optional) -> str:
        return str(kind.absent) if isinstance(kind.absent, int) else self._word(kind.absent)

    def _domain(self, symbol: Symbol) -> tuple[Kind, str]:
        if isinstance(symbol.sort, IndexSet):
            return Member(symbol.sort.name), symbol.sort.name
        if isinstance(symbol.sort, Range):
            low, high = (self._number(bound) for bound in (symbol.sort.low, symbol.sort.high))
            return Whole(Linear(0), Linear(0)), f"({low})..({high})"
        raise NoText

    def _equal(self, term: Term, bound: Mapping[Symbol, Kind], sign: str = "=") -> str:
        for one, other in (term.arguments, term.arguments[::-1]):
            try:
                text, kind = self._value(one, bound)
                return f"({text} {sign} {self._of_kind(other, kind, bound)})"
            except NoText:
                continue
        raise NoText

    def _is_none(self, term: Term, bound: Mapping[Symbol, Kind]) -> str:
        if term.operator is Operator.FIELD and (lacking := self._lacking(term, bound)) is not None:
            return f'("{term.data}" \\notin DOMAIN {lacking})'
        text, kind = self._value(term, bound)
        if not isinstance(kind, Optional):
            raise NoText
        return f"({text} = {self._write_absent(kind)})"

    def _lacking(self, term: Term, bound: Mapping[Symbol, Kind]) -> str | None:
        """Return the record of a field that some records lack; None for another field."""
        record, kind = self._value(term.arguments[0], bound)
        part = kind.part(str(term.data)) if isinstance(kind, Fields) else None
        return record if part is not None and part.may_lack else None

    def _value(self, term: Term, bound: Mapping[Symbol, Kind]) -> tuple[str, Kind]:
        """Return the text and the kind of a value. Raises NoText."""
        match term.operator:
            case Operator.VARIABLE if isinstance(term.data, Symbol):
                if (known := bound.get(term.data)) is not None:
                    return self._names[term.data], known
                if (known := self._kinds.get(term.data.name)) is not None:
                    return term.data.name, known
            case Operator.GET | Operator.SOME:
                text, kind = self._value(term.arguments[0], bound)
                return text, kind.inner if isinstance(kind, Optional) else kind
            case Operator.APPLY if (family := self._family(term.arguments[0])) is not None:
                return self._of_kind(term.arguments[1], family.kind.domain, bound), family.kind.range
            case Operator.APPLY:
                function, kind = self._value(term.arguments[0], bound)
                if isinstance(kind, Map):
                    return f"{function}[{self._of_kind(term.arguments[1], kind.domain, bound)}]", kind.range
            case Operator.FIELD:
                record, kind = self._value(term.arguments[0], bound)
                if isinstance(kind, Fields) and (part := kind.part(str(term.data))) is not None:
                    return f"{record}.{part.name}", part.kind
                if isinstance(kind, Pair) and isinstance(term.data, int):
                    return f"{record}[{term.data + 1}]", kind.items[term.data]
            case Operator.COMPREHENSION if term.binds is not None:
                return self._comprehension(term, bound)
        return self._integer(term, bound), Whole(Linear(0), Linear(0))

    def _integer(self, term: Term, bound: Mapping[Symbol, Kind]) -> str:
        match term.operator:
            case Operator.CARDINALITY:
                return f"Cardinality({self._value(term.arguments[0], bound)[0]})"
            case Operator.ADD | Operator.SUBTRACT | Operator.MULTIPLY:
                one, other = (self._value(part, bound)[0] for part in term.arguments)
                return f"({one} {_BINARY[term.operator]} {other})"
            case Operator.LITERAL if isinstance(term.data, int) and not isinstance(term.data, bool):
                return self._number(term.data)
        raise NoText

    def _family(self, term: Term) -> Family | None:
        """Return the family whose state variable this is."""
        is_variable = term.operator is Operator.VARIABLE
        return self._families.get(term.data.name) if is_variable and isinstance(term.data, Symbol) else None

    def _comprehension(self, term: Term, bound: Mapping[Symbol, Kind]) -> tuple[str, Kind]:
        assert term.binds is not None
        kind, domain = self._domain(term.binds)
        condition = term.arguments[0]
        if condition.operator is Operator.LITERAL and condition.data is True:
            return domain, SetOf(kind)
        self._names[term.binds] = name = self._free_name(term.binds, bound)
        said = self._formula(condition, {**bound, term.binds: kind})
        return f"{{{name} \\in {domain} : {said}}}", SetOf(kind)

    def _of_kind(self, term: Term, kind: Kind, bound: Mapping[Symbol, Kind]) -> str:
        """Return the text of a value whose kind is known."""
        match term.operator, kind:
            case Operator.LITERAL, _:
                return self._literal(term.data, kind)
            case Operator.SOME, Optional(inner=inner):
                return self._of_kind(term.arguments[0], inner, bound)
            case Operator.TUPLE, Pair(items):
                parts = (self._of_kind(one, k, bound) for one, k in zip(term.arguments, items, strict=True))
                return f"<<{', '.join(parts)}>>"
            case Operator.RECORD, Fields(parts):
                pairs = zip(parts, term.arguments, strict=True)
                held = [(p, one) for p, one in pairs if not (p.may_lack and _is_nothing(one))]
                said = (f"{p.name} |-> {self._of_kind(_unwrap(one), p.kind, bound)}" for p, one in held)
                return f"[{', '.join(said)}]"
            case Operator.SET, SetOf(element=Kind() as element):
                return f"{{{', '.join(self._of_kind(one, element, bound) for one in term.arguments)}}}"
            case _, Truth():
                return self._formula(term, bound)
        return self._value(term, bound)[0]

    def _literal(self, value: Any, kind: Kind) -> str:
        match kind:
            case Truth():
                return "TRUE" if value else "FALSE"
            case Word():
                return self._word(str(value))
            case Optional(inner):
                return self._write_absent(kind) if value is None else self._literal(value, inner)
            case Whole() if not isinstance(value, Element):
                return str(value)
        raise NoText


def _flatten(term: Term) -> Iterator[Term]:
    for part in term.arguments:
        if part.operator is term.operator:
            yield from _flatten(part)
        else:
            yield part


def _is_nothing(term: Term) -> bool:
    return term.operator is Operator.LITERAL and term.data is None


def _unwrap(term: Term) -> Term:
    return term.arguments[0] if term.operator is Operator.SOME else term
