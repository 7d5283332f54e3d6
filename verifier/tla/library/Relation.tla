------------------------------ MODULE Relation ------------------------------
\* Relations over a set S as functions from pairs to truth, and as operators. The names are those of the
\* Community Modules.
EXTENDS Naturals, FiniteSets
LOCAL Of(op(_,_), S) == [pair \in S \X S |-> op(pair[1], pair[2])]
IsReflexive(R, S) == \A a \in S : R[a, a]
IsReflexiveUnder(op(_,_), S) == IsReflexive(Of(op, S), S)
IsIrreflexive(R, S) == \A a \in S : ~R[a, a]
IsIrreflexiveUnder(op(_,_), S) == IsIrreflexive(Of(op, S), S)
IsSymmetric(R, S) == \A a, b \in S : R[a, b] <=> R[b, a]
IsSymmetricUnder(op(_,_), S) == IsSymmetric(Of(op, S), S)
IsAntiSymmetric(R, S) == \A a, b \in S : R[a, b] /\ R[b, a] => a = b
IsAntiSymmetricUnder(op(_,_), S) == IsAntiSymmetric(Of(op, S), S)
IsAsymmetric(R, S) == \A a, b \in S : ~(R[a, b] /\ R[b, a])
IsAsymmetricUnder(op(_,_), S) == IsAsymmetric(Of(op, S), S)
IsTransitive(R, S) == \A a, b, c \in S : R[a, b] /\ R[b, c] => R[a, c]
IsTransitiveUnder(op(_,_), S) == IsTransitive(Of(op, S), S)
IsStrictlyPartiallyOrdered(R, S) == IsIrreflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsStrictlyPartiallyOrderedUnder(op(_,_), S) == IsStrictlyPartiallyOrdered(Of(op, S), S)
IsPartiallyOrdered(R, S) == IsReflexive(R, S) /\ IsAntiSymmetric(R, S) /\ IsTransitive(R, S)
IsPartiallyOrderedUnder(op(_,_), S) == IsPartiallyOrdered(Of(op, S), S)
IsStrictlyTotallyOrdered(R, S) ==
    IsStrictlyPartiallyOrdered(R, S) /\ \A a, b \in S : a # b => R[a, b] \/ R[b, a]
IsStrictlyTotallyOrderedUnder(op(_,_), S) == IsStrictlyTotallyOrdered(Of(op, S), S)
IsTotallyOrdered(R, S) == IsPartiallyOrdered(R, S) /\ \A a, b \in S : R[a, b] \/ R[b, a]
IsTotallyOrderedUnder(op(_,_), S) == IsTotallyOrdered(Of(op, S), S)
\* After n rounds, paths of up to 2^n steps are known.
TransitiveClosure(R, S) ==
    LET Reach[n \in 0..Cardinality(S)] ==
            IF n = 0 THEN [a, b \in S |-> R[a, b]]
            ELSE [a, b \in S |->
                     Reach[n - 1][a, b] \/ \E c \in S : Reach[n - 1][a, c] /\ Reach[n - 1][c, b]]
    IN Reach[Cardinality(S)]
ReflexiveTransitiveClosure(R, S) ==
    LET Reach == TransitiveClosure(R, S) IN [a, b \in S |-> a = b \/ Reach[a, b]]
IsConnected(R, S) == LET Reach == ReflexiveTransitiveClosure(R, S) IN \A a, b \in S : Reach[a, b]
=============================================================================
