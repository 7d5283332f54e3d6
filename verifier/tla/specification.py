"""A module and its configuration together: Init, Next, properties, and the values of constants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from verifier.specs.titles import Titles, titles_beside
from verifier.tla import ast
from verifier.tla.ast import Definition, Expression, Module
from verifier.tla.by_value import refuse_by_value
from verifier.tla.config import Assignment, Config, Named
from verifier.tla.constants import Constants
from verifier.tla.errors import Place, TlaError, takes
from verifier.tla.facts import ACTION, CONSTANT, STATE
from verifier.tla.interpreter import Interpreter
from verifier.tla.levels import check_levels
from verifier.tla.order import Order, text
from verifier.tla.replacing import arity
from verifier.tla.splitting import Formula, Safety, conjuncts
from verifier.tla.value_types import Value

_TITLES = Titles()
_NUMBERS_OF_SEARCH = ("diameter", "distinct", "generated", "queue")
"""Answers of TLCGet that exist only after a search began."""


@dataclass
class Specification:
    """A module at its constants, with its properties."""

    module: Module
    config: Config
    evaluator: Interpreter
    init: list[Formula] = field(default_factory=list)
    next: Formula | None = None
    invariants: dict[str, Formula] = field(default_factory=dict)
    properties: dict[str, Safety] = field(default_factory=dict)
    fairness: list[Formula] = field(default_factory=list)
    """The temporal part of the specification: WF_v(A), SF_v(A), and other assumptions on executions."""
    constraints: list[Formula] = field(default_factory=list)
    action_constraints: list[Formula] = field(default_factory=list)
    view: Formula | None = None
    alias: Formula | None = None
    postconditions: dict[str, Formula] = field(default_factory=dict)
    periodic: Formula | None = None
    """A formula that is checked at intervals and ends the search if it is false."""
    possible: dict[str, Formula] = field(default_factory=dict)
    """Formulas that some state or some step must satisfy."""
    symmetry: list[Formula] = field(default_factory=list)
    constants: dict[str, Value] = field(default_factory=dict)
    """The values that the configuration gives, for readers."""
    titles: Titles = _TITLES
    """The names of checks that the module does not name."""
    warnings: tuple[str, ...] = ()
    """Warnings about texts of the module and the configuration that readers may misunderstand."""

    by_value: Mapping[Expression, str] = field(default_factory=dict)
    """Expressions that cannot be evaluated, with the reason."""

    def refuse_by_value(self, formulas: Iterable[Formula]) -> None:
        """Raise TlaError if a formula needs an expression that cannot be evaluated."""
        refuse_by_value(formulas, self.by_value, self.evaluator.resolve)

    @property
    def variables(self) -> list[ast.Variable]:
        """Return the variables, in the order of the values in states."""
        return self.evaluator.variables


def specify(
    module: Module,
    config: Config,
    settings: Mapping[str, Assignment] | None = None,
    words: Iterable[str] = (),
) -> Specification:
    """Return the specification. Raises TlaError for names that are unknown or of the wrong kind. ``settings``
    override constants of the configuration. ``words``: the words of the texts, in TLC's order."""
    return _Maker(module, config, dict(settings or {}), words).make()


