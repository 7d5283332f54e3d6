"use strict";
/* Steps through one trace: the diagram, what the step changed, and the whole state. */
class Explorer {
  constructor(host) {
    this.host = host;
    this.page = host.closest(".page").id;
    this.trace = JSON.parse(document.getElementById(host.dataset.trace).textContent);
    this.known = Diagram.understood(this.trace);
    this.last = this.trace.steps.length - 1;
    this.current = this.last;
    this.terms = [];
    this.build();
    this.redraw();
    this.select(this.current, false);
    let timer = null;
    new ResizeObserver(() => { clearTimeout(timer); timer = setTimeout(() => this.resized(), 120); }).observe(this.pane);
  }

  build() {
    const make = (name, attributes = {}, ...children) => {
      const made = document.createElement(name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      made.append(...children);
      return made;
    };
    this.make = make;
    const button = (text, label, act) => {
      const made = make("button", { type: "button", "aria-label": label, title: label }, text);
      made.addEventListener("click", act);
      return made;
    };
    this.where = make("a", { class: "where" });
    this.filter = make("input", { type: "search", placeholder: "all variables", list: `${this.page}-variables`, size: 16 });
    this.filter.addEventListener("input", () => this.filtered());
    const variables = [...new Set(this.trace.places.map(([path]) => path.split(/[[.]/)[0]))];
    const bar = make("div", { class: "bar-steps", role: "toolbar", "aria-label": "Steps" },
      button("|◀", "First state (Home)", () => this.select(0)),
      button("◀", "Step back (k or arrow up)", () => this.select(this.current - 1)),
      this.where,
      button("▶", "Next step (j or arrow down)", () => this.select(this.current + 1)),
      button("▶|", "Last state (End)", () => this.select(this.last)),
      make("label", {}, "Show only ", this.filter),
      make("datalist", { id: `${this.page}-variables` }, ...variables.map((name) => make("option", { value: name }))),
      make("span", { class: "keys" }, make("kbd", {}, "j"), " ", make("kbd", {}, "k"), " or arrows step, ", make("kbd", {}, "Home"), " ", make("kbd", {}, "End")));
    this.pane = make("div", { class: "diagram", tabindex: 0, role: "group", "aria-label": "Space-time diagram: arrow keys step" });
    this.pane.addEventListener("click", (event) => {
      const row = event.target.closest("[data-step]");
      if (row) this.select(Number(row.dataset.step));
    });
    this.detail = make("aside", { class: "detail", "aria-label": "The step selected", tabindex: 0 });
    this.title = make("h3", { "aria-live": "polite" });
    this.changes = make("div");
    this.state = make("div");
    this.detail.append(this.title, this.changes, this.state);
    this.fallback = make("details", { class: "fallback" }, make("summary", {}, "The execution as a table"));
    this.fallback.addEventListener("toggle", () => this.tabulate());
    this.host.replaceChildren(bar, make("div", { class: "split" }, this.pane, this.detail), this.fallback);
  }

  shown(place) {
    return this.terms.length === 0 || this.terms.some((term) => this.trace.places[place][0].includes(term));
  }

  filtered() {
    this.terms = this.filter.value.split(/[\s,]+/).filter(Boolean);
    this.redraw();
    this.select(this.current, false);
  }

  resized() {
    if (this.pane.clientWidth > 0 && Math.abs(this.pane.clientWidth - this.width) > 8) {
      this.redraw();
      this.select(this.current, false);
    }
  }

  redraw() {
    this.width = this.pane.clientWidth || 900;
    this.host.style.setProperty("--above", `${Math.round(this.pane.getBoundingClientRect().top + scrollY)}px`);
    const shown = (place) => !this.trace.places[place][2] && this.shown(place);
    const drawn = Diagram.draw(this.trace, this.known, shown, this.width - 2);
    this.rows = drawn.rows;
    const heads = this.make("div", { class: "heads" });
    heads.style.width = `${drawn.heads.getAttribute("width")}px`;  // the policy forbids the attribute
    heads.append(drawn.heads);
    this.pane.replaceChildren(heads, drawn.svg);
  }

  /* Shows a step; `linked` puts it into the address, so that it can be passed on. */
  select(step, linked = true) {
    this.current = Math.max(0, Math.min(this.last, step));
    for (const row of this.pane.querySelectorAll("[data-step]")) row.classList.toggle("current", Number(row.dataset.step) === this.current);
    for (const arrow of this.pane.querySelectorAll(".arrow")) {
      arrow.classList.toggle("touched", arrow.dataset.sent === String(this.current) || arrow.dataset.received === String(this.current));
    }
    const address = `#${this.page}/step-${this.current}`;
    const back = Diagram.closes(this.trace, this.current) ? `, back to state ${this.trace.loop}` : "";
    this.where.textContent = `step ${this.current} of ${this.last}${back}`;
    this.where.href = address;
    if (linked) history.replaceState(null, "", address);
    this.reveal();
    this.describe();
  }

  reveal() {
    const { top, height } = this.rows[this.current];
    const head = this.pane.querySelector(".heads").offsetHeight;
    const slack = this.current === this.last ? 90 : 24;
    if (top < this.pane.scrollTop + 10) this.pane.scrollTop = Math.max(0, top - 40);
    else if (top + height + head + slack > this.pane.scrollTop + this.pane.clientHeight) this.pane.scrollTop = top + height + head + slack - this.pane.clientHeight;
  }

  describe() {
    const make = this.make, [action, parameters, , changes] = this.trace.steps[this.current];
    const words = parameters.map(([name, value]) => `${name}=${value}`).join(", ");
    this.title.replaceChildren(this.current === 0 ? `0 · ${this.trace.start}` : `${Diagram.numberOf(this.trace, this.current)} · ${action}`, make("small", {}, words));
    const visible = changes.filter(([place]) => this.shown(place));
    const rows = visible.map((change) => make("tr", {}, make("th", { scope: "row" }, this.trace.places[change[0]][0]), make("td", {}, ...this.difference(change, this.current))));
    const none = changes.length ? `${changes.length} changes, none of them shown` : "nothing changes";
    const table = make("table", { class: "diff", "aria-label": "What the step changes" }, make("tbody", {}, ...rows));
    this.changes.replaceChildren(...(this.current === 0 ? [] : rows.length ? [table] : [make("p", {}, none)]));
    this.describeState();
  }

  /* Both values; where they are long, what was gained and lost, and both values to unfold. */
  difference(change, step) {
    const make = this.make, [place, after, delta] = change, before = this.known.states[step - 1][place];
    const both = [make("span", { class: "old" }, before), " → ", make("span", { class: "new" }, after)];
    if (!Diagram.isLong(before, change)) return both;
    return [make("details", {}, make("summary", { class: "new" }, delta), ...both)];
  }

  describeState() {
    const make = this.make, values = this.known.states[this.current];
    const changed = new Set(this.trace.steps[this.current][3].map(([place]) => place));
    const open = this.state.querySelector("details")?.open ?? false;
    const cards = [];
    const messages = [];
    const line = (place, name) => {
      const wrong = this.current === this.last && this.known.wrong.has(place);
      const kind = [changed.has(place) ? "changed" : "", wrong ? "wrong" : ""].join(" ");
      const cells = [make("th", { scope: "row" }, name), make("td", {}, values[place])];
      if (wrong) {
        const step = this.known.writer.get(place) ?? 0;
        const link = make("a", { href: `#${this.page}/step-${step}` }, `step ${step}`);
        cells[1].append(make("span", { class: "since" }, " since ", link));
      }
      return make("tr", { class: kind }, ...cells);
    };
    this.trace.lanes.forEach((of, lane) => {
      const places = [...this.trace.places.keys()].filter((place) => this.trace.places[place][1] === lane && this.shown(place));
      const own = places.filter((place) => !this.trace.places[place][2]);
      messages.push(...places.filter((place) => this.trace.places[place][2]));
      if (own.length) {
        const rows = own.map((place) => line(place, Diagram.shortPath(this.trace, place)));
        cards.push(make("h4", {}, Diagram.title(of)), make("table", { "aria-label": `State of ${Diagram.title(of)}` }, make("tbody", {}, ...rows)));
      }
    });
    if (messages.length) {
      const rows = messages.map((place) => line(place, this.trace.places[place][0]));
      const all = make("details", {}, make("summary", {}, `Messages in the state (${messages.length})`), make("table", {}, make("tbody", {}, ...rows)));
      all.open = open;
      cards.push(all);
    }
    this.state.replaceChildren(make("h4", {}, Diagram.closes(this.trace, this.current) ? `State ${this.trace.loop} again` : `State after step ${this.current}`), ...cards);
  }

  /* The same without a drawing: for screen readers, for print, for copying. */
  tabulate() {
    if (!this.fallback.open || this.fallback.querySelector("table")) return;
    const make = this.make;
    const arrows = (step) => this.trace.arrows.filter(([, , sent, received]) => sent === step || received === step).map(([from, to, sent, received, lost, , label]) => {
      const ends = `${Diagram.title(this.trace.lanes[from])} → ${Diagram.title(this.trace.lanes[to])}`;
      const fate = lost ? "lost" : sent === received ? "" : received === step ? `received, sent in step ${sent}` : "sent";
      return [label, ends, fate].filter(Boolean).join(" ");
    });
    const rows = this.trace.steps.map(([action, parameters, lane, changes], step) => {
      const words = step === 0 ? this.trace.start : `${action}(${parameters.map(([name, value]) => `${name}=${value}`).join(", ")})`;
      const changed = changes.map((change) => make("div", {}, `${this.trace.places[change[0]][0]}: `, ...this.difference(change, step)));
      return make("tr", {}, make("th", { scope: "row" }, make("a", { href: `#${this.page}/step-${step}` }, Diagram.numberOf(this.trace, step))), make("td", {}, step === 0 ? "" : Diagram.title(this.trace.lanes[lane])),
        make("td", {}, words), make("td", {}, ...changed), make("td", {}, ...arrows(step).map((text) => make("div", {}, text))));
    });
    const heads = ["step", "who", "action", "changes", "messages"].map((name) => make("th", { scope: "col" }, name));
    this.fallback.append(make("div", { class: "scroll" }, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows))));
  }
}
