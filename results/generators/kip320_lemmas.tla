TypeOK ==
  /\ replicaLog \in [Replicas ->
       [endOffset : 0..LogSize, records : [0..(LogSize - 1) -> LogRecords \union {Nil}]]]
  /\ replicaState \in [Replicas -> ReplicaState]
  /\ nextRecordId \in 0..MaxRecords /\ nextLeaderEpoch \in 0..(MaxLeaderEpoch + 1)
  /\ leaderAndIsrRequests \subseteq QuorumState /\ quorumState \in QuorumState

Epochs == 0..MaxLeaderEpoch
BegunEpochs == 0..(MaxLeaderEpoch + 1)
EpochOf(r) == replicaState[r].leaderEpoch
HwOf(r) == replicaState[r].hw
InitialMember(k, y) ==
  \/ \E q \in leaderAndIsrRequests : q.leaderEpoch = k /\ y \in q.isr
  \/ k = nextLeaderEpoch /\ y \in quorumState.isr
IsReached(q) == q.leader # None /\ EpochOf(q.leader) >= q.leaderEpoch
Follows(f, x) == ReplicaPresumesLeadership(x) /\ ReplicaIsFollowing(f, x) /\ EpochOf(f) = EpochOf(x)
SameEntry(a, b, o) ==
  /\ ReplicaLog!HasOffset(a, o) /\ ReplicaLog!HasOffset(b, o)
  /\ ReplicaLog!GetRecordAtOffset(a, o) = ReplicaLog!GetRecordAtOffset(b, o)

RequestsAreBegun == \A q \in leaderAndIsrRequests : 0 <= q.leaderEpoch /\ q.leaderEpoch < nextLeaderEpoch
EpochsHaveRequests == \A k \in Epochs :
  k < nextLeaderEpoch => \E q \in leaderAndIsrRequests : q.leaderEpoch = k
EpochsAreBegun == \A r \in Replicas : EpochOf(r) < nextLeaderEpoch
OneRequest == \A q, p \in leaderAndIsrRequests : q.leaderEpoch = p.leaderEpoch => q = p
QuorumIsLast ==
  /\ quorumState.leaderEpoch = nextLeaderEpoch - 1
  /\ nextLeaderEpoch = 0 => quorumState.leader = None
  /\ \A q \in leaderAndIsrRequests : q.leaderEpoch = nextLeaderEpoch - 1 => quorumState.leader = q.leader
EpochFromRequest == \A r \in Replicas :
  /\ EpochOf(r) = -1 => replicaState[r].leader = None
  /\ EpochOf(r) >= 0 => \E q \in leaderAndIsrRequests :
       q.leaderEpoch = EpochOf(r) /\ q.leader # None /\ replicaState[r].leader = q.leader
LeaderCameFirst == \A r, x \in Replicas : replicaState[r].leader = x => EpochOf(x) >= EpochOf(r)
LeadersAreMembers ==
  /\ \A x \in Replicas : quorumState.leader = x => x \in quorumState.isr
  /\ \A q \in leaderAndIsrRequests, x \in Replicas : q.leader = x => x \in q.isr
LocalIsrHasLeader == \A r, x \in Replicas : replicaState[r].leader = x => x \in replicaState[r].isr
TrueLeaderAgrees == \A r \in Replicas : IsTrueLeader(r) => replicaState[r].isr = quorumState.isr
QuorumUntouched == \A q \in leaderAndIsrRequests :
  q.leaderEpoch = nextLeaderEpoch - 1 /\ ~IsReached(q) => quorumState.isr = q.isr
StaleIsrCovers == \A a, y \in Replicas, j \in BegunEpochs :
  ReplicaPresumesLeadership(a) /\ EpochOf(a) < j /\ InitialMember(j, y) =>
    \/ y \in replicaState[a].isr
    \/ \E q \in leaderAndIsrRequests :
         /\ IsReached(q) /\ EpochOf(a) < q.leaderEpoch /\ q.leaderEpoch < j
         /\ q.leader \in replicaState[a].isr
UnledOnlyShrinks == \A k \in Epochs, j \in BegunEpochs, y \in Replicas :
  k < j /\ InitialMember(j, y) =>
    \/ InitialMember(k, y)
    \/ \E q \in leaderAndIsrRequests :
         /\ IsReached(q) /\ k <= q.leaderEpoch /\ q.leaderEpoch < j
         /\ InitialMember(k, q.leader)
LaggardWasMember == \A k \in Epochs, j \in BegunEpochs, y \in Replicas :
  k < j /\ InitialMember(j, y) /\ EpochOf(y) < k => InitialMember(k, y)
HighWatermarkInLog == \A r \in Replicas : HwOf(r) <= ReplicaLog!GetEndOffset(r)
RecordsArePast == \A r \in Replicas, o \in ReplicaLog!Offsets : ReplicaLog!HasOffset(r, o) =>
  \E record \in LogRecords :
    /\ ReplicaLog!HasEntry(r, record, o) /\ record.id < nextRecordId /\ record.epoch <= EpochOf(r)
FollowerHasPrefix == \A f, x \in Replicas, o \in ReplicaLog!Offsets :
  Follows(f, x) /\ ReplicaLog!HasOffset(f, o) => SameEntry(f, x, o)
FollowerAhead == \A f, x \in Replicas, o \in ReplicaLog!Offsets :
  Follows(f, x) /\ HwOf(x) <= o /\ o < HwOf(f) =>
    \E record \in LogRecords : ReplicaLog!HasEntry(f, record, o) /\ record.epoch < EpochOf(x)
LogMatching == \A a, b \in Replicas, o, p \in ReplicaLog!Offsets :
  p < o /\ SameEntry(a, b, o) => SameEntry(a, b, p)
IsBlocked(k) == \E y \in Replicas : InitialMember(k, y) /\ EpochOf(y) < k - 1
Committed == \A r, z \in Replicas, j \in BegunEpochs, o \in ReplicaLog!Offsets :
  /\ InitialMember(j, z) /\ o < HwOf(r)
  /\ \A k \in BegunEpochs : j < k /\ k - 1 <= EpochOf(r) => IsBlocked(k)
  => SameEntry(r, z, o)
