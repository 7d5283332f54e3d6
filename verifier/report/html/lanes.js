"use strict";
/* The space-time diagram in its pane; `Variables` has the same methods. */
class Lanes {
  constructor(trace, shown) {
    this.trace = trace;
    this.shown = shown;
    this.pane = Page.make("div", { class: "pane diagram", tabindex: 0, role: "group", "aria-label": "Space-time diagram: arrow keys step and pan" });
    this.headHeight = 39;
    this.hidden = new Set();
  }

  /* Boxes that show and hide lanes; the last one stays. `changed` is called when lanes are others. */
  chooser(changed) {
    const { make } = Page;
    const boxes = this.trace.lanes.map((lane, number) => {
      const box = make("input", { type: "checkbox" });
      box.checked = true;
      box.addEventListener("change", () => {
        if (box.checked) this.hidden.delete(number); else this.hidden.add(number);
        box.checked ||= this.hidden.size === this.trace.lanes.length;
        if (box.checked) this.hidden.delete(number);
        changed();
      });
      return make("label", {}, box, ` ${Trace.title(lane)}`);
    });
    return make("details", { class: "chooser" }, make("summary", {}, "Choose lanes"), make("div", {}, ...boxes));
  }

  draw() {
    const shown = (place) => !this.trace.places[place][2] && this.shown(place);
    const visible = [...this.trace.lanes.keys()].filter((lane) => !this.hidden.has(lane));
    const drawn = Diagram.draw(this.trace, shown, visible, (this.pane.clientWidth || 900) - 2);
    this.rows = drawn.rows;
    const heads = Page.make("div", { class: "heads" });
    heads.style.width = `${drawn.heads.getAttribute("width")}px`;  // the policy forbids the attribute
    heads.append(drawn.heads);
    this.pane.replaceChildren(heads, drawn.svg);
    return this;
  }

  mark(step, found) {
    Page.markRows(this.pane, step, found);
    for (const arrow of this.pane.querySelectorAll(".arrow")) {
      arrow.classList.toggle("touched", arrow.dataset.sent === String(step) || arrow.dataset.received === String(step));
    }
  }
}
