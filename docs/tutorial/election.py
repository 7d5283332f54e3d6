"""Servers elect leaders, who replicate what they write."""

from verifier import (
    Function,
    IndexSetConstant,
    IntegerConstant,
    Protocol,
    Range,
    Set,
    State,
    Step,
    action,
    forall,
    free_or_expanded,
    function,
    if_,
    invariant,
)


class Election(Protocol):
    """Whoever gets the votes of a majority leads in a term. Nobody votes for a log shorter than the own."""

    servers = IndexSetConstant(4, kind="server")
    last_term = IntegerConstant(3, minimum=1)
    longest = IntegerConstant(2, minimum=1)

    @property
    def terms(self):
        return Range(0, self.last_term)

    @property
    def lengths(self):
        return Range(0, self.longest)

    @property
    def groups(self):
        return Set(self.servers)

    def state(self):
        return State(
            term=Function(self.servers, self.terms),
            log=Function(self.servers, self.lengths),
            leads=Function(self.servers, self.terms),
            committed=self.lengths,
        )

    def init(self, s):
        return forall(self.servers, lambda v: (s.term[v] == 0) & (s.leads[v] == 0) & (s.log[v] == 0)) & (
            s.committed == 0
        )

    @action(candidate="servers", votes=free_or_expanded("groups"))
    def elect(self, s, candidate, votes):
        term = s.term[candidate] + 1
        return Step(
            when=[
                s.term[candidate] < self.last_term,
                votes.contains(candidate),
                votes.cardinality > self.servers.size // 2,
                forall(votes, lambda v: (s.term[v] < term) & (s.log[v] <= s.log[candidate])),
            ],
            then={
                s.term: function(self.servers, lambda v: if_(votes.contains(v), term, s.term[v])),
                s.leads[candidate]: term,
            },
        )

    @action(leader="servers")
    def write(self, s, leader):
        return Step(
            when=[s.leads[leader] > 0, s.leads[leader] == s.term[leader], s.log[leader] < self.longest],
            then={s.log[leader]: s.log[leader] + 1},
        )

    @action(leader="servers", followers=free_or_expanded("groups"))
    def replicate(self, s, leader, followers):
        def put(old, new):
            return function(self.servers, lambda v: if_(followers.contains(v), new, old[v]))

        return Step(
            when=[
                s.leads[leader] > 0,
                followers.contains(leader),
                followers.cardinality > self.servers.size // 2,
                forall(followers, lambda v: s.term[v] <= s.leads[leader]),
                s.committed < s.log[leader],
            ],
            then={
                s.log: put(s.log, s.log[leader]),
                s.term: put(s.term, s.leads[leader]),
                s.committed: s.log[leader],
            },
        )

    @invariant
    def one_leader(self, s):
        def differ(a, b):
            return (a == b) | (s.leads[a] == 0) | (s.leads[a] != s.leads[b])

        return forall(self.servers, lambda a: forall(self.servers, lambda b: differ(a, b)))

    @invariant
    def last_leader_has_all(self, s):
        return forall(self.servers, lambda a: (s.leads[a] < self.last_term) | (s.log[a] >= s.committed))
