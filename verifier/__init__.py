"""A model checker for replication and messaging protocols.

All that a protocol is written with, and ``load``, which runs one, is in this name space::

    from verifier import Protocol, Range, State, Step, action, forall, invariant, load

    load("kip320", replicas=3).bmc(depth=12)

Importing it loads next to nothing: each name is imported from its module when it is first used.
"""

from __future__ import annotations

from types import MappingProxyType

TYPE_CHECKING = False  # type checkers take it for true; typing itself is not loaded: see verifier.cli.entry
if TYPE_CHECKING:
    from typing import Any

    from verifier.api.result import Action as Action
    from verifier.api.result import Execution as Execution
    from verifier.api.result import PropertyResult as PropertyResult
    from verifier.api.result import Result as Result
    from verifier.api.specification import Specification as Specification
    from verifier.api.specification import load as load
    from verifier.encodings.collection_values import BagValue as BagValue
    from verifier.encodings.collection_values import SequenceValue as SequenceValue
    from verifier.encodings.collection_values import SetValue as SetValue
    from verifier.encodings.compound_values import PartialFunctionValue as PartialFunctionValue
    from verifier.encodings.compound_values import TupleValue as TupleValue
    from verifier.encodings.compound_values import VariantValue as VariantValue
    from verifier.encodings.compound_values import tuple_of as tuple_of
    from verifier.encodings.declared import Element as Element
    from verifier.encodings.declared import Fields as Fields
    from verifier.encodings.declared import Formula as Formula
    from verifier.encodings.declared import Integer as Integer
    from verifier.encodings.declared import Members as Members
    from verifier.encodings.declared import field as field
    from verifier.encodings.declared import member as member
    from verifier.encodings.declared import variable as variable
    from verifier.encodings.expressions import literal as literal
    from verifier.encodings.expressions import record as record
    from verifier.encodings.expressions import set_of as set_of
    from verifier.encodings.expressions import some as some
    from verifier.encodings.quantifiers import all_of as all_of
    from verifier.encodings.quantifiers import any_of as any_of
    from verifier.encodings.quantifiers import arbitrary as arbitrary
    from verifier.encodings.quantifiers import choose as choose
    from verifier.encodings.quantifiers import comprehension as comprehension
    from verifier.encodings.quantifiers import constantly as constantly
    from verifier.encodings.quantifiers import count as count
    from verifier.encodings.quantifiers import exists as exists
    from verifier.encodings.quantifiers import filtered as filtered
    from verifier.encodings.quantifiers import forall as forall
    from verifier.encodings.quantifiers import function as function
    from verifier.encodings.quantifiers import if_ as if_
    from verifier.encodings.quantifiers import image as image
    from verifier.encodings.quantifiers import mapped as mapped
    from verifier.encodings.quantifiers import maximum as maximum
    from verifier.encodings.quantifiers import minimum as minimum
    from verifier.encodings.quantifiers import partial_function as partial_function
    from verifier.encodings.quantifiers import sum_of as sum_of
    from verifier.encodings.quantifiers import union_of as union_of
    from verifier.encodings.quantifiers import updated as updated
    from verifier.encodings.sorts import Bag as Bag
    from verifier.encodings.sorts import Boolean as Boolean
    from verifier.encodings.sorts import Enum as Enum
    from verifier.encodings.sorts import Function as Function
    from verifier.encodings.sorts import IndexSet as IndexSet
    from verifier.encodings.sorts import Listed as Listed
    from verifier.encodings.sorts import Option as Option
    from verifier.encodings.sorts import PartialFunction as PartialFunction
    from verifier.encodings.sorts import Range as Range
    from verifier.encodings.sorts import Record as Record
    from verifier.encodings.sorts import Sequence as Sequence
    from verifier.encodings.sorts import Set as Set
    from verifier.encodings.sorts import SortError as SortError
    from verifier.encodings.sorts import Tuple as Tuple
    from verifier.encodings.sorts import Variant as Variant
    from verifier.encodings.tables import Table as Table
    from verifier.encodings.tables import table as table
    from verifier.encodings.values import FunctionValue as FunctionValue
    from verifier.encodings.values import OptionValue as OptionValue
    from verifier.encodings.values import RecordValue as RecordValue
    from verifier.errors import UsageError as UsageError
    from verifier.specs.constants import AssumptionFailed as AssumptionFailed
    from verifier.specs.constants import BooleanConstant as BooleanConstant
    from verifier.specs.constants import ChoiceConstant as ChoiceConstant
    from verifier.specs.constants import IndexSetConstant as IndexSetConstant
    from verifier.specs.constants import IntegerConstant as IntegerConstant
    from verifier.specs.definition import DefinitionError as DefinitionError
    from verifier.specs.drawing import Call as Call
    from verifier.specs.drawing import Drawing as Drawing
    from verifier.specs.drawing import Lane as Lane
    from verifier.specs.drawing import Mail as Mail
    from verifier.specs.members import action as action
    from verifier.specs.members import deadlock_invariant as deadlock_invariant
    from verifier.specs.members import free as free
    from verifier.specs.members import free_or_expanded as free_or_expanded
    from verifier.specs.members import invariant as invariant
    from verifier.specs.members import lemma as lemma
    from verifier.specs.members import reachable as reachable
    from verifier.specs.members import step_invariant as step_invariant
    from verifier.specs.members import type_invariant as type_invariant
    from verifier.specs.protocol import Protocol as Protocol
    from verifier.specs.ranking_members import Ranking as Ranking
    from verifier.specs.ranking_members import ranking as ranking
    from verifier.specs.refinement_members import refines as refines
    from verifier.specs.state import State as State
    from verifier.specs.steps import Step as Step
    from verifier.specs.temporal import Fairness as Fairness
    from verifier.specs.temporal import TemporalFormula as TemporalFormula
    from verifier.specs.temporal import strong as strong
    from verifier.specs.temporal import weak as weak
    from verifier.specs.temporal_members import always as always
    from verifier.specs.temporal_members import always_eventually as always_eventually
    from verifier.specs.temporal_members import eventually as eventually
    from verifier.specs.temporal_members import eventually_always as eventually_always
    from verifier.specs.temporal_members import for_each as for_each
    from verifier.specs.temporal_members import for_some as for_some
    from verifier.specs.temporal_members import leads_to as leads_to
    from verifier.specs.temporal_members import now as now
    from verifier.specs.temporal_members import temporal as temporal
    from verifier.specs.temporal_members import until as until
    from verifier.verdict import ExitCode as ExitCode
    from verifier.verdict import VerdictKind as VerdictKind

