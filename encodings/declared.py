"""Variables, fields and members declared as attributes, so that type checkers and editors know them.

A subclass of ``State`` declares its variables in ``__init__``, as ``self.epoch = variable(Range(0, 3))``. A
subclass of ``Fields`` so declares the fields of a record. At run time the attribute is given a sort; to type
checkers it is the expression that it is read as, here an integer: they find ``s.epohc`` and
``s.epoch + s.role``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar

from verifier.encodings.expressions import Value, literal
from verifier.encodings.sorts import Enum, Sort, SortError, no_sort
from verifier.encodings.type_variables import V
from verifier.encodings.values import AtomValue, BooleanValue, IntegerValue

if TYPE_CHECKING:
    from typing import Self

Kind = TypeVar("Kind", bound="Members")

Element: TypeAlias = AtomValue
"""An element of an index set, as an expression."""
Integer: TypeAlias = IntegerValue
Formula: TypeAlias = BooleanValue


def variable(sort: Sort[V]) -> V:
    """A state variable of this sort, in ``__init__`` of a subclass of ``State``."""
    result: V = _check("variable", sort)
    return result


def field(sort: Sort[V]) -> V:
    """A field of this sort, in ``__init__`` of a subclass of ``Fields``."""
    result: V = _check("field", sort)
    return result


def _check(word: str, sort: Any) -> Any:
    if not isinstance(sort, Sort):
        raise SortError(f"a {word} has a sort, as {word}(Range(0, 3)), not {no_sort(sort)}")
    return sort


class Fields(Value):
    """The fields of a record. ``Record(Entry(self))`` is the sort of the records that have them::

        class Entry(Fields):
            def __init__(self, log: Log) -> None:
                self.id = field(Range(0, log.last_id))
                self.epoch = field(log.epochs)

    To type checkers every record of this sort is an ``Entry``.
    """

    declares_fields: ClassVar[bool] = True

    if TYPE_CHECKING:
        # A field may have the name of what an expression has.
        term: Any
        sort: Any

        def __init__(self) -> None: ...

        def updated(self, **changes: Any) -> Self:
            """The record with the given fields changed (TLA+ ``EXCEPT``)."""

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value  # even where values have a property of this name

    def __repr__(self) -> str:
        return f"the fields of {type(self).__name__}"


class Member:
    """A member of an enumeration. Read from its class, it is an expression."""

    def __init__(self, value: str | int | None) -> None:
        self.value: Any = value

    def __set_name__(self, owner: type, name: str) -> None:
        if self.value is None:
            self.value = name

    def __get__(self, instance: object, owner: type[Kind]) -> Kind:
        kind: Kind = literal(owner.enumeration, self.value)
        return kind


def member(value: str | int | None = None) -> Member:
    """A member of a subclass of ``Members``. Traces show ``value``; the default is the member's name."""
    return Member(value)


class Members(AtomValue):
    """The members of an enumeration, in order. ``Enum(Phase)`` is its sort::

        class Phase(Members):
            IDLE = member()
            BUSY = member()

    ``Phase.IDLE`` is an expression, as ``s.phase`` is one, and ``==`` between them builds a formula. To type
    checkers both are a ``Phase``. The enumeration's name is that of the class, unless another is given:
    ``class Phase(Members, name="phase")``.
    """

    enumeration: ClassVar[Enum[Any]]

    def __init_subclass__(cls, name: str | None = None) -> None:
        declared = (item for kind in reversed(cls.__mro__) for item in vars(kind).values())
        values = tuple(item.value for item in declared if isinstance(item, Member))
        if values:
            cls.enumeration = Enum(name or cls.__name__, values)
