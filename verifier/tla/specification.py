"""What a module and a configuration together ask: Init, Next, properties, and the values of constants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial

from verifier.errors import nearest
from verifier.specs.titles import Titles, titles_beside
from verifier.tla import ast
from verifier.tla.ast import Copy, Definition, Module, Parameter, Symbol
from verifier.tla.config import KEYWORDS, Assignment, Config, ConfigValue, ModelName, Named
from verifier.tla.errors import Place, TlaError, takes
from verifier.tla.evaluator import Evaluator
from verifier.tla.facts import ACTION, CONSTANT, STATE
from verifier.tla.levels import check_levels
from verifier.tla.order import Order, text
from verifier.tla.replacing import arity, check_takes_as_many, identity, taking
from verifier.tla.scope import LANGUAGE
from verifier.tla.splitting import Formula, Safety, conjuncts
from verifier.tla.standard import standard
from verifier.tla.values import FALSE, TRUE, ModelValue, Value

_TITLES = Titles()
_TRUTHS = {name: LANGUAGE[name] for name in ("TRUE", "FALSE")}
"""What a configuration may name though no module defines it."""


@dataclass
class Specification:
    """A module at its constants, with what is asked of it."""

    module: Module
    config: Config
    evaluator: Evaluator
    init: list[Formula] = field(default_factory=list)
    next: Formula | None = None
    invariants: dict[str, Formula] = field(default_factory=dict)
    properties: dict[str, Safety] = field(default_factory=dict)
    fairness: list[Formula] = field(default_factory=list)
    """What the specification says of whole executions: WF_v(A), SF_v(A), and what else is assumed of them."""
    constraints: list[Formula] = field(default_factory=list)
    action_constraints: list[Formula] = field(default_factory=list)
    view: Formula | None = None
    alias: Formula | None = None
    postconditions: dict[str, Formula] = field(default_factory=dict)
    symmetry: list[Formula] = field(default_factory=list)
    constants: dict[str, Value] = field(default_factory=dict)
    """The values that the configuration gives, for readers."""
    titles: Titles = _TITLES
    """What the checks are called that the module does not name."""
    warnings: tuple[str, ...] = ()
    """What of the configuration has no effect."""

    @property
    def variables(self) -> list[ast.Variable]:
        """The variables, in the order in which states have their values."""
        return self.evaluator.variables


def specify(
    module: Module,
    config: Config,
    settings: Mapping[str, Assignment] | None = None,
    words: Iterable[str] = (),
) -> Specification:
    """The specification. Raises TlaError for names that are not known, or of the wrong kind.

    ``settings`` override constants of the configuration; ``words`` are those of the texts, in TLC's order.
    """
    return _Maker(module, config, dict(settings or {}), words).made()


class _Maker:
    def __init__(
        self, module: Module, config: Config, settings: dict[str, Assignment], words: Iterable[str]
    ) -> None:
        self.module, self.config = module, config
        self.assignments = dict(config.constants)
        for name, assignment in settings.items():
            self.assignments = {key: a for key, a in self.assignments.items() if key[1] != name}
            self.assignments[None, name] = assignment
        self.warnings: list[str] = [*config.warnings]
        self.passed_over: list[Assignment] = []
        self.model_values: dict[str, ModelValue] = {}
        self.values: dict[Symbol, Value] = {}
        self.replaced: dict[Symbol, Symbol] = {}
        self.scoped: dict[tuple[str, str], Symbol] = {}
        self.definitions: dict[tuple[str, ...], Symbol] = {}
        """What is put for definitions, by what ``replacing.identity`` says of them."""
        self.taking: dict[Symbol, Symbol] = {}
        """Of them, those of instances with parameters."""
        self.order = Order((*config.words, *words))

    def made(self) -> Specification:
        for assignment in self.assignments.values():
            self._assign(assignment)
        for constant in self.module.constants:
            if constant not in self.values and constant not in self.replaced:
                words = f"the constant {constant.name} has no value: add CONSTANT {constant.name} = … to "
                raise TlaError(constant.place, f"{words}{self.config.file}, or --set {constant.name}=…")
        evaluator = Evaluator(self.module.variables, self._resolve, self.values, self.order)
        evaluator.model_values = self.model_values
        check_levels(self.module)
        self._check_constants(evaluator)
        claims = {name for name, one in self.module.names.items() if isinstance(one, Definition)}
        made = Specification(self.module, self.config, evaluator, titles=titles_beside(claims))
        made.warnings = tuple(self.warnings)
        for assignment in self.assignments.values():
            if assignment.value is not None and assignment not in self.passed_over:
                made.constants[assignment.name] = self._value(assignment.value)
            for arguments, value in assignment.table:
                shown = ", ".join(text(self._value(one), self.order) for one in arguments)
                made.constants[f"{assignment.name}({shown})"] = self._value(value)
        self._behaviour(made)
        self._asked(made)
        return made

    def _check_constants(self, evaluator: Evaluator) -> None:
        for name, assignment in ((key[1], one) for key, one in self.assignments.items() if key[0] is None):
            symbol = self.module.names.get(name)
            target = self.replaced.get(symbol) if isinstance(symbol, ast.Constant) else None
            if target is None or arity(target):
                continue
            whole = ast.Apply(target, place=assignment.place)
            if evaluator.analysis.of(whole, self.module.name).reads:
                words = f"{name} <- {assignment.operator}: a constant cannot depend on variables"
                raise TlaError(assignment.place, words)

    def _resolve(self, symbol: Symbol, module: str) -> Symbol | None:
        """What a configuration puts for a symbol in the text of a module."""
        if self.scoped:
            owner = symbol.module if isinstance(symbol, Definition) else module
            found = self.scoped.get((owner, symbol.name))
            if found is not None:
                return found
        if not isinstance(symbol, Definition):
            return self.replaced.get(symbol)
        copies = symbol.plain.get(module)
        if copies is None and module == self.module.name and self.module.names.get(symbol.name) is symbol:
            copies = symbol.copies  # the configuration names it
        if symbol.home is None or not self.definitions:
            return None
        if copies is None and symbol.nested:  # an instance of a LET is read as text of the module around
            copies = self._plain_in_let(symbol)
        if copies is None:
            return None
        put = self.definitions.get(identity(symbol, copies))
        if put is not None and len(symbol.parameters) != arity(put):
            put = self.taking.setdefault(symbol, taking(symbol.parameters, put))
        return put

    def _plain_in_let(self, symbol: Definition) -> tuple[Copy, ...] | None:
        found = [one for one in symbol.plain.values() if identity(symbol, one) in self.definitions]
        if found and symbol.prefixed:
            words = "with its name and without: the configuration puts something for one of both"
            raise TlaError(symbol.place, f"an instance in a LET is asked for {symbol.name} {words}")
        return found[0] if found else None

    # -- constants

    def _assign(self, assignment: Assignment) -> None:
        named = self.module.names.get(assignment.name)
        symbol = None if isinstance(named, ast.Instance) else named
        self._check_chain(assignment)
        if symbol is None and assignment.value == ModelName(assignment.name):
            self._value(ModelName(assignment.name))
            return
        if assignment.module is None and (symbol is None or isinstance(symbol, ast.Variable)):
            near = nearest(assignment.name, sorted(self.module.names)) if len(assignment.name) > 2 else None
            hint = f"; did you mean {near}?" if near and symbol is None else ""
            words = f"{self.module.name} has no constant or definition {assignment.name}{hint}"
            in_file = self.config.constants.get((None, assignment.name)) is assignment
            if assignment.operator is not None or not in_file:
                raise TlaError(assignment.place, words)
            if hint or symbol is not None:  # else it is meant for another module
                self.warnings.append(f"warning: {assignment.place}: {words}: passed over, as TLC does")
            self.passed_over.append(assignment)
            return
        if assignment.operator is not None:
            self._replace(assignment, symbol)
            return
        if assignment.table:
            self._tabulate(assignment, symbol)
            return
        assert assignment.value is not None
        if assignment.module is not None:
            put = ast.Constant(assignment.name, 0, assignment.place)
            self.values[put] = self._value(assignment.value)
            self._put_in_module(assignment, assignment.module, put)
            return
        assert symbol is not None
        if arity(symbol):  # it has this value whatever its arguments are
            parameters = tuple(Parameter(f"p{number}") for number in range(arity(symbol)))
            body = self._constant(symbol.name, assignment.place, assignment.value)
            place = assignment.place
            self._put(symbol, Definition(symbol.name, parameters, self.module.name, place, body=body))
            return
        value = self._value(assignment.value)
        if isinstance(symbol, Definition):
            put = ast.Constant(symbol.name, 0, assignment.place)
            self.values[put] = value
            self._put(symbol, put)
        else:
            self.values[symbol] = value

    def _put(self, symbol: Symbol, target: Symbol) -> None:
        if isinstance(symbol, Definition):
            self.definitions[identity(symbol, symbol.copies)] = target
        else:
            self.replaced[symbol] = target

    def _constant(self, name: str, place: Place, value: ConfigValue) -> ast.Expression:
        """An expression that has a value of the configuration."""
        made = ast.Constant(name, 0, place)
        self.values[made] = self._value(value)
        return ast.Apply(made, place=place)

    def _check_chain(self, assignment: Assignment) -> None:
        """As for TLC, what is put for a name has nothing put for it itself."""
        name, put = assignment.operator, [a.name for a in self.assignments.values() if a.operator is not None]
        if assignment.module is None and name in put and name != assignment.name:
            words = f"{assignment.name} <- {name}: something is put for {name} itself"
            raise TlaError(assignment.place, f"{words}: name that here")

    def _replace(self, assignment: Assignment, symbol: Symbol | None) -> None:
        assert assignment.operator is not None
        target = self._named(Named(assignment.operator, assignment.place), f"{assignment.name} <-")
        if assignment.module is not None:
            self._put_in_module(assignment, assignment.module, target)
            return
        assert symbol is not None
        check_takes_as_many(target, assignment.operator, symbol, assignment.name, assignment.place)
        if symbol is not target:
            self._put(symbol, target)

    def _tabulate(self, assignment: Assignment, symbol: Symbol | None) -> None:
        """Puts an operator that has the values of the configuration, and none for other arguments."""
        assert symbol is not None
        place, count = assignment.place, len(assignment.table[0][0])
        if arity(symbol) != count:
            raise TlaError(place, f"{takes(symbol.name, arity(symbol))}, and has {count} here")
        parameters = tuple(Parameter(f"p{number}") for number in range(count))
        equal, constant = LANGUAGE["="], partial(self._constant, symbol.name, place)
        arms = []
        for arguments, value in assignment.table:
            pairs = zip(parameters, arguments, strict=True)
            tests = [
                ast.Apply(equal, (ast.Apply(p, place=place), constant(a)), place=place) for p, a in pairs
            ]
            arms.append((ast.Junction(True, tuple(tests), place=place), constant(value)))
        words = f"the configuration gives {symbol.name} no value for these arguments: add one"
        body = ast.Case(tuple(arms), None, words, place=place)
        self._put(symbol, Definition(symbol.name, parameters, self.module.name, place, body=body))

    def _put_in_module(self, assignment: Assignment, module: str, target: Symbol) -> None:
        """Puts an operator for what a module has by this name, as TLC does: for a definition where it stands,
        even if the module has it by EXTENDS, and so for an operator of a standard module everywhere."""
        if module not in {self.module.name, *self.module.extended}:
            raise TlaError(assignment.place, f"{self.module.name} does not use the module {module}")
        found = self._in_module(module, assignment.name)
        if found is None:
            raise TlaError(assignment.place, f"the module {module} has no definition {assignment.name}")
        if isinstance(found, ast.Builtin):
            name = assignment.operator or "its value"
            check_takes_as_many(target, name, found, found.name, assignment.place)
            self.replaced[found] = target
        else:
            self.scoped[found.module if isinstance(found, Definition) else module, assignment.name] = target

    def _in_module(self, module: str, name: str) -> Symbol | None:
        known = [self.module, *_instantiated(self.module)]
        known += [made for one in self.module.extended if (made := standard(one)) is not None]
        by_name = [one for one in known if one.name == module]
        for one in by_name or known:  # what a module extends is only known by those that extend it
            found = one.names.get(name)
            if found is not None and not isinstance(found, ast.Instance):
                return found
        return None

    def _value(self, value: ConfigValue) -> Value:
        if isinstance(value, bool):
            return TRUE if value else FALSE
        if isinstance(value, ModelName):
            return self.model_values.setdefault(value.name, ModelValue(value.name))
        if isinstance(value, frozenset):
            return frozenset(self._value(item) for item in value)
        return value

    # -- names

    def _named(self, named: Named, keyword: str) -> Symbol:
        found = self.module.names.get(named.name) or _TRUTHS.get(named.name)
        if found is None and "!" in named.name:
            *path, last = named.name.split("!")
            module = self.module
            for step in path:
                if step not in module.instances:
                    raise TlaError(named.place, f"{keyword} {named.name}: {step} is no instance")
                module = module.instances[step].module
            found = module.names.get(last)
        if found is None or isinstance(found, ast.Instance):
            near = nearest(named.name, [n for n, s in self.module.names.items() if isinstance(s, Definition)])
            hint = f"; did you mean {near}?" if near else ""
            keyword_meant = nearest(named.name, KEYWORDS) if named.name.isupper() else None
            hint += f"; did you mean the keyword {keyword_meant}?" if keyword_meant else ""
            words = f"{keyword} {named.name}: {self.module.name} defines no {named.name}{hint}"
            raise TlaError(named.place, words)
        return self._resolve(found, self.module.name) or found

    def _formula(self, named: Named, keyword: str) -> Formula:
        found = self._named(named, keyword)
        if arity(found):
            words = f"{takes('it', arity(found))}, none are expected"
            raise TlaError(named.place, f"{keyword} {named.name}: {words}")
        # The place of what stands for the name is where the text defines it.
        place = found.place if isinstance(found, Definition) else named.place
        return Formula(ast.Apply(found, place=place), self.module.name)

    # -- what is asked

    def _behaviour(self, made: Specification) -> None:
        config = self.config
        if config.specification is not None:
            if config.init is not None or config.next is not None:
                words = "SPECIFICATION stands beside INIT or NEXT: give one or the other"
                raise TlaError(config.specification.place, words)
            self._split(made, self._formula(config.specification, "SPECIFICATION"), config.specification)
            if not self.module.variables:  # no states then, as without a SPECIFICATION
                made.init, made.next = [], None
            elif made.next is None:
                words = f"SPECIFICATION {config.specification.name} has no [][Next]_vars"
                raise TlaError(config.specification.place, words)
            elif not made.init:
                words = f"SPECIFICATION {config.specification.name} says nothing of initial states"
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
        """Takes Init and Next out of ``Init /\\ [][Next]_vars /\\ …``."""
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

    def _asked(self, made: Specification) -> None:
        config, evaluator = self.config, made.evaluator
        for named in config.invariants:
            made.invariants[named.name] = self._at_most(evaluator, named, "INVARIANT", STATE)
        for named in config.properties:
            formula = self._formula(named, "PROPERTY")
            if evaluator.analysis.of(formula.body, formula.module).level == ACTION:
                words = f"PROPERTY {named.name}: it speaks of one step: say [][{named.name}]_v of all steps"
                raise TlaError(named.place, words)
            made.properties[named.name] = conjuncts(evaluator, formula)
        made.constraints = [self._at_most(evaluator, n, "CONSTRAINT", STATE) for n in config.constraints]
        made.action_constraints = [
            self._at_most(evaluator, named, "ACTION_CONSTRAINT", ACTION)
            for named in config.action_constraints
        ]
        made.symmetry = [self._at_most(evaluator, named, "SYMMETRY", 0) for named in config.symmetry]
        for named in config.postconditions:
            formula = self._at_most(evaluator, named, "POSTCONDITION", STATE)
            made.postconditions[named.name] = formula
            reads = evaluator.analysis.of(formula.body, formula.module).reads
            if reads:
                words = f"it reads {min(one.name for one in reads)}, and there is no state behind the search"
                raise TlaError(named.place, f"POSTCONDITION {named.name}: {words}")
        for keyword, attribute, level in (("VIEW", "view", ACTION), ("ALIAS", "alias", ACTION)):
            one: Named | None = getattr(config, attribute)
            if one is not None:
                setattr(made, attribute, self._at_most(evaluator, one, keyword, level))
        self._check_view(made)
        if config.periodic is not None:
            raise TlaError(config.periodic.place, "_PERIODIC is not supported")
        for one in config.possible:
            hint = f"say INVARIANT for ~{one.name}, which is violated if {one.name} is possible"
            raise TlaError(one.place, f"_POSSIBLE is not supported: {hint}")

    def _check_view(self, made: Specification) -> None:
        """A constant for a VIEW would make all states one."""
        view, named = made.view, self.config.view
        if view is not None and named is not None:
            facts = made.evaluator.analysis.of(view.body, view.module)
            if facts.level == CONSTANT and not facts.changing:
                words = "it is the same in all states, which it should tell apart"
                raise TlaError(named.place, f"VIEW {named.name}: {words}")

    def _at_most(self, evaluator: Evaluator, named: Named, keyword: str, level: int) -> Formula:
        formula = self._formula(named, keyword)
        found = evaluator.analysis.of(formula.body, formula.module).level
        if found > level:
            kinds = ("is constant", "speaks of one state", "speaks of two states", "is temporal")
            hint = "; name it under PROPERTY" if keyword == "INVARIANT" else ""
            words = (
                f"{keyword} {named.name}: it {kinds[found]}, and one that {kinds[level]} is expected{hint}"
            )
            raise TlaError(named.place, words)
        return formula


def _instantiated(module: Module) -> Iterator[Module]:
    """The modules of the named instances of a module, and of theirs."""
    for instance in module.instances.values():
        yield instance.module
        yield from _instantiated(instance.module)