_NAMES_OF = MappingProxyType(
    {
        "verifier.api.result": ("Action", "Execution", "PropertyResult", "Result"),
        "verifier.api.specification": ("Specification", "load"),
        "verifier.encodings.collection_values": ("BagValue", "SequenceValue", "SetValue"),
        "verifier.encodings.compound_values": (
            "PartialFunctionValue", "TupleValue", "VariantValue", "tuple_of",
        ),
        "verifier.encodings.declared": (
            "Element", "Fields", "Formula", "Integer", "Members", "field", "member", "variable",
        ),
        "verifier.encodings.expressions": ("literal", "record", "set_of", "some"),
        "verifier.encodings.quantifiers": (
            "all_of", "any_of", "arbitrary", "choose", "comprehension", "constantly", "count", "exists",
            "filtered", "forall", "function", "if_", "image", "mapped", "maximum", "minimum",
            "partial_function", "sum_of", "union_of", "updated",
        ),
        "verifier.encodings.sorts": (
            "Bag", "Boolean", "Enum", "Function", "IndexSet", "Listed", "Option", "PartialFunction", "Range",
            "Record", "Sequence", "Set", "SortError", "Tuple", "Variant",
        ),
        "verifier.encodings.tables": ("Table", "table"),
        "verifier.encodings.values": ("FunctionValue", "OptionValue", "RecordValue"),
        "verifier.errors": ("UsageError",),
        "verifier.specs.constants": (
            "AssumptionFailed", "BooleanConstant", "ChoiceConstant", "IndexSetConstant", "IntegerConstant",
        ),
        "verifier.specs.definition": ("DefinitionError",),
        "verifier.specs.drawing": ("Call", "Drawing", "Lane", "Mail"),
        "verifier.specs.members": (
            "action", "deadlock_invariant", "free", "free_or_expanded", "invariant", "lemma", "reachable",
            "step_invariant", "type_invariant",
        ),
        "verifier.specs.protocol": ("Protocol",),
        "verifier.specs.ranking_members": ("Ranking", "ranking"),
        "verifier.specs.refinement_members": ("refines",),
        "verifier.specs.state": ("State",),
        "verifier.specs.steps": ("Step",),
        "verifier.specs.temporal": ("Fairness", "TemporalFormula", "strong", "weak"),
        "verifier.specs.temporal_members": (
            "always", "always_eventually", "eventually", "eventually_always", "for_each", "for_some",
            "leads_to", "now", "temporal", "until",
        ),
        "verifier.verdict": ("ExitCode", "VerdictKind"),
    }
)  # fmt: skip
_MODULE_OF = {name: module for module, names in _NAMES_OF.items() for name in names}

__all__ = sorted(_MODULE_OF)  # noqa: PLE0605 -- the names are those above


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'verifier' has no attribute {name!r}")
    from importlib import import_module

    exported = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = exported
    return exported


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULE_OF})
