"""The values of constants, and the operators that a configuration substitutes for constants and
definitions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from verifier.errors import nearest
from verifier.tla import ast
from verifier.tla.ast import Definition, Module, Parameter, Symbol
from verifier.tla.config import KEYWORDS, Assignment, Config, ConfigValue, ModelName, Named
from verifier.tla.errors import Place, TlaError, takes
from verifier.tla.replacing import arity, check_takes_as_many, identity, taking
from verifier.tla.scope import LANGUAGE
from verifier.tla.standard import standard
from verifier.tla.value_types import FALSE, TRUE, ModelValue, Value

_TRUTHS = {name: LANGUAGE[name] for name in ("TRUE", "FALSE")}
"""Names that a configuration may use although no module defines them."""
SET_PLACE = "constant "
"""The beginning of the place of a value of ``--set``."""


class Constants:
    """The values of a module's constants, and the replaced definitions. Raises TlaError."""

    def __init__(self, module: Module, config: Config, settings: dict[str, Assignment]) -> None:
        self.module, self.config = module, config
        self.assignments = dict(config.constants)
        for name, assignment in settings.items():
            self.assignments = {key: a for key, a in self.assignments.items() if key[1] != name}
            self.assignments[None, name] = assignment
        self.words = tuple(_words_in_order(module, config, settings))
        """The names and strings of the values, in TLC's order."""
        self.warnings: list[str] = [*config.warnings]
        self.passed_over: list[Assignment] = []
        self.model_values: dict[str, ModelValue] = {}
        self.origins = dict(_find_origins(settings))
        """The option that names a model value, by the value's name."""
        self.values: dict[Symbol, Value] = {}
        self.replaced: dict[Symbol, Symbol] = {}
        self.scoped: dict[tuple[str, str], Symbol] = {}
        self.definitions: dict[tuple[str, ...], Symbol] = {}
        """The substitutes of definitions, by ``replacing.identity``."""
        self.taking: dict[Symbol, Symbol] = {}
        """The substitutes for definitions of instances with parameters."""
        for assignment in self.assignments.values():
            self._assign(assignment)

    def resolve(self, symbol: Symbol, module: str) -> Symbol | None:
        """Return the substitute that a configuration has for a symbol in the text of a module; None if it has
        none."""
        if self.scoped:
            owner = symbol.module if isinstance(symbol, Definition) else module
            meaning = self.scoped.get((owner, symbol.name))
            if meaning is not None:
                return self._taking(symbol, meaning)
        if not isinstance(symbol, Definition):
            return self.replaced.get(symbol)
        copies = symbol.plain.get(module)
        if copies is None and module == self.module.name and self.module.names.get(symbol.name) is symbol:
            copies = symbol.copies  # the configuration names it
        if symbol.home is None or not self.definitions:
            return None
        if copies is None and symbol.nested:  # an instance in a LET is read as text of the module around it
            known = symbol.plain.values()
            copies = next((one for one in known if identity(symbol, one) in self.definitions), None)
        if copies is None:
            return None
        put = self.definitions.get(identity(symbol, copies))
        return put if put is None else self._taking(symbol, put)

    def _taking(self, symbol: Symbol, put: Symbol) -> Symbol:
        """Return a substitute that takes the parameters of a definition, with those of its instance."""
        if not isinstance(symbol, Definition) or len(symbol.parameters) == arity(put):
            return put
        return self.taking.setdefault(symbol, taking(symbol.parameters, put))

    def _assign(self, assignment: Assignment) -> None:
        named = self.module.names.get(assignment.name)
        symbol = None if isinstance(named, ast.Instance) else named
        self._check_chain(assignment)
        if symbol is None and assignment.value == ModelName(assignment.name):
            self.value(ModelName(assignment.name))
            return
        if assignment.module is None and (symbol is None or isinstance(symbol, ast.Variable)):
            near = nearest(assignment.name, sorted(self.module.names)) if len(assignment.name) > 2 else None
            hint = f"; did you mean {near}?" if near and symbol is None else ""
            words = f"{self.module.name} has no constant or definition {assignment.name}{hint}"
            in_file = self.config.constants.get((None, assignment.name)) is assignment
            if assignment.operator is not None or not in_file:
                raise TlaError(assignment.place, words)
            if hint or symbol is not None:  # otherwise it belongs to another module
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
            self.values[put] = self.value(assignment.value)
            self._put_in_module(assignment, assignment.module, put)
            return
        assert symbol is not None
        if arity(symbol):  # it has this value for all arguments
            parameters = tuple(Parameter(f"p{number}") for number in range(arity(symbol)))
            body = self._constant(symbol.name, assignment.place, assignment.value)
            place = assignment.place
            self._put(symbol, Definition(symbol.name, parameters, self.module.name, place, body=body))
            return
        value = self.value(assignment.value)
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
        """Return an expression with a value of the configuration."""
        made = ast.Constant(name, 0, place)
        self.values[made] = self.value(value)
        return ast.Apply(made, place=place)

    def _check_chain(self, assignment: Assignment) -> None:
        """Raise TlaError if a substitute is itself replaced, as in TLC."""
        name, put = assignment.operator, [a.name for a in self.assignments.values() if a.operator is not None]
        if assignment.module is None and name in put and name != assignment.name:
            words = f"{assignment.name} <- {name}: something is put for {name} itself"
            raise TlaError(assignment.place, f"{words}: name that here")

    def _replace(self, assignment: Assignment, symbol: Symbol | None) -> None:
        assert assignment.operator is not None
        target = self.find_symbol(Named(assignment.operator, assignment.place), f"{assignment.name} <-")
        if assignment.module is not None:
            self._put_in_module(assignment, assignment.module, target)
            return
        assert symbol is not None
        check_takes_as_many(target, assignment.operator, symbol, assignment.name, assignment.place)
        if symbol is not target:
            self._put(symbol, target)

    def _tabulate(self, assignment: Assignment, symbol: Symbol | None) -> None:
        """Substitute an operator that has the values of the configuration, and none for other arguments."""
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
        """Substitute an operator for a name of one module, as TLC does. A definition is replaced where it
        stands, even if the module has it by EXTENDS. So an operator of a standard module is replaced
        everywhere."""
        if module not in {self.module.name, *self.module.extended}:
            raise TlaError(assignment.place, f"{self.module.name} does not use the module {module}")
        symbol, instances = self._in_module(module, assignment.name)
        if symbol is None:
            raise TlaError(assignment.place, f"the module {module} has no definition {assignment.name}")
        name = assignment.operator or "its value"
        check_takes_as_many(target, name, symbol, symbol.name, assignment.place, instances)
        if isinstance(symbol, ast.Builtin):
            self.replaced[symbol] = target
        else:
            self.scoped[symbol.module if isinstance(symbol, Definition) else module, assignment.name] = target

    def _in_module(self, module: str, name: str) -> tuple[Symbol | None, int]:
        """Return what a module names so, and the number of parameters that it has from instances."""
        known = [(self.module, 0), *_find_instances(self.module)]
        known += [(made, 0) for one in self.module.extended if (made := standard(one)) is not None]
        by_name = [one for one in known if one[0].name == module]
        for one, parameters in by_name or known:  # an extended module is only known to its users
            symbol = one.names.get(name)
            if symbol is not None and not isinstance(symbol, ast.Instance):
                return symbol, parameters
        return None, 0

    def value(self, value: ConfigValue) -> Value:
        """Return a value of the configuration as a value of the interpreter."""
        if isinstance(value, bool):
            return TRUE if value else FALSE
        if isinstance(value, ModelName):
            return self.model_values.setdefault(value.name, ModelValue(value.name))
        if isinstance(value, frozenset):
            return frozenset(self.value(item) for item in value)
        return value

    def find_symbol(self, named: Named, keyword: str) -> Symbol:
        """Return the symbol that a name of the configuration means."""
        symbol = self.module.names.get(named.name) or _TRUTHS.get(named.name)
        if symbol is None and "!" in named.name:
            *path, last = named.name.split("!")
            module = self.module
            for step in path:
                if step not in module.instances:
                    raise TlaError(named.place, f"{keyword} {named.name}: {step} is not an instance")
                module = module.instances[step].module
            symbol = module.names.get(last)
        if symbol is None or isinstance(symbol, ast.Instance):
            words = f"{keyword} {named.name}: {self.module.name} defines no {named.name}"
            raise TlaError(named.place, words + self._hint(named.name))
        return self.resolve(symbol, self.module.name) or symbol

    def _hint(self, name: str) -> str:
        """Return a suggestion for an unknown name: a keyword or an operator."""
        if name.upper() in KEYWORDS:
            return f"; did you mean the keyword {name.upper()}?"
        near = nearest(name, [n for n, s in self.module.names.items() if isinstance(s, Definition)])
        keyword = nearest(name, KEYWORDS) if name.isupper() else None
        meant = [near] if near else []
        meant += [f"the keyword {keyword}"] if keyword else []
        return "".join(f"; did you mean {one}?" for one in meant)


