----------------------------- MODULE FencedLock -----------------------------
(* A lock service gives leases, and a store is written by whoever holds one.  *)
(* A lease may run out while its holder is busy elsewhere and does not know.  *)
(* Each lease has a number.  With fencing, the store refuses a write that     *)
(* comes with a smaller number than the last one.                             *)
EXTENDS Naturals

CONSTANTS Client,   \* who writes
          Leases,   \* how many leases there are
          Fencing   \* whether the store looks at the number of the lease

VARIABLES free,     \* whether the service would give a lease
          given,    \* the number of the last lease
          lease,    \* the number of the lease that each client believes to have; 0: none
          last      \* the number that came with the last write

vars == <<free, given, lease, last>>

TypeOK == /\ free \in BOOLEAN
          /\ given \in 0..Leases
          /\ lease \in [Client -> 0..Leases]
          /\ last \in 0..Leases

Init == free = TRUE /\ given = 0 /\ lease = [c \in Client |-> 0] /\ last = 0

Acquire(c) == /\ free /\ given < Leases
              /\ free' = FALSE
              /\ given' = given + 1
              /\ lease' = [lease EXCEPT ![c] = given + 1]
              /\ UNCHANGED last

RunOut == ~free /\ free' = TRUE /\ UNCHANGED <<given, lease, last>>

Write(c) == /\ lease[c] > 0
            /\ Fencing => lease[c] >= last
            /\ last' = lease[c]
            /\ UNCHANGED <<free, given, lease>>

Release(c) == /\ lease[c] > 0
              /\ free' = IF lease[c] = given THEN TRUE ELSE free
              /\ lease' = [lease EXCEPT ![c] = 0]
              /\ UNCHANGED <<given, last>>

Next == RunOut \/ \E c \in Client : Acquire(c) \/ Write(c) \/ Release(c)

Spec == Init /\ [][Next]_vars /\ \A c \in Client : WF_vars(Release(c))

OneEach == \A c, d \in Client : lease[c] = lease[d] /\ lease[c] > 0 => c = d

InOrder == [][last' >= last]_vars

Released == \A c \in Client : lease[c] > 0 ~> lease[c] = 0
=============================================================================
