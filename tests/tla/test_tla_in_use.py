"""Features of modules in use: tabs, functions of infinite sets, LET around a specification."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify, wrong
from tests.support.sampling import first_of
from tests.support.tla_modules import counts, explore_module, specify_module, value, write_module
from verifier.encodings.printing import text
from verifier.runs.modules.loading import load
from verifier.tla import ast
from verifier.tla.errors import TlaError
from verifier.tla.frames import Undefined
from verifier.tla.random_members import random_member

CONFIG = "INIT Init\nNEXT Next\n"
STILL = "VARIABLE x\nInit == x \\in 0..3\nNext == x' = x\n"


@pytest.mark.parametrize(
    "lines",
    [
        "\t\\/ x = 0\n        \\/ /\\ x = 1\n\t   /\\ TRUE\n\t\\/ \\A y \\in {1} : FALSE\n        \\/ x > 1",
        "  \t\\/ x = 0\n        \\/ x > 0",
        '\t\\/ x = 0 /\\ "\t" # "  "\n\t\\/ x > 0',
    ],
)
def test_a_tab_goes_to_the_next_multiple_of_eight(lines: str, tmp_path: Path) -> None:
    """Lists end by columns, which SANY counts so. The first of these cannot be read otherwise."""
    found = explore_module(
        tmp_path, f"EXTENDS Naturals\n{STILL}Inv ==\n{lines}\n", f"{CONFIG}INVARIANT Inv"
    ).result
    assert (found.distinct, dict(found.violations)) == (4, {})


def test_a_list_ends_where_tabs_say(tmp_path: Path) -> None:
    """In columns of characters the last line would belong to the quantifier, in those of SANY it does not."""
    body = f"EXTENDS Naturals\n{STILL}Inv ==\n      /\\ \\A y \\in {{1}} :\n\t   x = y\n\t\\/ x # y\n"
    assert explore_module(tmp_path, body, f"{CONFIG}INVARIANT Inv").result.violations == {}
    other = f"EXTENDS Naturals\n{STILL}Inv ==\n\t/\\ \\E y \\in {{1}} : FALSE\n      \\/ TRUE\n"
    assert explore_module(tmp_path, other, f"{CONFIG}INVARIANT Inv").result.violations == {}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("[i, j \\in Int |-> i + j][3, 4]", "7"),
        (
            "[i, j \\in Int, <<k, l>> \\in Int \\X Int, m \\in {5, 7} |-> i + k + l + m][1, 2, <<3, 4>>, 5]",
            "13",
        ),
        ("[[i \\in Int |-> i + 1] EXCEPT ![42] = 3, ![42] = @ + 5][42]", "8"),
        ("[[i \\in Int |-> i + 1] EXCEPT ![42] = 3][7]", "8"),
        ("[[i \\in Nat |-> i + 1] EXCEPT ![-1] = 3][0]", "1"),
        (
            "LET f[i, j \\in Int] == [a |-> i, b |-> j] IN [f EXCEPT ![3, 4].b = 17][3, 4]",
            "[a |-> 3, b |-> 17]",
        ),
        ("LET f[i \\in Nat] == IF i = 0 THEN 0 ELSE 1 + f[i - 1] IN [f EXCEPT ![2] = 9][3]", "3"),
        ("LET f[i \\in Nat] == IF i = 0 THEN 0 ELSE 1 + f[i - 1] IN [f EXCEPT ![2] = @ + 9][2]", "11"),
        ("[[i \\in Int |-> <<i>>] EXCEPT ![3][1] = @ + 1, ![3][1] = @ + 1][3]", "<<5>>"),
    ],
)
def test_functions_of_infinite_sets(expression: str, expected: str, tmp_path: Path) -> None:
    assert value(tmp_path, expression) == expected


@pytest.mark.parametrize(
    "expression", ["[i, j \\in Int |-> i][1, 2, 3]", "[[i \\in Nat |-> i] EXCEPT ![1] = 2][-1]"]
)
def test_they_have_no_value_outside_of_their_domain(expression: str, tmp_path: Path) -> None:
    with pytest.raises(Undefined):
        value(tmp_path, expression)


def test_an_instance_may_put_what_is_defined_further_on(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nRECURSIVE g(_)\nI(n) == INSTANCE T WITH A <- g, b <- n\n"
    body += "g(n) == IF n = 0 THEN 1 ELSE n * I(n - 1)!h\nASSUME g(4) = 24 /\\ g(0) = 1\n"
    explore_module(tmp_path, body, "", T="CONSTANT A(_), b\nh == A(b)\n")
    with pytest.raises(TlaError, match="g is declared RECURSIVE and never defined"):
        specify_module(tmp_path, "RECURSIVE g(_)\nf == g(1)", "")


def test_the_configuration_as_tlcget_has_it(tmp_path: Path) -> None:
    claim = 'LET c == TLCGet("config") IN c.deadlock = LOOKS /\\ c.mode = "bfs"'
    body = f"EXTENDS Naturals, TLC\n{STILL}Inv == {claim}"
    for looks in ("TRUE", "FALSE"):
        config = f"{CONFIG}INVARIANT Inv\nCHECK_DEADLOCK {looks}"
        assert explore_module(tmp_path, body.replace("LOOKS", looks), config).result.violations == {}


def test_a_constant_may_get_the_same_value_twice(tmp_path: Path) -> None:
    made = specify_module(tmp_path, "CONSTANT N", "CONSTANT N = 2\nN = {a}".replace("{a}", "2"))
    assert made.constants == {"N": 2}


def test_operators_of_a_configuration(tmp_path: Path) -> None:
    body = "EXTENDS Naturals, Sequences\nCONSTANT F(_, _), _ ++ _\nPlus(a, b) == a + 2 * b\n"
    body += "ASSUME F(1, 2) = 3 /\\ 1 ++ 2 = 5 /\\ 1 \\o 2 = 5\n"
    explore_module(tmp_path, body, "CONSTANTS F <- +\n++ <- Plus\n\\o <- Plus\n")


def test_a_constant_cannot_depend_on_variables(tmp_path: Path) -> None:
    with pytest.raises(TlaError, match="C <- D: a constant cannot depend on variables"):
        specify_module(
            tmp_path, f"EXTENDS Naturals\nCONSTANT C\n{STILL}D == x + 1\n", f"{CONFIG}CONSTANT C <- D"
        )


def test_levels_and_statistics_as_tlcget_has_them(tmp_path: Path) -> None:
    body = f"""EXTENDS TLC, TLCExt, Integers\n{STILL}
