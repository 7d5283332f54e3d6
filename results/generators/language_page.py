"""docs/language.md, from results/generators/language.toml, the docstrings and what examples evaluate to:
`python -m results.generators.language_page`."""

from __future__ import annotations

import inspect
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import verifier
from results.generators.language_sample import VALUES, Sample
from verifier.encodings import collection_values, expressions, values
from verifier.encodings.compound_values import PartialFunctionValue, TupleValue, VariantValue
from verifier.encodings.concrete import Concrete, show
from verifier.encodings.expressions import Value, coerce, constant
from verifier.encodings.sorts import Sort
from verifier.specs.constants import Constant
from verifier.specs.protocol import Protocol, define
from verifier.specs.state import State
from verifier.system.model import build
from verifier.trust.concrete_reading import ConcreteReading

DATA = Path(__file__).with_name("language.toml")
CLASSES = {
    kind.__name__: kind
    for kind in (
        *(
            item
            for module in (expressions, values, collection_values)
            for item in vars(module).values()
            if isinstance(item, type) and issubclass(item, Value)
        ),
        TupleValue,
        VariantValue,
        PartialFunctionValue,
    )
}
"""The classes of values, by name."""


@dataclass(frozen=True)
class Row:
    """A line of a table."""

    written: str
    """The text in a protocol."""
    names: tuple[str, ...] = ()
    """The public names that this line is about, as ``forall`` or ``SetValue.add``."""
    tla: str = ""
    says: str = ""
    """Its description, if no docstring has one."""
    undefined: str = ""
    """The condition under which it has no value."""
    differs: str = ""
    """The difference from TLA+."""
    bits: str = ""
    example: str = ""
    outside: str = ""
    """An example that has no value."""


@dataclass(frozen=True)
class Section:
    """A table, with the text above and below it."""

    title: str
    kind: str
    """The reading of its examples: as a sort, an expression, statements of a class, or not at all."""
    text: str = ""
    below: str = ""
    row: tuple[Row, ...] = field(default=())


@cache
def sections() -> tuple[Section, ...]:
    """The sections, in order."""
    written = tomllib.loads(DATA.read_text(encoding="utf-8"))["section"]
    return tuple(Section(**{**one, "row": tuple(map(_row, one.get("row", ())))}) for one in written)


def _row(given: Mapping[str, Any]) -> Row:
    return Row(**{**given, "names": tuple(given.get("names", ()))})


def page() -> str:
    """The page."""
    return "\n".join(line for section in sections() for line in _lines(section))


def _lines(section: Section) -> Iterator[str]:
    yield f"# {section.title}\n" if section is sections()[0] else f"## {section.title}\n"
    if section.text:
        yield section.text
    if section.kind == "state":
        yield from _state()
    else:
        yield from _table(section)
    if section.below:
        yield section.below


def _table(section: Section) -> Iterator[str]:
    columns = _COLUMNS[section.kind]
    if not section.row:
        return
    yield f"| {' | '.join(columns)} |"
    yield "|" + "---|" * len(columns)
    for row in section.row:
        yield f"| {' | '.join(_cell(cell(row)) for cell in columns.values())} |"
    yield ""
    if section.kind == "translation":
        yield from _index()


def _index() -> Iterator[str]:
    """The constructs of TLA+ that stand in the other tables."""
    for section in sections():
        rows = [row for row in section.row if row.tla] if section.kind in ("sort", "expression") else []
        if rows:
            yield f"{section.title}:\n\n| TLA+ | verify | different |\n|---|---|---|"
            yield from (f"| {_cell(row.tla)} | {_cell(row.written)} | {_cell(row.differs)} |" for row in rows)
            yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _state() -> Iterator[str]:
    yield "| variable | sort | value |\n|---|---|---|"
    for symbol in Sample().state().symbols:
        yield f"| `s.{symbol.name}` | `{symbol.sort}` | `{show(sample_state()[symbol.name])}` |"
    yield ""


