"""The abstract syntax of TLA+, with every name resolved.

A name is a symbol: a declared variable or constant, a definition, a parameter, a bound name, or an operator
that is built in. Two symbols are the same exactly if they are the same object. An expression says where it
stands in the text. An instance of a module has definitions of its own, in which the parameters of the module
are the symbols and expressions that were put for them, so that nothing here speaks of substitution.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from verifier.tla.errors import Place


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A declared variable."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """A declared constant; an operator if its arity is above 0."""

    name: str
    arity: int
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    """A parameter of a definition, of LAMBDA, or of an instance; an operator if its arity is above 0."""

    name: str
    arity: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """A name bound by a quantifier, CHOOSE, a set or a function."""

    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Builtin:
    """An operator of the language or of a standard module; the interpreter knows what it means."""

    name: str
    arity: int
    module: str = ""
    """The module that has it; empty for the language itself."""
    takes: tuple[int, ...] = ()
    """The arity of each argument, if one of them is an operator."""


@dataclass(slots=True, eq=False)
class Definition:
    """A defined operator. The body comes later than the name where it is recursive."""

    name: str
    parameters: tuple[Parameter, ...]
    module: str
    place: Place
    nested: bool = False
    """Whether it stands in a LET, and so may speak of what is bound around it."""
    body: Expression | None = None
    path: str = ""
    """The names of the instances that it is reached through, ``I!J!``."""
    text: str = ""
    """What was written, with single spaces: two modules may define the same."""
    last_line: int = 0
    labels: dict[str, Label] = field(default_factory=dict)
    """The labelled parts of the body."""
    takes: int | None = None
    """Of a function that is defined as one, ``f[x \\in S, y \\in T] == e``: how many arguments it takes."""
    home: Module | None = None
    """The module that it stands in, as read there; None for what a LET defines."""
    copies: tuple[Copy, ...] = ()
    """The INSTANCEs without a name that it is reached through, the outermost first."""
    recursive: bool = False
    """Whether RECURSIVE declares it."""
    statement: bool = False
    """Whether it is the name of a theorem or an assumption."""
    plain: dict[str, tuple[Copy, ...]] = field(default_factory=dict)
    """The modules whose texts name it without an instance's name, and through which of ``copies``."""
    prefixed: Definition | None = None
    """What ``I!Op`` is, where that is another definition: of an instance in a LET."""

    @property
    def arity(self) -> int:
        """The number of arguments."""
        return len(self.parameters)

    @property
    def shown(self) -> str:
        """The name as a reader writes it."""
        return f"{self.path}{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Copy:
    """An INSTANCE without a name, whose module may get definitions of its own."""

    by: Module
    local: bool


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """``name(x, y):: e``: a part of a definition. Its parameters stand for what is bound around it."""

    parameters: tuple[Parameter, ...]
    names: dict[Symbol, Symbol]
    """By what is bound around it, which parameter stands for it."""
    body: Expression
    labels: dict[str, Label]
    """The labelled parts of it."""
    lets: tuple[list[Definition], ...]
    """The definitions of the LETs around it, within the definition."""


Symbol: TypeAlias = Variable | Constant | Parameter | Bound | Builtin | Definition


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Expression:
    """An expression."""

    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Number(Expression):
    value: int


@dataclass(frozen=True, slots=True, eq=False)
class String(Expression):
    value: str


@dataclass(frozen=True, slots=True, eq=False)
class Apply(Expression):
    """A symbol by itself, or an operator with its arguments."""

    operator: Symbol
    arguments: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class OperatorArgument(Expression):
    """An operator that is an argument itself."""

    operator: Symbol


@dataclass(frozen=True, slots=True, eq=False)
class Lambda(Expression):
    parameters: tuple[Parameter, ...]
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Junction(Expression):
    """A conjunction or disjunction, evaluated from the left."""

    conjunction: bool
    items: tuple[Expression, ...]
    infix: bool = False
    """Whether it is written ``a /\\ b /\\ c``, and is no list: its first part is then ``a /\\ b``."""


@dataclass(frozen=True, slots=True, eq=False)
class If(Expression):
    condition: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Case(Expression):
    arms: tuple[tuple[Expression, Expression], ...]
    other: Expression | None
    missing: str = "no case of this CASE is true, and there is no OTHER"
    """What is wrong where no case is true, and there is no other."""


