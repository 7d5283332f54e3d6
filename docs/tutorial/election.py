"""Servers elect leaders: in each term at most one."""

from verifier import Function, IndexSetConstant, IntegerConstant, Protocol, Range, Set, State, Step
from verifier import action, forall, free_or_expanded, function, if_, invariant


class Election(Protocol):
    """Whoever gets the votes of a majority leads in a term. Nobody votes in a term older than the last one."""

    servers = IndexSetConstant(5, kind="server")
    last_term = IntegerConstant(3, minimum=1)

    @property
    def terms(self):
        return Range(0, self.last_term)

    @property
    def groups(self):
        return Set(self.servers)

    def state(self):
        return State(term=Function(self.servers, self.terms), leaders=Function(self.terms, self.groups))

    def init(self, s):
        return forall(self.servers, lambda v: s.term[v] == 0) & forall(
            self.terms, lambda t: s.leaders[t].is_empty
        )

    @action(candidate="servers", term="terms", votes=free_or_expanded("groups"))
    def elect(self, s, candidate, term, votes):
        return Step(
            when=[
                votes.cardinality > self.servers.size // 2,
                forall(votes, lambda v: s.term[v] < term),
            ],
            then={
                s.term: function(self.servers, lambda v: if_(votes.contains(v), term, s.term[v])),
                s.leaders[term]: s.leaders[term].add(candidate),
            },
        )

    @invariant
    def one_leader(self, s):
        return forall(self.terms, lambda t: s.leaders[t].cardinality <= 1)
