"""Raft: servers elect a leader for a term, which replicates its log and commits what a majority has.

Source: Ongaro and Ousterhout, In Search of an Understandable Consensus Algorithm, USENIX ATC 2014,
https://raft.github.io/raft.pdf; Vanlightly/raft-tlaplus, ``specifications/standard-raft/Raft.tla``.
What is left out or written differently here:

- Messages stay once they were sent, so each may be received late, again or never. Therefore a follower cuts
  its log only at a conflict, and indices only grow, as in the paper.
- A leader sends any entry of its log, not the next one of each follower (``nextIndex``), so followers need
  not refuse. Refused votes are not sent either: they only tell a newer term, which requests tell too.
- A request goes to all servers. A term has one leader, so the messages of logs do not name it.
- Terms and the lengths of logs are bounded, not elections and restarts.
- What clients were told (``acked``) is left out: the properties speak of committed entries.
"""

from __future__ import annotations

from verifier import (
    BooleanConstant,
    Element,
    Enum,
    Fields,
    Formula,
    Function,
    IndexSetConstant,
    Integer,
    IntegerConstant,
    Members,
    Option,
    Protocol,
    Range,
    Record,
    Sequence,
    SequenceValue,
    Set,
    State,
    Step,
    action,
    comprehension,
    constantly,
    count,
    exists,
    field,
    forall,
    function,
    if_,
    invariant,
    lemma,
    maximum,
    member,
    minimum,
    reachable,
    some,
    step_invariant,
    variable,
)


class Role(Members):
    """What a server does."""

    FOLLOWER = member("follower")
    CANDIDATE = member("candidate")
    LEADER = member("leader")


class Entry(Fields):
    """An entry of a log."""

    def __init__(self, raft: Raft) -> None:
        self.term = field(raft.term)
        self.value = field(raft.value)


class VoteRequest(Fields):
    """A candidate asks for votes, and tells how far its log reaches."""

    def __init__(self, raft: Raft) -> None:
        self.mterm = field(raft.term)
        self.last_log_term = field(raft.term)
        self.last_log_index = field(raft.index)
        self.source = field(raft.server)


class Vote(Fields):
    """A server votes for a candidate."""

    def __init__(self, raft: Raft) -> None:
        self.mterm = field(raft.term)
        self.source = field(raft.server)
        self.dest = field(raft.server)


class AppendRequest(Fields):
    """A leader sends an entry, or none, with the entry before it, and tells what is committed."""

    def __init__(self, raft: Raft) -> None:
        self.mterm = field(raft.term)
        self.prev_log_index = field(raft.index)
        self.prev_log_term = field(raft.term)
        self.entry = field(Option(Record(Entry(raft))))
        self.commit_index = field(raft.index)


class AppendResponse(Fields):
    """A server has what the leader of the term has, up to an index."""

    def __init__(self, raft: Raft) -> None:
        self.mterm = field(raft.term)
        self.source = field(raft.server)
        self.match_index = field(raft.index)


class RaftState(State):
    """The servers, and the messages."""

    def __init__(self, raft: Raft) -> None:
        self.current_term = variable(Function(raft.server, raft.term))
        self.role = variable(Function(raft.server, Enum(Role)))
        self.voted_for = variable(Function(raft.server, Option(raft.server)))
        self.log = variable(Function(raft.server, Sequence(Record(Entry(raft)), raft.log_size)))
        self.commit_index = variable(Function(raft.server, raft.index))
        self.votes_granted = variable(Function(raft.server, Set(raft.server)))
        self.match_index = variable(Function(raft.server, Function(raft.server, raft.index)))
        self.vote_requests = variable(Set(Record(VoteRequest(raft))))
        self.votes = variable(Set(Record(Vote(raft))))
        self.append_requests = variable(Set(Record(AppendRequest(raft))))
        self.append_responses = variable(Set(Record(AppendResponse(raft))))


