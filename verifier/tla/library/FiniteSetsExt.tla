---------------------------- MODULE FiniteSetsExt ----------------------------
\* Operators on finite sets. The names are those of the Community Modules.
EXTENDS _FiniteSetsExt, Integers, FiniteSets, Folds, Functions
ReduceSet(op(_,_), set, acc) == FoldSet(op, acc, set)
SumSet(set) == FoldSet(+, 0, set)
ProductSet(set) == FoldSet(LAMBDA x, y : x * y, 1, set)
MapThenSumSet(op(_), set) == MapThenFoldSet(+, 0, op, LAMBDA s : CHOOSE x \in s : TRUE, set)
FlattenSet(S) == UNION S
SymDiff(A, B) == (A \ B) \cup (B \ A)
Quantify(S, P(_)) == Cardinality({s \in S : P(s)})
Choices(Sets) == {{f[T] : T \in Sets} : f \in {g \in [Sets -> UNION Sets] : \A T \in Sets : g[T] \in T}}
ChooseUnique(S, P(_)) == CHOOSE x \in S : P(x) /\ \A y \in S : P(y) => y = x
==============================================================================
