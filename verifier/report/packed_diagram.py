"""The diagram of an execution in the form that the scripts of pages read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verifier.report.diagram import Demand, Diagram


def pack_diagram(
    diagram: Diagram,
    *,
    property_name: str | None,
    start: str = "initially",
    loop: int | None = None,
    documented: Mapping[str, str],
    written: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the diagram as JSON, in a compact form: each state is the changes from the state before it.

    A long value is the list of what opens it, its members, and what closes it. ``start``: what the first
    state is called. ``documented``: what the documentation says of each action. ``written``: where it stands.
    """
    demands: dict[Demand, int] = {}
    compact: dict[str, Any] = {
        "property": property_name,
        "start": start,
        "about_step": diagram.about_step,
        "loop": loop,
        "tla": diagram.is_tla,
        "sets": diagram.sets,
        "does": documented,
        "written": written,
        "participants": diagram.has_participants,
        "lanes": [[lane.name, lane.kind, lane.element] for lane in diagram.lanes],
        "places": [[place.path, place.lane, int(place.message), place.key] for place in diagram.places],
        "first": [parts or value for value, parts in zip(diagram.start, diagram.start_parts, strict=True)],
        "steps": [
            [
                step.action,
                step.parameters,
                step.lane,
                [[c.place, c.parts or c.after, *([c.delta] if c.delta else [])] for c in step.changes],
                [demands.setdefault(one, len(demands)) for one in step.demands],
            ]
            for step in diagram.steps
        ],
        "arrows": [
            [a.sender, a.receiver, a.sent, a.received, int(a.lost), int(a.directed), a.label]
            for a in diagram.arrows
        ],
        "at": diagram.fails_at,
        "failing": [
            [
                part.formula,
                part.witnesses,
                [
                    [one.path, one.value, one.places, one.members, *([1] if one.is_before else [])]
                    for one in part.blamed
                ],
                part.premises,
                *([part.states] if part.states else []),
            ]
            for part in (*diagram.failing, *diagram.unmet)
        ],
    }
    shown = [[one.formula, one.where] if one.where != one.formula else [one.formula] for one in demands]
    return {**compact, "demands": shown}
