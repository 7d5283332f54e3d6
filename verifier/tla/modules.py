"""Modules: the declarations, definitions, EXTENDS and INSTANCEs of their texts.

Source: Specifying Systems (Lamport, 2002), chapters 15 and 17; in tlaplus/tlaplus,
``tla2sany.semantic.Generator``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from tree_sitter import Node

from verifier.tla import ast
from verifier.tla.ast import Copy, Definition, Expression, Module, Parameter
from verifier.tla.contexts import Context
from verifier.tla.declarations import read_declaration
from verifier.tla.errors import Place, TlaError, takes
from verifier.tla.expressions import Expressions
from verifier.tla.precedence import canonical
from verifier.tla.scope import Named, Scope, own_arity
from verifier.tla.standard import FORMERLY_EXTENDED
from verifier.tla.statements import Statements
from verifier.tla.substitutes import read_substitute
from verifier.tla.text import Source, field_of, text_of
from verifier.tla.texts_of_modules import lines_of, module_node

_IGNORED = {"header_line", "double_line", "single_line", "identifier", "extramodular_text"}
_NOT_IN_RECURSION = {
    "constant_declaration", "variable_declaration", "assumption", "theorem", "module", "use_or_hide",
}  # fmt: skip
_PROOFS = {"terminal_proof", "non_terminal_proof"}


class Reader:
    """Reads one module of a file."""

    def __init__(self, context: Context, source: Source, beside: Mapping[str, object] | None = None) -> None:
        self.context = context
        self.beside = beside or {}
        """For a module inside another one: the modules that stand there before it."""
        self.source = source
        self.expressions = Expressions(self)
        self.made = Module("", source.file)
        self.statements = Statements(self)
        self.node: Node | None = None
        self.outside: Scope | None = None

    def module(self, node: Node, around: Scope | None = None) -> Module:
        """Read the module of a node. ``around``: the scope of a module that contains it."""
        self.made.name = text_of(field_of(node, "name"))
        self.made.instantiated = self.context.substitution is not None
        self.node, self.outside = node, around
        outside = self.context.around
        scope = Scope(around, extra=outside.extra, nested=outside.nested, made=outside.made)
        scope.names, scope.loose = self.made.names, self.made.loose
        scope.below = lines_of(node)
        for unit in node.children:
            self._unit(unit, scope)
        self._check_recursive()
        return self.made

    def apart(self) -> Module | None:
        """Return the module of an instance with variables of its own. None if a different variable is
        substituted for each, which makes no difference."""
        put = list(self.made.put.values())
        if len(set(put)) == len(put) and all(isinstance(one, ast.Variable) for one in put):
            return None
        if self.context.twin is None:
            given = self.context
            self.context.twin = replace(given, read={}, reading=list(given.reading), declared={}, apart=True)
        twin, name = self.context.twin, self.made.name
        if name not in twin.read:
            assert self.node is not None
            twin.read[name] = Reader(twin, self.source, self.beside).module(self.node, self.outside)
        return twin.read[name]

    def _check_recursive(self) -> None:
        for name, symbol in self.made.names.items():
            # The substitute of a constant may be defined further on, in the module around it.
            own = isinstance(symbol, Definition) and symbol.module == self.made.name
            if own and isinstance(symbol, Definition) and symbol.body is None:
                raise TlaError(symbol.place, f"{name} is declared RECURSIVE and never defined")

    def _check_section(self, node: Node) -> None:
        """Check that only definitions stand between RECURSIVE and the definition of its names."""
        if node.type not in _NOT_IN_RECURSION:
            return
        waiting = [
            one for one in self.made.names.values() if isinstance(one, Definition) and one.body is None
        ]
        own = [one.name for one in waiting if one.module == self.made.name]
        if own:
            kind = "USE or HIDE" if node.type == "use_or_hide" else node.type.replace("_", " ")
            words = f"this {kind} stands between RECURSIVE {own[0]} and its definition: move it up"
            raise TlaError(self.source.place(node), words)

    def _unit(self, node: Node, scope: Scope) -> None:
        self._check_section(node)
        match node.type:
            case "extends":
                for name in node.named_children:
                    self._extend(text_of(name), self.source.place(name), scope)
            case "constant_declaration" | "variable_declaration":
                self._declare(node, scope)
            case "assumption":
                self.statements.assumption(node, scope)
            case "theorem":
                self.statements.theorem(node, scope)
            case "use_or_hide":
                self.statements.proofs.use(node, scope)
            case "local_definition":
                known = set(self.made.names) | set(self.made.instances)
                self.definitions(node.named_children, scope)
                self.made.hidden |= (set(self.made.names) | set(self.made.instances)) - known
            case "module":
                self._check_module(text_of(field_of(node, "name")), self.source.place(node))
                # It knows what stands before it, and nothing that is defined later.
                at = replace(scope, names=dict(scope.names), loose=set(scope.loose))
                if self.context.substitution is None:  # whether it is used or not
                    own = replace(
                        self.context, read={**self.context.read}, declared={**self.context.declared}
                    )
                    inside = Reader(own, self.source, self._modules()).module(node, at)
                    self.made.inner.append(inside)
                self.made.modules[text_of(field_of(node, "name"))] = (node, self.source, at)
            case _ if node.is_named and node.type not in _IGNORED:
                self.definitions([node], scope)

    def _check_module(self, name: str, place: Place) -> None:
        if name in self.made.modules:
            raise TlaError(place, f"the module {name} stands here a second time")
        if name in self.made.extended:
            raise TlaError(place, f"the module {name} is known by EXTENDS or INSTANCE: rename this one")

    def _extend(self, name: str, place: Place, scope: Scope) -> None:
        inner = self._inner_module(name)
        if inner is not None:
            made = Reader(self.context, inner[1], self._modules()).module(inner[0], inner[2])
            self._bring(made, scope, place)
            return
        loose = self.source.own and name in FORMERLY_EXTENDED.get(self.made.name, ())
        self._bring(module_of(self.context, name, place), scope, place, loose=loose)

    def _bring(
        self, module: Module, scope: Scope, place: Place, *, hide: bool = False, loose: bool = False
    ) -> None:
        """Make all names of a module known here."""
        for name, symbol in module.names.items():
            if name in module.hidden or (hide and name in module.given):
                continue
            scope.bring(name, symbol, place, loose=loose or name in module.loose, instance=hide)
        for name, instance in module.instances.items():
            if name not in module.hidden:
                self.made.instances[name] = instance
                scope.names[name] = instance
        self.made.extended |= {module.name, *module.extended}
        if not hide:
            self.made.modules |= module.modules
            self.made.inner += [one for one in module.inner if one not in self.made.inner]
            self.made.given |= module.given
            self.made.proved |= module.proved
            self.made.constants += [c for c in module.constants if c not in self.made.constants]
            self.made.variables += [v for v in module.variables if v not in self.made.variables]
            self.made.put |= module.put
            self.made.assumptions += [a for a in module.assumptions if a not in self.made.assumptions]
            self.made.theorems += [t for t in module.theorems if t not in self.made.theorems]
        self.made.puts += [p for p in module.puts if p not in self.made.puts]

    def _declare(self, node: Node, scope: Scope) -> None:
        variable = node.type == "variable_declaration"
        for child in node.named_children:
            name, arity = read_declaration(child)
            place = self.source.place(child)
            put = self.context.substitution
            if put is not None and not (variable and self.context.apart):
                substitute = put.get(name) or self.context.around.find(name)
                if substitute is None:
                    module = f"the instance of {self.made.name}"
                    raise TlaError(place, f"{module} puts nothing for {name}: say WITH {name} <- expression")
                extra = self.context.around.extra
                if not isinstance(substitute, ast.Instance) and own_arity(substitute, extra) != arity:
                    words = f"what the instance puts for it {own_arity(substitute, extra)}"
                    raise TlaError(place, f"{takes(name, arity)}, {words}")
                scope.names[name] = substitute
                if not isinstance(substitute, ast.Instance):
                    self.context.put[name, variable] = substitute
                self.made.given.add(name)
                if variable:
                    self.made.put[name] = substitute
                continue
            made = ast.Variable(name) if variable else ast.Constant(name, arity, place)
            symbol = self.context.declared.setdefault((name, -1 if variable else arity), made)
            scope.declare(name, symbol, place)
            if isinstance(symbol, ast.Variable):
                self.made.variables += [symbol] if symbol not in self.made.variables else []
            elif symbol not in self.made.constants:
                self.made.constants.append(symbol)

    # -- definitions, of modules and of LET

    def definitions(self, nodes: Iterable[Node], scope: Scope) -> None:
        """Read definitions into a scope."""
        for node in nodes:
            match node.type:
                case "operator_definition":
                    self._operator(node, scope)
                case "function_definition":
                    self._function(node, scope)
                case "recursive_declaration":
                    for child in node.named_children:
                        self._recursive(child, scope)
                case "instance":
                    local = node.parent is not None and node.parent.type == "local_definition"
                    module = self._instantiate(node, scope, (), "", Copy(self.made, local))
                    self._bring(module, scope, self.source.place(node), hide=True)
                case "module_definition":
                    self._read_named_instance(node, scope)
                case _ if node.is_named and node.type not in _PROOFS:
                    place = self.source.place(node)
                    raise TlaError(place, f"this {node.type.replace('_', ' ')} is not supported here")

    def _recursive(self, node: Node, scope: Scope) -> None:
        name, arity = read_declaration(node)
        parameters = tuple(Parameter(f"p{index}") for index in range(arity))
        self.define(name, parameters, None, scope, self.source.place(node)).recursive = True

    def define(
        self,
        name: str,
        parameters: tuple[Parameter, ...],
        body: Expression | None,
        scope: Scope,
        place: Place,
    ) -> Definition:
        """Make a definition of this name. The parameters of the instance come before its own."""
        known = scope.names.get(name)
        if isinstance(known, Definition) and known.body is None and body is not None:
            known.body = body
            return known
        given = (*scope.extra, *parameters)
        made = Definition(name, given, self.made.name, place, scope.nested, body, self.context.path)
        if scope.names is self.made.names:
            made.home, made.copies = self.made, self.context.copies
        scope.declare(name, made, place)
        if scope.made is not None:
            scope.made.append(made)
        return made

    def _operator(self, node: Node, scope: Scope) -> None:
        name_node = field_of(node, "name")
        name, place = canonical(text_of(name_node)), self.source.place(name_node)
        inner = scope.inner()
        parameters = []
        for child in node.children_by_field_name("parameter"):
            if not child.is_named:
                continue
            own, arity = read_declaration(child)
            parameters.append(Parameter(own, arity))
            inner.declare(own, parameters[-1], self.source.place(child))
        if name_node.type == "prefix_op_symbol" and name == "-":
            name = "-."
        known = scope.names.get(name)
        if isinstance(known, Definition) and known.body is None:
            if len(known.parameters) != len(scope.extra) + len(parameters):
                words = f"{name} was declared RECURSIVE with another number of arguments at {known.place}"
                raise TlaError(place, words)
            known.parameters = (*scope.extra, *parameters)
        elif scope.is_loose(name):
            scope.names.pop(name, None)
        elif known is not None or scope.find(name) is not None:
            scope.declare(name, Definition(name, (), self.made.name, place), place)
        body, labels = self.expressions.labels.collect(field_of(node, "definition"), inner)
        made = self.define(name, tuple(parameters), body, scope, place)
        made.labels = labels
        made.text, made.last_line = " ".join(text_of(node).split()), node.end_point.row + 1

    def _function(self, node: Node, scope: Scope) -> None:
        name_node = field_of(node, "name")
        name, place = text_of(name_node), self.source.place(name_node)
        known = scope.names.get(name)
        if isinstance(known, Definition) and len(known.parameters) > len(scope.extra):
            raise TlaError(place, f"{name} was declared RECURSIVE with arguments at {known.place}")
        bounds = [child for child in node.named_children if child.type == "quantifier_bound"]
        outer = scope.inner()
        itself = ast.Bound(name)
        if not isinstance(scope.names.get(name), Definition):
            outer.declare(name, itself, place)
        outer.names[name] = itself
        bindings, inner = self.expressions.bindings(bounds, scope, outer)
        body, labels = self.expressions.labels.collect(field_of(node, "definition"), inner, outer)
        made = self.define(name, (), ast.Function(bindings, body, itself, place=place), scope, place)
        made.takes, made.labels = len(bindings), labels
        made.text, made.last_line = " ".join(text_of(node).split()), node.end_point.row + 1

    # -- instances

    def _read_named_instance(self, node: Node, scope: Scope) -> None:
        name_node = field_of(node, "name")
        name, place = text_of(name_node), self.source.place(name_node)
        nodes = [child for child in node.children_by_field_name("parameter") if child.is_named]
        parameters = tuple(Parameter(*read_declaration(child)) for child in nodes)
        inner = scope.inner()
        inner.extra = (*scope.extra, *parameters)
        for child, parameter in zip(nodes, parameters, strict=True):
            inner.declare(parameter.name, parameter, self.source.place(child))
        module = self._instantiate(field_of(node, "definition"), inner, inner.extra, f"{name}!")
        instance = ast.Instance(name, inner.extra, module)
        scope.declare(name, instance, place)
        if not scope.nested:
            self.made.instances[name] = instance
        self.made.extended |= {module.name, *module.extended}

    def note_plain(self, named: Definition) -> None:
        """Record that the text mentions a definition without the name of an instance."""
        context = self.context
        while context.outer is not None and named in context.put.values():
            context = context.outer
        named.plain[self.made.name] = named.copies[len(context.copies) :]

    def _inner_module(self, name: str) -> tuple[Node, Source, Scope] | None:
        return self._modules().get(name)  # type: ignore[return-value]

    def _modules(self) -> dict[str, object]:
        return {**self.beside, **self.made.modules}

    def _instantiate(
        self, node: Node, scope: Scope, extra: tuple[Parameter, ...], path: str, *copies: Copy
    ) -> Module:
        """Read the module of an INSTANCE, with the substitutes of its parameters."""
        name_node = next(child for child in node.named_children if child.type == "identifier_ref")
        name, place = text_of(name_node), self.source.place(name_node)
        around = scope.inner()
        around.extra = extra or scope.extra
        put: dict[str, Named] = {}
        for child in node.named_children:
            if child.type == "substitution":
                target, value = child.named_children[0], child.named_children[-1]
                parameter = canonical(text_of(target))
                if parameter in put:
                    raise TlaError(self.source.place(target), f"{text_of(target)} is put for a second time")
                put[parameter] = read_substitute(self.expressions, self.made.name, parameter, value, around)
        context = Context(self.context.finder, put, around, self.context.path + path, self.context)
        context.copies = (*self.context.copies, *copies)
        context.reading = list(self.context.reading)
        inner = self._inner_module(name)
        if inner is not None:
            made = Reader(context, inner[1], self._modules()).module(inner[0], inner[2])
        else:
            made = module_of(context, name, place)
        self._check_put(put, made, node)
        at = self.source.place(node)
        self.made.puts += [
            ast.Put(at, made, name, variable, symbol, around.extra)
            for (name, variable), symbol in context.put.items()
        ]
        return made

    def _check_put(self, put: dict[str, Named], made: Module, node: Node) -> None:
        for child in node.named_children:
            if child.type == "substitution":
                name = canonical(text_of(child.named_children[0]))
                if made.names.get(name) is not put[name]:
                    place = self.source.place(child)
                    raise TlaError(place, f"{made.name} declares no {name} that something could be put for")


def module_of(context: Context, name: str, place: Place) -> Module:
    """Return a module in a context. It is read once."""
    if name in context.read:
        return context.read[name]
    if name in context.reading:
        raise TlaError(
            place, f"the modules {' -> '.join([*context.reading, name])} need each other in a circle"
        )
    module = context.finder.standard(name)
    if module is None:
        source = context.finder.source(name, place)
        context.reading.append(name)
        module = Reader(context, source).module(module_node(source, name, place))
        context.reading.pop()
    context.read[name] = module
    return module
