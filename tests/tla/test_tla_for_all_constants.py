"""Tests of TLA+ modules that are read as protocols for proofs at all constants."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from verifier.encodings.expressions import BOOLEAN, wrap
from verifier.encodings.terms import Operator, Symbol, Term
from verifier.errors import UsageError
from verifier.parametric.errors import NotParametric
from verifier.processes.limits import Limits
from verifier.runs.asking import execute
from verifier.runs.certifying_all import certify, read_claim
from verifier.runs.loaded import Agreement, Differs, Loaded, ReadingOptions
from verifier.runs.loading import load
from verifier.runs.modules.loading import load as load_module
from verifier.runs.modules.protocol_agreement import Compared, compare
from verifier.runs.modules.type_violations import LeavesSorts
from verifier.runs.prove_options import ProveOptions
from verifier.tla import ast
from verifier.tla.first_order.forms import FORMS
from verifier.tla.first_order.kinds import Kind, SetOf
from verifier.tla.first_order.lemma_texts import LemmaWriter
from verifier.tla.first_order.operators import OPERATORS
from verifier.tla.first_order.protocol_classes import Rules, make_protocol
from verifier.tla.first_order.reading import Reading as ModuleReading
from verifier.tla.first_order.scopes import Scope
from verifier.tla.first_order.typed import ALWAYS, NEVER, Collection, Typed, variable_of

TUTORIAL = Path(__file__).parents[2] / "docs/tutorial"
LOCK = (TUTORIAL / "Lock.tla").read_text()
CONFIG = (TUTORIAL / "Lock.cfg").read_text()


def _write(folder: Path, text: str = LOCK, config: str = CONFIG) -> str:
    name = text.split()[2]
    (folder / f"{name}.tla").write_text(text)
    (folder / f"{name}.cfg").write_text(config)
    return str(folder / f"{name}.tla")


def _load(spec: str, *lemmas: str) -> Loaded:
    return load(spec, {}, reading=ReadingOptions(None, (), lemmas))


def _read(spec: str, name: str) -> Loaded:
    loaded = _load(spec)
    assert loaded.source is not None
    return loaded.source.as_protocol(loaded, (name,), ())


def _compare(spec: str, rules: Rules | None = None, *names: str) -> Compared:
    specification = load_module(spec, {}).specification
    protocol = make_protocol(specification, names or tuple(specification.invariants), (), rules)
    return compare(protocol, lambda given: load_module(spec, given).specification, 1.0, Limits().begin())


def test_a_module_agrees_with_what_was_read(tmp_path: Path) -> None:
    found = _compare(_write(tmp_path), None, "Mutex", "OneHolder", "BusyHolds", "Counted")
    assert {"Node": 2} in found.sizes
    assert {"Node": 3} in found.sizes
    assert found.states > 500
    assert found.steps > 500


@pytest.mark.slow
def test_a_property_is_proved_and_the_certificate_checked(tmp_path: Path) -> None:
    spec = _write(tmp_path)
    run = execute("prove", _load(spec, "OneHolder", "BusyHolds"), ProveOptions(all_constants=True))
    assert [one.kind.name for one in run.outcome.verdicts] == ["PROVED"]
    assert run.assumptions == (
        "Node is not empty",
        "Nil is not a string",
        "Nil is not an element of Node",
    )
    assert run.outcome.statistics["validation"]["states"] > 500
    path = tmp_path / "proof.json"
    path.write_text(run.certificate_texts["Mutex"])
    checked = certify(read_claim(path, spec, None, Limits()))
    assert checked.verdict.reason is None
    changed = _write(tmp_path, LOCK.replace('phase[n] = "idle"\n    /\\ phase\'', "TRUE\n    /\\ phase'"))
    with pytest.raises(UsageError, match="another version"):
        certify(read_claim(path, changed, None, Limits()))
    content = json.loads(path.read_text())
    assert {"BusyHolds", "OneHolder"} <= set(content["lemmas"])


@pytest.mark.slow
def test_lemmas_are_found_and_written_as_a_module(tmp_path: Path) -> None:
    """The proof is of a module that extends the user's, so that its certificate can be checked."""
    text = _small("[Node -> SUBSET Node]", "[n \\in Node |-> {}]").replace("VARIABLE x", "VARIABLES x, free")
    text = text.replace("TypeOK == ", "TypeOK == free \\in SUBSET Node /\\ ").replace(
        "Init == ", "Init == free = Node /\\ "
    )
    text = text.replace(
        "Next == x' = x",
        "Next == \\E c \\in Node, n \\in free : free' = free \\ {n} /\\ x' = [x EXCEPT ![c] = @ \\cup {n}]",
    )
    text = text.replace("Inv == x = x", "Inv == \\A c, d, n \\in Node : n \\in x[c] /\\ n \\in x[d] => c = d")
    spec = _write(tmp_path, text, SMALL_CONFIG + "Node = {a, b}\nNil = Nil\nCHECK_DEADLOCK FALSE\n")
    run = execute("prove", _load(spec), ProveOptions(all_constants=True, suggest=True))
    assert [one.kind.name for one in run.outcome.verdicts] == ["PROVED"]
    (module,) = run.outcome.statistics["suggested"]["Inv"]
    extended = tmp_path / "Small_lemmas.tla"
    extended.write_text(module)
    (tmp_path / "proof.json").write_text(run.certificate_texts["Inv"])
    options = ReadingOptions(tmp_path / "Small.cfg")
    checked = certify(read_claim(tmp_path / "proof.json", str(extended), None, Limits(), None, options))
    assert checked.verdict.kind.name == "PROVED"
    with pytest.raises(UsageError):
        read_claim(tmp_path / "proof.json", spec, None, Limits())


