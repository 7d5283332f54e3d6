"""The standard modules and their operators. ``primitives`` has the meanings of these.

Modules that can be written in TLA+ are texts in ``library/``. They take from the modules with an underscore
the operators that cannot be written in TLA+, or not efficiently.

Source: Specifying Systems (Lamport, 2002), chapter 18; in tlaplus/tlaplus, ``tlc2.module``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from verifier.tla.ast import Builtin, Module

LIBRARY = Path(__file__).parent / "library"
"""The folder of the modules that belong to this program."""

_EXTENDS: Mapping[str, tuple[str, ...]] = {
    "Integers": ("Naturals",),
    "Reals": ("Integers",),
    "Bags": ("TLC",),
    "Toolbox": (),
}
_OPERATORS: Mapping[str, str] = {
    "Naturals": "Nat/0 +/2 -/2 */2 ^/2 </2 >/2 <=/2 >=/2 %/2 \\div/2 ../2",
    "Integers": "Int/0 -./1",
    "Reals": "Real/0 //2 Infinity/0",
    "Sequences": "Seq/1 Len/1 \\o/2 Append/2 Head/1 Tail/1 SubSeq/3 SelectSeq/0,1",
    "FiniteSets": "IsFiniteSet/1 Cardinality/1",
    "Bags": "IsABag/1 BagToSet/1 SetToBag/1 BagIn/2 EmptyBag/0 (+)/2 (-)/2 BagUnion/1 \\sqsubseteq/2 "
    "SubBag/1 BagOfAll/1,0 BagCardinality/1 CopiesIn/2",
    "TLC": "Print/2 PrintT/1 Assert/2 JavaTime/0 TLCGet/1 TLCSet/2 :>/2 @@/2 Permutations/1 SortSeq/0,2 "
    "RandomElement/1 Any/0 ToString/1 TLCEval/1",
    "TLCExt": "AssertEq/2 AssertError/2 TLCDefer/1 PickSuccessor/1 TLCNoOp/1 TLCModelValue/1 TLCCache/2 "
    "Trace/0 CounterExample/0 ToTrace/1 TLCGetOrDefault/2 TLCGetAndSet/0,2,0,0 TLCFP/1",
    "Randomization": "RandomSubset/2 RandomSetOfSubsets/3 TestRandomSetOfSubsets/3 RandomSubsetSet/2",
    "Json": "ToJson/1 ToJsonArray/1 ToJsonObject/1 JsonSerialize/2 JsonDeserialize/1 ndJsonSerialize/2 "
    "ndJsonDeserialize/1",
    "IOUtils": "IOEnv/0 IOExec/1 IOEnvExec/2 IOExecTemplate/2 IOEnvExecTemplate/3 Serialize/3 Deserialize/2 "
    "IOSerialize/3 IODeserialize/2 atoi/1 zeroPadN/2",
    "CSV": "CSVWrite/3 CSVWriteRecord/4 CSVRecords/1 CSVRead/3",
    "Toolbox": "_TEPosition/0 _TETrace/0",
    "Folds": "MapThenFoldSet/2,0,1,1,0",
    "Bitwise": "&/2 |/2 ^^/2 shiftR/2 shiftL/2 Not/1",
    "_FiniteSetsExt": "FoldSet/2,0,0 Min/1 Max/1 kSubset/2",
    "_SequencesExt": "FoldLeft/2,0,0 FoldRight/2,0,0 SetToSeq/1 Reverse/1 SetToSeqs/1 BoundedSeq/2",
}
"""Each operator with its number of arguments, or with the arities of its arguments if some are operators.
``0,1`` is an operand and then an operator of one argument."""

FORMERLY_EXTENDED: Mapping[str, tuple[str, ...]] = {
    "SequencesExt": (
        "Sequences",
        "Naturals",
        "FiniteSets",
        "FiniteSetsExt",
        "Folds",
        "Functions",
        "Bags",
        "TLC",
    ),
    "FiniteSetsExt": ("Integers", "FiniteSets"),
    "Functions": ("Integers", "Folds"),
}
"""Modules that a Community Module had by EXTENDS, and has by LOCAL INSTANCE today. Texts for the former
version may use these names. Texts for the latter may define their own."""

BUILT_IN = tuple(name for name in _OPERATORS if not name.startswith("_"))
"""The modules that have no text."""
PARTIAL = (
    "TLAPS",
    "FiniteSetTheorems",
    "SequenceTheorems",
    "NaturalsInduction",
    "FunctionTheorems",
)
"""Modules of theorems: if their text is missing, they are taken as empty."""


_DEFINED = re.compile(r"^(\w+)(?:\(.*?\))? ==", re.MULTILINE)
_OF_OTHER_TOOLS = ("Apalache", "Variants")


@cache
def providers() -> Mapping[str, str]:
    """Return for each name of a standard module, or of a Community Module, the first module that has it."""
    providers: dict[str, str] = {}
    for module, entries in _OPERATORS.items():
        for entry in entries.split():
            providers.setdefault(entry.rpartition("/")[0], module.removeprefix("_"))
    for path in sorted(LIBRARY.glob("[A-Z]*.tla")):
        if path.stem not in _OF_OTHER_TOOLS:
            for name in _DEFINED.findall(path.read_text(encoding="utf-8")):
                providers.setdefault(name, path.stem)
    return providers


def _builtin(module: str, entry: str) -> Builtin:
    name, _, count = entry.rpartition("/")
    if "," in count:
        takes = tuple(int(part) for part in count.split(","))
        return Builtin(name, len(takes), module, takes)
    return Builtin(name, int(count), module)


@cache
def standard(name: str) -> Module | None:
    """Return the built-in module of this name; None if there is none."""
    if name not in _OPERATORS:
        return None
    made = Module(name, f"the standard module {name}")
    for other in _EXTENDS.get(name, ()):
        extended = standard(other)
        assert extended is not None
        made.names |= extended.names
        made.extended |= {other, *extended.extended}
    for entry in _OPERATORS[name].split():
        builtin = _builtin(name, entry)
        made.names[builtin.name] = builtin
    return made
