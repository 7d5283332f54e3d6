---- MODULE ReplicatedLog ----
(* A leader copies its log to followers, entry by entry. An entry is committed once a majority has it. *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS Followers, Values, MaxLength
VARIABLES
    leader,  \* the leader's log
    copies,  \* the log of each follower
    acked,   \* how many entries each follower has acknowledged
    commit   \* how many entries are committed

vars == <<leader, copies, acked, commit>>

Init ==
    /\ leader = <<>>
    /\ copies = [f \in Followers |-> <<>>]
    /\ acked = [f \in Followers |-> 0]
    /\ commit = 0

Write(v) ==
    /\ Len(leader) < MaxLength
    /\ leader' = Append(leader, v)
    /\ UNCHANGED <<copies, acked, commit>>

(* The follower stores the entry that follows those it has acknowledged. It may have the entry already. *)
Store(f) ==
    /\ acked[f] < Len(leader)
    /\ copies' = [copies EXCEPT ![f] = SubSeq(leader, 1, acked[f] + 1)]

Replicate(f) ==
    /\ Store(f)
    /\ acked' = [acked EXCEPT ![f] = @ + 1]
    /\ UNCHANGED <<leader, commit>>

(* The follower stores the entry, and the leader does not get the acknowledgement. *)
LoseAck(f) ==
    /\ Store(f)
    /\ UNCHANGED <<leader, acked, commit>>

IsCommitted(n) == 2 * (1 + Cardinality({f \in Followers : acked[f] >= n})) > 1 + Cardinality(Followers)

Commit ==
    /\ commit < Len(leader)
    /\ IsCommitted(commit + 1)
    /\ commit' = commit + 1
    /\ UNCHANGED <<leader, copies, acked>>

Next ==
    \/ \E v \in Values : Write(v)
    \/ \E f \in Followers : Replicate(f) \/ LoseAck(f)
    \/ Commit

Spec == Init /\ [][Next]_vars

CopiesArePrefixes == \A f \in Followers : copies[f] = SubSeq(leader, 1, Len(copies[f]))
====