@pytest.mark.slow
def test_a_mutant_is_not_proved(tmp_path: Path) -> None:
    mutant = LOCK.replace(
        '    /\\ holder = Nil\n    /\\ n \\in asked\n    /\\ [type |-> "free"] \\in sent\n', ""
    )
    assert mutant != LOCK
    run = execute(
        "prove", _load(_write(tmp_path, mutant), "OneHolder", "BusyHolds"), ProveOptions(all_constants=True)
    )
    (verdict,) = run.outcome.verdicts
    assert verdict.kind.name == "VIOLATED"
    assert verdict.trace is not None
    assert verdict.reason == "with Node=2"


# Wrong rules


def _of_operator(name: str, change: Callable[[Any], Any]) -> Rules:
    def rule(reading: ModuleReading, whole: Any, scope: Scope, expected: Kind | None) -> Any:
        return change(OPERATORS[name](reading, whole, scope, expected))

    return Rules(operators={**OPERATORS, name: rule})


def _of_form(
    form: type, change: Callable[[Any], Any], after: Callable[[Any], Any] = lambda one: one
) -> Rules:
    def rule(reading: ModuleReading, whole: Any, scope: Scope, expected: Kind | None) -> Any:
        return after(FORMS[form](reading, change(whole), scope, expected))

    return Rules(forms={**FORMS, form: rule})


def _not(found: Typed) -> Typed:
    return replace(found, value=~found.value)


def _without_update(whole: ast.Except) -> ast.Except:
    return replace(whole, updates=())


def _first_only(whole: ast.Junction) -> ast.Junction:
    return replace(whole, items=whole.items[:1]) if whole.conjunction else whole


def _swap(whole: ast.If) -> ast.If:
    return replace(whole, then=whole.otherwise, otherwise=whole.then)


def _remove_filter(found: Collection) -> Collection:
    term = found.made.term
    true = ALWAYS.term
    made = wrap(Term(Operator.COMPREHENSION, term.sort, (true,), binds=term.binds))
    return replace(found, made=made, has=lambda _: ALWAYS)


def _one_less(found: Typed) -> Typed:
    return replace(found, value=found.value - 1)


def _never(found: Typed) -> Typed:
    return replace(found, value=NEVER)


def _empty(found: Collection) -> Collection:
    return replace(found, made=found.made - found.made, has=lambda _: NEVER)