ASSUME TLCGet("level") = 0
Post == LET s == TLCGet("stats") IN s.distinct = 4 /\\ s.generated = 8 /\\ s.diameter = 1 /\\ s.queue = 0
Sum == x = 0 => TLCGetAndSet(7, +, 2, 10) >= 10 /\\ TLCGet(7) >= 12
"""
    (tmp_path / "M.cfg").write_text(f"{CONFIG}INVARIANT Sum\nPOSTCONDITION Post\n")
    done = verify("explore", str(write_module(tmp_path, body)), "--format", "json")
    verdicts = {one["property"]: one["verdict"] for one in json.loads(done.stdout)["results"]}
    assert verdicts == {"Sum": "HOLDS", "NoDeadlock": "HOLDS", "Post": "HOLDS"}


def test_the_diameter_counts_a_level_that_has_begun_when_the_module_ends_the_search(tmp_path: Path) -> None:
    body = """EXTENDS TLC, Naturals
VARIABLE x
Init == x = 1
Next == x' = x + 1
Ends == x = 3 => TLCSet("exit", TRUE)
Post == TLCGet("stats").diameter = 3
"""
    (tmp_path / "M.cfg").write_text(f"{CONFIG}CONSTRAINT Ends\nPOSTCONDITION Post\nCHECK_DEADLOCK FALSE\n")
    done = verify("explore", str(write_module(tmp_path, body)), "--format", "json")
    assert [one["verdict"] for one in json.loads(done.stdout)["results"]] == ["HOLDS"]


@pytest.mark.parametrize(
    ("body", "asked", "counts"),
    [
        ('Next == x\' = (x + 1) % 3 /\\ TLCGet("level")\' = TLCGet("level") + 1', "", (3, 4)),
        ("Next == x' = (x + 1) % 3\nAC == Level' < 3", "ACTION_CONSTRAINT AC", (2, 3)),
        (
            "Next == x' = Level' /\\ x < 4\nP == [][Level' = Level + 1 /\\ x' = Level + 1]_x",
            "PROPERTY P",
            (4, 4),
        ),
    ],
)
def test_the_level_of_the_next_state(body: str, asked: str, counts: tuple[int, int], tmp_path: Path) -> None:
    text = f'EXTENDS Integers, TLC\nVARIABLE x\nLevel == TLCGet("level")\nInit == x = 0\n{body}'
    found = explore_module(tmp_path, text, f"{CONFIG}CHECK_DEADLOCK FALSE\n{asked}").result
    assert (found.distinct, found.generated, found.violations) == (*counts, {})


def test_a_postcondition_without_a_value_leaves_what_was_found(tmp_path: Path) -> None:
    claims = "Low == x < 3\nAll == x < 4\nPost == CounterExample.state = {}\n"
    body = f"EXTENDS Naturals, TLCExt\n{STILL}{claims}"
    (tmp_path / "M.cfg").write_text(f"{CONFIG}INVARIANTS Low All\nPOSTCONDITION Post\n")
    done = verify("explore", str(write_module(tmp_path, body)), "--keep-going", "--format", "json")
    found = {one["property"]: one for one in json.loads(done.stdout)["results"]}
    verdicts = [found[name]["verdict"] for name in ("Low", "All", "Post")]
    assert (verdicts, done.exit_code) == (["VIOLATED", "HOLDS", "INCONCLUSIVE"], 10)
    assert "CounterExample is that of TLC's one violation" in found["Post"]["reason"]


def test_exploration_does_not_know_the_counterexample_of_a_temporal_property(tmp_path: Path) -> None:
    """TLC gives the postcondition the counterexample to Never, which is not empty."""
    claims = "Never == <>(x = 7)\nPost == CounterExample.state = {}\n"
    body = f"EXTENDS Naturals, TLCExt\n{STILL}{claims}"
    (tmp_path / "M.cfg").write_text(f"{CONFIG}PROPERTY Never\nPOSTCONDITION Post\n")
    done = verify("explore", str(write_module(tmp_path, body)), "--format", "json")
    found = {one["property"]: one for one in json.loads(done.stdout)["results"]}
    assert (found["Post"]["verdict"], done.exit_code) == ("INCONCLUSIVE", 12)
    assert "CounterExample may be that of Never" in found["Post"]["reason"]


@pytest.mark.parametrize("said", ["S Post Wrong", " Post Wrong", " Post\nPOSTCONDITION Wrong"])
def test_several_postconditions(said: str, tmp_path: Path) -> None:
    body = f'EXTENDS TLC, Integers\n{STILL}Post == TLCGet("distinct") = 4\nWrong == TLCGet("distinct") = 5\n'
    (tmp_path / "M.cfg").write_text(f"{CONFIG}POSTCONDITION{said}\n")
    done = verify("explore", str(write_module(tmp_path, body)), "--format", "json")
    found = {one["property"]: one["verdict"] for one in json.loads(done.stdout)["results"]}
    assert found == {"NoDeadlock": "HOLDS", "Post": "HOLDS", "Wrong": "VIOLATED"}


def test_a_violation_after_a_random_step_is_told_as_it_was_found(tmp_path: Path) -> None:
    """The action is found by taking the step again, and a random one goes elsewhere then."""
    body = "EXTENDS TLC, Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = RandomElement(1..10000)\n"
    body += "Inv == x = 0\n"
    (tmp_path / "M.cfg").write_text(f"{CONFIG}INVARIANT Inv\n")
    done = verify("explore", str(write_module(tmp_path, body)), "--property", "Inv", "--format", "json")
    found = [(one["verdict"], one["steps"]) for one in json.loads(done.stdout)["results"]]
    assert (found, done.exit_code) == ([("VIOLATED", 1)], 10)


def test_equal_values_as_unit_tests_assert_them(tmp_path: Path) -> None:
    claim = "AssertEq(<<1, {2}>>, [i \\in 1..2 |-> IF i = 1 THEN 1 ELSE {2}]) /\\ ~AssertEq({1}, {2})"
    assert value(tmp_path, claim, "Integers, TLCExt") == "TRUE"
    with pytest.raises(Undefined, match="different kinds"):
        value(tmp_path, 'AssertEq(1, "1")', "TLCExt")


def test_model_values_by_their_names(tmp_path: Path) -> None:
    body = """EXTENDS TLC, TLCExt\nCONSTANT S
