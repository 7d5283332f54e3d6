"use strict";
/* Steps through one trace: by lanes or by variables, with what the step changed and the whole state. */
class Explorer {
  static VIEWS = { lanes: "Lanes", variables: "Variables", beside: "Side by side" };
  static LONGEST_PATH = 18;  // characters of the example of what is watched
  static NARROW = "(max-width: 1000px)";

  constructor(host) {
    this.host = host;
    this.page = host.closest(".page").id;
    this.trace = new Trace(JSON.parse(document.getElementById(host.dataset.trace).textContent));
    this.last = this.trace.last;
    this.current = this.trace.at;
    this.terms = [];
    this.matches = [];
    const shown = (place) => this.shown(place), link = (step) => this.address(step);
    this.watched = null;
    const others = this.others();
    this.views = {
      ...(this.trace.hasLanes ? { lanes: new Lanes(this.trace, shown) } : {}),
      variables: new Variables(this.trace, shown, link),
      ...(others.length ? { beside: new Beside(this.trace, host.closest(".page").dataset.label, shown, others, link) } : {}),
    };
    this.detail = new Detail(this.trace, shown, link);
    this.build();
    this.look(Object.keys(this.views)[0]);
    let timer = null;
    new ResizeObserver(() => { clearTimeout(timer); timer = setTimeout(() => this.resized(), 120); }).observe(this.host);
  }

  get view() {
    return this.views[this.looking];
  }

  /* The other executions of the report, which are read when they are looked at. */
  others() {
    if (Packed.columns) {
      const { addresses } = JSON.parse(document.getElementById("rows").textContent);
      return Packed.executions().filter(({ number }) => addresses[number] !== this.page).map(({ number, title, trace }) => ({ page: addresses[number], title, trace: () => new Trace(JSON.parse(trace())) }));
    }
    return [...document.querySelectorAll(".explorer")].filter((host) => host !== this.host).map((host) => {
      const page = host.closest(".page"), { trace } = host.dataset;
      return { page: page.id, title: page.dataset.title, trace: () => new Trace(JSON.parse(document.getElementById(trace).textContent)) };
    });
  }

  address(step) {
    const view = this.looking === Object.keys(this.views)[0] ? null : this.looking;
    return Address.make(this.page, { step, view }, { show: this.terms.join(","), watch: this.watched ? this.watched.words : "" });
  }

