"""Terms as text, similar to the text of the protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from verifier.encodings.compound_sorts import UNIT
from verifier.encodings.concrete import Concrete, show
from verifier.encodings.scalar_sorts import Sort
from verifier.encodings.terms import Operator, Symbol, Term

_INFIX = {
    Operator.AND: "∧",
    Operator.OR: "∨",
    Operator.IMPLIES: "⇒",
    Operator.EQUAL: "=",
    Operator.LESS: "<",
    Operator.LESS_EQUAL: "≤",
    Operator.ADD: "+",
    Operator.SUBTRACT: "-",
    Operator.MULTIPLY: "*",
    Operator.DIVIDE: "//",
    Operator.MODULO: "%",
    Operator.UNION: "∪",
    Operator.INTERSECTION: "∩",
    Operator.DIFFERENCE: "\\",
    Operator.SUBSET: "⊆",
    Operator.CONCATENATE: "∘",
}
_CALLS = {
    Operator.MINIMUM: "min",
    Operator.MAXIMUM: "max",
    Operator.MINIMUM_OF: "min",
    Operator.MAXIMUM_OF: "max",
    Operator.CARDINALITY: "cardinality",
    Operator.LENGTH: "length",
    Operator.APPEND: "append",
    Operator.TRUNCATE: "truncate",
    Operator.BETWEEN: "between",
    Operator.REVERSE: "reversed",
    Operator.ELEMENTS: "elements",
    Operator.SUM: "sum",
    Operator.COPIES: "copies",
    Operator.BAG_ADD: "bag_add",
    Operator.BAG_REMOVE: "bag_remove",
    Operator.DOMAIN: "domain",
}
_BINDERS = {
    Operator.FORALL: "∀ {name} ∈ {sort}: {0}",
    Operator.EXISTS: "∃ {name} ∈ {sort}: {0}",
    Operator.COUNT: "count {name} ∈ {sort}: {0}",
    Operator.CHOOSE: "choose {name} ∈ {sort}: {0}",
    Operator.COMPREHENSION: "{{{name} ∈ {sort}: {0}}}",
    Operator.IMAGE: "{{{1} : {name} ∈ {sort}, {0}}}",
    Operator.UNION_OF: "⋃ {{{1} : {name} ∈ {sort}, {0}}}",
    Operator.SUM_OF: "sum {{{1} : {name} ∈ {sort}, {0}}}",
    Operator.FUNCTION: "[{name} ∈ {sort} ↦ {0}]",
    Operator.PARTIAL_FUNCTION: "[{name} ∈ {sort}, {0} ↦ {1}]",
    Operator.MAP: "map({0}, {name}: {1})",
    Operator.FILTER: "filter({0}, {name}: {1})",
}
_CONDITIONED = {Operator.IMAGE, Operator.UNION_OF, Operator.SUM_OF}
_FORMS = {
    Operator.IF: "if {0} then {1} else {2}",
    Operator.SOME: "{0}",
    Operator.IS_NONE: "{0} is none",
    Operator.GET: "{0}",
    Operator.APPLY: "{0}[{1}]",
    Operator.AT: "{0}[{1}]",
    Operator.CONTAINS: "{1} ∈ {0}",
    Operator.OCCURS: "{1} ∈ {0}",
    Operator.FUNCTION_UPDATE: "[{0} except {1} ↦ {2}]",
    Operator.EXTEND: "[{0} with {1} ↦ {2}]",
    Operator.WITHOUT: "[{0} without {1}]",
    Operator.SEQUENCE_UPDATE: "[{0} except {1} ↦ {2}]",
}
_TIGHT = {
    Operator.SOME,
    Operator.GET,
    Operator.APPLY,
    Operator.AT,
    Operator.FUNCTION_UPDATE,
    Operator.EXTEND,
    Operator.WITHOUT,
    Operator.SEQUENCE_UPDATE,
}
LONGEST = 20_000
"""The most characters of a text, where nothing else is said."""


@dataclass(frozen=True)
class Words:
    """The notation of sorts and literals."""

    of_sort: Callable[[Sort], str] = str
    of_value: Callable[[Concrete], str] = show


PLAIN = Words()


def text(
    term: Term,
    bindings: Mapping[Symbol, Concrete] | None = None,
    first_index: int = 0,
    longest: int = LONGEST,
    words: Words = PLAIN,
) -> str:
    """The term on one line. Bound variables in ``bindings`` are replaced by their values. Places of sequences
    and tuples are counted from ``first_index``. What takes more than ``longest`` characters loses its end:
    terms share their parts, so that the whole text may be longer than any memory."""
    return _Printer(bindings or {}, first_index, longest, words).text(term, outer=True)


class _Printer:
    """Terms as text. Each shared part is printed once."""

    def __init__(
        self, bindings: Mapping[Symbol, Concrete], first_index: int, longest: int, words: Words
    ) -> None:
        self.bindings = bindings
        self.words = words
        self.longest = longest
        self.first = first_index
        self.printed: dict[tuple[int, bool], str] = {}
        """By the identity of the part, which the whole term keeps, and whether it is outermost."""

    def text(self, term: Term, outer: bool = False) -> str:
        """A part; the outermost needs no brackets around it."""
        key = (id(term), outer)
        printed = self.printed.get(key)
        if printed is None:
            whole = self._text(term, outer)
            printed = self.printed[key] = (
                whole if len(whole) <= self.longest else f"{whole[: self.longest]} …"
            )
        return printed

    def _text(self, term: Term, outer: bool) -> str:
        operator = term.operator
        if isinstance(term.data, Symbol):
            return show(self.bindings[term.data]) if term.data in self.bindings else term.data.name
        parts = [self.text(argument) for argument in term.arguments]
        if operator is Operator.AT and self.first:
            return f"{parts[0]}[{self._place(term.arguments[1])}]"
        if operator in _INFIX:
            return _infix(operator, parts, outer)
        if operator in _CALLS:
            return f"{_CALLS[operator]}({', '.join(parts)})"
        if operator in _FORMS:
            bound = _FORMS[operator].format(*parts)
            return bound if outer or operator in _TIGHT else f"({bound})"
        if operator is Operator.COMPREHENSION and term.arguments[0].data is True:
            return self.words.of_sort(term.binds.sort) if term.binds else ""  # the set of all values
        if operator in _BINDERS:
            assert term.binds is not None
            form = _BINDERS[operator]
            if operator in _CONDITIONED and term.arguments[0].data is True:
                form = form.replace(", {0}", "")
            bound = form.format(*parts, name=term.binds.name, sort=self.words.of_sort(term.binds.sort))
            return bound if outer else f"({bound})"
        return self._special(term, parts)

    def _place(self, index: Term) -> str:
        """The place of a sequence that is counted from 0 in a term, counted from another number."""
        match index.operator, index.arguments:
            case Operator.LITERAL, () if isinstance(index.data, int):
                return str(index.data + self.first)
            case Operator.SUBTRACT, (whole, Term(operator=Operator.LITERAL, data=less)) if less == self.first:
                return self.text(whole, outer=True)
        return f"{self.text(index)} + {self.first}"

    def _special(self, term: Term, parts: list[str]) -> str:
        match term.operator:
            case Operator.LITERAL:
                return self.words.of_value(term.data)
            case Operator.NOT:
                return self._negate(term.arguments[0])
            case Operator.FIELD if isinstance(term.data, int):
                return f"{parts[0]}[{term.data + self.first}]"
            case Operator.FIELD | Operator.PAYLOAD:
                return f"{parts[0]}.{term.data}"
            case Operator.RECORD:
                names = dict(getattr(term.sort, "fields", ()))
                rows = (f"{name} {part}" for name, part in zip(names, parts, strict=True))
                return f"({', '.join(rows)})"
            case Operator.RECORD_UPDATE:
                return f"[{parts[0]} except .{term.data} ↦ {parts[1]}]"
            case Operator.SET:
                return "{" + ", ".join(parts) + "}"
            case Operator.VARIANT if term.arguments[0].sort == UNIT:
                return str(term.data)
            case Operator.VARIANT:
                return f"{term.data}{parts[0] if parts[0].startswith('(') else f'({parts[0]})'}"
            case Operator.HAS_TAG:
                return f"({parts[0]} is {term.data})"
            case Operator.SEQUENCE | Operator.TUPLE:
                return "⟨" + ", ".join(parts) + "⟩"
        raise AssertionError(term.operator)

    def _negate(self, term: Term) -> str:
        parts = [self.text(argument) for argument in term.arguments]
        match term.operator:
            case Operator.EQUAL:
                return f"({parts[0]} ≠ {parts[1]})"
            case Operator.CONTAINS | Operator.OCCURS:
                return f"({parts[1]} ∉ {parts[0]})"
            case Operator.IS_NONE:
                return f"({parts[0]} is some)"
            case Operator.HAS_TAG:
                return f"({parts[0]} is not {term.data})"
        return f"¬{self.text(term)}"


def _infix(operator: Operator, parts: list[str], outer: bool) -> str:
    if not parts:
        return "true" if operator is Operator.AND else "false"
    joined = f" {_INFIX[operator]} ".join(parts)
    return joined if outer or len(parts) == 1 else f"({joined})"
