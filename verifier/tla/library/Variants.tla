------------------------------- MODULE Variants -------------------------------
\* Apalache's variants, as records with a tag.
LOCAL INSTANCE TLC
UNIT == "U_OF_UNIT"
Variant(name, held) == [tag |-> name, value |-> held]
VariantTag(v) == v.tag
VariantFilter(name, S) == {v.value : v \in {w \in S : w.tag = name}}
VariantGetOrElse(name, v, other) == IF v.tag = name THEN v.value ELSE other
VariantGetUnsafe(name, v) == IF Assert(v.tag = name, "VariantGetUnsafe of another tag") THEN v.value ELSE v.value
===============================================================================
