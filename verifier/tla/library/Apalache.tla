------------------------------- MODULE Apalache -------------------------------
\* The operators of Apalache that mean something without its types. What says how to search is what it stands for.
\* Gen and Guess are not here: they are any value, which no expression of TLA+ is.
LOCAL INSTANCE Integers
LOCAL INSTANCE Sequences
LOCAL INSTANCE _FiniteSetsExt
LOCAL INSTANCE _SequencesExt
x := e == x = e
Skolem(e) == e
Expand(S) == S
ConstCardinality(e) == e
MkSeq(N, F(_)) == [i \in 1..N |-> F(i)]
FunAsSeq(fn, len, maxLen) == [i \in 1..len |-> fn[i]]
SetAsFun(S) == [x \in {pair[1] : pair \in S} |-> (CHOOSE pair \in S : pair[1] = x)[2]]
ApaFoldSet(op(_,_), base, S) == FoldSet(LAMBDA x, made : op(made, x), base, S)
ApaFoldSeqLeft(op(_,_), base, seq) == FoldLeft(op, base, seq)
Repeat(op(_,_), N, base) == FoldLeft(op, base, [i \in 1..N |-> i])
===============================================================================