WRONG: Mapping[str, Rules] = {
    "a conjunction keeps its first part": _of_form(ast.Junction, _first_only),
    "a quantifier is the other one": _of_form(
        ast.Quantifier, lambda whole: replace(whole, universal=not whole.universal)
    ),
    "EXCEPT changes nothing": _of_form(ast.Except, _without_update),
    "a filter keeps everything": _of_form(ast.Filter, lambda whole: whole, _remove_filter),
    "listed elements are lost": _of_form(ast.SetOf, lambda whole: whole, _empty),
    "=> is always true": _of_operator("=>", lambda found: replace(found, value=ALWAYS)),
    "= is never true": _of_operator("=", _never),
    "# is =": _of_operator("#", _not),
    "\\in is \\notin": _of_operator("\\in", _not),
    "\\notin is always true": _of_operator("\\notin", lambda found: replace(found, value=ALWAYS)),
    "\\subseteq is never true": _of_operator("\\subseteq", _never),
    "\\cup is empty": _of_operator("\\cup", _empty),
    "\\ is \\cap": Rules(operators={**OPERATORS, "\\": OPERATORS["\\cap"]}),
    "<= is <": _of_operator("<=", _not),
    "Cardinality is one less": _of_operator("Cardinality", _one_less),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_rule_is_noticed(what: str, tmp_path: Path) -> None:
    """Each is a mistake that this reading could make: nothing must be claimed then."""
    with pytest.raises(Differs):
        _compare(_write(tmp_path), WRONG[what], "Mutex", "OneHolder", "BusyHolds", "Counted")


def test_a_difference_is_an_error_and_nothing_is_claimed(tmp_path: Path) -> None:
    loaded = _read(_write(tmp_path), "Mutex")
    assert loaded.of_module is not None

    def differ(_: Limits) -> Agreement:
        raise Differs("they differ")

    from verifier.runs.all_constants import prepare, run
    from verifier.runs.question import ask

    broken = replace(loaded, of_module=replace(loaded.of_module, compare=differ))
    found = run(prepare(ask(broken, ProveOptions(all_constants=True, properties=("Mutex",)))))
    assert [one.kind.name for one in found.outcome.verdicts] == ["ERROR"]
    assert found.exit_code == 1
    assert not found.certificate_texts


# What is refused

SMALL = r"""---- MODULE Small ----
EXTENDS Naturals, FiniteSets
CONSTANT Node, Nil
VARIABLE x
TypeOK == x \in {type}
Init == x = {init}
Next == x' = {next}
Inv == {inv}
====
"""
SMALL_CONFIG = "INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTANTS\n"


def _small(
    sort: str = "SUBSET Node", init: str = "{}", after: str = "x", inv: str = "x = x", more: str = ""
) -> str:
    found = SMALL.replace("{type}", sort).replace("{init}", init).replace("{next}", after)
    return found.replace("{inv}", inv).replace("VARIABLE", f"{more}\nVARIABLE" if more else "VARIABLE")


REFUSED = {
    "an empty set": (_small(), "Node = {}\nNil = Nil", "is empty in the configuration, .*: give it one"),
    "a set of sets": (_small(), "Node = {{a}, {b}}\nNil = Nil", "are sets or tuples"),
    "a constant by an operator": (_small(), "Node <- TypeOK\nNil = Nil", "by an operator|cannot depend"),
    "an element by its name": (
        _small(inv="Nil \\in x"),
        "Node = {Nil, b}\nNil = Nil",
        "no element by its name: write a variable that never changes",
    ),
    "a string as an element": (
        _small(inv='"a" \\in x'),
        "Node = {a, b}\nNil = Nil",
        "is sought in a set .*: no element of Node is known by its name",
    ),
    "a string compared with an element": (
        _small(inv='\\A n \\in Node : n # "a"'),
        "Node = {a, b}\nNil = Nil",
        r"are compared: no element of Node is known by its name, so name any, as in .A x .in Node",
    ),
    "a Nat that the configuration replaces": (
        _small("0..3", "0", "x", "x \\in Nat", more="Few == 0..3"),
        "Node = {a}\nNil = Nil\nNat <- Few",
        "another operator or value in place of Nat: .*; leave it out of the configuration",
    ),
    "a name that ranges over Nat": (
        _small("Nat", "0", "x + 1", "\\E y \\in Nat : y = x"),
        "Node = {a}\nNil = Nil",
        "set of integers without .* such as Nat: write a range, such as 0..Most",
    ),
    "a choice": (
        _small("Node", "CHOOSE n \\in Node : TRUE"),
        "Node = {a}\nNil = Nil",
        "only the least or greatest element",
    ),
    "a choice that reaches to the end of Init": (
        _small("Node /\\ y \\in Node", "CHOOSE n \\in Node : TRUE /\\ y = n", "x /\\ y' = y").replace(
            "VARIABLE x", "VARIABLES x, y"
        ),
        "Node = {a}\nNil = Nil",
        "reads y: is a parenthesis missing",
    ),
    "an element beside integers": (
        _small(inv="\\A n \\in x : n < 3"),
        "Node = {1, 2}\nNil = Nil",
        "an integer is expected here, .*: in place of Node write a range, such as 0..Most",
    ),
    "a power": (_small(inv="2 ^ 2 = 4"), "Node = {a}\nNil = Nil", "write a constant in place of the power"),
    "an integer beside elements": (
        _small("Node \\cup {0}", "0"),
        "Node = {a}\nNil = Nil",
        "a union of .*: in place of integers beside other values write one string or model value",
    ),
    "two strings beside elements": (
        _small('Node \\cup {"a", "b"}', '"a"'),
        "Node = {a}\nNil = Nil",
        "a union of .*: beside other values write only one string or model value",
    ),
    "a value outside of the sort": (
        _small("Node", "x", "Nil"),
        "Node = {a, b}\nNil = Nil",
        "is expected here",
    ),
    "no type invariant": (
        _small().replace("TypeOK", "Shape"),
        "Node = {a}\nNil = Nil",
        "define TypeOK",
    ),
    "a type invariant without a variable": (
        _small().replace("VARIABLE x", "VARIABLES x, y, z"),
        "Node = {a}\nNil = Nil",
        r"TypeOK lacks y and z: add a conjunct such as y \\in S for each",
    ),
    "an unread ASSUME": (
        _small(more="ASSUME \\E a, b \\in Node : a # b"),
        "Node = {a, b}\nNil = Nil",
        "this ASSUME is not a comparison .*: leave it out, or make it a premise of the property",
    ),
    "an unassigned variable": (
        _small().replace("VARIABLE x", "VARIABLES x, y").replace("x \\in", "y \\in Node /\\ x \\in"),
        "Node = {a}\nNil = Nil",
        "does not assign y'",
    ),
    "two sets in a union": (
        _small("SUBSET (Node \\cup Other)").replace("Node, Nil", "Node, Other, Nil"),
        "Node = {a}\nOther = {b}\nNil = Nil",
        "a union of sets .*: write one constant set in place of Node and Other",
    ),
    "a part of the domain": (
        _small("[Node -> BOOLEAN]", "[n \\in {m \\in Node : TRUE} |-> TRUE]"),
        "Node = {a}\nNil = Nil",
        "the domain of a function .*: write such a set",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_what_has_no_rule_is_refused_with_its_place(what: str, tmp_path: Path) -> None:
    text, config, words = REFUSED[what]
    spec = _write(tmp_path, text, SMALL_CONFIG + config)
    with pytest.raises((UsageError, NotParametric), match=words) as refusal:
        _read(spec, "Inv")
    assert "Small." in str(refusal.value)


def test_a_type_invariant_that_is_violated_is_reported(tmp_path: Path) -> None:
    spec = _write(tmp_path, _small("0..3", "0", "x + 1"), SMALL_CONFIG + "Node = {a}\nNil = Nil")
    with pytest.raises(LeavesSorts, match="the type invariant is violated, in the state x = 3"):
        _compare(spec)


def test_names_of_lemmas_are_free_in_the_module(tmp_path: Path) -> None:
    """The lemma binds a and b, which the module has already."""
    text = _small(more="a == 1\nb == 2")
    protocol = make_protocol(
        load_module(_write(tmp_path, text, SMALL_CONFIG + "Node = {n}\nNil = Nil"), {}).specification,
        ("Inv",),
    )
    sort = protocol.reading(protocol.kind({})).sorts.members["Node"]
    a, b = Symbol("a", sort), Symbol("b", sort)
    same = Term(Operator.EQUAL, BOOLEAN, (variable_of(a).term, variable_of(b).term))
    inner = Term(Operator.FORALL, BOOLEAN, (Term(Operator.NOT, BOOLEAN, (same,)),), binds=b)
    formula = Term(Operator.FORALL, BOOLEAN, (inner,), binds=a)
    writer = LemmaWriter({}, (), protocol.specification.module.names, str)
    assert writer.write(formula) == "\\A a_, b_ \\in Node : (a_ # b_)"


def test_a_property_of_steps_is_refused(tmp_path: Path) -> None:
    text = _small().replace("====", "Steps == [][x' = x]_x\n====")
    spec = _write(tmp_path, text, SMALL_CONFIG + "Node = {a}\nNil = Nil\nPROPERTY Steps")
    with pytest.raises(UsageError, match="Steps is not one"):
        _read(spec, "Steps")


# What is right

RIGHT = {
    "sets that share elements": (
        _small("[Node -> SUBSET Other]", "[n \\in Node |-> {}]", "[n \\in Node |-> Other]", "x[CHOSEN] = {}")
        .replace("Node, Nil", "Node, Other, Nil")
        .replace("x[CHOSEN] = {}", "\\A n \\in Node, o \\in Other : o \\in x[n] => x[n] = Other"),
        "Node = {a, b}\nOther = {a, b}\nNil = Nil",
    ),
    "elements that are integers": (_small("SUBSET Node", "{}", "Node"), "Node = {0, 1, 2}\nNil = Nil"),
    "elements that are strings": (_small("SUBSET Node", "{}", "Node"), 'Node = {"a", "b"}\nNil = Nil'),
    "an assumption on a size": (
        _small(more="ASSUME Cardinality(Node) > 1 /\\ IsFiniteSet(Node) /\\ Node # {}"),
        "Node = {a, b}\nNil = Nil",
    ),
    "integers up to a constant": (
        _small(
            "0..Most", "0", "IF x < Most THEN x + 1 ELSE 0", "x <= Most /\\ x \\in Nat", more="CONSTANT Most"
        ),
        "Node = {a, b}\nNil = Nil\nMost = 3",
    ),
    "a single value beside a set": (
        _small("Node \\cup {Nil}", "Nil", "IF x = Nil THEN Nil ELSE x", "x \\notin Node \\/ x # Nil"),
        "Node = {a, b}\nNil = Nil",
    ),
    "all majorities": (
        _small(
            "SUBSET Node",
            "{}",
            "x \\cup {CHOSEN}",
            "\\A n \\in Node, Q \\in Big : \\A m \\in Node : \\E k \\in Q : k \\in x \\/ n = m",
            more="Big == {Q \\in SUBSET Node : 2 * Cardinality(Q) > Cardinality(Node)}",
        ).replace("Next == x' = x \\cup {CHOSEN}", "Next == \\E n \\in Node : x' = x \\cup {n}"),
        "Node = {a, b, c}\nNil = Nil",
    ),
    "some majority": (
        _small(
            "SUBSET Node",
            "{}",
            "Node \\ x",
            "\\E Q \\in Big : \\A k \\in Q : k \\in x",
            more="Big == {Q \\in SUBSET Node : Cardinality(Q) >= 2}",
        ),
        "Node = {a, b, c}\nNil = Nil",
    ),
    "tuples in a set": (
        _small(
            "SUBSET (Node \\X BOOLEAN)", "{}", "x \\cup {<<n, TRUE>> : n \\in Node}", "\\A p \\in x : p[2]"
        ),
        "Node = {a, b}\nNil = Nil",
    ),
}


@pytest.mark.parametrize("what", RIGHT)
def test_what_is_read_agrees_with_the_interpreter(what: str, tmp_path: Path) -> None:
    text, config = RIGHT[what]
    found = _compare(_write(tmp_path, text, SMALL_CONFIG + config))
    assert found.sizes
    assert found.drawn


def test_an_assumption_restricts_both(tmp_path: Path) -> None:
    text, config = RIGHT["an assumption on a size"]
    spec = _write(tmp_path, text, SMALL_CONFIG + config)
    found = _compare(spec)
    assert {"Node": 1} not in [*found.sizes, *found.partly]
    assert isinstance(make_protocol(load_module(spec, {}).specification, ("Inv",)).kinds, dict)


def test_the_kinds_are_those_of_the_type_invariant(tmp_path: Path) -> None:
    protocol = make_protocol(load_module(_write(tmp_path), {}).specification, ("Mutex",))
    kinds = {variable.name: kind for variable, kind in protocol.kinds.items()}
    assert protocol.type_invariant == "TypeOK"
    assert isinstance(kinds["asked"], SetOf)
    assert str(kinds["holder"]) == "an element of Node or Nil"
