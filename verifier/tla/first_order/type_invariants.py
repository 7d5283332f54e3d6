r"""The kinds of a module's variables, from its own type invariant.

A type invariant is an operator whose conjuncts say ``x \in S`` or ``x \subseteq S`` of each variable. It only
says how values are represented. That each value stays in its sort is proved with the rest (``Typed``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from verifier.printable import join_words
from verifier.tla import ast
from verifier.tla.errors import Place
from verifier.tla.first_order.kinds import Kind, SetOf
from verifier.tla.first_order.reading import Reading
from verifier.tla.first_order.scopes import Scope, Unread

_USUAL = ("TypeOK", "TypeInvariant", "TypeInv", "TypeCorrect")


def find_kinds(reading: Reading) -> tuple[str, dict[ast.Variable, Kind]]:
    """Return the name of the type invariant, and the kind of each variable. Raises Unread if there is
    none."""
    specification = reading.specification
    module, reasons = specification.module, list[Unread]()
    nearest: tuple[str, Sequence[str]] | None = None
    for name in _candidates(reading):
        definition = module.names.get(name)
        if not isinstance(definition, ast.Definition) or definition.parameters or definition.body is None:
            continue
        said = dict(_memberships(definition.body, definition.module))
        lacking = [one.name for one in specification.variables if one not in said]
        if lacking:
            if len(lacking) < len(nearest[1] if nearest else specification.variables):
                nearest = name, lacking
            continue
        try:
            return name, {one: _kind(reading, *said[one]) for one in specification.variables}
        except Unread as error:
            reasons.append(error)
    if reasons:
        raise reasons[0]
    raise _explain_lack(module, [one.name for one in specification.variables], nearest)


def _explain_lack(
    module: ast.Module, names: Sequence[str], nearest: tuple[str, Sequence[str]] | None
) -> Unread:
    """Return the error that no operator says of each variable which values it has. ``nearest``: the operator
    that lacks the fewest variables, and these."""
    if nearest is None:
        words = f"{module.name} has no type invariant for {', '.join(names)}: define TypeOK, with a conjunct"
        return Unread(Place(module.file, 1, 1), f"{words} such as {names[0]} \\in S for each variable")
    name, lacking = nearest
    symbol = module.names[name]
    words = f"{name} lacks {join_words(lacking)}: add a conjunct such as {lacking[0]} \\in S for each"
    place = symbol.place if isinstance(symbol, ast.Definition) else Place(module.file, 1, 1)
    return Unread(place, words)


def _candidates(reading: Reading) -> Iterator[str]:
    """Yield names of operators: usual names of type invariants, then invariants, then others."""
    specification = reading.specification
    own = [name for name, one in specification.module.names.items() if isinstance(one, ast.Definition)]
    typed = [name for name in own if "type" in name.lower()]
    yield from dict.fromkeys([*_USUAL, *specification.invariants, *typed])


def _memberships(
    whole: ast.Expression, module: str
) -> Iterator[tuple[ast.Variable, tuple[ast.Expression, str, bool]]]:
    """Yield what conjuncts say of variables: the set, its module, and True for its subsets."""
    match whole:
        case ast.Junction(conjunction=True, items=items):
            for item in items:
                yield from _memberships(item, module)
        case ast.Apply(operator=ast.Definition() as definition, arguments=()) if definition.body is not None:
            yield from _memberships(definition.body, definition.module)
        case ast.Apply(operator=ast.Builtin(name="\\in" | "\\subseteq" as name), arguments=(left, right)):
            if isinstance(left, ast.Apply) and isinstance(left.operator, ast.Variable):
                yield left.operator, (right, module, name == "\\subseteq")


def _kind(reading: Reading, whole: ast.Expression, module: str, of_subsets: bool) -> Kind:
    collection = reading.collection(whole, Scope(module, {}))
    kind = reading.find_element_kind(collection, whole.place, as_type=True)
    return SetOf(kind) if of_subsets else kind
