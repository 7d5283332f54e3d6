"""Wrong rules of the translation, each with what it makes wrong. ``translation_mutants`` puts them to work.

Each says which function is changed, and how; and a formula of a module that is true in some state, and false
wherever the wrong rule reads it. Or it is a module by itself, whose invariant or temporal property fails.
"""

from __future__ import annotations

from dataclasses import dataclass

_TRANSLATE = "verifier.tla.translate."


@dataclass(frozen=True)
class Rule:
    """A wrong rule of the translation."""

    name: str
    where: str
    """The function below ``verifier.tla.translate``."""
    right: str
    """Part of its text."""
    wrong: str
    """The wrong text in its place."""
    values: tuple[str, ...] = ()
    """The values of the variable x."""
    formula: str = ""
    """True for one of the values; with the wrong rule, for none."""
    body: str = ""
    """Instead a module, which has ``Inv``, or the temporal property ``P``."""
    cause: bool = False
    """True if the rule was once so."""
    engine: str = ""
    """The engine that is asked, if not explore or live."""

    @property
    def function(self) -> str:
        """The dotted name of the function."""
        return _TRANSLATE + self.where


_ROWS = ("<<>>", "<<1>>", "<<1, 2>>")
_NUMBERS = ("1", "2")
_SETS = ("{1}", "{1, 2}")
_FUNCTIONS = ("(0 :> 1)", "(0 :> 1 @@ 1 :> 2)", "<<1, 2>>")
_RECORD = ("[a |-> 1, b |-> 1]", "[a |-> 1, b |-> 2]")
_LARGE = ("(0 :> 1)", "(0 :> 1 @@ 1 :> 2)")

_DROPPED_KEYS = """
VARIABLES i, j, f, g
Init == i = 0 /\\ j = 0 /\\ f = (0 :> <<7>>) /\\ g = (0 :> None)
Count == \\/ i < 40 /\\ i' = i + 1 /\\ UNCHANGED <<j, f, g>>
         \\/ j < 40 /\\ j' = j + 1 /\\ UNCHANGED <<i, f, g>>
Early == /\\ i + j < 2
         /\\ g' \\in {(0 :> <<7>>), (0 :> None @@ 1 :> <<7>>), (0 :> None)}
         /\\ f' \\in {f, f @@ (1 :> <<7>>), f @@ (2 :> <<7>>)}
         /\\ UNCHANGED <<i, j>>
Late == i = 40 /\\ j = 40 /\\ g' = f /\\ UNCHANGED <<i, j, f>>
Next == Count \\/ Early \\/ Late
TypeOK == i \\in 0..40 /\\ j \\in 0..40
Inv == 2 \\notin DOMAIN g
"""
_LOST_MEMBERS = """
VARIABLES x, s
Node == {na, nb}
Fns == [Node -> {0, 1}] \\cup [{na} -> 0..1] \\cup {<<2, 1>>}
Init == x = None /\\ s = {}
Next == \\/ x' \\in Fns \\cup {None} /\\ s' = s
        \\/ s' = {x, None} /\\ x' = x
        \\/ s' = {y \\in s : y # x} /\\ x' = x
Inv == s = {} \\/ None \\in s
"""
_KIND = """
VARIABLES x, n
Init == x = 1 /\\ n = 0
Next == n < 3 /\\ n' = n + 1 /\\ x' = IF n = 2 THEN "a" ELSE x
Inv == x \\notin Nat \\/ n < 9
"""
_CUT = """
VARIABLES i, j, f, q
Init == i = 0 /\\ j = 0 /\\ f = (1 :> 5) /\\ q = <<>>
Next == \\/ i < 40 /\\ i' = i + 1 /\\ UNCHANGED <<j, f, q>>
        \\/ j < 40 /\\ j' = j + 1 /\\ UNCHANGED <<i, f, q>>
        \\/ i + j < 2 /\\ q' \\in {<<5>>, <<5, 6>>} /\\ f' \\in {(1 :> 6), (3 :> 5)} /\\ UNCHANGED <<i, j>>
        \\/ i = 40 /\\ j = 40 /\\ f' = q /\\ UNCHANGED <<i, j, q>>
TypeOK == i \\in 0..40 /\\ j \\in 0..40
Inv == DOMAIN f # {1, 2}
"""
_HEAD = """
VARIABLE x
Init == x = (1 :> 1)
Next == x' \\in {(1 :> 1), (1 :> 1 @@ 2 :> 2), (1 :> 1 @@ 3 :> 2)}
Inv == Head(x) < 9
"""


