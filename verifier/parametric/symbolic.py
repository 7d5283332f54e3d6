"""Symbolic values: any value of a sort."""

from __future__ import annotations

from collections.abc import Sequence

from verifier.encodings.sorts import (
    Bag,
    Boolean,
    Enum,
    Function,
    IndexSet,
    Listed,
    Option,
    PartialFunction,
    Range,
    Record,
    Set,
    Sort,
    Tuple,
    Variant,
)
from verifier.encodings.sorts import Sequence as SequenceSort
from verifier.parametric.errors import NotParametric
from verifier.parametric.first_order_values import (
    Copies,
    Elements,
    Fields,
    Items,
    Mapped,
    Members,
    OptionOf,
    Partly,
    Tags,
    Value,
    fields_of,
)
from verifier.parametric.nodes import BOOL, INT, Node
from verifier.parametric.sort_nodes import Values


def symbolic(  # noqa: C901 -- cases
    values: Values, sort: Sort, name: str, args: Sequence[Node] = (), *, named: bool = False
) -> Value:
    """Return a symbolic value: each scalar in it is an uninterpreted function of the keys on the way.
    ``named``: its sets are values themselves, like the elements of sets."""
    logic = values.logic
    match sort:
        case Boolean():
            return logic.app(name, BOOL, args)
        case Range() | Enum() | Listed():
            return logic.app(name, INT, args)
        case IndexSet():
            return logic.app(name, values.index_sort(sort), args)
        case Option():
            return OptionOf(
                logic.app(f"{name}.none", BOOL, args),
                symbolic(values, sort.inner, f"{name}.some", args, named=named),
            )
        case Record() | Tuple():
            parts = fields_of(sort)
            return Fields({f: symbolic(values, part, f"{name}.{f}", args, named=named) for f, part in parts})
        case Function():
            return Mapped(
                lambda key: symbolic(
                    values, sort.range, name, (*args, *values.flat(sort.domain, key)), named=named
                )
            )
        case Set() if named:
            return values.sets.make_symbolic(sort, name, args)
        case Set():
            return Members(lambda item: logic.app(name, BOOL, (*args, *values.flat(sort.element, item))))
        case SequenceSort():
            if isinstance(sort.element, IndexSet):
                element, size = values.index_sort(sort.element), values.number(sort.element.count)
                values.sequences[f"{name}.length"] = Elements(f"{name}.at", element, size)
            return Items(
                logic.app(f"{name}.length", INT, args),
                lambda place: symbolic(values, sort.element, f"{name}.at", (*args, place)),
            )
        case Bag():
            return Copies(lambda item: logic.app(name, INT, (*args, *values.flat(sort.element, item))))
        case Variant():
            held = {tag: symbolic(values, part, f"{name}.{tag}", args) for tag, part in sort.alternatives}
            return Tags(logic.app(f"{name}.number of tag", INT, args), held)
        case PartialFunction():
            keys = sort.domain
            return Partly(
                lambda key: logic.app(f"{name}.has", BOOL, (*args, *values.flat(keys, key))),
                lambda key: symbolic(values, sort.range, f"{name}.at", (*args, *values.flat(keys, key))),
            )
    raise NotParametric(f"values of {sort} have no parametric reading")
