"""PlusCal beside its translation: what was changed since is said, by what TLC's translator wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import verify
from verifier.tla.pluscal import changes

# Written by TLC's translator, version 1.12.
COUNTER = r"""---- MODULE M ----
EXTENDS Naturals, TLC
(* --algorithm counter
variables x = 0;
macro add(n) begin x := x + n end macro;
macro unused(n) begin x := n - 17 end macro;
begin
  Inc: while x < 3 do \* at most 5 "times"
    add(1);
  end while;
  assert x = 3;
  Last: either skip (* none *) or goto Done; end either;
end algorithm;
 and more *)
\* BEGIN TRANSLATION (chksum(pcal) = "5fb24ac" /\ chksum(tla) = "60071848")
VARIABLES pc, x

vars == << pc, x >>

Init == (* Global variables *)
        /\ x = 0
        /\ pc = "Inc"

Inc == /\ pc = "Inc"
       /\ IF x < 3
             THEN /\ x' = x + 1
                  /\ pc' = "Inc"
             ELSE /\ Assert(x = 3,{space}
                            "Failure of assertion at line 11, column 3.")
                  /\ pc' = "Last"
                  /\ x' = x

Last == /\ pc = "Last"
        /\ \/ /\ TRUE
              /\ pc' = "Done"
           \/ /\ pc' = "Done"
        /\ x' = x

(* Allow infinite stuttering to prevent deadlock on termination. *)
Terminating == pc = "Done" /\ UNCHANGED vars

Next == Inc \/ Last
           \/ Terminating

Spec == Init /\ [][Next]_vars

Termination == <>(pc = "Done")

\* END TRANSLATION
====
""".replace("{space}", " ")
BY_HAND = "M: the translation of the PlusCal algorithm was changed since it was written"
SINCE = "M: the PlusCal algorithm was changed since it was translated, "
PLAIN = COUNTER[: COUNTER.index("\\* BEGIN")] + "====\n"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("x < 3 do", "x < 4 do", f"{SINCE}which has 4, and the translation has not"),
        ("add(1);", "x := x + 3;", f"{SINCE}which has no 1, and the translation has"),
        ("Last: either", "Final: either", f"{SINCE}which has Final, and the translation has not"),
        ("variables x = 0;", "variables x = 0, y = x;", f"{SINCE}which has y, and the translation has not"),
        ("assert x = 3;", "skip;", ""),  # 3 is in the test of the loop, too
        ("at most 5", "at most 6", ""),
        ("- 17", "- 18", ""),  # of a macro that nothing uses
        ("IF x < 3", "IF x < 4", BY_HAND),
        ("Init == (* Global", "Init == (* All", BY_HAND),
        ("x' = x + 1", "x' =  x + 1", BY_HAND),
        ('tla) = "60071848"', "tla) \\in STRING", ""),
        ('(chksum(pcal) = "5fb24ac" /\\ chksum(tla) = "60071848")', "", ""),
    ],
)
def test_what_was_changed_since_it_was_translated(old: str, new: str, words: str) -> None:
    assert COUNTER.count(old) == 1
    assert not list(changes(COUNTER, "M"))
    found = list(changes(COUNTER.replace(old, new), "M"))
    assert (len(found), (found or [""])[0][: len(words)]) == (bool(words), words)


CHANGED = COUNTER.replace("x < 3 do", "x < 4 do").replace("\n====", "\nSmall == x < 9\n====")
# Of a fair algorithm with two processes, whose labels have no place in the translation.
PROCESSES = r"""---- MODULE M ----
(* --fair algorithm counter {
variables x = 0, y = [a \in 1..2 |-> 0];
process (w \in 1..2) variables z = 0; { Go: while (TRUE) { z := 1 }  }
process (one = 7) { Ho: while (TRUE) { x := 2 } }
} *)
\* BEGIN TRANSLATION (chksum(pcal) = "7c28162a" /\ chksum(tla) \in STRING)
VARIABLES x, y, z

vars == << x, y, z >>

ProcSet == (1..2) \cup {7}

Init == (* Global variables *)
        /\ x = 0
        /\ y = [a \in 1..2 |-> 0]
        (* Process w *)
        /\ z = [self \in 1..2 |-> 0]

w(self) == /\ z' = [z EXCEPT ![self] = 1]
           /\ UNCHANGED << x, y >>

one == /\ x' = 2
       /\ UNCHANGED << y, z >>

Next == one
           \/ (\E self \in 1..2: w(self))

Spec == /\ Init /\ [][Next]_vars
        /\ WF_vars(Next)

