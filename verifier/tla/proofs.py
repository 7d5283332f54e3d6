"""Proofs, USE and HIDE: SANY's errors in names, numbers of steps and levels.

Nothing is proved, and proofs have no meaning here. So an unreadable formula of a proof is skipped, unless it
contains an undefined name. Of the facts of BY and USE only names are looked up.

Source: ``tla2sany.semantic.ProofNode`` and its kinds (tlaplus/tlaplus).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from tree_sitter import Node

from verifier.tla import ast
from verifier.tla.ast import Bound, Builtin, Definition, Expression, Parameter, ProofStep
from verifier.tla.contexts import Context
from verifier.tla.declarations import read_declaration
from verifier.tla.errors import Place, TlaError
from verifier.tla.expressions import DefinitionReader, Expressions
from verifier.tla.facts import ACTION, CONSTANT
from verifier.tla.level_rules import may_be_temporal
from verifier.tla.scope import Scope
from verifier.tla.text import field_of, text_of

_PROOF, _UNKNOWN = "non_terminal_proof", "unknown operator "
_KINDS = {
    "have_proof_step": "HAVE", "take_proof_step": "TAKE", "witness_proof_step": "WITNESS",
    "case_proof_step": "CASE", "pick_proof_step": "PICK",
}  # fmt: skip
_IMPLICIT = {"*": 0, "+": 1}
"""The depth of an unnumbered step relative to the step before."""
_NOT_ITSELF = {"subexpression", "prefixed_op", "proof_step_ref"}
"""Nodes that may name a part of a theorem that is ASSUME/PROVE instead of a formula."""


class StatementReader(DefinitionReader, Protocol):
    """The reader of a module, as its theorems and proofs need it."""

    context: Context
    expressions: Expressions

    def define(
        self,
        name: str,
        parameters: tuple[Parameter, ...],
        body: Expression | None,
        scope: Scope,
        place: Place,
    ) -> Definition:
        """Define an operator in a scope."""


class Proofs:
    """Checks the proofs of one module."""

    def __init__(self, reader: StatementReader) -> None:
        self.reader = reader
        self.source, self.made = reader.source, reader.made
        self.temporal: dict[Definition, bool] = {}
        self.unread: set[str] = set()
        """The names of definitions in proofs that were not read."""
        self.instantiates = False
        """True if the proof has a step INSTANCE, whose names are not read."""

    # -- theorems

    def theorem(self, node: Node, statement: Expression | None, scope: Scope) -> None:
        """Check the assumptions of a theorem, and its proof. Raises TlaError."""
        inner, self.instantiates = self._inner(scope), False
        goals = [] if statement is None else [statement]
        for child in node.named_children:
            if child.type == "assume_prove":
                goals = self._assume_prove(child, inner)
            elif child.type == _PROOF:
                self._proof(child, goals, inner, {}, -1)

    @staticmethod
    def _inner(scope: Scope) -> Scope:
        """Return a scope whose names may hide others without a check."""
        return replace(scope.inner(), made=None, nested=False)

    def _assume_prove(self, node: Node, scope: Scope, *, within: bool = False) -> list[Expression]:
        """Read the formulas of ASSUME and PROVE. The scope gets the names that NEW declares."""
        formulas, new = [], False
        for child in node.named_children:
            if child.type == "new":
                formulas += self._declare(child, scope)
                new = True
            elif child.type == "inner_assume_prove":
                for inside in (one for one in child.named_children if one.type == "assume_prove"):
                    formulas += self._assume_prove(inside, self._inner(scope), within=True)
            elif within and new and child.type == "label":
                words = "a label cannot stand behind NEW in an ASSUME that stands in another one"
                raise TlaError(self.source.place(child), words)
            else:
                formulas += self._read(child, scope)
        return formulas

    def _declare(self, node: Node, scope: Scope) -> list[Expression]:
        first = node.named_children[0]
        level = text_of(first) if first.type == "statement_level" else "CONSTANT"
        name = next(one for one in node.named_children if one.type in ("identifier", "operator_declaration"))
        spelled, arity = read_declaration(name)
        place = self.source.place(node)
        domain = node.named_children[-1] if any(one.type == "set_in" for one in node.named_children) else None
        parts = [] if domain is None else self._read(domain, scope)
        if parts:
            words = "the set of NEW takes at most what is about two states"
            self.made.steps.append(ProofStep(place, words, None, tuple(parts), ACTION))
        if level in ("STATE", "VARIABLE") and not arity:
            scope.names[spelled] = ast.Variable(spelled)
        elif level != "CONSTANT":  # like a parameter, it may have any level
            scope.names[spelled] = Parameter(spelled, arity)
        else:
            scope.names[spelled] = ast.Constant(spelled, arity, place) if arity else Bound(spelled)
        return parts

    # -- steps

    def _proof(
        self,
        node: Node,
        goals: list[Expression],
        scope: Scope,
        around: Mapping[tuple[str, str], str],
        level: int,
    ) -> None:
        """Check the steps of a proof of the goals. ``level``: the level of the proved step."""
        scope, steps = self._inner(scope), dict(around)
        temporal = any(may_be_temporal(goal, self.temporal) for goal in goals)
        own: int | None = None
        for step in node.named_children:
            mark = step.named_children[0] if step.named_children else None
            if mark is None or mark.type != "proof_step_id":
                continue
            own = self._level(mark, level, own)
            name = self._read_step_name(mark)
            is_last = step.type == "qed_step"
            body = step if is_last else step.named_children[1]
            named = {*steps, name} if name else {*steps}
            self._check_references(body, steps)
            kind = "QED" if is_last else _KINDS.get(body.type, "")
            if body.type == "suffices_proof_step" and text_of(body.children[0]) == "SUFFICES":
                kind = "SUFFICES"
            proof = [one for one in body.named_children if one.type == _PROOF]
            # The names of PICK and SUFFICES are unknown in their own proofs, but known in later steps.
            later, inner = kind in ("PICK", "SUFFICES"), self._inner(scope)
            known, within = (inner, scope) if later else (scope, inner)
            formulas = self._formulas(body, kind, known, inner)
            proves = goals if kind in ("QED", "CASE") else formulas
            self._check_levels(body, kind, goals if temporal else [], formulas)
            self._check_facts(body, named, within)
            for child in proof:
                self._proof(child, proves, within, {**steps, name: kind} if name else steps, own)
            scope.names |= known.names
            if name:
                steps[name] = kind

    def _check_facts(self, body: Node, steps: Collection[tuple[str, str]], scope: Scope) -> None:
        """Raise TlaError if BY, USE or HIDE of a step names what is unknown."""
        if self.instantiates or self._lacks_names():
            return
        uses = [body] if body.type == "use_or_hide" else body.named_children
        for proof in (one for one in uses if one.type in ("use_or_hide", "terminal_proof")):
            for node in (one for part in proof.named_children for one in _facts(part)):
                if node.type == "proof_step_ref":
                    level, name = _read_step_number(node)
                    if level not in _IMPLICIT and (level, name) not in steps:
                        words = f"no step <{level}>{name} stands before or around this one"
                        raise TlaError(self.source.place(node), words)
                elif node.type == "identifier_ref":
                    name = text_of(node)
                    if name not in self.made.proved | self.unread and scope.find(name) is None:
                        raise scope.unknown(name, self.source.place(node))

    def _level(self, mark: Node, around: int, own: int | None) -> int:
        """Return the level of a step. Raises TlaError if a proof is no deeper than the step that it
        proves."""
        text, _ = _read_step_number(mark)
        if text in _IMPLICIT:
            return own if own is not None else around + 1
        if own is None and int(text) <= around:
            words = f"the proof of a step of level {around} begins with level {int(text)}"
            raise TlaError(self.source.place(mark), f"{words}: is there a QED too many?")
        return int(text)

    def _read_step_name(self, mark: Node) -> tuple[str, str] | None:
        level, name = _read_step_number(mark)
        if name and level in _IMPLICIT:
            words = f"a step <{level}> has no name: write its level, as in <1>{name}"
            raise TlaError(self.source.place(mark), words)
        return (level, name) if name else None

    def _check_references(self, body: Node, steps: Mapping[tuple[str, str], str]) -> None:
        """Raise TlaError if a name of a step without a formula is used as a formula."""
        for node in _references(body):
            level, name = _read_step_number(node)
            kind = steps.get((level, name))
            if kind:
                words = f"<{level}>{name} is a step {kind}, so it stands for no formula"
                raise TlaError(self.source.place(node), words)

    def _formulas(self, body: Node, kind: str, scope: Scope, within: Scope) -> list[Expression]:
        """Read the formulas of a step. The scope gets the names that the step introduces; ``within`` gets
        those that it assumes in its proof."""
        formulas: list[Expression] = []
        self.instantiates |= body.type == "instance"
        if kind == "QED":
            return formulas
        names: list[str] = []
        for child in body.named_children:
            if child.type in (_PROOF, "terminal_proof"):
                continue
            if body.type == "definition_proof_step":
                self._define(child, scope)
            elif child.type == "assume_prove":
                formulas += self._assume_prove(child, within)
            elif child.type == "identifier":
                names.append(text_of(child))
            elif child.type == "quantifier_bound":
                formulas += self._read(field_of(child, "set"), scope)
                names += [text_of(one) for one in _find_introduced(child)]
            elif body.type in (*_KINDS, "suffices_proof_step"):
                scope.names.update({name: Bound(name) for name in names})
                formulas += self._read(child, scope)
        scope.names.update({name: Bound(name) for name in names})
        return formulas

    def _define(self, node: Node, scope: Scope) -> None:
        """Read a definition. If it cannot be read, its name stays unknown."""
        try:
            if node.type in ("operator_definition", "function_definition"):
                self.reader.definitions([node], scope)
                return
        except TlaError as error:
            self._check_known(error)
        names = [child for child in _inside(node) if child.type == "identifier"]
        self.unread |= {text_of(name) for name in names[:1]}

    def _read(self, node: Node, scope: Scope) -> list[Expression]:
        """Read a formula of a proof; none if it cannot be read. Raises TlaError for an unknown name."""
        try:
            expressions = self.reader.expressions
            return [expressions.labels.collect(node, scope)[0]]
        except TlaError as error:
            self._check_known(error)
            return []

    def _check_known(self, error: TlaError) -> None:
        """Raise the error if a name is unknown and no unread part of the proof may define it."""
        name = error.words.removeprefix(_UNKNOWN).split(";")[0].split(":")[0]
        known = self.instantiates or name in self.unread or self._lacks_names()
        if error.words.startswith(_UNKNOWN) and not known:
            raise error

    def _check_levels(
        self, body: Node, kind: str, goals: list[Expression], formulas: list[Expression]
    ) -> None:
        """Record the level conditions of a step: a temporal goal needs constant formulas."""
        place = self.source.place(body)
        if kind in ("HAVE", "TAKE", "WITNESS", "CASE") and goals and formulas:
            words = f"{kind} takes what is constant where the goal is temporal"
            self.made.steps.append(ProofStep(place, words, tuple(goals), tuple(formulas), CONSTANT))
        bounds = [one for one in body.named_children if one.type == "quantifier_bound"]
        if kind == "PICK" and bounds and len(formulas) == len(bounds) + 1:
            words = "PICK takes a constant set where its formula is temporal"
            sets = tuple(formulas[: len(bounds)])
            self.made.steps.append(ProofStep(sets[0].place, words, tuple(formulas), sets, CONSTANT))

    # -- USE and HIDE

    def use(self, node: Node, scope: Scope) -> None:
        """Check the names in USE or HIDE of a module. Raises TlaError."""
        hides = text_of(node).startswith("HIDE")
        for body in node.named_children:
            for part in body.named_children:
                for one in part.named_children:
                    if one.type == "module_ref":
                        self._check_module(one)
                    elif part.type == "use_body_def":
                        self._check_defined(one, scope)
                    elif one.type == "identifier_ref" or hides:
                        self._check_fact(one, scope, hides=hides)
                    elif not any(inside.type in _NOT_ITSELF for inside in _inside(one)):
                        self.reader.expressions.read(one, scope)

    def _check_module(self, node: Node) -> None:
        name = text_of(node.named_children[0])
        if name not in {self.made.name, *self.made.extended, *self.made.modules}:
            words = f"the module {name} stands in no EXTENDS and no INSTANCE"
            raise TlaError(self.source.place(node), words)

    def _check_defined(self, node: Node, scope: Scope) -> None:
        if node.type != "identifier_ref" or text_of(node) in self.made.proved:
            return
        name = text_of(node)
        symbol = scope.find(name)
        if symbol is None and self._lacks_names():
            return
        if symbol is None:
            raise scope.unknown(name, self.source.place(node))
        if not isinstance(symbol, Definition | Builtin | ast.Instance):
            raise TlaError(self.source.place(node), f"DEF names definitions, and {name} is declared")

    def _check_fact(self, node: Node, scope: Scope, *, hides: bool) -> None:
        name, place = text_of(node), self.source.place(node)
        if name in self.made.proved or (hides and node.type in ("prefixed_op", "proof_step_ref")):
            return
        symbol = scope.find(name) if node.type == "identifier_ref" else None
        if node.type == "identifier_ref" and symbol is None:
            if not self._lacks_names():
                raise scope.unknown(name, place)
        elif hides and not (isinstance(symbol, Definition) and symbol.statement):
            raise TlaError(place, "HIDE takes the names of theorems, assumptions and steps, and DEF others")

    def _lacks_names(self) -> bool:
        """True if the module extends a module of theorems whose text is missing."""
        read = self.reader.context.read
        return any(read[one].file.endswith("(empty)") for one in self.made.extended if one in read)


def _read_step_number(node: Node) -> tuple[str, str]:
    """Return the level and the name of a step, or of a reference to one."""
    level, name = node.named_children[:2]
    return text_of(level), text_of(name)


def _inside(node: Node) -> Iterator[Node]:
    yield node
    for child in node.named_children:
        yield from _inside(child)


def _references(node: Node) -> Iterator[Node]:
    """Yield references to steps that stand for formulas, without facts and without names of parts."""
    for child in node.named_children:
        if child.type == "proof_step_ref":
            if node.type not in ("use_body_expr", "use_body_def", "subexpr_prefix"):
                yield child
        elif child.type != _PROOF:
            yield from _references(child)


def _facts(body: Node) -> Iterator[Node]:
    """Yield what stands alone between the commas of BY, USE or HIDE."""
    for part in body.named_children:
        yield from part.named_children


def _find_introduced(bound: Node) -> Iterator[Node]:
    for child in bound.children_by_field_name("intro"):
        if child.type == "tuple_of_identifiers":
            yield from (one for one in child.named_children if one.type == "identifier")
        elif child.is_named:
            yield child