def _find_origins(settings: Mapping[str, Assignment]) -> Iterator[tuple[str, str]]:
    """Yield each model value that is the value of a constant of ``--set``, with this option. What a file of
    results names has another place."""
    for one in settings.values():
        place = one.place.file
        if isinstance(one.value, ModelName) and place.startswith(SET_PLACE):
            yield one.value.name, f"--set {place.removeprefix(SET_PLACE)}"


def _words_in_order(module: Module, config: Config, settings: Mapping[str, Assignment]) -> Iterator[str]:
    """Yield the words of the values as if each value of ``settings`` stood in the configuration, in place of
    its own. So the order of model values depends on these texts alone: it is the same in each process."""
    left = dict(settings)
    for name, word in config.words:
        if name in left:
            yield from left.pop(name).words
        if name not in settings:
            yield word
    declared = [constant.name for constant in module.constants]
    for name in sorted(
        left, key=lambda name: (name not in declared, name in declared and declared.index(name), name)
    ):
        yield from left[name].words


def _find_instances(module: Module) -> Iterator[tuple[Module, int]]:
    """Yield the modules of the named instances of a module, and of theirs, each with the number of parameters
    that its definitions have from these instances."""
    for instance in module.instances.values():
        yield instance.module, len(instance.parameters)
        yield from _find_instances(instance.module)