\* END TRANSLATION
====
"""


@pytest.mark.parametrize(
    ("text", "old", "new", "words"),
    [
        (COUNTER, "x < 3 do", "x > 3 do", "which has x > 3"),
        (COUNTER, "assert x = 3", "assert x # 3", "which has x # 3"),
        (COUNTER, "variables x = 0", "variables x = 1", "which has no 0"),
        (PROCESSES, "z := 1", "z := 2", "which has z := 2"),
        (PROCESSES, "x := 2", "x := 1", "which has x := 1"),
        (PROCESSES, "|-> 0];", "|-> 1];", "which has y = [ a \\in 1 . . 2 |-> 1 ]"),
        (PROCESSES, "w \\in 1..2", "w \\in 2..2", "which has w \\in 2 . . 2"),
        (PROCESSES, "{ x := 2 }", "{ skip; x := 2; x := 2 }", ""),  # the same one twice
        (PROCESSES, "{ z := 1 }", "{ skip }", "which has no z := z EXCEPT"),
    ],
)
def test_an_expression_that_was_changed_with_the_same_words(
    text: str, old: str, new: str, words: str
) -> None:
    assert text.count(old) == 1
    assert not list(changes(text, "M"))
    found = list(changes(text.replace(old, new), "M"))
    assert (len(found), (found or [""])[0].removeprefix(SINCE)[: len(words)]) == (bool(words), words)


# Each kind of statement, in both syntaxes, as TLC's translator writes it.
STATEMENTS = r"""---- MODULE M ----
EXTENDS Naturals, Sequences
(* --algorithm all {
variables q = <<>>, f = [a \in 1..2 |-> 0], r = [n |-> 0];
define { Free(a) == f[a] = 0 }
macro put(a) { q := Append(q, a) }
procedure clear(c = 1) variables d = 2; {
  C1: f[c] := 0 || r.n := d; return; }
process (w \in 1..2) variable k = 3; {
  W1: while (k > 0) {
    await Free(self);
    with (v \in {1, 2}; u = v + 1) {
      if (v = self) f[self] := u else { either { put(k) } or { skip } } };
    k := k - 1 };
  W2: call clear(self) }
} *)
\* BEGIN TRANSLATION (chksum(pcal) = "1" /\ chksum(tla) \in STRING)
CONSTANT defaultInitValue
VARIABLES pc, q, f, r, stack
(* define statement *)
Free(a) == f[a] = 0
VARIABLES c, d, k
vars == << pc, q, f, r, stack, c, d, k >>
ProcSet == (1..2)
Init == /\ q = <<>>
        /\ f = [a \in 1..2 |-> 0]
        /\ r = [n |-> 0]
        /\ c = [ self \in ProcSet |-> 1]
        /\ d = [ self \in ProcSet |-> 2]
        /\ k = [self \in 1..2 |-> 3]
        /\ stack = [self \in ProcSet |-> << >>]
        /\ pc = [self \in ProcSet |-> "W1"]
C1(self) == /\ pc[self] = "C1"
            /\ /\ f' = [f EXCEPT ![c[self]] = 0]
               /\ r' = [r EXCEPT !.n = d[self]]
            /\ pc' = [pc EXCEPT ![self] = Head(stack[self]).pc]
            /\ d' = [d EXCEPT ![self] = Head(stack[self]).d]
            /\ c' = [c EXCEPT ![self] = Head(stack[self]).c]
            /\ stack' = [stack EXCEPT ![self] = Tail(stack[self])]
            /\ UNCHANGED << q, k >>
clear(self) == C1(self)
W1(self) == /\ pc[self] = "W1"
            /\ IF k[self] > 0
                  THEN /\ Free(self)
                       /\ \E v \in {1, 2}:
                            LET u == v + 1 IN
                              IF v = self
                                 THEN /\ f' = [f EXCEPT ![self] = u]
                                      /\ q' = q
                                 ELSE /\ \/ /\ q' = Append(q, k[self])
                                         \/ /\ TRUE
                                            /\ q' = q
                                      /\ f' = f
                       /\ k' = [k EXCEPT ![self] = k[self] - 1]
                       /\ pc' = [pc EXCEPT ![self] = "W1"]
                  ELSE /\ pc' = [pc EXCEPT ![self] = "W2"]
                       /\ UNCHANGED << q, f, k >>
            /\ UNCHANGED << r, stack, c, d >>
W2(self) == /\ pc[self] = "W2"
            /\ /\ c' = [c EXCEPT ![self] = self]
               /\ stack' = [stack EXCEPT ![self] = << [ procedure |->  "clear",
                                                        pc        |->  "Done",
                                                        d         |->  d[self],
                                                        c         |->  c[self] ] >>
                                                    \o stack[self]]
            /\ d' = [d EXCEPT ![self] = 2]
            /\ pc' = [pc EXCEPT ![self] = "C1"]
            /\ UNCHANGED << q, f, r, k >>
