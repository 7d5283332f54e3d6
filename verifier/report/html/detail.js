"use strict";
/* What is told of one step: what it changed, and the whole state. */
class Detail {
  static LONGEST = 120;  // characters of the values beside a demand

  constructor(trace, shown, link) {
    this.trace = trace;
    this.shown = shown;
    this.link = link;
    this.title = Page.make("h3", { "aria-live": "polite" });
    this.meaning = Page.make("div", { class: "meaning" });
    this.changes = Page.make("div");
    this.state = Page.make("div");
    this.more = Page.make("div", { class: "more", "aria-hidden": "true" }, "▾ more");
    this.aside = Page.make("div", { class: "detail", role: "group", "aria-label": "The step selected", tabindex: 0 }, this.title, this.meaning, this.changes, this.state, this.more);
    this.aside.addEventListener("scroll", () => this.say());
    this.aside.addEventListener("toggle", () => this.say(), true);
    new ResizeObserver(() => this.say()).observe(this.aside);
  }

  /* Says that there is more below, instead of ending in the middle of a line. */
  say() {
    const { scrollHeight, clientHeight, scrollTop } = this.aside;
    this.more.classList.toggle("seen", scrollHeight - clientHeight - scrollTop < 24);
  }

  show(step) {
    const { make } = Page, trace = this.trace, { changes } = trace.steps[step];
    this.title.replaceChildren(...Page.breakable(`${step} · ${trace.titleOf(step)}`), make("small", {}, trace.wordsOf(step)));
    this.meaning.replaceChildren(...Detail.told(trace.meaningOf(step)));
    const visible = changes.filter(({ place }) => this.shown(place));
    const layout = Detail.layout(visible.map((change) => trace.changedBy(change)));
    const rows = visible.map((change) => make("tr", {}, make("th", { scope: "row" }, ...Detail.named(trace.changedBy(change), layout)), make("td", { class: trace.assigns(change.place, step) && !(Trace.isLong(change) && trace.isInPart(change)) ? "wrong" : "" }, ...Detail.difference(trace, change))));
    const none = changes.length ? `${changes.length} changes, none of them shown` : "This step changes nothing.";
    const table = make("table", { class: `diff ${layout}`, "aria-label": "What the step changes" }, make("tbody", {}, ...rows));
    this.changes.replaceChildren(...this.watchedAt(step), ...(step === 0 ? [] : rows.length ? [table] : [make("p", {}, none)]), ...this.demandedAt(step));
    this.showState(step);
    this.say();
  }

  /* A documentation: of a long one the first sentence, and the rest to unfold. */
  static told(words) {
    const { make } = Page, first = /^.{20,}?[.:;](?=\s)/s.exec(words)?.[0] ?? words;
    if (words.length <= Detail.LONGEST * 2 || first === words) return words ? [make("p", {}, words)] : [];
    return [make("details", {}, make("summary", {}, first), make("p", {}, words.slice(first.length).trim()))];
  }

  /* Where the action of a step is written, and what it demanded of the state before. */
  demandedAt(step) {
    const { make } = Page, { demands, action } = this.trace.steps[step], written = step > 0 && this.trace.written[action];
    if (!written && demands.length === 0) return [];
    const lines = demands.map(([formula, where]) => make("li", where ? { title: where } : {}, make("code", {}, ...Page.unbroken(formula)), ...(where ? [make("small", {}, where.length > Detail.LONGEST ? `${where.slice(0, Detail.LONGEST - 1)}…` : where)] : [])));
    const head = make("summary", {}, "The action demands", ...(written ? [` (${written})`] : []));
    const all = make("details", { class: "demands" }, head, make("ul", {}, ...lines));
    all.open = this.demandsOpen ?? demands.length > 0;
    all.addEventListener("toggle", () => { if (demands.length) this.demandsOpen = all.open; });
    return demands.length ? [all] : [make("p", { class: "written" }, written)];
  }

  /* The value of what is watched, and the steps that change it. */
  watchedAt(step) {
    if (!this.watched) return [];
    const { make } = Page, { values } = this.watched;
    const others = [...values.keys()].filter((at) => at > 0 && values[at] !== values[at - 1]);
    const links = others.flatMap((at) => [" ", make("a", { href: this.link(at) }, String(at))]);
    return [make("p", { class: "watched" }, make("code", { title: this.watched.words }, this.watched.shortWords), " is ", make("b", {}, values[step]), make("small", {}, ...(links.length ? [` changes in step${links.length > 2 ? "s" : ""}`, ...links] : [" in all states"])))];
  }