@dataclass(frozen=True, slots=True, eq=False)
class Let(Expression):
    definitions: tuple[Definition, ...]
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """Names that take the elements of a set: one name, or the parts of a tuple."""

    names: tuple[Bound, ...]
    is_tuple: bool
    domain: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Quantifier(Expression):
    universal: bool
    bindings: tuple[Binding, ...]
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Unbounded(Expression):
    r"""A quantifier or CHOOSE without a set: ``\A``, ``\E``, ``\AA``, ``\EE`` or ``CHOOSE``."""

    kind: str
    names: tuple[Bound, ...]
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Choose(Expression):
    binding: Binding
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class SetOf(Expression):
    """``{a, b}``"""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Filter(Expression):
    r"""``{x \\in S : p}``"""

    binding: Binding
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Image(Expression):
    r"""``{e : x \\in S}``"""

    body: Expression
    bindings: tuple[Binding, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Function(Expression):
    r"""``[x \\in S |-> e]``; ``itself`` is its name in its own body, where it is recursive."""

    bindings: tuple[Binding, ...]
    body: Expression
    itself: Bound | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FunctionSet(Expression):
    domain: Expression
    range: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Record(Expression):
    fields: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True, eq=False)
class RecordSet(Expression):
    fields: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Tuple(Expression):
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Product(Expression):
    r"""``A \\X B \\X C``"""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class At(Expression):
    """``@``: the value before, in EXCEPT."""


@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """One ``!path = value`` of EXCEPT."""

    path: tuple[Expression, ...]
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Except(Expression):
    function: Expression
    updates: tuple[Update, ...]


@dataclass(frozen=True, slots=True, eq=False)
class FunctionApply(Expression):
    """``f[x]`` and ``r.x``, which is ``r["x"]``."""

    function: Expression
    argument: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Prime(Expression):
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Unchanged(Expression):
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Enabled(Expression):
    body: Expression
    own: tuple[tuple[Variable, Expression], ...] = ()
    """Of an instance that puts expressions for variables: ``body`` speaks of these variables instead, and
    each has the value of its expression. ``x'`` below ENABLED is not what is put for ``x``, primed."""


@dataclass(frozen=True, slots=True, eq=False)
class Step(Expression):
    """``[A]_v``, or ``<<A>>_v`` if it is not ``stuttering``."""

    action: Expression
    subscript: Expression
    stuttering: bool


@dataclass(frozen=True, slots=True, eq=False)
class Temporal(Expression):
    """``[]P``, ``<>P``, ``P ~> Q`` or ``P -+-> Q``."""

    kind: str
    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Fairness(Expression):
    strong: bool
    subscript: Expression
    action: Expression


@dataclass(frozen=True, slots=True)
class Assumption:
    """An ASSUME."""

    name: str | None
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class ProofStep:
    """Formulas of a proof whose level is bounded, where one of the goals is temporal; None: in any case."""

    place: Place
    words: str
    """What is wrong if it is not."""
    goals: tuple[Expression, ...] | None
    formulas: tuple[Expression, ...]
    limit: int


@dataclass(slots=True, eq=False)
class Module:
    """A module with everything that it has by EXTENDS and INSTANCE."""

    name: str
    file: str
    constants: list[Constant] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    names: dict[str, Symbol | Instance] = field(default_factory=dict)
    """What its text may say, with ``I!Op`` for the operators of a named instance."""
    put: dict[str, Symbol | Instance] = field(default_factory=dict)
    """Of an instance: what stands for its variables."""
    given: set[str] = field(default_factory=set)
    """Of an instance: the names that it declares. An INSTANCE without a name does not make them known."""
    hidden: set[str] = field(default_factory=set)
    """The names that are LOCAL."""
    loose: set[str] = field(default_factory=set)
    """The names that give way to others: see ``standard.FORMERLY_EXTENDED``."""
    instances: dict[str, Instance] = field(default_factory=dict)
    instantiated: bool = False
    """Whether something is put for what it declares."""
    assumptions: list[Assumption] = field(default_factory=list)
    theorems: list[Expression] = field(default_factory=list)
    proved: set[str] = field(default_factory=set)
    """The names of theorems that are no formulas, but ASSUME and PROVE."""
    steps: list[ProofStep] = field(default_factory=list)
    """Of its proofs, what levels matter for."""
    puts: list[Put] = field(default_factory=list)
    """What its instances put for what is declared there."""
    extended: set[str] = field(default_factory=set)
    """The modules that it extends or instantiates, directly or not."""
    modules: dict[str, object] = field(default_factory=dict)
    """The modules inside of it, by name, as parsed."""
    inner: list[Module] = field(default_factory=list)
    """The modules inside of it, with nothing put for what they declare."""


@dataclass(frozen=True, slots=True, eq=False)
class Put:
    """What an instance of a module puts for a name that the module declares."""

    place: Place
    module: Module
    name: str
    variable: bool
    symbol: Symbol
    parameters: tuple[Parameter, ...]
    """Those of the instance."""


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """A named instance: what ``I!Op`` means."""

    name: str
    parameters: tuple[Parameter, ...]
    module: Module