  build() {
    const { make, button } = Page;
    this.where = make("a", { class: "where" });
    this.filter = make("input", { type: "search", placeholder: "all variables", list: `${this.page}-variables`, size: 12 });
    this.filter.addEventListener("input", () => this.filtered());
    this.search = make("input", { type: "search", placeholder: "an action, a value", size: 15, title: "Enter goes to the next step that has all these words" });
    this.search.addEventListener("input", () => this.sought());
    this.search.addEventListener("keydown", (event) => { if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1); });
    this.count = make("span", { class: "count", role: "status" });
    const paths = [...this.trace.wrong.keys(), ...this.trace.places.keys()].map((place) => this.trace.member(place)?.set ?? this.trace.places[place][0]);
    const path = paths.find((one) => one.length <= Explorer.LONGEST_PATH), example = path ? `${path} = …` : "an expression";
    this.watching = make("input", { type: "search", placeholder: example, size: Math.max(11, example.length + 1), title: "An expression over the state: parts, numbers, = < ∈ and or not, length(…)" });
    this.watching.addEventListener("input", () => this.watch());
    this.complaint = make("span", { class: "count complaint", role: "status" });
    this.tabs = Object.keys(this.views).map((name) => button(Explorer.VIEWS[name], `Show the ${name}`, () => this.look(name, true), { "data-view": name }));
    const bar = make("div", { class: "bar-steps", role: "toolbar", "aria-label": "Steps" },
      button("|◀", "First state (Home)", () => this.select(0)),
      button("◀", "Step back (k or arrow up)", () => this.select(this.current - 1)),
      this.where,
      button("▶", "Next step (j or arrow down)", () => this.select(this.current + 1)),
      button("▶|", "Last state (End)", () => this.select(this.last)),
      ...(this.tabs.length > 1 ? [make("span", { class: "views", role: "group", "aria-label": "Views" }, ...this.tabs)] : []));
    const boxes = make("div", { class: "bar-tools" },
      make("label", {}, "Only ", this.filter),
      make("label", {}, "Find ", this.search), this.count,
      make("label", {}, "Watch ", this.watching), this.complaint,
      ...("lanes" in this.views ? [this.views.lanes.chooser(() => this.look("lanes"))] : []),
      make("datalist", { id: `${this.page}-variables` }, ...this.trace.variables.map((name) => make("option", { value: name }))));
    this.tools = make("details", { class: "tools-box" }, make("summary", {}, "Show, find, watch"), boxes);
    for (const view of Object.values(this.views)) {
      view.pane.addEventListener("click", (event) => {
        const row = event.target.closest("[data-step], [data-after]");
        if (row && !event.target.closest("button, a")) this.select(Number(row.dataset.step ?? row.dataset.after));
      });
    }
    this.fallback = make("details", { class: "fallback" }, make("summary", {}, "The execution as a list"));
    this.fallback.addEventListener("toggle", () => this.tabulate());
    this.legend = make("ul", { class: "legend marks", "aria-label": "What the marks mean" });
    this.split = make("div", { class: "split" }, ...Object.values(this.views).map((view) => view.pane), this.legend, this.detail.aside);
    const keys = make("span", { class: "keys" }, "in the drawing ", make("kbd", {}, "j"), " ", make("kbd", {}, "k"), " ", make("kbd", {}, "↑"), " ", make("kbd", {}, "↓"), " step, ", make("kbd", {}, "←"), " ", make("kbd", {}, "→"), " pan");
    const under = make("div", { class: "bar-under" }, ...this.copies(), keys);
    this.host.replaceChildren(make("div", { class: "bars" }, bar, this.tools), this.split, under, this.fallback);
    this.host.addEventListener("keydown", (event) => this.pressed(event));
    this.tools.open = !matchMedia(Explorer.NARROW).matches;
    matchMedia(Explorer.NARROW).addEventListener("change", ({ matches }) => { this.tools.open = !matches; });
  }

  /* Watches what was typed in; what cannot be read is said, and not watched. */
  watch(linked = true) {
    const words = this.watching.value.trim();
    this.complaint.textContent = "";
    try {
      this.watched = words ? new Watch(this.trace, words) : null;
    } catch (error) {
      this.watched = null;
      this.complaint.textContent = error.message;
    }
    this.views.variables.watched = this.detail.watched = this.watched;
    this.redraw();
    this.select(this.current, linked);
  }

  /* Watches an expression of an address. */
  watchFor(words) {
    if (this.watching.value === words) return;
    this.watching.value = words;
    this.watch(false);
  }

  copies() {
    const { itf, packedItf } = this.host.dataset, whole = document.getElementById(itf);
    const buttons = [Copying.button("text", () => Copying.text(this.trace))];
    const refused = this.trace.start === "initially" ? [] : [Page.make("small", { class: "refused" }, "It begins in a state that may be unreachable, so verify replay refuses the ITF.")];
    if (packedItf) return [...buttons, Copying.button("ITF", () => Copying.packed(Number(packedItf))), ...refused];
    return whole ? [...buttons, Copying.button("ITF", () => whole.textContent), ...refused] : buttons;
  }

  /* Keys belong to the explorer while it has the focus. */
  pressed(event) {
    const pan = { ArrowLeft: -80, ArrowRight: 80 }[event.key];
    const steps = { ArrowDown: this.current + 1, j: this.current + 1, ArrowUp: this.current - 1, k: this.current - 1, Home: 0, End: this.last };
    const typing = event.target.closest("input, textarea, select, .detail, .fallback");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (pan === undefined && !(event.key in steps)) return;
    event.preventDefault();
    if (pan === undefined) this.select(steps[event.key]);
    else this.view.pane.scrollLeft += pan;
  }

  /* Marks the steps that have the words looked for, and goes to the nearest that follows. */
  sought() {
    this.matches = this.trace.having(this.search.value.toLowerCase().split(/[\s,]+/).filter(Boolean));
    this.select(this.matches.find((step) => step >= this.current) ?? this.matches[0] ?? this.current);
    this.say();
  }

  say() {
    const place = this.matches.indexOf(this.current);
    const found = this.matches.length ? `${place < 0 ? "" : `${place + 1} of `}${this.matches.length}` : "no step";
    this.count.textContent = this.search.value.trim() ? found : "";
  }

  /* Goes to the next step that was looked for, or to the one before. */
  next(way) {
    const ordered = way > 0 ? this.matches : [...this.matches].reverse();
    const after = ordered.find((step) => way * (step - this.current) > 0) ?? ordered[0];
    if (after !== undefined) this.select(after);
  }

  /* Shows another view of the trace. */
  look(name, linked = false) {
    if (!(name in this.views)) return;
    const differs = name === "beside" && this.looking !== name ? this.views.beside.draw().firstDifference : null;
    this.looking = name;
    if (differs !== null) this.current = differs;
    for (const [other, view] of Object.entries(this.views)) view.pane.hidden = other !== name;
    for (const tab of this.tabs) tab.setAttribute("aria-pressed", String(tab.dataset.view === name));
    this.split.classList.toggle("beside-table", name === "variables");
    this.redraw();
    this.select(this.current, linked);
  }

  shown(place) {
    return this.terms.length === 0 || this.terms.some((term) => this.trace.places[place][0].includes(term));
  }

  filtered(linked = true) {
    this.terms = this.filter.value.split(/[\s,]+/).filter(Boolean);
    this.redraw();
    this.select(this.current, linked);
  }

  /* Shows the variables with these parts of names, as typed into the filter. */
  showOnly(words) {
    if (this.filter.value === words) return;
    this.filter.value = words;
    this.filtered(false);
  }

  resized() {
    if (this.host.clientWidth > 0 && Math.abs(this.host.clientWidth - this.width) > 8) {
      this.redraw();
      this.select(this.current, false);
    }
  }

  redraw() {
    const { pane } = this.view;
    this.width = this.host.clientWidth;
    this.host.style.setProperty("--above", `${Math.round(pane.getBoundingClientRect().top + scrollY)}px`);
    this.view.draw();
    this.legend.replaceChildren(...Legend.of(pane));
    this.fit();
  }

  /* Makes the pane so high that it ends with the last row and begins with a whole one, where that costs little. */
  fit() {
    const { pane, rows, headHeight } = this.view;
    pane.style.maxHeight = pane.style.paddingBottom = "";
    const limit = parseFloat(getComputedStyle(pane).maxHeight), border = pane.offsetHeight - pane.clientHeight;
    const end = pane.scrollHeight - headHeight, room = limit - border - headHeight;
    const first = end > room ? rows.find(({ top }) => top >= end - room) : undefined;
    const least = matchMedia(Explorer.NARROW).matches ? 0.4 : 0.7;  // on a telephone there is no band below the last row
    if (first && end - first.top > room * least) pane.style.maxHeight = `${end - first.top + 6 + headHeight + border}px`;
    this.host.style.setProperty("--pane", `${pane.offsetHeight}px`);
  }

  /* Shows a step; `linked` puts it into the address, so that it can be passed on. */
  select(step, linked = true) {
    this.current = Math.max(0, Math.min(this.last, step));
    this.view.mark(this.current, new Set(this.matches));
    if (this.matches.length > 0) this.say();
    const back = this.trace.closes(this.current) ? [Page.make("span", { class: "broad" }, `, back to state ${this.trace.loop}`)] : [];
    this.where.replaceChildren(`step ${this.current} of ${this.last}`, ...back);
    this.where.href = this.address(this.current);
    if (linked) Address.show(this.address(this.current));
    this.reveal();
    this.detail.show(this.current);
  }

  /* Scrolls so that the step is seen, with the verdict after the last one, and so that no row is cut above. */
  reveal() {
    const { pane, headHeight } = this.view;
    let at = pane.scrollTop;
    pane.style.paddingBottom = "0";
    const { rows } = this.view, { top, height } = rows[this.current], room = pane.clientHeight - headHeight;
    const end = pane.scrollHeight - headHeight, bottom = this.current === this.last ? end : top + height + 8;
    if (top < at) at = rows[Math.max(0, this.current - 1)].top;
    else if (bottom > at + room + 1) at = Math.min((rows.find((row) => row.top >= bottom - room) ?? rows[this.current]).top, top);
    if (this.current === this.last && end > at + room + 1) at = end - room;  // what fails is seen, and not the whole step
    pane.style.paddingBottom = `${Math.max(0, at + room - end)}px`;
    pane.scrollTop = at;
    this.revealAcross();
  }

  /* Scrolls to the lane of the participant that acts, or of what fails, if lanes do not fit side by side. */
  revealAcross() {
    const { pane } = this.view, at = this.view.across?.(this.current, this.current === this.last);
    if (at === undefined || pane.scrollWidth <= pane.clientWidth) return;
    const isSeen = at.from >= pane.scrollLeft && at.to <= pane.scrollLeft + pane.clientWidth;
    if (!isSeen) pane.scrollLeft = Math.max(0, Math.min(at.from - 40, Math.max(at.to - pane.clientWidth, at.from - 80)));  // with the lane's head
  }

  /* Brings the drawing into view, for a link that leads to a step. */
  bringIntoView() {
    const { top, bottom } = this.view.pane.getBoundingClientRect();
    if (top < 0 || bottom - 60 > innerHeight) this.host.scrollIntoView({ block: "start" });
  }

  /* The same without a drawing: for screen readers, for print, for copying. */
  tabulate() {
    if (!this.fallback.open || this.fallback.querySelector("table")) return;
    const { make } = Page, trace = this.trace;
    const arrows = (step) => trace.arrows.filter(([, , sent, received]) => sent === step || received === step).map(([from, to, sent, received, lost, , label]) => {
      const ends = `${Trace.title(trace.lanes[from])} → ${Trace.title(trace.lanes[to])}`;
      const fate = lost ? "lost" : sent === received ? "" : received === step ? `received, sent in step ${sent}` : "sent";
      return [label, ends, fate].filter(Boolean).join(" ");
    });
    const cells = (step) => ({
      who: step === 0 ? "" : Trace.title(trace.lanes[trace.steps[step].lane]),
      messages: arrows(step).map((text) => make("div", {}, text)),
      changes: trace.steps[step].changes.map((change) => make("div", {}, `${trace.changedBy(change)}: `, ...Detail.difference(trace, change))),
      action: trace.closes(step) ? `${trace.callOf(step)}, which leads back to state ${trace.loop}` : trace.callOf(step),
    });
    const names = ["action", "changes", ...(trace.hasLanes ? ["who"] : []), ...(trace.arrows.length ? ["messages"] : [])];
    const rows = trace.steps.map((_, step) => {
      const found = cells(step), link = make("a", { href: this.address(step) }, String(step));
      return make("tr", {}, make("th", { scope: "row" }, link), ...names.map((name) => make("td", {}, ...[found[name]].flat())));
    });
    const heads = ["step", ...names].map((name) => make("th", { scope: "col" }, name));
    this.fallback.append(make("div", { class: "scroll", tabindex: 0 }, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows))));
  }
}