  /* Long names share the room with their values, short ones need little of it; the longest stand above them. */
  static layout(names) {
    const longest = Math.max(0, ...names.map((name) => name.length));
    return longest <= 20 ? "short" : longest <= 36 ? "long" : "stacked";
  }

  /* A name; beside long ones it breaks between its parts. */
  static named(name, layout) {
    return layout === "short" ? [name] : Page.breakable(name, 8);
  }

  /* Both values; where they are long, what was gained and lost, and both values to unfold. */
  static difference(trace, change) {
    const { make } = Page, { before, after } = change, membership = trace.membership(change);
    if (membership) return [make("span", { class: "new" }, membership)];
    const both = [make("span", { class: "old" }, ...Page.unbroken(before.text)), " → ", make("span", { class: "new" }, ...Page.unbroken(after.text))];
    return Trace.isLong(change) ? [make("details", {}, make("summary", { class: "new" }, ...trace.deltaParts(change)), ...both)] : both;
  }

  /* A value; a long one with a line for each member, those that the step added marked. */
  static value(value, before, blamed = null) {
    if (!value.members) return Page.unbroken(value.text);
    const known = new Set(before?.members ?? (before ? [before.text.slice(1, -1)] : value.members));
    const kind = (member) => blamed?.includes(member) ? "wrong" : known.has(member) ? "" : blamed?.length === 0 ? "wrong" : "added";
    const items = value.members.map((member) => Page.make("li", { class: kind(member) }, ...Page.unbroken(member)));
    return [value.opening, Page.make("ul", { class: "members" }, ...items), value.closing];
  }

  showState(step) {
    const { make } = Page, trace = this.trace, values = trace.states[step];
    const changed = new Map(trace.steps[step].changes.map((change) => [change.place, change]));
    const open = this.state.querySelector("details")?.open ?? false;
    const cards = [], messages = [];
    const line = (place, name, layout) => {
      const wrong = trace.fails(place, step), { members } = values[place];
      const cell = make("td", {}, ...Detail.value(values[place], changed.get(place)?.before, wrong ? trace.wrong.get(place) : null));
      if (wrong) {
        const since = trace.writerOf(place, step) ?? 0;
        cell.append(make("span", { class: "since" }, " since ", make("a", { href: this.link(since) }, since === 0 ? "the first state" : `step ${since}`)));
      }
      // Of a long value only the members at fault are red, if they are known.
      const isInside = wrong && members && members.some((member) => trace.wrong.get(place).includes(member) || (changed.has(place) && !changed.get(place).before.members?.includes(member)));
      const kind = [changed.has(place) ? "changed" : "", wrong ? (isInside ? "holds-wrong" : "wrong") : ""].filter(Boolean).join(" ");
      return make("tr", { class: kind }, make("th", { scope: "row" }, ...Detail.named(name, layout)), cell);
    };
    trace.lanes.forEach((lane, number) => {
      const places = [...trace.places.keys()].filter((place) => trace.places[place][1] === number && this.shown(place));
      const own = places.filter((place) => !trace.places[place][2]);
      messages.push(...places.filter((place) => trace.places[place][2]));
      if (own.length === 0) return;
      const name = (place) => trace.member(place) ? `${trace.tla ? "\\in" : "∈"} ${trace.shortPath(place)}` : trace.shortPath(place);
      const layout = Detail.layout(own.map(name));
      const rows = own.map((place) => line(place, name(place), layout));
      if (trace.hasLanes) cards.push(make("h4", {}, Trace.title(lane)));
      cards.push(make("table", { class: layout, "aria-label": trace.hasLanes ? `State of ${Trace.title(lane)}` : "State" }, make("tbody", {}, ...rows)));
    });
    if (messages.length) {
      const rows = messages.map((place) => line(place, trace.places[place][0], "long"));
      const all = make("details", {}, make("summary", {}, `Messages in the state (${messages.length})`), make("table", { class: "long" }, make("tbody", {}, ...rows)));
      all.open = open;
      cards.push(all);
    }
    const title = trace.closes(step) ? `State ${trace.loop} again` : `State after step ${step}`;
    this.state.replaceChildren(make("h4", {}, step === 0 ? "The first state" : title), ...cards);
  }
}