def says(row: Row) -> str:
    """Return the description of a line: its own words, or the first sentence of the first name's
    docstring."""
    words = row.says or _summary(row.names[0])
    return f"{words} Has no value {row.undefined}." if row.undefined else words


def _summary(name: str) -> str:
    text = (inspect.getdoc(find_public(name)) or "").partition("\n\n")[0].replace("\n", " ")
    return text.replace("``", "`").partition(". ")[0].rstrip(".:") + "."


def find_public(name: str) -> Any:
    """Return the object of a public name: of the package, or ``Class.name``."""
    owner, dot, part = name.partition(".")
    holder = CLASSES.get(owner) or _HOLDERS.get(owner) or getattr(verifier, owner)
    return getattr(holder, part) if dot else holder


_HOLDERS = {"Protocol": Protocol, "State": State, "Sort": Sort, "Constant": Constant}


def _vocabulary() -> dict[str, Any]:
    names = {name: getattr(verifier, name) for name in verifier.__all__}
    protocol = Sample()
    return {**names, "self": protocol, "s": protocol.state()}


@cache
def sample_state() -> Mapping[str, Concrete]:
    """The state that examples read."""
    return {symbol.name: constant(symbol.sort, VALUES[symbol.name]) for symbol in Sample().state().symbols}


def term_of(example: str) -> Value:
    """An example as an expression of the sample protocol."""
    made = eval(example, _vocabulary())  # an example of our own
    return made if isinstance(made, Value) else coerce(made, expressions.BOOLEAN)


def has_value(example: str) -> bool:
    """True if everything that an example reads has a value."""
    return ConcreteReading(sample_state()).is_defined(term_of(example).term, {})


def _evaluate(row: Row) -> str:
    if not row.example:
        return ""
    value = ConcreteReading(sample_state()).value(term_of(row.example).term, {})
    return f"`{row.example}` is `{show(value)}`"


def bits_of(example: str) -> int:
    """Return the number of bits of a variable of this sort."""
    sort = eval(example, _vocabulary())

    class Lone(Sample):
        """A variable of one sort."""

        def state(self) -> State:
            return State(v=sort)

        def init(self, s: Any) -> Any:
            return verifier.arbitrary(s.v)

    return len(build(define(Lone())).system.bits)


def declare_sample(example: str) -> Protocol:
    """The sample protocol with the statements of an example in its class."""
    spread = {**_vocabulary(), "Sample": Sample}
    body = "\n".join(f"    {line}" for line in example.splitlines())
    exec(f"class Example(Sample):\n    'An example.'\n{body}\n", spread)  # an example of our own
    made: Protocol = spread["Example"]()
    return made


def _code(example: str) -> str:
    """Lines of code in a cell of a table."""
    lines = (line.replace("    ", "\N{NO-BREAK SPACE}" * 4) for line in example.splitlines())
    return "<br>".join(f"`{line}`" for line in lines)


def _size(row: Row) -> str:
    sort = eval(row.example, _vocabulary())
    bits = bits_of(row.example)
    return f"`{row.example}`: {bits} {'bit' if bits == 1 else 'bits'}, {sort.size:,} values"


_COLUMNS: dict[str, dict[str, Callable[[Row], str]]] = {
    "sort": {
        "sort": lambda row: row.written,
        "TLA+": lambda row: row.tla,
        "values": says,
        "bits": lambda row: row.bits,
        "example": _size,
    },
    "expression": {
        "written": lambda row: row.written,
        "TLA+": lambda row: row.tla,
        "": says,
        "example": _evaluate,
    },
    "class": {
        "written": lambda row: row.written,
        "TLA+": lambda row: row.tla,
        "": lambda row: f"{says(row)} {row.differs}".strip(),
        "example": lambda row: _code(row.example),
    },
    "names": {"name": lambda row: row.written, "": says},
    "translation": {
        "TLA+": lambda row: row.tla,
        "verify": lambda row: row.written,
        "different": lambda row: row.differs,
    },
    "text": {},
}


if __name__ == "__main__":
    print(page(), end="")
