"""Random expressions over values of several kinds mean the same to all readers.

``python -m results.generators.tla_mixing`` compares more of them, and TLC.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.support.command_line import ROOT
from tests.support.tla_mixed import Comparison, draw_trees
from tests.support.tla_mixed_checking import find_differences
from tests.support.tla_mixed_modules import draw_module
from tests.support.tla_mixed_texts import Tree
from tests.support.tlc_batch import Tlc

TLC = ROOT.parent / "shared" / "tla"
def _wrong(folder: Path, seeds: range, readers: Comparison, count: int) -> list[str]:
    return [f"{one}" for seed in seeds for one in readers.compare(folder, *draw_trees(seed, count))]


@pytest.mark.parametrize("seed", [12, 13])
def test_interpreter_and_translation_agree(tmp_path: Path, seed: int) -> None:
    readers = Comparison()
    assert _wrong(tmp_path, range(seed, seed + 1), readers, 25) == []
    assert readers.found["equal, 2 readers"] > 20
    assert readers.found["equal, undefined"] > 5


def test_a_set_is_no_function_where_sorts_list_their_members(tmp_path: Path) -> None:
    """The set ``{g, <<..>>}`` as a key was read as an IF where a kind of key has keys that are listed."""
    wrong = _wrong(tmp_path, range(612242, 612243), Comparison(), 60)
    assert [one for one in wrong if "internal" in one] == []


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(100, 150, 5))
def test_more_of_them_agree(tmp_path: Path, first: int) -> None:
    assert _wrong(tmp_path, range(first, first + 5), Comparison(), 100) == []


@pytest.mark.parametrize("first", range(0, 8, 4))
def test_modules_have_the_states_and_verdicts_of_the_interpreter(tmp_path: Path, first: int) -> None:
    found = Counter[str]()
    for seed in range(first, first + 4):
        wrong = find_differences(tmp_path, draw_module(seed), ("explore",), None, found)
        assert wrong == []
    assert found["interpreter: holds"] + found["interpreter: violated"] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(8, 208, 20))
def test_more_modules_to_more_engines(tmp_path: Path, first: int) -> None:
    for seed in range(first, first + 20):
        assert find_differences(tmp_path, draw_module(seed), ("explore", "bmc"), None, Counter()) == []


def test_values_are_written_as_tlc_writes_them(tmp_path: Path) -> None:
    """One process of TLC reads several modules, and numbers names as the first of them has them."""
    if not TLC.exists():
        pytest.skip("no TLC")
    readers = Comparison(translates=False, tlc=Tlc(TLC))
    trees = [
        Tree(text) for text in ("[fb |-> 1, fa |-> d]", '{"fb", "", "fa"}', '("" :> 1 @@ "fa" :> 2)', "d[1]")
    ]
    for state in ({"d": "1"}, {"d": "<<{2}>>"}):
        assert readers.compare(tmp_path, trees, [state]) == []
    assert readers.found == {"equal, 2 readers": 7, "equal, undefined": 1}


def test_the_first_of_one_kind_is_tlcs_beside_values_of_other_kinds(tmp_path: Path) -> None:
    """TLC has no order of words and records, but one of words."""
    states = [{"d": "{[fb |-> 1]}"}, {"d": '{"fa", "fx", ""}'}, {"d": '{<<"fx">>, <<"">>}'}, {"d": "{<<1>>}"}]
    readers = Comparison()
    for text in (
        r"(CHOOSE x \in [1..2 -> d] : TRUE)",
        r"(CHOOSE x \in d : TRUE)",
        r"(CHOOSE x \in d \X d : TRUE)",
    ):
        assert readers.compare(tmp_path, [Tree(text)], states) == []
    assert readers.found == {"equal, 2 readers": 12}


def test_an_infinite_set_beside_others_is_refused(tmp_path: Path) -> None:
    """TLC has no value for {{1}, Nat}. The translation looked for TRUE and 1 in one part after the other."""
    states = [{"d": "{1}"}, {"d": "{}"}, {"d": "{None}"}]
    readers = Comparison()
    trees = [Tree(r"(1 \in UNION {d, Nat})"), Tree(r"({1, 2} \subseteq UNION {Nat, d})")]
    assert readers.compare(tmp_path, trees, states) == []
    assert readers.found["equal, undefined"] == 6
    assert sum(count for kind, count in readers.found.items() if kind.startswith("untranslated")) == 2


def test_model_values_beside_others_hide_no_comparison(tmp_path: Path) -> None:
    """A record is no member of {None, {1}}: TLC compares it with {1}, whichever of both is stored first."""
    readers = Comparison()
    states = [{"d": "{None, {1}}"}, {"d": "{Na, Other, None, 1}"}, {"d": "{None, Na}"}]
    assert readers.compare(tmp_path, [Tree(r"([fa |-> 1] \in d)")], states) == []
    assert readers.found == {"equal, undefined": 2, "equal, 2 readers": 1}


TWO_KINDS = [
    {"f": '(None :> "")', "g": '(None :> "")'},
    {"f": '(None :> "" @@ Na :> "fc")', "g": '<<"", "fa">>'},
]
SETS_AND_OTHERS = [{"h": "None"}, {"h": '<<"fc">>'}, {"h": "{}"}, {"h": "{0, 1}"}]
LISTED = [
    {"e": "{}", "f": "{FALSE, TRUE}", "h": "{1}"},
    {
        "e": '{{"fa", "fx"}, {FALSE, TRUE}, {Na}, {{}, {FALSE, TRUE}}, {None, {<<1, 2>>}}}',
        "f": "{{}, {TRUE}}",
        "h": "{}",
    },
    {"e": "{{Na}}", "f": "[fa |-> 1]", "h": '{"a"}'},
]

ONE_OR_SET = [{"d": "1"}, {"d": '"a"'}, {"d": "{1}"}, {"d": "{}"}, {"d": '{"a"}'}, {"d": "{None}"}]
PARTS = [
    *ONE_OR_SET,
    *({"d": text} for text in ("<<1>>", '<<"a">>', "[a |-> 1]", "<<>>", "None", '<<1, "a">>', "<<2, 3>>")),
    {"d": "(<<1>> :> 2)"},
]
SETS_OF_SETS = [
    {"d": text, "e": of}
    for text in ("1", "{}", "{1}", "<<2>>", '"b"')
    for of in ('{{<<>>}, {"fb", ""}}', "{{<<1>>}, {<<>>}}", "{{}}")
]
MODEL_VALUES_BESIDE = [
    {"d": text}
    for text in ("{None, FALSE}", "{None, {1}}", "{None, 1}", "{Na, <<1>>}", "{FALSE}", "{1}", "{None}")
]
EMPTY_OR_NOT = [{"d": "{}"}, {"d": "{1}"}]
EMPTY_OR_NO_SET = [{"d": "2"}, {"d": "{}"}, {"d": "[a |-> 1]"}]


@pytest.mark.parametrize(
    ("states", "expressions"),
    [
        (
            TWO_KINDS,
            r"""BagAdd(g, {[fb |-> 1], [fc |-> {1, 2, 3}]});
            [x \in DOMAIN g \cup {{[fb |-> 1], [fc |-> {1, 2, 3}]}} |-> 1]""",
        ),
        (
            SETS_AND_OTHERS,
            r"""Total(h); h = {}; BoundedSeq(h, 1); {h, 0}; {h} \cup {0}; UNION {h, {"fa"}}""",
        ),
        (
            LISTED,
            r"""e = f; {x \in f : x # e}; e \subseteq f; f \in e; {h} \subseteq {{0}}; h \subseteq {0};
            h \cup {0}; {h} \subseteq SUBSET {0}; {x : x \in h} \cup {None};
            [{x \in Nat : x \in h} -> h]""",
        ),
        (
            ONE_OR_SET,
            r"""d \in 0..64; d \in 0..100; {d} \cap {1}; {d} \ {1}; d \cap {1}; d \ {1}; d \cap (0..70);
            (0..70) \ d; d \subseteq 0..70; {"b"} \subseteq d; UNION {d, 0..70}; d \in UNION {{1}, 0..70};
            d \cup (0..70); d \in (0..70) \cup Nat; {d} \subseteq Nat \cup {"b"}; {d} \subseteq Nat;
            {d} \subseteq (SUBSET {1}) \cup {3}""",
        ),
        (
            PARTS,
            r"""{d} = {1}; <<d>> = <<1>>; <<d>> = <<1, 2>>; <<d, 1>> = <<1, 2>>; <<1, d>> = <<2, 2>>;
            [a |-> d, b |-> 1] = [a |-> 1, b |-> 1]; <<1, 2>> = d; d = <<1>>; d = <<"b">>; d # {"b"};
            {d} = {<<"b">>}; (<<1, d>> :> 1) = <<1>>; ({d} :> 1) = ({} :> 1); <<{d}>> # <<{1}>>;
            [x \in {1, 2} |-> d] = <<1, 2>>; [x \in {1, 2} |-> d] = <<"a", "b">>; <<d, 2>> = Append(<<1>>, 3);
            <<d, 2>> = d; <<d, {1}>> = <<1, {1, 2}>>""",
        ),
        (
            SETS_OF_SETS,
            r"""d \in SUBSET {}; UNION e; d \in {x \in [{1} -> {2}] : x # e}; d \in SUBSET UNION {{}};
            d \in {x \in [{1} -> {2}] : x[1] = Cardinality(e)}; d \in {x \in SUBSET {1} : x \in e};
            d \in {x \in SUBSET {1} : x \in {e}}; {x \in SUBSET {1} : x \notin e} = {d}""",
        ),
        (
            EMPTY_OR_NO_SET,
            r"""<<1>> \in Seq(d); <<1, 2>> \in (d \X {1}); [a |-> 1] \in [a : d];
            [a |-> 1, b |-> 2] \in [a : {1}, b : d]; (0 :> 2) \in [{0} -> d]; {<<1>>} \subseteq Seq(d);
            {x \in SUBSET d : FALSE}; {x \in [d -> {1}] : FALSE}; {x \in [a : d] : FALSE};
            \E y \in {x \in SUBSET d : FALSE} : TRUE; Cardinality({x \in SUBSET d : FALSE});
            {x \in {<<1>>} : x \in Seq(d)}; 1 \in UNION {d, {2}}""",
        ),
        (
            MODEL_VALUES_BESIDE,
            r"""d \subseteq Nat; d \subseteq [{"fa"} -> 0..17]; d \subseteq [fa : {1}]; d \subseteq Seq({1});
            d \subseteq Nat \cup {"a"}; d \subseteq 0..99; d \subseteq SUBSET {1, 2}; d \subseteq {1} \X {1};
            d \subseteq {x \in Nat : x > 0}; d \subseteq {None} \cup Nat""",
        ),
        (
            EMPTY_OR_NOT,
            r"""[d -> d] \cup {0}; {0} \cup (d \X d); (SUBSET d) \cup {0}; UNION {SUBSET d, {0}};
            \A x \in [d -> d] \cup {0} : TRUE; \E x \in [{1} -> {1}] \cup {0} : TRUE; [a : d] \cup {0} = {};
            0 \in [d -> d] \cup {0}; <<>> \in [d -> d] \cup {0}; [x \in [d -> d] \cup {0} |-> 1];
            CHOOSE x \in [d -> d] \cup {0} : x = 0; {1 : x \in [d -> d] \cup {0}}; SUBSET ([d -> d] \cup {0});
            ([d -> d] \cup {0}) \cap {0}; ([d -> d] \cup {0}) \subseteq {0}; [d -> d] \cup {None};
            \E x \in [d -> d] \cup {None} : x = None""",
        ),
    ],
    ids=[
        "unions of sets of words and of listed values", "sets and others", "listed members", "intervals",
        "parts of different kinds", "parts of sets of functions and of sets", "the empty set or no set",
        "subsets with model values",
        "unions with sets of functions",
    ],
)
def test_expressions_that_differed_once(
    tmp_path: Path, states: list[dict[str, str]], expressions: str
) -> None:
    beside = (ONE_OR_SET, PARTS, SETS_OF_SETS, EMPTY_OR_NO_SET, MODEL_VALUES_BESIDE, EMPTY_OR_NOT)
    tlc = Tlc(TLC) if TLC.exists() and states in beside else None
    readers, trees = Comparison(tlc=tlc), [Tree(one.strip()) for one in expressions.split(";")]
    assert [f"{one}" for one in readers.compare(tmp_path, trees, states)] == []
    assert readers.found["equal, 3 readers" if tlc else "equal, 2 readers"] >= len(trees) / 2
