"""Proofs, USE and HIDE: what SANY rejects in them by names, numbers of steps and levels.

Nothing is proved, and proofs have no meaning here. So a formula of a proof that cannot be read is passed
over, unless it has a name that nothing defines. The facts of BY are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tree_sitter import Node

from verifier.tla import ast
from verifier.tla.ast import Bound, Builtin, Definition, Expression, Parameter, ProofStep
from verifier.tla.declarations import declared
from verifier.tla.errors import TlaError
from verifier.tla.facts import ACTION, CONSTANT
from verifier.tla.level_rules import may_be_temporal
from verifier.tla.scope import Scope
from verifier.tla.text import field_of, text_of

if TYPE_CHECKING:
    from verifier.tla.modules import Reader

_PROOF, _UNKNOWN = "non_terminal_proof", "unknown operator "
_KINDS = {
    "have_proof_step": "HAVE", "take_proof_step": "TAKE", "witness_proof_step": "WITNESS",
    "case_proof_step": "CASE", "pick_proof_step": "PICK",
}  # fmt: skip
_IMPLICIT = {"*": 0, "+": 1}
"""How much deeper a step of no number is than the step before."""
_NOT_ITSELF = {"subexpression", "prefixed_op", "proof_step_ref"}
"""What may name a part of a theorem that is no formula: ASSUME and PROVE."""


class Proofs:
    """Looks at the proofs of one module."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.source, self.made = reader.source, reader.made
        self.temporal: dict[Definition, bool] = {}
        self.unread: set[str] = set()
        """The names of definitions in proofs that were not read."""
        self.instantiates = False
        """Whether the proof has a step INSTANCE, whose names are not read."""

    # -- theorems

    def theorem(self, node: Node, statement: Expression | None, scope: Scope) -> None:
        """Looks at what a theorem assumes, and at its proof. Raises TlaError."""
        inner, self.instantiates = self._inner(scope), False
        goals = [] if statement is None else [statement]
        for child in node.named_children:
            if child.type == "assume_prove":
                goals = self._assume_prove(child, inner)
            elif child.type == _PROOF:
                self._proof(child, goals, inner, {}, -1)

    @staticmethod
    def _inner(scope: Scope) -> Scope:
        """A scope whose names hide others: whether they may is not looked at."""
        return replace(scope.inner(), made=None, nested=False)

    def _assume_prove(self, node: Node, scope: Scope, *, within: bool = False) -> list[Expression]:
        """The formulas of ASSUME and PROVE; what NEW declares is known in the scope then."""
        found, new = [], False
        for child in node.named_children:
            if child.type == "new":
                found += self._declare(child, scope)
                new = True
            elif child.type == "inner_assume_prove":
                for inside in (one for one in child.named_children if one.type == "assume_prove"):
                    found += self._assume_prove(inside, self._inner(scope), within=True)
            elif within and new and child.type == "label":
                words = "a label cannot stand behind NEW in an ASSUME that stands in another one"
                raise TlaError(self.source.place(child), words)
            else:
                found += self._read(child, scope)
        return found

    def _declare(self, node: Node, scope: Scope) -> list[Expression]:
        first = node.named_children[0]
        level = text_of(first) if first.type == "statement_level" else "CONSTANT"
        name = next(one for one in node.named_children if one.type in ("identifier", "operator_declaration"))
        spelled, arity = declared(name)
        place = self.source.place(node)
        domain = node.named_children[-1] if any(one.type == "set_in" for one in node.named_children) else None
        found = [] if domain is None else self._read(domain, scope)
        if found:
            words = "the set of NEW takes at most what speaks of two states"
            self.made.steps.append(ProofStep(place, words, None, tuple(found), ACTION))
        if level in ("STATE", "VARIABLE") and not arity:
            scope.names[spelled] = ast.Variable(spelled)
        elif level != "CONSTANT":  # it may have any level, as a parameter
            scope.names[spelled] = Parameter(spelled, arity)
        else:
            scope.names[spelled] = ast.Constant(spelled, arity, place) if arity else Bound(spelled)
        return found

    # -- steps

    def _proof(
        self,
        node: Node,
        goals: list[Expression],
        scope: Scope,
        around: Mapping[tuple[str, str], str],
        level: int,
    ) -> None:
        """Looks at the steps of a proof of the goals; ``level`` is that of the step that it proves."""
        scope, steps = self._inner(scope), dict(around)
        temporal = any(may_be_temporal(goal, self.temporal) for goal in goals)
        own: int | None = None
        for step in node.named_children:
            mark = step.named_children[0] if step.named_children else None
            if mark is None or mark.type != "proof_step_id":
                continue
            own = self._level(mark, level, own)
            name = self._named(mark)
            is_last = step.type == "qed_step"
            body = step if is_last else step.named_children[1]
            self._check_references(body, steps)
            kind = "QED" if is_last else _KINDS.get(body.type, "")
            if body.type == "suffices_proof_step" and text_of(body.children[0]) == "SUFFICES":
                kind = "SUFFICES"
            proof = [one for one in body.named_children if one.type == _PROOF]
            # What PICK and SUFFICES introduce is not known in their own proofs, but to the steps that follow.
            later, inner = kind in ("PICK", "SUFFICES"), self._inner(scope)
            known, within = (inner, scope) if later else (scope, inner)
            formulas = self._formulas(body, kind, known, inner)
            proves = goals if kind in ("QED", "CASE") else formulas
            self._check_levels(body, kind, goals if temporal else [], formulas)
            for child in proof:
                self._proof(child, proves, within, steps, own)
            scope.names |= known.names
            if name:
                steps[name] = kind

    def _level(self, mark: Node, around: int, own: int | None) -> int:
        """The level of a step. Raises TlaError where a proof is no deeper than what it proves."""
        text, _ = _numbered(mark)
        if text in _IMPLICIT:
            return own if own is not None else around + 1
        if own is None and int(text) <= around:
            words = f"the proof of a step of level {around} begins with level {int(text)}"
            raise TlaError(self.source.place(mark), f"{words}: is there a QED too many?")
        return int(text)

    def _named(self, mark: Node) -> tuple[str, str] | None:
        level, name = _numbered(mark)
        if name and level in _IMPLICIT:
            words = f"a step <{level}> has no name: write its level, as in <1>{name}"
            raise TlaError(self.source.place(mark), words)
        return (level, name) if name else None

    def _check_references(self, body: Node, steps: Mapping[tuple[str, str], str]) -> None:
        """The name of a step that says no formula is no formula itself, but a fact."""
        for node in _references(body):
            level, name = _numbered(node)
            kind = steps.get((level, name))
            if kind:
                words = f"<{level}>{name} is a step {kind}, so it stands for no formula"
                raise TlaError(self.source.place(node), words)

    def _formulas(self, body: Node, kind: str, scope: Scope, within: Scope) -> list[Expression]:
        """What a step says; what it introduces is known in the scope then, what it assumes in its proof."""
        found: list[Expression] = []
        self.instantiates |= body.type == "instance"
        if kind == "QED":
            return found
        names: list[str] = []
        for child in body.named_children:
            if child.type in (_PROOF, "terminal_proof"):
                continue
            if body.type == "definition_proof_step":
                self._define(child, scope)
            elif child.type == "assume_prove":
                found += self._assume_prove(child, within)
            elif child.type == "identifier":
                names.append(text_of(child))
            elif child.type == "quantifier_bound":
                found += self._read(field_of(child, "set"), scope)
                names += [text_of(one) for one in _introduced(child)]
            elif body.type in (*_KINDS, "suffices_proof_step"):
                scope.names.update({name: Bound(name) for name in names})
                found += self._read(child, scope)
        scope.names.update({name: Bound(name) for name in names})
        return found

    def _define(self, node: Node, scope: Scope) -> None:
        """Reads a definition; what it defines is not known where it cannot be read."""
        try:
            if node.type in ("operator_definition", "function_definition"):
                self.reader.definitions([node], scope)
                return
        except TlaError as error:
            self._check_known(error)
        names = [child for child in _inside(node) if child.type == "identifier"]
        self.unread |= {text_of(name) for name in names[:1]}

    def _read(self, node: Node, scope: Scope) -> list[Expression]:
        """A formula of a proof, none where it cannot be read. Raises TlaError for a name that is unknown."""
        try:
            expressions = self.reader.expressions
            return [expressions.labels.collected(node, scope)[0]]
        except TlaError as error:
            self._check_known(error)
            return []

    def _check_known(self, error: TlaError) -> None:
        """Raises the error if a name is unknown, and no part of the proof that was not read may define it."""
        name = error.words.removeprefix(_UNKNOWN).split(";")[0].split(":")[0]
        known = self.instantiates or name in self.unread or self._lacks_names()
        if error.words.startswith(_UNKNOWN) and not known:
            raise error

    def _check_levels(
        self, body: Node, kind: str, goals: list[Expression], formulas: list[Expression]
    ) -> None:
        """What is known of levels once all is read: a goal that is temporal needs constants."""
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
        """Looks at the names in USE or HIDE of a module. Raises TlaError."""
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
        found = scope.find(name)
        if found is None and self._lacks_names():
            return
        if found is None:
            raise scope.unknown(name, self.source.place(node))
        if not isinstance(found, Definition | Builtin | ast.Instance):
            raise TlaError(self.source.place(node), f"DEF names definitions, and {name} is declared")

    def _check_fact(self, node: Node, scope: Scope, *, hides: bool) -> None:
        name, place = text_of(node), self.source.place(node)
        if name in self.made.proved or (hides and node.type in ("prefixed_op", "proof_step_ref")):
            return
        found = scope.find(name) if node.type == "identifier_ref" else None
        if node.type == "identifier_ref" and found is None:
            if not self._lacks_names():
                raise scope.unknown(name, place)
        elif hides and not (isinstance(found, Definition) and found.statement):
            raise TlaError(place, "HIDE takes the names of theorems, assumptions and steps, and DEF others")

    def _lacks_names(self) -> bool:
        """Whether it extends a module of theorems whose text is missing."""
        read = self.reader.context.read
        return any(read[one].file.endswith("(empty)") for one in self.made.extended if one in read)


def _numbered(node: Node) -> tuple[str, str]:
    """The level and the name of a step, or of what refers to one."""
    level, name = node.named_children[:2]
    return text_of(level), text_of(name)


def _inside(node: Node) -> Iterator[Node]:
    yield node
    for child in node.named_children:
        yield from _inside(child)


def _references(node: Node) -> Iterator[Node]:
    """The names of steps that stand for formulas: no facts, and no beginnings of names of parts."""
    for child in node.named_children:
        if child.type == "proof_step_ref":
            if node.type not in ("use_body_expr", "use_body_def", "subexpr_prefix"):
                yield child
        elif child.type != _PROOF:
            yield from _references(child)


def _introduced(bound: Node) -> Iterator[Node]:
    for child in bound.children_by_field_name("intro"):
        if child.type == "tuple_of_identifiers":
            yield from (one for one in child.named_children if one.type == "identifier")
        elif child.is_named:
            yield child
