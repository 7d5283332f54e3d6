"use strict";
/* The space-time diagram in its pane; `Variables` has the same methods. */
class Lanes {
  constructor(trace, shown) {
    this.trace = trace;
    this.shown = shown;
    this.pane = Page.make("div", { class: "pane diagram", tabindex: 0, role: "group", "aria-label": "Space-time diagram: arrow keys step and pan" });
    this.headHeight = 39;
  }

  draw() {
    const shown = (place) => !this.trace.places[place][2] && this.shown(place);
    const drawn = Diagram.draw(this.trace, shown, (this.pane.clientWidth || 900) - 2);
    this.rows = drawn.rows;
    const heads = Page.make("div", { class: "heads" });
    heads.style.width = `${drawn.heads.getAttribute("width")}px`;  // the policy forbids the attribute
    heads.append(drawn.heads);
    this.pane.replaceChildren(heads, drawn.svg);
    return this;
  }

  mark(step) {
    for (const row of this.pane.querySelectorAll("[data-step]")) row.classList.toggle("current", Number(row.dataset.step) === step);
    for (const arrow of this.pane.querySelectorAll(".arrow")) {
      arrow.classList.toggle("touched", arrow.dataset.sent === String(step) || arrow.dataset.received === String(step));
    }
  }
}
