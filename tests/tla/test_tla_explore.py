"""Exploration by the interpreter: TLC's counts, and the traps on the way to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command_line import verify
from tests.support.tla_modules import counts, explore_module, specify_module, write_module
from verifier.processes.limits import Interrupted
from verifier.tla.exploration_result import Taken
from verifier.tla.explorer import Explorer
from verifier.tla.frames import Undefined

QUIET = "INIT Init\nNEXT Next\nCHECK_DEADLOCK FALSE"


def test_a_counter(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x < 3 /\\ x' = x + 1"
    assert counts(tmp_path, body) == (4, 4, 4)


def test_a_disjunction_that_says_nothing_of_the_next_state_is_two_branches(tmp_path: Path) -> None:
    body = "VARIABLE x\nInit == x = 0\nNext == (x = 0 \\/ TRUE) /\\ x' = x"
    assert counts(tmp_path, body) == (1, 3, 1)


def test_a_quantifier_in_a_guard_is_a_branch_for_each_witness(tmp_path: Path) -> None:
    body = "VARIABLE x\nInit == x = 0\nNext == (\\E y \\in {1, 2, 3} : y # 2) /\\ x' = x"
    assert counts(tmp_path, body) == (1, 3, 1)


def test_a_universal_quantifier_keeps_its_element_while_later_ones_branch(tmp_path: Path) -> None:
    body = (
        "VARIABLE x\nInit == x = 0\n"
        "Next == (\\A a \\in {1, 2} : \\E m \\in {<<1, 3>>, <<2, 3>>} : m[1] = a) /\\ x' = x"
    )
    assert counts(tmp_path, body) == (1, 2, 1)


def test_what_follows_the_last_assignment_is_only_tested(tmp_path: Path) -> None:
    """As TLC: formulas after the one that gives the last variable its value are no branches."""
    variables = "EXTENDS Naturals\nVARIABLES x, y\n"
    init = "Init == x = 0 /\\ (x = 0 \\/ x < 2) /\\ y = 0 /\\ (x = 0 \\/ y = 0)"
    one = "x' = x /\\ (x = 0 \\/ x' < 9) /\\ y' = y /\\ (y = 0 \\/ x' = 0)"
    other = "y' = y /\\ x' = x /\\ \\A i \\in 1..2 : x' = 0 \\/ y' = 0"
    body = f"{variables}{init}\nNext == ({one}) \\/ ({other})"
    assert counts(tmp_path, body) == (1, 2 + 2 + 1, 1)


def test_initial_states_are_counted_when_the_limits_end_the_search(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x \\in 1..9\nNext == x' = x"
    explorer = Explorer(specify_module(tmp_path, body), properties=(), max_states=5)
    with pytest.raises(Interrupted, match="more than 5 states"):
        explorer.explore()
    assert explorer.result.initial == 5


def test_a_member_of_a_set_of_functions_is_told_again(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLE x\nInit == x \\in [{1, 3} -> 0..2]\n"
        "Next == \\E v \\in 0..3 : x' = [x EXCEPT ![3] = v]\nS == [{1, 3} -> 0..2]\nInv == x \\in S"
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv").result
    assert (found.distinct, len(found.violations["Inv"].states)) == (12, 2)


def test_true_is_not_one(tmp_path: Path) -> None:
    body = "VARIABLE x\nInit == x \\in {0, 1} \\/ x \\in BOOLEAN\nNext == x' = x"
    assert counts(tmp_path, body) == (4, 8, 1)


def test_an_assignment_through_a_parameter(tmp_path: Path) -> None:
    body = (
        "VARIABLES x, y\nInit == x = 0 /\\ y = 0\nSet(v, e) == v = e\nSetNext(v, e) == v' = e\n"
        "Next == Set(x', 1) /\\ SetNext(y, 2)"
    )
    assert counts(tmp_path, body) == (2, 3, 2)


def test_a_second_assignment_is_a_test(tmp_path: Path) -> None:
    body = "VARIABLE x\nInit == x = 0\nNext == x' \\in {0, 1, 2} /\\ x' \\in {1, 2} /\\ x' = 2"
    assert counts(tmp_path, body) == (2, 3, 2)


def test_what_follows_a_false_guard_is_not_evaluated(tmp_path: Path) -> None:
    body = "EXTENDS Sequences\nVARIABLE x\nInit == x = <<>>\nNext == x # <<>> /\\ Head(x) = 1 /\\ x' = x"
    assert counts(tmp_path, body) == (1, 1, 1)
    with pytest.raises(Undefined, match="Head of the empty sequence"):
        explore_module(tmp_path, body.replace("x # <<>> /\\ ", ""))


def test_states_beyond_the_constraint_are_checked_but_not_counted(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\nSmall == x < 3\nInv == x < 3"
    found = explore_module(tmp_path, body, f"{QUIET}\nCONSTRAINT Small\nINVARIANT Inv").result
    assert (found.distinct, found.generated, found.beyond) == (3, 4, 1)
    assert len(found.violations["Inv"].states) == 4


def test_an_action_constraint(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
    body += "Next == x' \\in {x + 1, x + 2} /\\ x' < 6\nC == x' # x + 2"
    assert counts(tmp_path, body, f"{QUIET}\nACTION_CONSTRAINT C")[:2] == (6, 10)


def test_a_deadlock_is_judged_before_constraints(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\nSmall == x < 2"
    found = explore_module(tmp_path, body, "INIT Init\nNEXT Next\nCONSTRAINT Small").result
    assert found.deadlocks == 0
    stuck = explore_module(tmp_path, body.replace("x' = x + 1", "x < 1 /\\ x' = x + 1")).result
    assert len(stuck.violations["NoDeadlock"].states) == 2


def test_a_view_makes_states_one(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y \\in 0..4\nNext == UNCHANGED <<x, y>>\nV == x"
    )
    assert counts(tmp_path, body, f"{QUIET}\nVIEW V")[0] == 1


def test_symmetry(tmp_path: Path) -> None:
    body = (
        "EXTENDS TLC\nCONSTANT S\nVARIABLE x\nInit == x = {}\nNext == \\E s \\in S : x' = x \\cup {s}\n"
        "Sym == Permutations(S)"
    )
    config = f"{QUIET}\nCONSTANT S = {{a, b, c}}"
    assert counts(tmp_path, body, config)[0] == 8
    assert counts(tmp_path, body, f"{config}\nSYMMETRY Sym")[0] == 4


def test_sets_that_are_replaced(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals, Sequences\nVARIABLE x\nInit == x \\in Seq(Nat)\nNext == x' = x\n"
        "Few == 0..1\nShort(S) == {<<>>} \\cup {<<s>> : s \\in S}"
    )
    config = f"{QUIET}\nCONSTANTS Nat <- Few, Seq <- Short"
    assert counts(tmp_path, body, config)[0] == 3


def test_a_replacement_in_one_module_only(tmp_path: Path) -> None:
    inner = "EXTENDS Naturals\nCONSTANT c\nSome == {n \\in Nat : n < c}"
    body = (
        "EXTENDS Naturals\nI == INSTANCE Inner WITH c <- 2\nVARIABLE x\nInit == x \\in I!Some\n"
        "Next == x' = x /\\ 7 \\in Nat\nFew == 0..4"
    )
    explorer = explore_module(tmp_path, body, f"{QUIET}\nCONSTANT Nat <- [Inner]Few", Inner=inner)
    assert explorer.result.distinct == 2


def test_instances(tmp_path: Path) -> None:
    inner = "EXTENDS Naturals\nCONSTANT step\nVARIABLE v\nGo == v' = v + step\nLOCAL Hidden == 1"
    body = (
        "EXTENDS Naturals\nVARIABLES x, v\nI(s) == INSTANCE Inner WITH step <- s, v <- x\nstep == 3\n"
        "J == INSTANCE Inner\nInit == x = 0 /\\ v = 0\n"
        "Next == x < 3 /\\ I(1)!Go /\\ J!Go\nInv == v = 3 * x"
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv", Inner=inner).result
    assert (found.distinct, found.violations) == (4, {})


def test_parts_of_definitions_and_theorems(tmp_path: Path) -> None:
    body = (
        "VARIABLE x\nInit == x = 0\nNext == x' = 0\nBoth == /\\ x = 0\n        /\\ x = 1\nFirst == Both!1\n"
        "THEOREM Thm == x = 0\nSame == Thm!:"
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nINVARIANTS First Same Both").result
    assert set(found.violations) == {"Both"}


def test_names_and_text_that_parsers_stumble_on(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\n(*--algorithm x { { a: x := x + (* one *) 1 } } *)\n"
        "VARIABLE x \\* a comment\n2nd == 2\n"
        "a \\prec b == a < b\nInit == x = 0\nNext == x \\prec 2nd /\\ x' = x + 1"
    )
    assert counts(tmp_path, body)[0] == 3


def test_higher_order_operators_as_actions(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nAny(A(_)) == \\E n \\in {1, 2} : A(n)\n"
        "Next == Any(LAMBDA n : x + n < 4 /\\ x' = x + n)"
    )
    assert counts(tmp_path, body) == (4, 6, 3)


def test_a_let_that_speaks_of_the_next_state_is_evaluated_for_each(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
        "Next == LET double == 2 * x' IN x' \\in {1, 2} /\\ y' = double\nInv == y = 2 * x"
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv").result
    assert (found.distinct, found.violations) == (3, {})


def test_priming_a_definition(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nsum == x + y\nInit == x = 0 /\\ y = 0\n"
        "Next == x' \\in 0..2 /\\ y' \\in 0..2 /\\ sum' = 2"
    )
    assert counts(tmp_path, body)[0] == 4


def test_enabled(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x < 2 /\\ x' = x + 1\n"
    body += "Inv == ENABLED Next <=> x < 2"
    assert explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv").result.violations == {}


def test_the_safety_part_of_properties(tmp_path: Path) -> None:
    abstract = "EXTENDS Naturals\nVARIABLE n\nInit == n = 0\nNext == n' = n + 1\nSpec == Init /\\ [][Next]_n"
    body = (
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x < 4 /\\ x' \\in {x + 1, x + 2}\n"
        "A == INSTANCE Abstract WITH n <- x\nRefines == A!Spec\nUp == [][x' > x]_x\nLow == [](x < 5)\n"
        "Live == <>(x = 9)"
    )
    config = f"{QUIET}\nPROPERTIES Refines Up Low Live"
    explorer = explore_module(tmp_path, body, config, Abstract=abstract)
    assert {name: len(v.states) for name, v in explorer.result.violations.items()} == {"Refines": 2, "Low": 4}
    assert explorer.specification.properties["Live"].liveness


def test_a_specification_in_parts(tmp_path: Path) -> None:
    body = (
        "VARIABLE x\nInit == x = 0\nNext == x' = 1 /\\ x = 0\nFair == WF_x(Next)\n"
        "Spec == Init /\\ [][Next]_x /\\ Fair"
    )
    made = specify_module(tmp_path, body, "SPECIFICATION Spec")
    assert len(made.init) == 1
    assert made.next is not None


def test_the_actions_of_a_trace(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nUp(n) == x' = x + n\nDown == x > 0 /\\ x' = x - 1\n"
        "Next == (\\E n \\in {2} : Up(n)) \\/ Down\nInv == x # 3"
    )
    made = explore_module(tmp_path, f"{body}\nSmall == x < 5", f"{QUIET}\nINVARIANT Inv\nCONSTRAINT Small")
    made.name_actions()
    up = Taken("Up", {"n": 2})
    assert made.result.violations["Inv"].actions == [up, up, Taken("Down")]


def test_an_action_is_shown_with_what_is_bound_on_the_way_of_its_step(tmp_path: Path) -> None:
    """Not with what another branch has bound, nor with names of sets, of CHOOSE and of universal quantifiers;
    an argument that no step needs is left out, also one without a value."""
    body = (
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
        "Way(a, unused) == \\/ \\E b \\in {7, 8} : b = 8 /\\ x = 5 /\\ x' = b\n"
        "                  \\/ \\E c \\in {1}, <<d, e>> \\in {<<2, 3>>} :\n"
        "                       (\\A u \\in {4} : u > a) /\\ x < 5 /\\ x' = x + c + d + a\n"
        "Deep == LET By(k) == \\E g \\in {k} : x = 5 /\\ x' = x + g IN \\E h \\in {9} : By(h)\n"
        "Next == (\\E n \\in {2} : Way(n, 1 \\div 0)) \\/ Deep\nInv == x # 14"
    )
    made = explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv")
    made.name_actions()
    way = Taken("Way", {"a": 2, "c": 1, "d": 2, "e": 3})
    assert made.result.violations["Inv"].actions == [way, Taken("By", {"k": 9, "g": 9})]


def test_a_recursive_function_of_truths_is_walked_as_an_operator(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\n"
        "Often == LET f[n \\in 0..2] == n = 0 \\/ (n > x /\\ \\E y \\in 1..2 : f[n - 1]) IN f[2]\n"
        "Next == Often /\\ x' = x"
    )
    assert counts(tmp_path, body) == (1, 5, 1)


def test_a_constant_definition_is_no_branch(tmp_path: Path) -> None:
    body = "VARIABLE x\nInit == x = 0\nMany == \\E y \\in {1, 2} : TRUE\nNext == Many /\\ x' = x"
    assert counts(tmp_path, body) == (1, 2, 1)


def test_membership_in_a_part_of_a_set_goes_through_the_set_only_where_tlc_does(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals, Sequences\nVARIABLE x\nInit == x = {{1, 2}}\nNext == UNCHANGED x\n"
        "Parts(n) == {p \\in SUBSET SUBSET (1..n) : \\A s \\in p : s # {}}\nInv == x \\in Parts(40)"
    )
    assert not explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv").result.violations
    other = body.replace("x = {{1, 2}}", "x = {{}}")
    assert "Inv" in explore_module(tmp_path, other, f"{QUIET}\nINVARIANT Inv").result.violations
    listed = (
        "VARIABLE x\nInit == x = 1\nNext == UNCHANGED x\nF == <<TRUE>>\nInv == x \\in {y \\in {x, 2} : F[y]}"
    )
    with pytest.raises(Undefined, match="2 is not in the domain"):
        explore_module(tmp_path, listed, f"{QUIET}\nINVARIANT Inv")


def test_membership_in_an_intersection_of_parts_lists_neither(tmp_path: Path) -> None:
    """As in TLC, which asks one set after the other; 12^12 functions could not be listed."""
    body = (
        "EXTENDS Naturals\nVARIABLE x\nInit == x = [i \\in 1..12 |-> 13 - i]\nNext == UNCHANGED x\n"
        "Injection(S, T) == {f \\in [S -> T] : \\A a, b \\in S : f[a] = f[b] => a = b}\n"
        "Surjection(S, T) == {f \\in [S -> T] : \\A t \\in T : \\E s \\in S : f[s] = t}\n"
        "Bijection(S, T) == Injection(S, T) \\cap Surjection(S, T)\n"
        "D == 1..12\nInv == x \\in Bijection(D, D) /\\ x \\in Surjection(D, D) \\cap Injection(D, D)\n"
        "Wrong == x \\in Bijection(D, 0..12)\n"
        "Other == x \\in Injection(D, 0..12) \\cap Bijection(D, 1..11)"
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nINVARIANTS Inv Wrong Other").result
    assert set(found.violations) == {"Wrong", "Other"}


def test_values_are_remembered_by_what_they_rest_on(tmp_path: Path) -> None:
    """Definitions called again and again with other arguments, of other variables, and in the next state."""
    body = (
        "EXTENDS Naturals, FiniteSets\nVARIABLES x, y\nInit == x = {} /\\ y = 0\n"
        "Below(n) == {m \\in x : m < n}\nCount == Cardinality({m \\in x : m < y})\n"
        "Some(n, k) == \\E m \\in x : m + n = k\nOpen(n) == ENABLED (n < 3 /\\ x' = {n})\n"
        "Next == \\E n \\in 0..3 : x' = {m \\in x \\cup {n} : ~Some(n, m) \\/ m = n} /\\ y' \\in {n, y}\n"
        "Inv == /\\ Cardinality(Below(2)) = Cardinality({m \\in {0, 1} : m \\in x})\n"
        "       /\\ Count = Cardinality({m \\in 0..3 : m \\in x /\\ m < y})\n"
        "       /\\ \\A n \\in 0..4 : Open(n) <=> n < 3\n"
        "       /\\ \\A n, k \\in 0..3 : Some(n, k) <=> k - n \\in x"
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv").result
    assert not found.violations
    # The same formulas where the definitions are written out, which are not remembered.
    plain = body.replace("~Some(n, m)", "~(\\E l \\in x : l + n = m)")
    assert counts(tmp_path, plain)[:2] == (found.distinct, found.generated)


@pytest.mark.parametrize("reads", ["x", "y", "x + y", "10 * x + y"])
def test_the_last_value_is_that_of_the_same_objects(reads: str, tmp_path: Path) -> None:
    """A definition without arguments that is asked for twice of each state and of the next, where variables
    change one by one: its last value is one of the state only if all that it reads is the same."""
    body = (
        "EXTENDS Naturals, FiniteSets\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\n"
        f"Of == Cardinality({{m \\in 0..99 : m < {reads}}})\n"
        f"Plain(a, b) == {reads.replace('x', 'a').replace('y', 'b')}\n"
        "Next == \\/ x' \\in {x + 1, 0} /\\ y' = y /\\ x < 3\n"
        "        \\/ y' \\in {y + 1, 0} /\\ x' = x /\\ y < 3\n"
        "Inv == Of = Plain(x, y) /\\ Of = Of\n"
        "Step == Of + Of' + Of = 2 * Plain(x, y) + Plain(x', y') /\\ Of' - Of' = 0\n"
        "Steps == [][Step]_<<x, y>>"
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv\nPROPERTY Steps").result
    assert (found.distinct, found.violations) == (16, {})


def test_an_argument_that_is_not_needed_is_not_evaluated(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals, Sequences, FiniteSets\nVARIABLE x\nInit == x = <<>>\n"
        "First(s, n, other) == IF s = <<>> THEN other ELSE Cardinality({m \\in {1, n} : m > s[1]})\n"
        "Next == x' = IF Len(x) < 2 THEN Append(x, First(x, Head(x), 7)) ELSE x"
    )
    assert counts(tmp_path, body) == (3, 4, 3)
    always = body.replace("other) == IF", "other) == n > 0 /\\ IF").replace("ELSE Card", "ELSE 0 < Card")
    with pytest.raises(Undefined, match=r"Head of the empty sequence"):
        explore_module(tmp_path, always)


def test_what_is_kept_of_the_next_state_does_not_read_it(tmp_path: Path) -> None:
    """A LET below a prime, whose text names no variable, but whose arguments do."""
    body = (
        "EXTENDS Naturals\nVARIABLES x, y\nInit == x = 0 /\\ y = <<0, 0>>\n"
        "F(p, c) == LET d == p + c IN <<d, d'>>\n"
        "G(p) == LET two == 1 + 1  d == two + p  f[n \\in 0..2] == n + d IN <<f[2], two>>\n"
        "Next == x < 3 /\\ x' \\in {x + 1, x + 2} /\\ y' = F(x, 1) /\\ G(x)' = <<x' + 4, 2>>\n"
        "Inv == y = <<0, 0>> \\/ (y[2] = x + 1 /\\ y[1] < y[2])"
    )
    found = explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv").result
    assert (found.distinct, found.generated, found.violations) == (7, 9, {})


def test_a_random_constant_is_chosen_once(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals, TLC\nVARIABLE x\nInit == x = 0\nPick == RandomElement(1..1000000)\n"
        "Next == x < 3 /\\ x' = x + 1\nInv == Pick = Pick /\\ \\A n \\in 1..9 : Pick = Pick"
    )
    assert not explore_module(tmp_path, body, f"{QUIET}\nINVARIANT Inv").result.violations


def test_a_named_function_computes_what_is_asked_for_where_another_value_fails(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals, Sequences\nVARIABLE x\nInit == x = 1\n"
        "f[a, b \\in 0..2] == IF a = 0 THEN Head(<<>>) ELSE a + b + x\n"
        "g[a, b \\in 0..2] == a + b + x\n"
        "Next == x < 9 /\\ x' = f[1, 2] /\\ f[2, 1] = g[1, 2]"
    )
    assert counts(tmp_path, body) == (4, 4, 4)
    with pytest.raises(Undefined, match="Head of the empty sequence"):
        explore_module(tmp_path, body.replace("f[1, 2]", "f[0, 2]"))


def test_an_exploration_within_a_constraint_says_so(tmp_path: Path) -> None:
    body = (
        "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = x + 1\nSmall == x < 5\nInv == x < 9"
    )
    module = write_module(tmp_path, body)
    module.with_suffix(".cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\nCONSTRAINT Small")
    said = " ".join(verify("explore", str(module)).stdout.split())
    assert "So HOLDS is about executions of any length within the constraint." in said
