"""Constants of a protocol: a configuration sets them. Each has a default and a range of allowed values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Generic, TypeVar, overload
from typing import Protocol as Interface

from verifier.encodings.open_integers import OpenInteger, number_of
from verifier.encodings.sorts import IndexSet, SortError
from verifier.errors import UsageError, cut, make_unknown_name_error
from verifier.specs.definition import DefinitionError
from verifier.specs.reading.code_places import place_of_attribute, prefix_place

Setting = TypeVar("Setting")


class ConfiguredProtocol(Interface):
    """A protocol at its constants (``specs.protocol.Protocol``), as its constants see it."""

    default_depth: ClassVar[int]

    @property
    def constants(self) -> Mapping[str, Any]:
        """The settings by the names of the constants."""

    @classmethod
    def spec_name(cls) -> str:
        """The name for ``--spec``."""

    def symmetric(self, constant: str) -> bool:
        """True if the symmetry of an index set that is declared symmetric may be used at these constants."""


class AssumptionFailed(UsageError):
    """A protocol's assumptions reject the constants."""

    def __init__(self, spec: str, assumption: str, constants: str, where: str = "") -> None:
        """``where`` is the place of the assumption if the defaults alone violate it."""
        words = f"{spec} assumes {assumption}; " + ("its defaults are" if where else "got")
        super().__init__(prefix_place(where, f"{words} {constants}"))
        self.assumption = assumption


@dataclass(frozen=True)
class Constant(Generic[Setting]):
    """A constant of a protocol, with its default and its allowed values.

    On the class the attribute is this description. On an instance the attribute is the constant's value.
    """

    default: Any
    description: str = ""

    @overload
    def __get__(self, instance: None, owner: type) -> Constant[Setting]: ...
    @overload
    def __get__(self, instance: ConfiguredProtocol, owner: type) -> Setting: ...
    def __get__(self, instance: ConfiguredProtocol | None, owner: type) -> Constant[Setting] | Setting:
        if instance is None:
            return self
        return self.meaning(instance.constants[self._name_in(owner)], instance)

    def __set__(self, instance: ConfiguredProtocol, value: Any) -> None:
        name = self._name_in(type(instance))
        raise SortError(f"the constant {name} is set from outside, not by self.{name} = …")

    def _name_in(self, owner: type) -> str:
        return next(name for name, constant in constants_of(owner).items() if constant is self)

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        raise NotImplementedError

    def parse(self, value: Any) -> Any:
        """A setting from the command line or a file. Raises ValueError if it is not allowed."""
        raise NotImplementedError

    def meaning(self, setting: Any, protocol: ConfiguredProtocol) -> Setting:
        """The value that the protocol gets for a setting."""
        return setting  # type: ignore[no-any-return]


@dataclass(frozen=True)
class IntegerConstant(Constant[int]):
    """An integer of at least ``minimum`` and, if given, at most ``maximum``."""

    minimum: int = 0
    maximum: int | None = None

    @property
    def allowed(self) -> str:
        if self.maximum is None:
            return f"an integer, at least {self.minimum}"
        return f"an integer from {self.minimum} to {self.maximum}"

    def parse(self, value: Any) -> Any:
        """The integer, or an open one whose number is allowed."""
        number = number_of(value)
        if isinstance(number, bool) or not isinstance(number, int | str):
            raise ValueError
        number = +number if isinstance(number, int) else int(number)
        if number < self.minimum or (self.maximum is not None and number > self.maximum):
            raise ValueError
        return value if isinstance(value, OpenInteger) else number


@dataclass(frozen=True)
class IndexSetConstant(Constant[IndexSet]):
    """The number of elements of an index set. ``kind`` names one element.

    The default of ``kind`` is the constant's name without an s at its end.
    """

    kind: str = ""
    minimum: int = 1
    symmetric: bool = True

    @property
    def allowed(self) -> str:
        return f"a number of elements, at least {self.minimum}"

    def parse(self, value: Any) -> Any:
        return IntegerConstant(self.default, minimum=self.minimum).parse(value)

    def meaning(self, setting: Any, protocol: ConfiguredProtocol) -> IndexSet:
        name = self._name_in(type(protocol))
        symmetric = self.symmetric and protocol.symmetric(name)
        return IndexSet(self.kind_of(name), setting, symmetric, self._prefix(name, type(protocol)))

    def _prefix(self, name: str, protocol: type) -> str:
        """The shortest prefix of the kind that begins no other kind of the protocol, or the whole kind."""
        own, known = self.kind_of(name), constants_of(protocol).items()
        kinds = [c.kind_of(other) for other, c in known if isinstance(c, IndexSetConstant) and other != name]
        beginnings = (own[:length] for length in range(1, len(own)))
        return next((part for part in beginnings if not any(k.startswith(part) for k in kinds)), own)

    def kind_of(self, name: str) -> str:
        """The kind of the elements, if ``name`` is the name of this constant in the protocol."""
        return self.kind or name.removesuffix("s") or name


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

    def __post_init__(self) -> None:
        given: Any = self.choices  # whatever a protocol's author wrote
        if not isinstance(given, tuple | list) or not given or not all(isinstance(c, str) for c in given):
            raise DefinitionError(f"a ChoiceConstant has choices=('one', 'other'), not choices={given!r}")

    @property
    def allowed(self) -> str:
        return " or ".join(self.choices)

    def parse(self, value: Any) -> str:
        return str(value) if value in self.choices else _no()


def _no() -> Any:
    raise ValueError


def constants_of(protocol: type) -> Mapping[str, Constant[Any]]:
    """The constants of a protocol class by name, base classes first.

    If a subclass gives a constant's name another meaning, the name is not a constant any more.
    """
    return _constants_of(protocol)


@cache  # cached, because every use of a constant asks for its name
def _constants_of(protocol: Any) -> Mapping[str, Constant[Any]]:
    constants: dict[str, Any] = {}
    for base in reversed(protocol.__mro__):
        constants |= vars(base)
    return {name: member for name, member in constants.items() if isinstance(member, Constant)}


def parse_constants(protocol: type[ConfiguredProtocol], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The values of all constants: settings or defaults. Raises UsageError for unknown or bad settings."""
    known = constants_of(protocol)
    for name in settings:
        if name not in known:
            raise make_unknown_name_error("constant", name, known)
    first: dict[int, str] = {}
    for name, description in known.items():
        if first.setdefault(id(description), name) != name:
            raise DefinitionError(
                f"{protocol.__name__}: {first[id(description)]} and {name} are one constant: make two"
            )
    values = {}
    for name, description in known.items():
        value = settings.get(name, description.default)
        try:
            values[name] = description.parse(value)
        except ValueError:
            if name not in settings:
                raise DefinitionError(
                    prefix_place(
                        place_of_attribute(protocol, name),
                        f"the default {value!r} of the constant {name} is not allowed: {name} is "
                        f"{description.allowed}",
                    )
                ) from None
            raise UsageError(
                f"constant {name}={cut(value)} is not allowed: {name} is {description.allowed}"
            ) from None
    return values
