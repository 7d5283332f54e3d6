"use strict";
/* The space-time diagram in its pane; `Variables` has the same methods. */
class Lanes {
  constructor(trace, shown) {
    this.trace = trace;
    this.shown = shown;
    this.pane = Page.make("div", { class: "pane diagram", tabindex: 0, role: "group", "aria-label": "Space-time diagram: arrow keys step and pan" });
    this.headHeight = 39;
    this.hidden = new Set();
    this.order = [...trace.lanes.keys()];
  }

  /* Boxes that show and hide lanes, and buttons that move them; the last lane stays. `changed` is called when they are others. */
  chooser(changed) {
    const { make, button } = Page, list = make("div");
    const line = (number) => {
      const box = make("input", { type: "checkbox" }), title = Trace.title(this.trace.lanes[number]);
      box.checked = !this.hidden.has(number);
      box.addEventListener("change", () => {
        if (box.checked) this.hidden.delete(number); else this.hidden.add(number);
        box.checked ||= this.hidden.size === this.trace.lanes.length;
        if (box.checked) this.hidden.delete(number);
        changed();
      });
      const up = button("↑", `Move ${title} to the left`, () => { this.moveLeft(number); fill(); changed(); list.children[this.order.indexOf(number)].querySelector("button").focus(); });
      return make("div", {}, make("label", {}, box, ` ${title}`), up);
    };
    const fill = () => list.replaceChildren(...this.order.map(line));
    fill();
    const summary = make("summary", {}, "Lanes …"), box = make("details", { class: "chooser" }, summary, list);
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !box.open) return;
      box.open = false;
      summary.focus();
    });
    return box;
  }

  moveLeft(number) {
    const at = this.order.indexOf(number);
    if (at > 0) this.order.splice(at - 1, 2, number, this.order[at - 1]);
  }

  draw() {
    const shown = (place) => !this.trace.places[place][2] && this.shown(place);
    const visible = this.order.filter((lane) => !this.hidden.has(lane));
    const drawn = Diagram.draw(this.trace, shown, visible, (this.pane.clientWidth || 900) - 2);
    this.rows = drawn.rows;
    this.headHeight = Number(drawn.heads.getAttribute("height")) + 1;
    const heads = Page.make("div", { class: "heads" });
    heads.style.width = `${drawn.heads.getAttribute("width")}px`;  // the policy forbids the attribute
    heads.append(drawn.heads);
    this.pane.replaceChildren(heads, drawn.svg);
    this.pane.onscroll = () => drawn.svg.style.setProperty("--across", `${this.pane.scrollLeft}px`);
    this.pane.onscroll();
    return this;
  }

  /* Where the mark of a step stands; after the last one, where the first of what fails stands with its words. */
  across(step, isLast) {
    const ring = isLast ? this.pane.querySelector(".ring") : null;
    const parts = ring ? [ring, ...this.pane.querySelectorAll(".verdict-row > .change")] : [...this.pane.querySelectorAll(`g.row[data-step="${step}"] .actor`)];
    if (parts.length === 0) return undefined;
    const start = this.pane.querySelector("svg:not(.lane-heads)").getBoundingClientRect().left;
    const { left } = parts[0].getBoundingClientRect();
    const ends = parts.map((part) => part.getBoundingClientRect()).filter((box) => box.left - left < this.pane.clientWidth / 2).map((box) => box.right);
    const at = { from: left - start - 8, to: Math.max(...ends) - start + 8 };
    const actor = ring && this.pane.querySelector(`g.row[data-step="${step}"] .actor`)?.getBoundingClientRect();
    if (!actor) return at;
    const both = { from: Math.min(at.from, actor.left - start - 8), to: Math.max(at.to, actor.right - start + 8) };
    return both.to - both.from <= this.pane.clientWidth ? both : at;
  }

  mark(step, found) {
    Page.markRows(this.pane, step, found);
    for (const arrow of this.pane.querySelectorAll(".arrow")) {
      arrow.classList.toggle("touched", arrow.dataset.sent === String(step) || arrow.dataset.received === String(step));
    }
  }
}