ASSUME TLCModelValue("m") = TLCModelValue("m") /\\ TLCModelValue("m") # TLCModelValue("n")
ASSUME {TLCModelValue("a"), TLCModelValue("b")} = S /\\ ToString(TLCModelValue("a")) = "a"
"""
    explore_module(tmp_path, body, "CONSTANT S = {a, b}")


def test_random_members_of_large_sets(tmp_path: Path) -> None:
    for of in (
        "[1..9 -> 1..10]",
        "SUBSET (1..40)",
        "[a : 1..4000, b : SUBSET (1..20)]",
        "(1..9999) \\X (1..999)",
    ):
        expression = f"LET S == {of} R == RandomSubset(50, S) IN Cardinality(R) = 50 /\\ R \\subseteq S"
        assert value(tmp_path, expression, "Integers, FiniteSets, Randomization") == "TRUE"
    expression = "RandomElement(SUBSET (1..60)) \\subseteq 1..60 /\\ RandomElement({3}) = 3"
    assert value(tmp_path, expression, "Integers, TLC") == "TRUE"
    with pytest.raises(Undefined, match="without elements"):
        value(tmp_path, "RandomElement({})", "TLC")


_DRAWN = """EXTENDS TLC, Naturals
VARIABLE x
Pick == RandomElement(1..1000000)
Init == x = 0
Next == x' = (x + 1) % 3
Spec == Init /\\ [][Next]_x /\\ WF_x(Next)
Even == x < 2 \\/ Pick % 2 = 0
Odd == <>(x = 2 /\\ Pick % 2 = 1)
"""


def test_definitions_draw_one_value_in_a_run(tmp_path: Path) -> None:
    """Whichever process needs it, and whatever was drawn before."""
    made = specify_module(tmp_path, _DRAWN, "SPECIFICATION Spec\n")
    pick = made.module.names["Pick"]
    assert isinstance(pick, ast.Definition)
    whole, first = ast.Apply(pick, place=pick.place), made.evaluator
    second = first.beside([])
    random_member(list, frozenset(range(9)))
    assert first.compile_value(whole, "M")() == second.compile_value(whole, "M")()
    other = specify_module(tmp_path, _DRAWN, "SPECIFICATION Spec\n")
    assert other.evaluator.seed != first.seed


def test_engines_of_a_check_draw_the_same_values(tmp_path: Path) -> None:
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\nINVARIANT Even\nPROPERTY Odd\n")
    path = write_module(tmp_path, _DRAWN)
    for _ in range(3):
        found = json.loads(verify("check", str(path), "--format", "json").stdout)["results"]
        kinds = {one["property"]: one["verdict"] for one in found}
        assert (kinds["Even"] == "VIOLATED") is not (kinds["Odd"] == "VIOLATED")


@pytest.mark.parametrize(("claim", "expected"), [
    ("SUBSET (1..40) \\subseteq SUBSET (1..41)", "TRUE"),
    ("SUBSET (1..40) \\subseteq SUBSET (2..41)", "FALSE"),
    ("SUBSET Nat \\subseteq SUBSET Int", "TRUE"),
    ("SUBSET {1, 2} \\subseteq {{}, {1}, {2}, {1, 2}, {3}}", "TRUE"),
    ("SUBSET {1, 2} \\subseteq {{}, {1}, {2}}", "FALSE"),
])  # fmt: skip
def test_sets_of_subsets_in_each_other(claim: str, expected: str, tmp_path: Path) -> None:
    assert value(tmp_path, claim) == expected


@pytest.mark.thorough
def test_the_time_ends_one_long_evaluation_while_states_are_looked_at_first(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE b\nInit == b = 0\n"
    body += "Next == b' = IF [1..30 -> {1, 2}] \\subseteq [1..30 -> {1, 2, 3}] THEN 1 ELSE 0\n"
    (tmp_path / "M.cfg").write_text(CONFIG)
    done = verify("explore", str(write_module(tmp_path, body)), "--timeout", "3")
    assert (done.exit_code, "timeout of 3 s" in done.stdout + done.stderr) == (12, True)


@pytest.mark.parametrize("main", ["EXTENDS A, Integers, TLC\n", "EXTENDS Integers, TLC\nI == INSTANCE A\n"])
@pytest.mark.parametrize(
    ("put", "numbers", "told"),
    [
        ("Nat <- [Naturals]Few", "0..2", "{7}"),
        ("Nat <- [Integers]Few", "0..2", "{7}"),
        ("Nat <- [A]Few", "0..2", "{7}"),
        ("Nat = [Naturals]{3}", "{3}", "{7}"),
        ("T <- [A]Few", "0..9", "0..2"),
        ("T = [A]{3}", "0..9", "{3}"),
    ],
)
def test_what_is_put_in_one_module(main: str, put: str, numbers: str, told: str, tmp_path: Path) -> None:
    """As TLC does: an operator of a standard module is another one everywhere, whichever module is named."""
    other = "EXTENDS Naturals\nS == Nat \\cap (0..9)\nT == {7}\nU == T\n"
    name = "I!" if "INSTANCE" in main else ""
    claim = f"{name}S = {numbers} /\\ Nat \\cap (0..9) = {numbers} /\\ {name}U = {told}"
    body = f"{main}Few == 0..2\nASSUME {claim}\n"
    explore_module(tmp_path, body, f"CONSTANT {put}", A=other)


def test_what_a_module_does_not_have_cannot_be_put_there(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nI == INSTANCE A\nFew == 0..2\n"
    for put, words in {
        "Foo <- [A]Few": "the module A has no definition Foo",
        "T <- [M]Few": "the module M has no definition T",
        "T <- [B]Few": "M does not use the module B",
        "+ <- [Naturals]Few": "Few takes no arguments, \\+ 2",
    }.items():
        with pytest.raises(TlaError, match=words):
            specify_module(tmp_path, body, f"CONSTANT {put}", A="T == {7}\n")


def test_an_instance_without_a_name_does_not_make_its_parameters_known(tmp_path: Path) -> None:
    other = "EXTENDS Naturals\nCONSTANT Pi\nVARIABLE vars, s\nStep == UNCHANGED vars /\\ s' = (s + 1) % Pi\n"
    body = "EXTENDS Naturals\nVARIABLES x, y, s\nvars == <<x, y>>\nall == <<x>>\nPi == {1}\n"
    body += (
        "INSTANCE A WITH vars <- all, Pi <- 3\nInit == x = 0 /\\ y = Pi /\\ s = 0\nNext == Step /\\ y' = y\n"
    )
    body += "Inv == vars = <<x, {1}>>"
    found = explore_module(tmp_path, body, f"{CONFIG}INVARIANT Inv", A=other).result
    assert (found.distinct, found.violations) == (3, {})


def test_a_configuration_in_the_file_of_its_module(tmp_path: Path) -> None:
    section = f"---- CONFIG Other ----\nINIT No\n====\n---- CONFIG M ----\n{CONFIG}INVARIANT @\n====\n"
    path = write_module(tmp_path, f"EXTENDS Naturals\n{STILL}Inv == x < 3\n")
    path.write_text(path.read_text() + section.replace("@", "Inv"))
    assert verify("explore", str(path), "--config", str(path)).exit_code == 10
    path.write_text(path.read_text().replace("INVARIANT Inv", "INVARIANT Inw"))
    assert "M.tla:15:11: INVARIANT Inw" in wrong("explore", str(path), "--config", str(path))
    line = wrong("explore", str(path), "--config", str(write_module(tmp_path, "", "N")))
    assert line.endswith("there is no configuration here: ---- CONFIG N ----")


LEVELS = {
    "P == [](x' = x)": "9:6: [] of a formula about two states: only [][A]_v is allowed",
    "P == <>(x' = x)": "9:6: <> of a formula about two states: only <><<A>>_v is allowed",
    "P == (x' = x) ~> x = 1": "9:15: ~> takes no formula about two states",
    "P == x = 0 ~> [Next]_x": "9:12: ~> takes no formula about two states",
    "P == Init /\\ [Next]_x /\\ WF_x(Next)": "is [][A]_v meant?",
    "P == x' = x => <>(x = 1)": "what is about two states stands beside a temporal formula",
    "P == []Init <=> Next": "what is about two states stands beside a temporal formula",
    "P == \\A y \\in {x'} : <>(x = y)": "the set of a quantifier cannot be a temporal formula",
    "P == LET Q == [](x' = x) IN 1": "9:15: [] of a formula about two states",
    "Q(H(_), a) == H(a)\nP == Q(LAMBDA y : y, LAMBDA y : y)": "10:22: an expression is expected here",
    "I == INSTANCE A WITH C <- 1, F <- Init": "F takes 1 argument, what the instance puts for it 0",
    "I == INSTANCE A WITH C <- 1, F <- G, C <- 1": "9:38: C is put for a second time",
}


@pytest.mark.parametrize("definition", LEVELS)
def test_what_sany_rejects_though_it_is_not_used(definition: str, tmp_path: Path) -> None:
    body = f"EXTENDS Naturals\n{STILL}F(a) == a'\nG(a) == a\n\n{definition}\n"
    with pytest.raises(TlaError) as error:
        specify_module(tmp_path, body, CONFIG, A="CONSTANTS C, F(_)\n")
    assert LEVELS[definition] in str(error.value)


def test_levels_that_sany_allows(tmp_path: Path) -> None:
    body = f"""EXTENDS Naturals, TLC\n{STILL}Step == [Next]_x