def _steps(next_: str, inv: str = "y # 2", init: str = "x = 1 /\\ y = 0") -> str:
    return f"\nVARIABLES x, y\nInit == {init}\nNext == {next_}\nInv == {inv}\n"


def _live(claim: str, fairness: str = "WF_<<x, y>>(Next)", more: str = "") -> str:
    return (
        "\nVARIABLES x, y\nInit == x = 0 /\\ y = 0\nUp == x' = (x + 1) % 3 /\\ y' = y\n"
        f"Flip == x = 1 /\\ y' = 1 - y /\\ x' = x\nNext == Up \\/ Flip{more}\n"
        f"Spec == Init /\\ [][Next]_<<x, y>> /\\ {fairness}\nP == {claim}\n"
    )


RULES = (
    # -- the causes that were repaired
    Rule(
        "a sequence is never in a product", "membership._sequence_in",
        "return and_(t, [equals(t, length, Known(len(of.items))), *inside])", "return NO",
        _ROWS, "x \\in (1..2) \\X (1..2)", cause=True,
    ),
    Rule(
        "a sequence is never in a product (temporal)", "membership._sequence_in",
        "return and_(t, [equals(t, length, Known(len(of.items))), *inside])", "return NO",
        body="""
VARIABLE q
Init == q = <<>>
Next == \\/ Len(q) < 3 /\\ \\E e \\in 1..3 : q' = Append(q, e)
        \\/ q # <<>> /\\ q' = Tail(q)
Spec == Init /\\ [][Next]_q /\\ WF_q(Next)
P == <>[](q \\notin (1..3) \\X (1..3))
""", cause=True,
    ),
    Rule(
        "a function beside sequences is in no set of functions", "membership._partial_in",
        "return and_(t, [equals(t, domain, of.domain), for_all(t, case, inside)])", "return NO",
        _FUNCTIONS, "x \\in [{0, 1} -> {1, 2}]", cause=True,
    ),
    Rule(
        "a function beside sequences is never in Seq(S)", "membership._partial_in",
        "return if_(t, is_row(t, term, row), inside, of_other_kind(t))", "return NO",
        ("(1 :> 1)", "(1 :> 1 @@ 2 :> 1)", "(1 :> 2 @@ 3 :> 1)", "(2 :> 1)"),
        "DOMAIN x = {1, 2} /\\ x \\in Seq({1})", cause=True,
    ),
    Rule(
        "keys outside of the target's sort are dropped", "function_conversions._keys_within",
        "return Term(Operator.SUBSET, TRUTH, (keys, literal(Set(source), frozenset(inside))))", "return YES",
        body=_DROPPED_KEYS, cause=True,
    ),
    Rule(
        "a longer sequence is cut", "function_conversions._sequence_to_partial",
        "tests.append(less(t, length, Known(len(rows)), equal=True))", "pass",
        body=_CUT, cause=True,
    ),
    Rule(
        "members of a mixed set vanish", "converting._from_variant",
        "if isinstance(target, SCALARS) and part.sort != target:", "if False:",
        body=_LOST_MEMBERS, cause=True,
    ),
    Rule(
        "every set is finite", "builtins.is_finite",
        "return and_(t, [is_finite(t, part) for part in value.parts])", "return YES",
        _SETS, "~IsFiniteSet(x \\cup Nat)", cause=True,
    ),
    Rule(
        "values of another kind are not in Nat", "infinite_sets._in_tested",
        "return if_(t, _one_of(term, read), held, other)", "return held", body=_KIND, cause=True,
    ),
    Rule(
        "Head of a function that is no sequence", "sequences.head_of",
        "if isinstance(value, Term) and isinstance(value.sort, Sequence):", "if True:",
        body=_HEAD, cause=True,
    ),
    # -- membership
    Rule(
        "a member of a listed set is left out", "membership._among",
        "for member in members:", "for member in members[1:]:", _NUMBERS, "x \\in {2}",
    ),
    Rule(
        "an interval has no last number", "membership._in_span",
        "less(t, whole, of.high, equal=True)", "less(t, whole, of.high)", _NUMBERS, "x \\in x..x",
    ),
    Rule(
        "no number is in Nat", "infinite_sets._one_of",
        "return YES", "return NO", _NUMBERS, "x \\in Nat",
    ),
    Rule(
        "a subset is smaller", "membership._subset",
        "Term(Operator.SUBSET, TRUTH, (left, right))",
        "and_(t, [Term(Operator.SUBSET, TRUTH, (left, right)), not_(t, equals(t, left, right))])",
        _SETS, "x \\cup x \\subseteq x",
    ),
    Rule(
        "only the first item of a sequence has to be in S", "membership._sequence_in",
        "for place in range(capacity)]", "for place in range(min(capacity, 1))]",
        ("<<>>", "<<1>>", "<<1, 2>>"), "Len(x) = 2 /\\ x \\notin Seq({1})",
    ),
    Rule(
        "one field of a record is not looked at", "membership._table_in",
        "return and_(t, [t.member_of(image, rows[name]) for name, image in of.fields.items()])",
        "return and_(t, [t.member_of(image, rows[name]) for name, image in [*of.fields.items()][1:]])",
        ("[a |-> 1, b |-> 1]", "[a |-> 2, b |-> 1]"), "x \\notin [a : {1}, b : {1, 2}]",
    ),
    # -- arithmetic
    Rule(
        "the least sum is too large", "arithmetic.add_or_subtract",
        "return Term(operator, Range(a.low + b.low, a.high + b.high), (left, right))",
        "return Term(Operator.SUBTRACT, Range(a.low - b.high, a.high - b.low), (left, right))",
        _NUMBERS, "x + 1 = 3",
    ),
    Rule(
        "at most is less than", "making.less",
        "operator = Operator.LESS_EQUAL if equal else Operator.LESS", "operator = Operator.LESS",
        _NUMBERS, "x <= 1",
    ),
    Rule(
        "greater is less", "builtins._is_less",
        "less(t, left, right, equal=equal)", "less(t, right, left, equal=equal)", _NUMBERS, "x > 1 /\\ x = 2",
    ),
    Rule(
        "a result stands for another one", "arithmetic.by_cases",
        "chosen = if_(t, or_(t, conditions), Known(result), chosen)",
        "chosen = if_(t, or_(t, conditions), Known(result + 1), chosen)", _NUMBERS, "x * 3 = 6",
    ),
    # -- sets
    Rule(
        "a union without its right side", "set_operators._unite_listed",
        "return Term(Operator.UNION, join_sorts(t, left.sort, right.sort), (left, right))",
        "return Term(Operator.UNION, join_sorts(t, left.sort, right.sort), (left, left))",
        _SETS, "x \\cup {3} = {1, 2, 3}",
    ),
    Rule(
        "an intersection is a difference", "set_operators._intersect_listed",
        "return keep_members(t, other, lambda item: contains(t, one, item))",
        "return keep_members(t, other, lambda item: not_(t, contains(t, one, item)))",
        _SETS, "x \\cap {1} = {1}",
    ),
    Rule(
        "nothing is taken away", "set_operators._difference_of_listed",
        "return Term(Operator.DIFFERENCE, left.sort, (left, right))", "return left", _SETS, "x \\ {1} = {2}",
    ),
    Rule(
        "equal members are counted twice", "set_operators._count_members",
        "new = and_(t, [condition, not_(t, again)])", "new = condition",
        _NUMBERS, "Cardinality({x, 1}) = 1",
    ),
    Rule(
        "UNION of the first set alone", "set_operators.unite_all",
        "for part in parts:", "for part in parts[:1]:", _SETS, "UNION {x, {3}} = {1, 2, 3}",
    ),
    Rule(
        "CHOOSE takes the last", "set_operators._first",
        "for fits, item in reversed(pairs):", "for fits, item in pairs:",
        _SETS, "2 \\in x /\\ (CHOOSE e \\in {1, 2} : e \\in x) = 1",
    ),
    Rule(
        "a set is in SUBSET S if it has all of S", "membership._in_subsets",
        "subset(t, whole, of.base)", "subset(t, of.base, whole)",
        ("{1}", "{2}"), "x \\in SUBSET {1, 2}",
    ),
    Rule(
        "an image is empty", "binders.translate_image",
        "members.append((condition, item))", "members.append((NO, item))", _SETS, "3 \\in {e + 1 : e \\in x}",
    ),
    Rule(
        "a filter keeps what fails", "binders.translate_filter",
        "condition = and_(t, [case.condition, test(case.item)])",
        "condition = and_(t, [case.condition, not_(t, test(case.item))])",
        _SETS, "{e \\in {1, 2} : e \\in x} = {1, 2}",
    ),
    # -- quantifiers
    Rule(
        "for some is for all", "spreading.exists",
        "return Term(Operator.EXISTS, TRUTH, (formula_of(t, whole),), binds=case.symbol)",
        "return Term(Operator.FORALL, TRUTH, (formula_of(t, whole),), binds=case.symbol)",
        ("{1}", "{2}", "{1, 2, 3}"), "\\E e \\in x : e = 2",
    ),
    Rule(
        "for all is read of what is no member", "spreading.for_all",
        "whole = implies(t, case.condition, lambda: body)",
        "whole = and_(t, [case.condition, body])", ("{}", "{1}", "{2}"), "\\A e \\in x : e < 9",
    ),
    Rule(
        "the parts of a tuple are exchanged", "binders.bind",
        "in enumerate(binding.names, 1)", "in enumerate(binding.names[::-1], 1)",
        ("{<<1, 2>>}", "{<<1, 1>>}"), "\\E <<a, b>> \\in x : a < b",
    ),
    # -- functions and records
    Rule(
        "a sequence has one value at all places", "functions._apply_term",
        "return element_at(function, whole.value - 1)", "return element_at(function, 0)",
        _ROWS, "Len(x) = 2 /\\ x[2] = 2",
    ),
    Rule(
        "a table has another value", "functions.look_up",
        "result = if_(t, is_key, item, result)",
        "result = if_(t, is_key, [*table.rows.values()][0], result)",
        _NUMBERS, "<<5, 6>>[x] = 6",
    ),
    Rule(
        "DOMAIN of a sequence begins late", "domains.domain_of",
        "Span(Known(1), sequence_length(function))", "Span(Known(2), sequence_length(function))",
        _ROWS, "1 \\in DOMAIN x",
    ),
    Rule(
        "EXCEPT leaves a record as it is", "functions._update_table",
        "rows[key.value] = inner(rows[key.value])", "inner(rows[key.value])",
        _RECORD, "[x EXCEPT !.a = 2].a = 2",
    ),
    Rule(
        "EXCEPT leaves a function as it is", "functions._update_term",
        "return if_(t, inside, _change_entry(t, function, result, at, item), function)", "return function",
        _LARGE, "[x EXCEPT ![0] = 9][0] = 9",
    ),
    Rule(
        "EXCEPT takes the first change only", "function_forms.translate_except",
        "for update in whole.updates:", "for update in whole.updates[:1]:",
        _RECORD, "[x EXCEPT !.a = 2, !.b = 3].b = 3",
    ),
    Rule(
        "@ is the value of another field", "function_forms.translate_except",
        "replace(context, at=old)", "replace(context, at=Known(0))", _RECORD, "[x EXCEPT !.a = @ + 1].a = 2",
    ),
    Rule(
        "@@ prefers the right side", "merging._merge_entries",
        "return make_known_table(Table({**second.rows, **first.rows}))",
        "return make_known_table(Table({**first.rows, **second.rows}))",
        _NUMBERS, "((0 :> x) @@ (0 :> 5))[0] = 2",
    ),
    # -- sequences
    Rule(
        "Tail leaves out two", "sequences.tail_of",
        "subsequence(t, row, Known(2), row.length)", "subsequence(t, row, Known(3), row.length)",
        _ROWS, "Len(x) = 2 /\\ Len(Tail(x)) = 1",
    ),
    Rule(
        "SubSeq is one too short", "sequences.subsequence",
        "add_or_subtract(t, Operator.ADD, subtract(t, last, first), Known(1)),", "subtract(t, last, first),",
        _ROWS, "Len(x) = 2 /\\ SubSeq(x, 1, 2) = x",
    ),
    Rule(
        "sequences are joined the other way round", "sequences.concatenate",
        "return Term(Operator.CONCATENATE, sort, (left, right))",
        "return Term(Operator.CONCATENATE, sort, (right, left))",
        _ROWS, "Len(x) = 1 /\\ SelectSeq(x, LAMBDA e : e > 0) \\o (x \\o <<2, 3>>) = <<1, 1, 2, 3>>",
    ),
    Rule(
        "a selection keeps what fails", "sequences.select_seq",
        "condition = formula_of(t, test.call(variable(symbol)))",
        "condition = formula_of(t, not_(t, test.call(variable(symbol))))",
        _ROWS, "SelectSeq(x, LAMBDA e : e > 1) = <<2>>",
    ),
    # -- logic and choice
    Rule(
        "an implication is a conjunction", "connectives.implies",
        "return Term(Operator.IMPLIES, TRUTH, (formula_of(t, left), formula_of(t, right)))",
        "return Term(Operator.AND, TRUTH, (formula_of(t, left), formula_of(t, right)))",
        _NUMBERS, "x = 2 /\\ (x = 1 => x # 1)",
    ),
    Rule(
        "IF takes the other side", "connectives._choice",
        "return Term(Operator.IF, sort, (formula_of(t, decides), left, right))",
        "return Term(Operator.IF, sort, (formula_of(t, decides), right, left))",
        _NUMBERS, "(IF x = 1 THEN 5 ELSE 6) = 5 /\\ x = 1",
    ),
    Rule(
        "CASE takes the last", "expressions._translate_case",
        "for guard, value in reversed(whole.arms):", "for guard, value in whole.arms:",
        _NUMBERS, "x = 2 /\\ (CASE x > 0 -> 1 [] x > 1 -> 2) = 1",
    ),
    Rule(
        "tuples are never equal", "making.equals",
        "return and_(t, [equals(t, item, others[key]) for key, item in parts.items()])", "return NO",
        _NUMBERS, "<<x, 1>> = <<1, x>>",
    ),
    Rule(
        "equivalence is its negation", "builtins._equivalent",
        "return equals(t, left, right)", "return not_(t, equals(t, left, right))",
        _NUMBERS, "x = 1 /\\ ((x > 1) <=> (x = 2))",
    ),
    # -- steps
    Rule(
        "the last disjunct of an action is lost", "next_actions.Steps._walk",
        "for item in items:", "for item in items[:-1]:",
        body=_steps("(x' = 3 - x /\\ y' = 1) \\/ (x = 2 /\\ y' = 2 /\\ x' = x)"),
    ),
    Rule(
        "of a set that is assigned from one member is lost", "step_assignments.Assigning._assign",
        "spread_once(self.t, value, name, right.place) if once",
        "spread_once(self.t, value, name, right.place)[:-1] if once",
        body=_steps("x' = 3 - x /\\ y' \\in {1, 2}"),
    ),
    Rule(
        "the sides of IF are exchanged", "next_actions.Steps._either",
        "zip((decides, not_(self.t, decides)), sides, strict=True)",
        "zip((not_(self.t, decides), decides), sides, strict=True)",
        body=_steps(
            "IF x > 3 THEN (x' = x /\\ y' = 2) \\/ (x' = x /\\ y' = 3) ELSE x' = x /\\ y' = 1",
            "y # 1", "x = 1 /\\ y \\in {0, 2, 3}",
        ),
    ),
    Rule(
        "IF assigns what stands under ELSE", "branches.merge_sides",
        "else if_(t, decides, one.assigned[v], other.assigned[v])", "else other.assigned[v]",
        body=_steps("IF x = 1 THEN y' = 2 /\\ x' = 2 ELSE y' = 1 /\\ x' = 1"),
    ),
    Rule(
        "of what an action chooses one value is lost", "next_actions.Steps._of_each",
        "for cases, inner in rows:", "for cases, inner in list(rows)[:-1]:",
        body=_steps("\\E e \\in {1, 2} : x' = 3 - x /\\ y' = e"),
    ),
    Rule(
        "what is unchanged becomes something else", "step_assignments.Assigning._assign_unchanged",
        "assigned[one] = now", "assigned[one] = self.t.term(Known(1)) if one.name == 'y' else now",
        body=_steps("x < 3 /\\ x' = x + 1 /\\ UNCHANGED y", "x # 3 \\/ y # 0", "x = 1 /\\ y \\in {0, 1}"),
    ),
    Rule(
        "an initial state is lost", "definition.Maker._init",
        "for state in sample.initial]", "for state in sample.initial[:-1]]",
        body=_steps("x' = x /\\ y' = 1", "x # 2", "x \\in {1, 2} /\\ y = 0"),
    ),
    Rule(
        "a guard that is determined is kept as false", "determined._equation",
        "return Term(Operator.EQUAL, TRUTH, (one, one)), one",
        "return Term(Operator.LESS, TRUTH, (one, one)), one",
        body=_steps("\\E r \\in [a : 1..20, b : 0..20] : r = [a |-> x, b |-> y] /\\ x' = r.a /\\ y' = 2"),
        engine="prove",
    ),
    # -- temporal formulas
    Rule(
        "always is sometimes", "temporal.Temporal._always",
        "return ~TemporalFormula(TemporalOperator.EVENTUALLY, (term,))",
        "return ~TemporalFormula(TemporalOperator.ALWAYS, (term,))", body=_live("[](x < 2) \\/ [](x < 1)"),
    ),
    Rule(
        "again and again is once", "temporal.Temporal._translate_repeated",
        "return TemporalFormula(TemporalOperator.ALWAYS_EVENTUALLY, (term,))",
        "return TemporalFormula(TemporalOperator.EVENTUALLY, (term,))",
        body=_live("[]<>(y = 0)", more=" \\/ (y = 0 /\\ x = 2 /\\ y' = 2 /\\ x' = 2)"),
    ),
    Rule(
        "what leads is what is led to", "temporal.Temporal._leads_to",
        "terms = (self._state(first, c), self._state(then, inner))",
        "terms = (self._state(then, inner), self._state(first, c))", body=_live("(x = 1) ~> (y = 1)"),
    ),
    Rule(
        "a negated formula is the formula", "temporal.Temporal._translate_call",
        "return ~parts[0]", "return parts[0]", body=_live("~([]<>(x = 0))", "WF_<<x, y>>(Up)"),
    ),
    Rule(
        "some conjuncts are enough", "temporal.Temporal._several",
        "return _join(TemporalOperator.AND if conjunction else TemporalOperator.OR, parts)",
        "return _join(TemporalOperator.OR, parts)",
        body=_live("([]<>(x = 0) /\\ []<>(y = 1)) \\/ <>[](x = 2)"),
    ),
    Rule(
        "weak fairness is strong", "fair_steps.FairSteps._fair",
        "strength = Strength.STRONG if whole.strong else Strength.WEAK", "strength = Strength.STRONG",
        body=_live("[]<>(y = 1)", "WF_<<x, y>>(Next) /\\ WF_<<x, y>>(Flip)"),
    ),
    Rule(
        "a step of any action is fair", "fair_steps.FairSteps._steps",
        "steps, action = Steps(self.t), whole.action",
        "steps, action = Steps(self.t), self.maker.spec.next.body.action",
        body=_live("<>(x = 1)", "WF_<<x, y>>(Flip)"),
    ),
    Rule(
        "steps with A are steps without", "temporal.Temporal._step",
        "term = formula_of(self.t, not_(self.t, truth) if negated else truth)",
        "term = formula_of(self.t, truth if negated else not_(self.t, truth))",
        body=_live("[]<><<y' # y>>_<<x, y>>", "WF_<<x, y>>(Up)"),
    ),
)  # fmt: skip
