"""The abstract syntax of TLA+, with every name resolved.

A name is a symbol: a declared variable or constant, a definition, a parameter, a bound name, or a built-in
operator. Two symbols are the same exactly if they are the same object. An expression has its place in the
text. An instance of a module has definitions of its own. In these, the substituted symbols and expressions
stand in place of the module's parameters, so no form here expresses a substitution.

Source: Specifying Systems (Lamport, 2002), chapters 15 and 17.
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
    """An operator of the language or of a standard module. The interpreter has its meaning."""

    name: str
    arity: int
    module: str = ""
    """The module that defines it; empty for the language itself."""
    takes: tuple[int, ...] = ()
    """The arity of each argument, if one of them is an operator."""


@dataclass(slots=True, eq=False)
class Definition:
    """A defined operator. A recursive one gets its body after its name."""

    name: str
    parameters: tuple[Parameter, ...]
    module: str
    place: Place
    nested: bool = False
    """True if it is defined in a LET, so that it may use names that are bound around it."""
    body: Expression | None = None
    path: str = ""
    """The names of the instances through which it is reached, ``I!J!``."""
    text: str = ""
    """The text of the definition, with single spaces: two modules may define the same operator."""
    last_line: int = 0
    labels: dict[str, Label] = field(default_factory=dict)
    """The labelled parts of the body."""
    takes: int | None = None
    r"""The number of arguments of a function that is defined as ``f[x \in S, y \in T] == e``."""
    home: Module | None = None
    """The module that contains it, as read there; None for a definition of a LET."""
    copies: tuple[Copy, ...] = ()
    """The INSTANCEs without a name through which it is reached, the outermost first."""
    recursive: bool = False
    """True if RECURSIVE declares it."""
    statement: bool = False
    """True if it is the name of a theorem or an assumption."""
    plain: dict[str, tuple[Copy, ...]] = field(default_factory=dict)
    """The modules that mention it without an instance's name, each with the ``copies`` on the way."""
    prefixed: Definition | None = None
    """The definition that ``I!Op`` means, if it is another one: of an instance in a LET."""

    @property
    def arity(self) -> int:
        """Return the number of arguments."""
        return len(self.parameters)

    @property
    def shown(self) -> str:
        """Return the name as a reader writes it."""
        return f"{self.path}{self.name}"


@dataclass(frozen=True, slots=True, eq=False)
class Copy:
    """An INSTANCE without a name. Its module may get definitions of its own."""

    by: Module
    local: bool


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """``name(x, y):: e``: a part of a definition. Its parameters stand for the names that are bound around
    it."""

    parameters: tuple[Parameter, ...]
    names: dict[Symbol, Symbol]
    """The parameter for each name that is bound around it."""
    body: Expression
    labels: dict[str, Label]
    """Its labelled parts."""
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
    r"""True if it is written ``a /\ b /\ c`` and not as a list: then its first part is ``a /\ b``."""


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
    """The error where no case is true and there is no OTHER."""


@dataclass(frozen=True, slots=True, eq=False)
class Let(Expression):
    definitions: tuple[Definition, ...]
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """Names that range over a set: one name, or the parts of a tuple."""

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
    r"""``[x \in S |-> e]``. ``itself`` is its own name in its body, if it is recursive."""

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
    """``@`` in EXCEPT: the value before the update."""


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
    """The own variables of ``body``, in an instance that substitutes expressions for variables. Each variable
    has the value of its expression. Below ENABLED, ``x'`` is not the primed substitute of ``x``."""


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
    """Formulas of a proof whose level is bounded if a goal is temporal; None: if it is bounded in any
    case."""

    place: Place
    words: str
    """The error if the level is too high."""
    goals: tuple[Expression, ...] | None
    formulas: tuple[Expression, ...]
    limit: int


@dataclass(slots=True, eq=False)
class Module:
    """A module with all names that it gets by EXTENDS and INSTANCE."""

    name: str
    file: str
    constants: list[Constant] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    names: dict[str, Symbol | Instance] = field(default_factory=dict)
    """The names that its text may use, with ``I!Op`` for the operators of a named instance."""
    put: dict[str, Symbol | Instance] = field(default_factory=dict)
    """For an instance: the substitutes of its variables."""
    given: set[str] = field(default_factory=set)
    """For an instance: the names that its module declares. An INSTANCE without a name does not import
    them."""
    hidden: set[str] = field(default_factory=set)
    """The LOCAL names."""
    loose: set[str] = field(default_factory=set)
    """The names that yield to others: see ``standard.FORMERLY_EXTENDED``."""
    instances: dict[str, Instance] = field(default_factory=dict)
    instantiated: bool = False
    """True if its declared names have substitutes."""
    assumptions: list[Assumption] = field(default_factory=list)
    theorems: list[Expression] = field(default_factory=list)
    proved: set[str] = field(default_factory=set)
    """The names of theorems that are ASSUME/PROVE instead of formulas."""
    steps: list[ProofStep] = field(default_factory=list)
    """The parts of its proofs whose levels are checked."""
    puts: list[Put] = field(default_factory=list)
    """The substitutions of its instances."""
    extended: set[str] = field(default_factory=set)
    """The modules that it extends or instantiates, directly or indirectly."""
    modules: dict[str, object] = field(default_factory=dict)
    """The modules inside it, by name, as parsed."""
    inner: list[Module] = field(default_factory=list)
    """The modules inside it, without substitutions."""


@dataclass(frozen=True, slots=True, eq=False)
class Put:
    """The substitute that an instance has for a name that its module declares."""

    place: Place
    module: Module
    name: str
    variable: bool
    symbol: Symbol
    parameters: tuple[Parameter, ...]
    """The parameters of the instance."""


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """A named instance: the module in which ``I!Op`` is found."""

    name: str
    parameters: tuple[Parameter, ...]
    module: Module