class _Maker:
    def __init__(
        self, module: Module, config: Config, settings: dict[str, Assignment], words: Iterable[str]
    ) -> None:
        self.module, self.config = module, config
        self.constants = Constants(module, config, settings)
        self.order = Order((*self.constants.words, *words))
        self.asked = [Formula(one.body, module.name) for one in module.assumptions]
        """The formulas that are evaluated."""

    def make(self) -> Specification:
        given = self.constants
        for constant in self.module.constants:
            if constant not in given.values and constant not in given.replaced:
                words = f"the constant {constant.name} has no value: add CONSTANT {constant.name} = … to "
                raise TlaError(constant.place, f"{words}{self.config.file}, or --set {constant.name}=…")
        evaluator = Interpreter(self.module.variables, given.resolve, given.values, self.order)
        names = sorted(given.model_values.items(), key=lambda named: self.order.place(named[0]))
        given.model_values = evaluator.model_values = dict(names)
        evaluator.origins = given.origins
        by_value = check_levels(self.module)
        self._check_constants(evaluator)
        claims = {name for name, one in self.module.names.items() if isinstance(one, Definition)}
        made = Specification(self.module, self.config, evaluator, titles=titles_beside(claims))
        made.warnings = tuple(given.warnings)
        for assignment in given.assignments.values():
            if assignment.value is not None and assignment not in given.passed_over:
                made.constants[assignment.name] = given.value(assignment.value)
            for arguments, value in assignment.table:
                shown = ", ".join(text(given.value(one), self.order) for one in arguments)
                made.constants[f"{assignment.name}({shown})"] = given.value(value)
        self._behaviour(made)
        self._check_asked(made)
        made.by_value = by_value
        made.refuse_by_value(self.asked)
        return made

    def _check_constants(self, evaluator: Interpreter) -> None:
        assignments = self.constants.assignments.items()
        for name, assignment in ((key[1], one) for key, one in assignments if key[0] is None):
            symbol = self.module.names.get(name)
            target = self.constants.replaced.get(symbol) if isinstance(symbol, ast.Constant) else None
            if target is None or arity(target):
                continue
            whole = ast.Apply(target, place=assignment.place)
            if evaluator.analysis.of(whole, self.module.name).reads:
                words = f"{name} <- {assignment.operator}: a constant cannot depend on variables"
                raise TlaError(assignment.place, words)
            asked = target.body if isinstance(target, Definition) else None
            if isinstance(asked, ast.Apply) and _asks_search(asked.operator, asked.arguments):
                words = f"{name} <- {assignment.operator}: a constant has its value before there is a search"
                raise TlaError(assignment.place, words)

    def _formula(self, named: Named, keyword: str) -> Formula:
        symbol = self.constants.find_symbol(named, keyword)
        if arity(symbol):
            words = f"{takes('it', arity(symbol))}, none are expected"
            raise TlaError(named.place, f"{keyword} {named.name}: {words}")
        # The place of a substitute is where the text defines it.
        place = symbol.place if isinstance(symbol, Definition) else named.place
        self.asked.append(Formula(ast.Apply(symbol, place=place), self.module.name))
        return self.asked[-1]

    # -- properties

    def _behaviour(self, made: Specification) -> None:
        config = self.config
        if config.specification is not None:
            if config.init is not None or config.next is not None:
                words = "SPECIFICATION stands beside INIT or NEXT: give one or the other"
                raise TlaError(config.specification.place, words)
            self._split(made, self._formula(config.specification, "SPECIFICATION"), config.specification)
            if not self.module.variables:  # there are no states, as without a SPECIFICATION
                made.init, made.next = [], None
            elif made.next is None:
                words = f"SPECIFICATION {config.specification.name} has no [][Next]_vars"
                raise TlaError(config.specification.place, words)
            elif not made.init:
                words = f"SPECIFICATION {config.specification.name} does not define initial states"
                raise TlaError(config.specification.place, f"{words}: Init /\\ [][Next]_vars is expected")
            return
        if (config.init is None) != (config.next is None):
            given = config.init or config.next
            assert given is not None
            raise TlaError(given.place, "INIT and NEXT belong together: one of them is missing")
        if config.init is not None and config.next is not None:
            made.init = [self._formula(config.init, "INIT")]
            made.next = self._formula(config.next, "NEXT")
        elif self.module.variables:
            place = Place(config.file, 1, 1)
            raise TlaError(place, "the configuration names no SPECIFICATION, and no INIT and NEXT")

    def _split(self, made: Specification, formula: Formula, named: Named) -> None:
        r"""Extract Init and Next from ``Init /\ [][Next]_vars /\ …``."""
        safety = conjuncts(made.evaluator, formula)
        made.init = list(safety.initially)
        for step in safety.steps:
            if made.next is not None:
                raise TlaError(step.body.place, f"{named.name} has two [][Next]_vars: one is expected")
            made.next = step
        made.fairness = list(safety.liveness)
        if safety.always:
            words = f"{named.name} says [] of a formula of states, which is not supported: use CONSTRAINT"
            raise TlaError(safety.always[0].body.place, words)

    def _check_asked(self, made: Specification) -> None:
        config, evaluator = self.config, made.evaluator
        for named in config.invariants:
            made.invariants[named.name] = self._at_most(evaluator, named, "INVARIANT", STATE)
        for named in config.properties:
            formula = self._formula(named, "PROPERTY")
            if evaluator.analysis.of(formula.body, formula.module).level == ACTION:
                words = f"PROPERTY {named.name}: it is about one step: say [][{named.name}]_v of all steps"
                raise TlaError(named.place, words)
            made.properties[named.name] = conjuncts(evaluator, formula)
        made.constraints = [self._at_most(evaluator, n, "CONSTRAINT", STATE) for n in config.constraints]
        made.action_constraints = [
            self._at_most(evaluator, named, "ACTION_CONSTRAINT", ACTION)
            for named in config.action_constraints
        ]
        made.symmetry = [self._at_most(evaluator, named, "SYMMETRY", 0) for named in config.symmetry]
        for named in config.postconditions:
            formula = self._of_the_search(evaluator, named, "POSTCONDITION")
            made.postconditions[named.name] = formula
        for keyword, attribute, level in (("VIEW", "view", ACTION), ("ALIAS", "alias", ACTION)):
            one: Named | None = getattr(config, attribute)
            if one is not None:
                setattr(made, attribute, self._at_most(evaluator, one, keyword, level))
        self._check_view(made)
        if config.periodic is not None:
            made.periodic = self._of_the_search(evaluator, config.periodic, "_PERIODIC")
        for named in config.possible:
            made.possible[named.name] = self._at_most(evaluator, named, "_POSSIBLE", ACTION)

    def _of_the_search(self, evaluator: Interpreter, named: Named, keyword: str) -> Formula:
        """Return a formula about the search. Raises TlaError if it reads a state."""
        formula = self._at_most(evaluator, named, keyword, STATE)
        reads = evaluator.analysis.of(formula.body, formula.module).reads
        if reads:
            words = f"it reads {min(one.name for one in reads)}, and the search as a whole has no state"
            raise TlaError(named.place, f"{keyword} {named.name}: {words}")
        return formula

    def _check_view(self, made: Specification) -> None:
        """Refuse a constant VIEW, which would make all states equal."""
        view, named = made.view, self.config.view
        if view is not None and named is not None:
            facts = made.evaluator.analysis.of(view.body, view.module)
            if facts.level == CONSTANT and not facts.changing:
                words = "it is the same in all states, which it should tell apart"
                raise TlaError(named.place, f"VIEW {named.name}: {words}")

    def _at_most(self, evaluator: Interpreter, named: Named, keyword: str, level: int) -> Formula:
        formula = self._formula(named, keyword)
        actual = evaluator.analysis.of(formula.body, formula.module).level
        if actual > level:
            kinds = ("is constant", "is about one state", "is about two states", "is temporal")
            hint = "; name it under PROPERTY" if keyword == "INVARIANT" else ""
            words = (
                f"{keyword} {named.name}: it {kinds[actual]}, and one that {kinds[level]} is expected{hint}"
            )
            raise TlaError(named.place, words)
        return formula


def _asks_search(operator: ast.Symbol, arguments: tuple[ast.Expression, ...]) -> bool:
    """True if an application is TLCGet of a number of the search."""
    if not isinstance(operator, ast.Builtin) or operator.name != "TLCGet":
        return False
    return isinstance(arguments[0], ast.String) and arguments[0].value in _NUMBERS_OF_SEARCH


@contextmanager
def without_traces(specification: Specification) -> Iterator[None]:
    """Undo what TLCSet sets and what is printed meanwhile. These effects belong to the search that
    follows."""
    evaluator = specification.evaluator
    registers, printed = dict(evaluator.registers), list(evaluator.printed)
    try:
        yield
    finally:
        evaluator.registers.clear()
        evaluator.registers.update(registers)
        evaluator.printed[:] = printed