class Raft(Protocol, camel_case=True):
    """Logs do not diverge where they are committed, and a new leader has all that is committed."""

    server = IndexSetConstant(3, "who replicates the log", kind="server")
    value = IndexSetConstant(1, "what clients write", kind="value")
    max_term = IntegerConstant(2, "the last term", minimum=1)
    log_size = IntegerConstant(1, "how many entries a log holds", minimum=1)
    restarts = BooleanConstant(False, "servers restart")
    votes_once = BooleanConstant(True, "a server votes for one candidate in a term")

    @property
    def term(self) -> Range:
        """The terms; 0 before the first."""
        return Range(0, self.max_term)

    @property
    def index(self) -> Range:
        """The places in a log, from 1 on; 0 for none."""
        return Range(0, self.log_size)

    @property
    def vote_request(self) -> Record[VoteRequest]:
        """The requests for votes."""
        return Record(VoteRequest(self))

    @property
    def append_request(self) -> Record[AppendRequest]:
        """The requests to append entries."""
        return Record(AppendRequest(self))

    def is_quorum(self, size: Integer) -> Formula:
        """So many servers are a majority."""
        return size > self.server.size // 2

    def last_term(self, log: SequenceValue[Entry]) -> Integer:
        """The term of the last entry, or 0."""
        last_term: Integer = if_(log.is_empty, 0, log.last.term)
        return last_term

    def state(self) -> RaftState:
        return RaftState(self)

    def init(self, s: RaftState) -> list[Formula]:
        return [
            forall((s.current_term[i] == 0) & (s.role[i] == Role.FOLLOWER) for i in self.server),
            forall(s.voted_for[i].is_none & s.votes_granted[i].is_empty for i in self.server),
            forall(s.log[i].is_empty & (s.commit_index[i] == 0) for i in self.server),
            forall(s.match_index[i][j] == 0 for i in self.server for j in self.server),
            s.vote_requests.is_empty & s.votes.is_empty,
            s.append_requests.is_empty & s.append_responses.is_empty,
        ]

    @action(i="server")
    def restart(self, s: RaftState, i: Element) -> Step:
        """A server loses all but its term, its vote and its log."""
        return Step(
            when=constantly(self.restarts),
            then={
                s.role[i]: Role.FOLLOWER,
                s.votes_granted[i]: set(),
                s.match_index[i]: function(self.server, lambda j: 0, self.index),
                s.commit_index[i]: 0,
            },
        )

    @action(i="server")
    def request_vote(self, s: RaftState, i: Element) -> Step:
        """A server hears of no leader: it starts an election in a new term, and votes for itself."""
        term = s.current_term[i] + 1
        request = {
            "mterm": term,
            "last_log_term": self.last_term(s.log[i]),
            "last_log_index": s.log[i].length,
            "source": i,
        }
        return Step(
            when=[s.role[i] != Role.LEADER, s.current_term[i] < self.max_term],
            then={
                s.role[i]: Role.CANDIDATE,
                s.current_term[i]: term,
                s.voted_for[i]: i,
                s.votes_granted[i]: {i},
                s.vote_requests: s.vote_requests.add(request),
            },
        )

    @action(i="server")
    def become_leader(self, s: RaftState, i: Element) -> Step:
        """A candidate with the votes of a majority leads."""
        return Step(
            when=[s.role[i] == Role.CANDIDATE, self.is_quorum(s.votes_granted[i].cardinality)],
            then={s.role[i]: Role.LEADER, s.match_index[i]: function(self.server, lambda j: 0, self.index)},
        )

    @action(i="server", v="value")
    def client_request(self, s: RaftState, i: Element, v: Element) -> Step:
        """A leader appends what a client writes."""
        return Step(
            when=[s.role[i] == Role.LEADER, s.log[i].length < self.log_size],
            then={s.log[i]: s.log[i].append({"term": s.current_term[i], "value": v})},
        )

    @action(i="server")
    def advance_commit_index(self, s: RaftState, i: Element) -> Step:
        """A leader commits what a majority has, if that ends with an entry of its own term."""
        agreed = comprehension(
            index
            for index in self.index
            if (index > 0)
            & (index <= s.log[i].length)
            & self.is_quorum(count((k == i) | (s.match_index[i][k] >= index) for k in self.server))
        )
        return Step(
            when=[
                s.role[i] == Role.LEADER,
                ~agreed.is_empty,
                agreed.maximum > s.commit_index[i],
                s.log[i][agreed.maximum - 1].term == s.current_term[i],
            ],
            then={s.commit_index[i]: agreed.maximum},
        )

    @action(i="server", prev="index")
    def append_entries(self, s: RaftState, i: Element, prev: Integer) -> Step:
        """A leader sends the entry after some index, or none at the end of its log."""
        log = s.log[i]
        request = {
            "mterm": s.current_term[i],
            "prev_log_index": prev,
            "prev_log_term": if_(prev > 0, log[prev - 1].term, 0),
            "entry": if_(prev < log.length, some(log[prev]), None),
            "commit_index": minimum(s.commit_index[i], log.length, prev + 1),
        }
        return Step(
            when=[s.role[i] == Role.LEADER, prev <= log.length],
            then={s.append_requests: s.append_requests.add(request)},
        )

    @action(i="server", term="term")
    def update_term(self, s: RaftState, i: Element, term: Integer) -> Step:
        """A request with a newer term makes its receiver a follower in that term."""
        told = exists(m.mterm == term for m in s.vote_requests) | exists(
            m.mterm == term for m in s.append_requests
        )
        return Step(
            when=[term > s.current_term[i], told],
            then={s.current_term[i]: term, s.role[i]: Role.FOLLOWER, s.voted_for[i]: None},
        )

    @action(i="server", m="vote_request")
    def handle_request_vote_request(self, s: RaftState, i: Element, m: VoteRequest) -> Step:
        """A server votes, once in a term, for a candidate whose log reaches at least as far as its own."""
        last_term = self.last_term(s.log[i])
        log_ok = (m.last_log_term > last_term) | (
            (m.last_log_term == last_term) & (m.last_log_index >= s.log[i].length)
        )
        return Step(
            when=[
                s.vote_requests.contains(m),
                m.source != i,
                m.mterm == s.current_term[i],
                log_ok,
                s.voted_for[i].is_none | (s.voted_for[i] == m.source) | (not self.votes_once),
            ],
            then={
                s.voted_for[i]: m.source,
                s.votes: s.votes.add({"mterm": m.mterm, "source": i, "dest": m.source}),
            },
        )

    @action(i="server", j="server")
    def handle_request_vote_response(self, s: RaftState, i: Element, j: Element) -> Step:
        """A candidate counts a vote."""
        vote = {"mterm": s.current_term[i], "source": j, "dest": i}
        return Step(
            when=[s.role[i] == Role.CANDIDATE, s.votes.contains(vote)],
            then={s.votes_granted[i]: s.votes_granted[i].add(j)},
        )

    @action(i="server", m="append_request")
    def accept_append_entries_request(self, s: RaftState, i: Element, m: AppendRequest) -> Step:
        """A server whose log has the entry before puts the new one after it, and says so."""
        log, prev = s.log[i], m.prev_log_index
        log_ok = (prev == 0) | ((prev <= log.length) & (log[prev - 1].term == m.prev_log_term))
        has_entry = (prev < log.length) & (log[prev].term == m.entry.value.term)
        return Step(
            when=[
                s.append_requests.contains(m),
                m.mterm == s.current_term[i],
                s.role[i] != Role.LEADER,
                log_ok,
            ],
            then={
                s.role[i]: Role.FOLLOWER,
                s.log[i]: if_(m.entry.is_none | has_entry, log, log.truncate(prev).append(m.entry.value)),
                s.commit_index[i]: maximum(s.commit_index[i], m.commit_index),
                s.append_responses: s.append_responses.add(
                    {"mterm": m.mterm, "source": i, "match_index": if_(m.entry.is_none, prev, prev + 1)}
                ),
            },
        )

    @action(i="server", j="server", index="index")
    def handle_append_entries_response(self, s: RaftState, i: Element, j: Element, index: Integer) -> Step:
        """A leader learns how far a server has its log."""
        response = {"mterm": s.current_term[i], "source": j, "match_index": index}
        return Step(
            when=[
                s.role[i] == Role.LEADER,
                s.append_responses.contains(response),
                index > s.match_index[i][j],
            ],
            then={s.match_index[i][j]: index},
        )

    def same_at(self, s: RaftState, i: Element, j: Element, index: Integer) -> Formula:
        """Both logs have the same entry at an index."""
        return (
            (index <= s.log[i].length)
            & (index <= s.log[j].length)
            & (s.log[i][index - 1] == s.log[j][index - 1])
        )

    @invariant
    def one_leader_per_term(self, s: RaftState) -> Formula:
        """Two servers do not lead in the same term."""
        return forall(
            (s.current_term[i] == s.current_term[j]).implies(i == j)
            for i in self.server
            if s.role[i] == Role.LEADER
            for j in self.server
            if s.role[j] == Role.LEADER
        )

    @invariant
    def no_log_divergence(self, s: RaftState) -> Formula:
        """Two logs are the same where both are committed."""
        return forall(
            self.same_at(s, i, j, index)
            for i in self.server
            for j in self.server
            for index in self.index
            if (index > 0) & (index <= s.commit_index[i]) & (index <= s.commit_index[j])
        )

    def is_newest_leader(self, s: RaftState, i: Element) -> Formula:
        """The server leads, and none is in a later term."""
        return (s.role[i] == Role.LEADER) & forall(
            s.current_term[j] <= s.current_term[i] for j in self.server
        )

    @invariant
    def leader_has_all_committed(self, s: RaftState) -> Formula:
        """A leader, if no server is in a later term, has all that is committed anywhere."""
        return forall(
            self.same_at(s, i, j, index)
            for i in self.server
            if (s.role[i] == Role.LEADER)
            & forall(s.current_term[k] <= s.current_term[i] for k in self.server)
            for j in self.server
            for index in self.index
            if (index > 0) & (index <= s.commit_index[j])
        )

    @invariant
    def committed_entries_reach_majority(self, s: RaftState) -> Formula:
        """What a leader has committed is in the logs of a majority."""
        return forall(
            self.is_quorum(count(self.same_at(s, i, j, s.commit_index[i]) for j in self.server))
            for i in self.server
            if (s.role[i] == Role.LEADER) & (s.commit_index[i] > 0)
        )

    @step_invariant
    def terms_never_fall(self, s: RaftState, after: RaftState) -> Formula:
        """No server returns to an earlier term, nor changes its vote in a term."""
        return forall(
            (s.current_term[i] < after.current_term[i])
            | (
                (s.current_term[i] == after.current_term[i])
                & (s.voted_for[i].is_none | (s.voted_for[i] == after.voted_for[i]))
            )
            for i in self.server
        )

    @step_invariant
    def committed_entries_stay(self, s: RaftState, after: RaftState) -> Formula:
        """What a server knows to be committed stays in its log as it is."""
        return forall(
            (index <= after.log[i].length) & (after.log[i][index - 1] == s.log[i][index - 1])
            for i in self.server
            for index in self.index
            if (index > 0) & (index <= s.commit_index[i])
        )

    @reachable
    def commits(self, s: RaftState) -> Formula:
        """Something is committed."""
        return exists(s.commit_index[i] > 0 for i in self.server)

    # Why a term has one leader

    @lemma
    def votes_are_kept(self, s: RaftState) -> Formula:
        """A server that voted is in a later term, or still votes for the same candidate."""
        return forall(
            (s.current_term[m.source] > m.mterm)
            | ((s.current_term[m.source] == m.mterm) & (s.voted_for[m.source] == m.dest))
            for m in s.votes
        )

    @lemma
    def one_vote_per_term(self, s: RaftState) -> Formula:
        """A server votes for one candidate in a term."""
        return forall(
            m.dest == other.dest
            for m in s.votes
            for other in s.votes
            if (m.mterm == other.mterm) & (m.source == other.source)
        )

    @lemma
    def granted_votes_were_given(self, s: RaftState) -> Formula:
        """A candidate counts its own vote, and those that it was sent; a leader has a majority."""
        return forall(
            (s.role[i] == Role.FOLLOWER)
            | (
                (s.voted_for[i] == i)
                & forall(
                    (j == i) | s.votes.contains({"mterm": s.current_term[i], "source": j, "dest": i})
                    for j in s.votes_granted[i]
                )
                & ((s.role[i] == Role.CANDIDATE) | self.is_quorum(s.votes_granted[i].cardinality))
            )
            for i in self.server
        )

    @lemma
    def entries_have_a_place(self, s: RaftState) -> Formula:
        """An entry that is sent has a place in a log."""
        return forall(m.entry.is_none | (m.prev_log_index < self.log_size) for m in s.append_requests)