w(self) == W1(self) \/ W2(self)
Next == (\E self \in ProcSet: clear(self)) \/ (\E self \in 1..2: w(self))
Spec == Init /\ [][Next]_vars
\* END TRANSLATION
====
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("c = 1", "c = r.n", True), ("d = 2", "d = 2 + 1", True), ("k = 3", "k = 1", True),
        ("f[c] := 0", "f[c] := d", True), ("r.n := d", "r.n := c", True), ("k > 0", "k < 0", True),
        ("await Free(self)", "await Free(k)", True), ("u = v + 1", "u = v + v", True),
        ("v \\in {1, 2}", "v \\in {2, 1}", True), ("(v = self)", "(v # self)", True),
        ("f[self] := u", "f[self] := v", True), ("k := k - 1", "k := k + 1", True),
        ("Free(a) == f[a] = 0 }", "Free(a) == f[a] > 0 }", True),
        ("either { put(k) }", "either {put(k);}", False), ("while (k > 0)", "while ((k) > 0)", False),
    ],
)  # fmt: skip
def test_each_kind_of_statement(old: str, new: str, told: bool) -> None:
    algorithm, begin, translation = STATEMENTS.partition("\\* BEGIN")
    assert algorithm.count(old) == 1
    assert not list(changes(STATEMENTS, "M"))
    found = list(changes(algorithm.replace(old, new) + begin + translation, "M"))
    assert len(found) == told, found


def test_processes_without_a_counter() -> None:
    assert not list(changes(PROCESSES, "M"))
    (found,) = changes(PROCESSES.replace("one = 7", "one = 8"), "M")
    assert found.startswith(f"{SINCE}which has 8, and the translation has not")


FAIRLY = STATEMENTS.replace(
    "[Next]_vars\n", "[Next]_vars\n        /\\ \\A self \\in 1..2 : WF_vars(w(self))\n"
)
FAIR = FAIRLY.replace("process (w", "fair process (w")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (FAIR, ""),
        (FAIRLY, "which has no fair process, and the translation has WF_vars"),
        (FAIRLY.replace("EXTENDS", "\\* PlusCal options (-wf)\nEXTENDS"), ""),
        (FAIRLY.replace("\\A self \\in 1..2 : WF_vars(w(self))", "WF_vars(Next)"), ""),  # pcal.trans -wfNext
        (
            FAIR.replace("WF_vars(w(self))", "TRUE"),
            "which has a fair process, and the translation has no WF_vars",
        ),
        (PROCESSES.replace("--fair algorithm", "--algorithm"), "which is not fair, and was"),
        (COUNTER.replace("--algorithm", "--fair algorithm"), "which is fair, and was not"),
    ],
)
def test_fairness_that_one_of_both_has(text: str, words: str) -> None:
    found = list(changes(text, "M"))
    assert (len(found), (found or [""])[0].removeprefix(SINCE)[: len(words)]) == (bool(words), words)


@pytest.mark.parametrize("command", ["show", "explore", "bmc --depth 2", "check", "export --format vmt"])
def test_every_command_says_it_once(command: str, tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(CHANGED)
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\nINVARIANT Small\nPROPERTY Termination\n")
    done = verify(*command.split(), str(tmp_path / "M.tla"))
    said = [line for line in done.stderr.splitlines() if "the PlusCal algorithm was changed" in line]
    assert len(said) == 1, done.stderr
    assert said[0].startswith(f"warning: {tmp_path / 'M.tla'}: {SINCE}")


def test_a_module_that_another_one_extends_is_looked_at_too(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(CHANGED)
    (tmp_path / "Root.tla").write_text("---- MODULE Root ----\nEXTENDS M\n====\n")
    (tmp_path / "Root.cfg").write_text("SPECIFICATION Spec\nINVARIANT Small\n")
    done = verify("explore", str(tmp_path / "Root.tla"), "--format", "json")
    assert [one["verdict"] for one in json.loads(done.stdout)["results"]] == ["HOLDS", "HOLDS"]
    assert done.stderr.count("the PlusCal algorithm was changed") == 1


def test_without_a_translation_it_says_how_to_get_one(tmp_path: Path) -> None:
    (tmp_path / "M.tla").write_text(PLAIN)
    (tmp_path / "M.cfg").write_text("SPECIFICATION Spec\n")
    done = verify("explore", str(tmp_path / "M.tla"))
    assert done.exit_code == 2
    how = "M has a PlusCal algorithm and no translation, which is what is read: java -cp tla2tools.jar"
    assert "M defines no Spec" in done.stderr
    assert how in done.stderr
    (tmp_path / "M.tla").write_text(PLAIN.replace("====", "Inv == declared_below = 0\n===="))
    done = verify("explore", str(tmp_path / "M.tla"))
    assert f"unknown operator declared_below; {how}" in done.stderr
    (tmp_path / "M.tla").write_text(PLAIN.replace("====", "VARIABLE x\nSpec == x = 0 /\\ [][x' = 0]_x\n===="))
    done = verify("explore", str(tmp_path / "M.tla"))
    assert (done.exit_code, done.stderr.count(f"warning: {how}")) == (0, 1)