Prime(a) == a'
Spec == Init /\\ [][Next /\\ Prime(x) = x]_x /\\ WF_x(Next)
Each == \\A n \\in {{1}} : [][x' = x + n \\/ x' = x]_x
Live == [](x = 0 => <>[](x = 0)) /\\ (x = 0 ~> x = 0 /\\ ENABLED (x' = x)) /\\ <><<x' = 0>>_x
Fair == []<><<Next>>_x => (\\E n \\in 0..3 : <>(x = n))
Told == (ENABLED (x' = x)) /\\ [](ENABLED Next)
"""
    assert explore_module(tmp_path, body, "SPECIFICATION Spec\nPROPERTY Told Each").result.distinct == 4


@pytest.mark.parametrize(
    ("modules", "claim"),
    [
        ("EXTENDS A, B", 'Top(1, 2) = "A" /\\ OwnA = "A" /\\ OwnB = "B"'),
        ("EXTENDS B, A", 'Top(1, 2) = "B" /\\ OwnA = "A"'),
        ("EXTENDS A\nINSTANCE B", 'Top(1, 2) = "A" /\\ OwnB = "B"'),
        ("EXTENDS FiniteSetsExt, C", "Max({1, 2}) = 2 /\\ OwnC = 7"),
        ("EXTENDS C, FiniteSetsExt", "Max(1, 2) = 7 /\\ OwnC = 7"),
    ],
)
def test_the_first_of_two_modules_gives_a_name_its_meaning(modules: str, claim: str, tmp_path: Path) -> None:
    others = {name: f'Top(a, b) == "{name}"\nOwn{name} == Top(1, 2)\n' for name in ("A", "B")}
    others["C"] = "Max(a, b) == 7\nOwnC == Max(1, 2)\n"
    explore_module(tmp_path, f"{modules}\nASSUME {claim}\n", "", **others)


def test_what_a_community_module_uses_itself_may_be_defined_anew(tmp_path: Path) -> None:
    own = "Range(f) == 7\nMax(a, b) == 8\nCardinality == 9\n"
    claim = "Range(<<>>) = 7 /\\ Max(1, 2) = 8 /\\ Cardinality = 9"
    claim += " /\\ SelectLastInSeq(<<1, 1>>, LAMBDA x : x = 1) = 2"
    explore_module(tmp_path, f"EXTENDS SequencesExt, Naturals\n{own}ASSUME {claim}\n", "")
    explore_module(tmp_path, f"EXTENDS Own\nASSUME {claim}\n", "", Own=f"EXTENDS SequencesExt\n{own}")
    explore_module(
        tmp_path, f"EXTENDS SequencesExt, Own\nASSUME {claim}\n", "", Own=f"EXTENDS Naturals\n{own}"
    )
    explore_module(tmp_path, "EXTENDS SequencesExt\nASSUME Cardinality({1}) + Max({2}) = 3\n", "")
    with pytest.raises(TlaError, match="Range has a meaning already"):
        specify_module(tmp_path, "EXTENDS FiniteSetsExt\nRange(f) == 7\n", "")
    with pytest.raises(TlaError, match="Last has a meaning already"):
        specify_module(tmp_path, "EXTENDS SequencesExt\nLast(f) == 7\n", "")
    with pytest.raises(TlaError, match="Range is not known within its own definition"):
        specify_module(tmp_path, "EXTENDS SequencesExt\nRange(f) == Range(f)\n", "")


@pytest.mark.parametrize(
    "body", ["Top(a) == a\nINSTANCE A", "EXTENDS A\nTop(a, b) == a", "CONSTANT Top\nINSTANCE A"]
)
def test_other_names_have_one_meaning(body: str, tmp_path: Path) -> None:
    with pytest.raises(TlaError, match="Top has a meaning already"):
        specify_module(tmp_path, body, "", A="Top(a, b) == 1\n")


LET = """EXTENDS Naturals
VARIABLES x, y
Init == x = 0 /\\ y = 0
Next == x' = (x + 1) % 4 /\\ y' = y
Identity(F) == F
Spec == SPEC
Prop == LET v == <<x, y>> bound == 2 IN [][x' # bound + 1]_v /\\ [](x < bound + 1)
Low == LET bound == 4 IN \\A n \\in {bound} : [][x' < n]_<<x, y>> /\\ x = 0
Often == LET n == 1 m == n + 2 IN []<>(x = m)
Rare == LET n == 1 m == n + 2 IN <>[](x = m)
"""
SPECS = {
    "LET of a subscript": "LET vars == <<x, y>> IN Init /\\ [][Next]_vars /\\ WF_vars(Next)",
    "LET of all": "LET a == Init b == Next vars == <<x, y>> IN a /\\ [][b]_vars /\\ WF_vars(b)",
    "an operator that is its argument": "Identity(Init /\\ [][Next]_<<x, y>> /\\ WF_<<x, y>>(Next))",
}


@pytest.mark.parametrize("kind", SPECS)
def test_a_specification_below_let(kind: str, tmp_path: Path) -> None:
    body = LET.replace("SPEC", SPECS[kind])
    found = explore_module(tmp_path, body, "SPECIFICATION Spec\nPROPERTY Prop Low").result
    assert (found.distinct, found.generated, set(found.violations)) == (4, 5, {"Prop"})
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\nPROPERTY Often Rare\n")
    asked = ("live", str(write_module(tmp_path, body)), "--format", "json")
    verdicts = {one["property"]: one["verdict"] for one in json.loads(verify(*asked).stdout)["results"]}
    assert verdicts == {"Often": "PROVED", "Rare": "VIOLATED"}


def test_a_specification_without_next_is_refused(tmp_path: Path) -> None:
    body = LET.replace("SPEC", "LET P(F) == F /\\ Init IN P([][Next]_<<x, y>>)")
    with pytest.raises(TlaError, match="Spec has no \\[\\]\\[Next\\]_vars"):
        specify_module(tmp_path, body, "SPECIFICATION Spec")


def test_without_variables_nothing_happens(tmp_path: Path) -> None:
    assert counts(tmp_path, "Spec == [][TRUE]_<<>>\nASSUME 1 # 2", "SPECIFICATION Spec") == (0, 0, 0)


RECURSIVE = """EXTENDS Naturals
VARIABLE x
Init == x = 0
RECURSIVE Step(_)
Step(n) == x' = n \\/ (n < x + 2 /\\ n < 5 /\\ Step(n + 1))
Next == Step(0)
Inv == x < 4
"""


@pytest.mark.parametrize("engine", [("explore",), ("bmc", "--depth", "4"), ("prove",)])
def test_a_recursive_action(engine: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "M.cfg").write_text(f"{CONFIG}INVARIANT Inv\nCHECK_DEADLOCK FALSE\n")
    done = verify(engine[0], str(write_module(tmp_path, RECURSIVE)), *engine[1:], "--format", "json")
    (found,) = (one for one in json.loads(done.stdout)["results"] if one["property"] == "Inv")
    assert (found["verdict"], found["steps"]) == ("VIOLATED", 2)


@pytest.mark.parametrize(
    ("engine", "put"), first_of([("explore", "Init <- Again"), ("prove", "Next <- Always")], 1)
)
def test_what_is_put_for_itself_never_ends(engine: str, put: str, tmp_path: Path) -> None:
    """It once ended Python itself."""
    others = "Again == x = 0 /\\ Init\nAlways == Next /\\ x' = x\n"
    (tmp_path / "M.cfg").write_text(f"{CONFIG}CONSTANT {put}\n")
    line = wrong(engine, str(write_module(tmp_path, f"EXTENDS Naturals\n{STILL}{others}")))
    assert "calls itself" in line


@pytest.mark.parametrize("engine", ["explore", "bmc"])
def test_a_value_that_is_too_large_has_a_place(engine: str, tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = SUBSET SUBSET (1..32)\n"
    (tmp_path / "M.cfg").write_text(CONFIG)
    assert "too many to list" in wrong(engine, str(write_module(tmp_path, body)))


def test_what_stands_behind_a_module_means_nothing(tmp_path: Path) -> None:
    text = "A text (* with brackets\n---- MODULE M ----\nEXTENDS N\nVARIABLE x\n"
    text += "Init == x = V\nNext == x' = x\n====\n"
    text += 'and " more of it\n---- MODULE N ----\nV == 3\n---- MODULE O ----\n====\n====\n(* and more'
    (tmp_path / "M.tla").write_text(text)
    (tmp_path / "M.cfg").write_text(CONFIG)
    assert verify("explore", str(tmp_path / "M.tla")).exit_code == 0


def test_the_first_module_of_a_file_has_its_name(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(f"---- MODULE N ----\n====\n---- MODULE M ----\n{STILL}\n====\n")
    (tmp_path / "M.cfg").write_text(CONFIG)
    done = verify("explore", str(tmp_path / "M.tla"))
    assert done.exit_code == 2
    assert "has the module N, which should have the file's name, M: that one stands further on" in done.stderr


def test_a_definition_that_is_not_read_may_have_a_prime(tmp_path: Path) -> None:
    """The subscript is evaluated for the next state too, where nothing of ``b`` is needed."""
    body = LET.replace("SPEC", "Init /\\ [][Next]_(LET b == Next v == <<x, y>> IN v)")
    assert explore_module(tmp_path, body, "SPECIFICATION Spec\nPROPERTY Prop").result.distinct == 4


def test_no_formula_stands_for_that_of_a_module_which_is_not_translated(tmp_path: Path) -> None:
    body = "EXTENDS Naturals\nVARIABLE x\nInit == x = 0\nNext == x' = 1 - x\nInv == x < 2\nE == <>(x = 1)\n"
    write_module(tmp_path, body)
    (tmp_path / "M.cfg").write_text("INIT Init\nNEXT Next\nINVARIANT Inv\nPROPERTY E\n")
    definition = load(str(tmp_path / "M.tla"), {}).definition
    for formula in (definition.init, definition.properties[0].formula, *definition.temporal[0].formula.terms):
        with pytest.raises(AssertionError, match="not translated"):
            text(formula)
