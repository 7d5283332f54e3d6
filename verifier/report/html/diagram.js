"use strict";
/* A trace as a space-time diagram: lanes side by side, time downwards, messages as arrows. */
const Diagram = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LINE = 13, ABOVE = 19, MOST_LINES = 8, MOST_OF_ONE = 5, MOST_OF_PARAMETERS = 4, MOST_OF_HEADS = 3, NARROWEST = 38, MORE = 0.5;  // the last lane has more room, since nothing is beside it
  const FONT = 'system-ui, "Segoe UI", Roboto, sans-serif';
  const FONTS = { change: `11.5px ${FONT}`, wrong: `700 11.5px ${FONT}`, action: `600 12px ${FONT}`, parameters: `12px ${FONT}`, message: `11px ${FONT}`, lane: `700 14px ${FONT}` };
  const pen = document.createElement("canvas").getContext("2d");

  function element(name, attributes = {}, text = null) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== null) made.textContent = text;
    return made;
  }

  function widthOf(text, font) {
    pen.font = FONTS[font];
    return pen.measureText(text).width;
  }

  /* A text that fits into the room; what is cut has its full text on hover. */
  function cut(text, room, font) {
    return widthOf(text, font) <= room ? text : `${text.slice(0, fitting(text, room, font, "…"))}…`;
  }

  /* How many characters of a text fit into the room, with what follows them; at least one. */
  function fitting(text, room, font, after = "") {
    let least = 1, most = text.length;
    while (least < most) {
      const middle = Math.ceil((least + most) / 2);
      if (widthOf(`${text.slice(0, middle)}${after}`, font) <= room) least = middle; else most = middle - 1;
    }
    return least;
  }

  /* A text in lines that fit into the room; the last one is cut if there would be too many. */
  function wrap(text, room, font, most = MOST_OF_ONE) {
    const lines = [];
    let rest = text;
    while (rest && lines.length < most - 1 && widthOf(rest, font) > room) {
      const fits = fitting(rest, room, font), start = rest.slice(0, fits + 1);
      // Between words where that is possible, else between the parts of a name.
      const space = start.lastIndexOf(" "), part = start.slice(0, -1).search(/[_.[-][^_.[-]*$/), word = start.search(/[a-z][A-Z][^A-Z]*$/);
      const end = space > fits / 4 ? space : part > fits / 4 ? part + (start[part] === "[" ? 0 : 1) : word > fits / 4 ? word + 1 : fits;
      lines.push(rest.slice(0, end));
      rest = `  ${rest.slice(end).trimStart()}`;
    }
    return [...lines, cut(rest, room, font)];
  }

  function text(at, words, full = words) {
    const made = element("text", at, words);
    if (words !== full) made.append(element("title", {}, full));
    return made;
  }

  /* A change in words, as short as the room demands: both values, what was gained and lost, the new value. */
  function wordsOf(trace, change, room, font, isWhole) {
    const { place, before, after, delta } = change, found = trace.member(place), name = isWhole ? trace.places[place][0] : trace.shortPath(place);
    if (found) return `${found.set}: ${trace.membership(change)}`;
    const whole = `${name}: ${before.text} → ${after.text}`;
    const shorter = [...(delta ? [delta] : []), after.text].map((words) => `${name}: ${words}`);
    return [whole, ...shorter].find((words) => widthOf(words, font) <= room) ?? shorter[0];
  }

  /* Of a first state in which no execution need begin: the values of what is at fault in the end. */
  function startOf(trace, lane, shown, isWhole) {
    if (trace.start === "initially") return [];
    const places = [...trace.wrong.keys()].filter((place) => trace.places[place][1] === lane && shown(place));
    return places.map((place) => {
      const words = `${isWhole ? trace.nameOf(place) : trace.shortPath(place)} = ${trace.states[0][place].text}`;
      return { words: () => words, full: `${trace.nameOf(place)} = ${trace.states[0][place].text}`, wrong: trace.heldFromStart(place), cause: false };
    });
  }

  /* What a step changes in a lane, an entry for each place or, where that gets long, for each record. */
  function entriesOf(trace, step, lane, shown, isWhole = false) {
    if (step === 0) return startOf(trace, lane, shown, isWhole);
    const own = trace.steps[step].changes.filter(({ place }) => trace.places[place][1] === lane && shown(place));
    const groups = new Map();
    for (const change of own) {
      const [path] = trace.places[change.place], dot = path.lastIndexOf(".");
      const parent = own.length > 3 && dot > path.lastIndexOf("]") ? path.slice(0, dot) : path;
      groups.set(parent, [...(groups.get(parent) ?? []), change]);
    }
    const entries = [...groups].map(([parent, of]) => {
      const full = of.map((change) => `${trace.changedBy(change)}: ${trace.both(change)}`).join("\n");
      const wrong = of.some(({ place }) => trace.assigns(place, step));
      const cause = !wrong && of.some(({ place }) => trace.isCause(place, step));
      if (of.length === 1) return { words: (room, font) => wordsOf(trace, of[0], room, font, isWhole), full, wrong, cause };
      const fields = of.map(({ place, after }) => `${trace.places[place][0].slice(parent.length + 1)} ${after.text}`).join(", ");
      const [path] = trace.places[of[0].place], short = trace.shortPath(of[0].place);
      const isLane = parent === trace.lanes[lane][0] || parent.length === Trace.keyEnd(trace.places[of[0].place]);
      const name = short.endsWith(path.slice(parent.length)) ? short.slice(0, short.length - path.length + parent.length) || parent : parent;
      return { words: () => isWhole ? `${parent}: ${fields}` : isLane ? fields : `${name}: ${fields}`, full, wrong, cause };
    });
    // What fails in the end comes first, so that it is not among those left out.
    return entries.sort((one, other) => other.wrong - one.wrong || other.cause - one.cause);
  }

  /* The lines of an entry, and how much room they take. */
  function linesOfEntry({ words, full, wrong, cause }, place, room) {
    const font = wrong || cause ? "wrong" : "change", lines = wrap(words(room, font), room, font);
    const width = Math.max(...lines.map((line) => widthOf(line.trim(), font) + (line.startsWith("  ") ? 8 : 0)));
    return lines.map((line) => ({ line, full, wrong, cause, place, width }));
  }

  /* At most so many lines; the last one says how many were left out. */
  function limit(lines, most, entries, place) {
    if (lines.length <= most) return lines;
    const left = lines.length - most + 1, line = `+ ${left} more line${left === 1 ? "" : "s"}`;
    const full = entries.map(({ full }) => full).join("\n");
    return [...lines.slice(0, most - 1), { line, full, wrong: false, cause: false, place, width: widthOf(line, "change") }];
  }

  /* The lines of all lanes in a row, side by side. They may use the room of the lanes to the right that have none. */
  function linesOf(trace, step, shown, visible, laneWidth) {
    const entries = visible.map((lane) => entriesOf(trace, step, lane, shown));
    const lines = entries.flatMap((own, place) => {
      const next = entries.findIndex((of, other) => other > place && of.length > 0);
      const free = (next < 0 ? visible.length + MORE : next) - place, room = free * laneWidth - (next < 0 ? 24 : 14);
      const lines = limit(own.flatMap((entry) => linesOfEntry(entry, place, room)), MOST_LINES, own, place);
      return lines.map((line, level) => ({ ...line, level }));
    });
    return { lines, changed: [...entries.keys()].filter((place) => entries[place].length > 0) };
  }

  /* The same for a narrow drawing: one lane's lines below the other's, with the whole width; of several lanes they say whose they are. */
  function linesBelow(trace, step, shown, visible, room, pans) {
    const having = visible.map((lane) => entriesOf(trace, step, lane, shown).length > 0);
    const isWhole = pans || having.filter(Boolean).length > 1;
    const entries = visible.flatMap((lane, place) => entriesOf(trace, step, lane, shown, isWhole).map((entry) => ({ ...entry, place })));
    // What fails in the end comes first, whichever lane has it.
    entries.sort((one, other) => other.wrong - one.wrong || other.cause - one.cause);
    const lines = limit(entries.flatMap((entry) => linesOfEntry(entry, entry.place, room)), MOST_LINES, entries, 0);
    // Those of several lanes begin below each other.
    const joint = isWhole ? { place: having.indexOf(true), width: Math.max(0, ...lines.map(({ width }) => width)) } : {};
    return { lines: lines.map((line, level) => ({ ...line, ...joint, level })), changed: [...having.keys()].filter((place) => having[place]) };
  }

  /* The parts of a lane's name between which it may break. */
  function wordsOfLane(trace, lane) {
    return trace.lanes[lane][0].split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[_. -])/);
  }

  /* How wide the head of a lane is at least: its name wraps between its parts. */
  function headWidth(trace, lane) {
    return Math.max(...wordsOfLane(trace, lane).map((part) => widthOf(part, "lane")), widthOf(trace.lanes[lane][1], "message"));
  }

  /* How far apart lanes must be so that the heads of each and of the one so many places further do not meet. */
  function apart(trace, visible, places) {
    const widths = visible.map((lane) => headWidth(trace, lane));
    return Math.max(0, ...widths.slice(places).map((width, place) => (widths[place] + width) / 2 + 8));
  }

  /* Where everything stands. `visible` are the lanes that are drawn, from left to right. */
  function layout(trace, shown, visible, width) {
    const lanes = visible.length;
    const wide = width >= 820;
    const titles = Math.max(...trace.steps.map((_, step) => widthOf(trace.titleOf(step), "action")));
    const spared = width - 26 - (lanes + MORE) * 120;  // what is left beside narrow lanes
    const gutter = wide ? Math.round(Math.max(190, Math.min(titles + 46, 330, spared))) : 34;
    // A lane is at least as wide as the longest part of a name; names wrap between their parts.
    const parts = visible.flatMap((lane) => wordsOfLane(trace, lane));
    const names = Math.max(...parts.map((part) => widthOf(part, "lane"))) + 16;
    // In a narrow drawing every other name stands higher, so that each has the room of two lanes.
    const least = wide ? Math.max(104, Math.min(names, 170)) : Math.max(NARROWEST, Math.min(apart(trace, visible, 2) / 2, 110));
    // After the last lane there is room for half of its name.
    const after = Math.max(20, headWidth(trace, visible[lanes - 1]) / 2 + 4);
    const fits = wide ? (width - gutter - 34) / (lanes + MORE) : (width - gutter - 16 - after) / Math.max(lanes - 1, 1);
    const lane = Math.max(least, Math.min(lanes < 3 ? 460 : 230, Math.floor(fits)));
    const ends = wide ? (lanes + MORE) * lane + 26 : (lanes - 1) * lane + 16 + after;
    const whole = Math.max(width, Math.ceil(gutter + ends)), pans = !wide && whole > width + 1;
    const rows = [];
    let top = 4;
    trace.steps.forEach((_, step) => {
      const texts = wide ? linesOf(trace, step, shown, visible, lane) : linesBelow(trace, step, shown, visible, width - 24, pans);
      const lines = Math.max(0, ...texts.lines.map(({ level }) => level + 1));
      const room = (wide ? gutter : width) - 42, title = trace.titleOf(step), given = trace.wordsOf(step);
      const isOne = !wide && widthOf(`${title} ${given}`, "action") <= room;
      const titles = isOne ? [title] : wrap(title, room, "action", 3);
      const parameters = isOne || !given ? [] : wrap(given, room, "parameters", MOST_OF_PARAMETERS);
      const words = titles.length + (parameters.length ? parameters.length - 0.5 : 0);
      const above = ABOVE + (wide ? 0 : 2 + (titles.length + parameters.length) * 14);
      const height = Math.max(above + (lines ? lines * LINE + (wide ? 10 : 14) : 17), wide ? above + words * 14 + 2 : 0);
      rows.push({ step, top, height, y: top + above, texts, titles, parameters, beside: isOne ? given : "" });
      top += height;
    });
    const places = new Map(visible.map((number, place) => [number, place]));
    return { visible, places, lanes, wide, pans, seen: width, gutter, lane, rows, taken: [], flying: new Map(), bottom: top, width: whole, x: (number) => gutter + places.get(number) * lane + (wide ? 26 : 16) };
  }

  function heads(trace, plan) {
    const isStaggered = !plan.wide && apart(trace, plan.visible, 1) > plan.lane, own = plan.wide ? 0 : Math.max(...plan.visible.map((number) => headWidth(trace, number))) + 1;
    const room = Math.max((isStaggered ? 2 : 1) * plan.lane - 8, own);
    const texts = plan.visible.map((number) => {
      const [name, kind] = trace.lanes[number], names = wrap(name, room, "lane", plan.wide ? MOST_OF_HEADS : MOST_OF_HEADS - 1);
      return { number, name, kind, names, kinds: name.startsWith(kind) ? [] : wrap(kind, room, "message", MOST_OF_HEADS) };
    });
    const tiers = isStaggered ? [0, 1] : [0];
    const tier = (at) => texts.filter((_, place) => place % tiers.length === at);
    const sizes = tiers.map((at) => ({ names: Math.max(1, ...tier(at).map((of) => of.names.length)), kinds: Math.max(0, ...tier(at).map((of) => of.kinds.length)) }));
    const tops = sizes.map((_, at) => sizes.slice(0, at).reduce((sum, of) => sum + of.names * 15 + of.kinds * 12 + 2, 0));
    const { names, kinds } = sizes[sizes.length - 1], height = tops[tops.length - 1] + 26 + (names - 1) * 15 + kinds * 12;
    const svg = element("svg", { width: plan.width, height, viewBox: `0 0 ${plan.width} ${height}`, class: "lane-heads", "aria-hidden": "true" });
    texts.forEach(({ number, name, kind, names: own, kinds: below }, place) => {
      const at = place % tiers.length, first = tops[at] + 17 + (sizes[at].names - 1) * 15;
      const half = Math.max(...own.map((line) => widthOf(line.trim(), "lane")), ...below.map((line) => widthOf(line.trim(), "message"))) / 2;
      const x = Math.max(half + 2, Math.min(plan.x(number), plan.width - half - 2));
      own.forEach((line, row) => svg.append(text({ class: "lane-name", x, y: first + (row + 1 - own.length) * 15 }, line.trim(), name)));
      below.forEach((line, row) => svg.append(text({ class: "lane-kind", x, y: first + 15 + row * 12 }, line.trim(), kind)));
      // The line of a lane begins below its name.
      const end = first + 5 + below.length * 12;
      if (isStaggered && at === 0) svg.append(element("path", { class: "stem", d: `M${plan.x(number)} ${end}V${height}` }));
    });
    return svg;
  }

  /* Where words stand, so that others go elsewhere, and lanes do not run through them. */
  function take(plan, x, y, width, isWords = true) {
    plan.taken.push({ left: x - 2, right: x + width + 2, top: y - 10, bottom: y + 3, isWords });
  }

  /* The line of a lane, with gaps where words stand. */
  function drawLane(plan, number) {
    const x = plan.x(number), over = plan.taken.filter(({ left, right, isWords }) => isWords && left < x && right > x);
    let from = 0, d = "";
    for (const { top, bottom } of over.sort((one, other) => one.top - other.top)) {
      if (top > from) d += `M${x} ${from}V${top}`;
      from = Math.max(from, bottom);
    }
    return element("path", { class: "lane", d: `${d}M${x} ${from}V${Math.max(from, plan.bottom)}`, "data-lane": number, "pointer-events": "none" });
  }

  function isFree(plan, middle, y, width) {
    const from = middle - width / 2, to = middle + width / 2;
    return from > plan.gutter && to < plan.width && !plan.taken.some(({ left, right, top, bottom }) => from < right && to > left && y - 9 < bottom && y + 3 > top);
  }

  /* Where else on a line words may stand: in a narrow drawing also further to the left and to the right. */
  function slide(plan, x, y, width) {
    if (plan.wide) return [[x, y]];
    const within = (at) => Math.max(plan.gutter + width / 2 + 2, Math.min(at, plan.width - width / 2 - 4));
    return [0, -0.5, 0.5, -1, 1, -1.6, 1.6].map((part) => [within(x + part * width), y]);
  }

  /* The words of a row's changes: beside a lane; in a narrow drawing so far to the left that they are whole. */
  function drawChanges(group, trace, plan, row) {
    const { lines, changed } = row.texts, lower = plan.wide ? 0 : 4;
    for (const place of changed) {
      const lane = plan.visible[place];
      if (row.step > 0 && trace.steps[row.step].lane !== lane) group.append(element("circle", { class: "mark", cx: plan.x(lane), cy: row.y, r: 4 }));
    }
    const words = element("g", { class: plan.pans ? "stays" : "" });
    for (const { line, full, wrong, cause, place, level, width } of lines) {
      const beside = plan.x(plan.visible[place]) + 8, shift = line.startsWith("  ") ? 8 : 0;
      const x = (plan.pans ? 14 : plan.wide ? beside : Math.max(10, Math.min(beside, plan.width - 8 - width))) + shift, y = row.y + lower + (level + 1) * LINE;
      const made = element("text", { class: wrong ? "change wrong" : cause ? "change cause" : "change", x, y }, line.trim());
      made.append(element("title", {}, full));
      if (plan.pans) take(plan, 0, y, plan.width);
      else take(plan, x, y, widthOf(line.trim(), wrong || cause ? "wrong" : "change"));
      words.append(made);
    }
    group.append(words);
  }

  function rowClass(trace, step) {
    const broken = trace.about_step && step === trace.last;
    return ["row", broken ? "broken" : "", trace.loop !== null && step > trace.loop ? "round" : ""].filter(Boolean).join(" ");
  }

  /* The edge from the last step of the loop back to the state where it starts. */
  function drawBack(trace, plan) {
    const from = plan.rows[trace.last], to = plan.rows[trace.loop];
    const at = (row) => plan.wide ? row.y : row.top + 11;
    const group = element("g", { class: "back-edge", "pointer-events": "none" });
    group.append(element("path", { class: "edge", d: `M8 ${at(from)}H4V${at(to)}H7` }));
    group.append(element("path", { class: "head", d: `M12 ${at(to)}l-6 -4v8Z` }));
    return group;
  }

  /* Titles stay in view when narrow drawings are panned. */
  function drawTitle(group, trace, plan, row) {
    const y = plan.wide ? row.y + 4 : row.top + 15, made = element("g", { class: plan.wide ? "title" : "title stays" });
    made.append(element("text", { class: "number", x: 24, y }, String(row.step)));
    const title = trace.titleOf(row.step), words = trace.wordsOf(row.step), meaning = trace.meaningOf(row.step);
    const full = meaning ? `${title}: ${meaning}` : title;
    row.titles.forEach((line, number) => made.append(text({ class: "action", x: 32, y: y + number * 14 }, line, full)));
    if (row.beside) made.lastChild.append(element("tspan", { class: "parameters", "font-weight": 400 }, ` ${row.beside}`));
    const below = y + row.titles.length * 14;
    row.parameters.forEach((line, number) => made.append(text({ class: "parameters", x: line.startsWith("  ") ? 40 : 32, y: below + number * 14 }, line.trim(), words)));
    // When the drawing is panned, a title stands anywhere on its lines.
    if (!plan.wide) for (let line = 0; line < row.titles.length + row.parameters.length; line++) take(plan, 0, y + line * 14, plan.width, false);
    group.append(made);
  }

  function drawRow(trace, plan, row) {
    const { lane, changes } = trace.steps[row.step];
    const group = element("g", { class: rowClass(trace, row.step), "data-step": row.step });
    drawTitle(group, trace, plan, row);
    const stutters = trace.closes(row.step) && changes.length === 0;
    if (row.step > 0 && !stutters && plan.places.has(lane)) group.append(element("circle", { class: "mark actor", cx: plan.x(lane), cy: row.y, r: 5.5 }));
    drawChanges(group, trace, plan, row);
    const marks = group.querySelectorAll("circle");
    for (const mark of marks) take(plan, Number(mark.getAttribute("cx")) - 6, row.y + 4, 12, false);
    group.append(...marks);  // over the words of other lanes
    return group;
  }

  function drawArrow(svg, plan, [sender, receiver, sent, received, lost, directed, label]) {
    // What arrives later leaves below the words of the step that sent it.
    const { top, height, y } = plan.rows[sent];
    const from = { x: plan.x(sender), y: received === sent ? y : top + height - 8 };
    // Those that have not arrived fan out.
    const fan = lost || received !== null ? 0 : (plan.flying.get(`${sent} ${sender}`) ?? 0);
    if (!lost && received === null) plan.flying.set(`${sent} ${sender}`, fan + 1);
    let to = { x: plan.x(receiver), y: received === null ? from.y + 14 + fan * 12 : plan.rows[received].y };
    if (received === null) to = { x: from.x + (to.x - from.x) * 0.72, y: to.y };
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const unit = { x: (to.x - from.x) / length, y: (to.y - from.y) / length };
    const start = received === sent ? { x: from.x + unit.x * 6, y: from.y } : from;
    const end = received === null ? to : { x: to.x - unit.x * 7, y: to.y - unit.y * 7 };
    const kind = lost ? " lost" : received === null ? " flying" : "";
    const group = element("g", { class: "message-group" });
    group.append(element("line", { class: `arrow${kind}${directed ? "" : " undirected"}${received !== null && received !== sent ? " later" : ""}`, "data-sent": sent, "data-received": received ?? "", x1: start.x, y1: start.y, x2: end.x, y2: end.y }));
    if (directed) group.append(element("circle", { class: "leaves", cx: from.x, cy: from.y, r: 3 }));
    if (lost) {
      group.append(element("path", { class: "cross", d: `M${end.x - 5} ${end.y - 5}l10 10m0 -10l-10 10` }));
    } else if (received !== null && directed) {
      const side = { x: -unit.y * 4.2, y: unit.x * 4.2 }, back = { x: end.x - unit.x * 9, y: end.y - unit.y * 9 };
      group.append(element("path", { class: "head head-of-message", d: `M${end.x + unit.x * 3} ${end.y + unit.y * 3}L${back.x + side.x} ${back.y + side.y}L${back.x - side.x} ${back.y - side.y}Z` }));
    }
    const words = lost ? `${label} lost` : received === null ? `${label} …` : label;
    if (label) {
      // Near where it arrives, but off the lanes and their marks; elsewhere on the way if words are there.
      const near = received === null ? 0.8 : Math.max(0.5, 1 - 62 / length);
      const width = widthOf(words, "message"), slope = Math.abs((end.y - start.y) / ((end.x - start.x) || 1));
      const clear = 4 + Math.min(slope * width / 2, 24);  // a slanted arrow does not cross its words
      const at = (part, over = clear) => [start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part - over];
      const parts = [near, 0.5, 0.4, 0.6, 0.3, 0.7, 0.8, 0.9, 0.2], above = parts.map((part) => at(part)), close = parts.map((part) => at(part, 4));
      const [x, y] = [...(lost ? [[end.x, end.y + 17]] : []), ...above, ...close, ...[15, 28, 41].flatMap((below) => close.map(([x, y]) => [x, y + below]))].flatMap(([x, y]) => slide(plan, x, y, width)).find((place) => isFree(plan, ...place, width)) ?? above[0];
      take(plan, x - width / 2, y, width);
      group.append(element("text", { class: `message${kind}`, x, y }, words));
    }
    svg.append(group);
  }

  function drawVerdict(trace, plan) {
    const group = element("g", { class: trace.start === "initially" ? "verdict-row" : "verdict-row unsure" });
    const byLane = new Map();
    const add = (lane, words) => byLane.set(lane, [...(byLane.get(lane) ?? []), words]);
    for (const { path, words, places, state } of trace.mentioned()) {
      const lanes = new Set(places.map((place) => trace.places[place][1]));
      if (lanes.size < 2) for (const lane of lanes) add(lane, `${path}${words}`);
      // Of what lies in several lanes, each has its own part.
      else for (const place of places) add(trace.places[place][1], `${trace.member(place) ? trace.nameOf(place) : trace.shortPath(place)} = ${trace.states[state][place].text}`);
    }
    const where = ([lane]) => plan.places.get(lane);
    const drawn = [...byLane].filter(([lane]) => plan.places.has(lane)).sort((one, other) => where(one) - where(other)).map(([lane, texts], index, all) => {
      const next = index + 1 < all.length ? where(all[index + 1]) : plan.lanes + MORE, room = (next - plan.places.get(lane)) * plan.lane - 14;
      return [lane, texts.flatMap((words) => wrap(words, room, "wrong").map((line) => [line, words]))];
    });
    const room = (plan.wide ? plan.gutter : plan.seen) - 20, apart = trace.mentioned().filter(({ places }) => places.length === 0);
    // What no place of the state holds, such as the value of an operator, stands below the title.
    const told = [[trace.verdict(), 4], ...apart.map(({ path, words }) => [`${path}${words}`, 3])];
    const titles = told.flatMap(([full, most]) => { const lines = wrap(full, room, "action", most); return lines.map((line) => [line, lines.length > 1 ? full : line]); }), over = plan.wide ? 0 : (titles.length - 1) * 14;
    const lines = Math.max(1, ...drawn.map(([, of]) => of.length)), below = (titles.length - 1) * 14;
    // In a narrow drawing the words stay in view below the marks, one lane's below the other's.
    const staying = plan.wide ? [] : drawn.flatMap(([, of]) => [...new Set(of.map(([, full]) => full))]).flatMap((full) => wrap(full, plan.seen - 24, "wrong").map((line) => [line, full]));
    const height = Math.max((plan.wide ? 16 : 34 + over) + (plan.wide ? lines : staying.length) * LINE + 16, below + 40), y = plan.bottom + (plan.wide ? 18 : 32 + over);
    group.append(element("rect", { class: "back", x: 0, y: plan.bottom, width: plan.width, height }));
    const title = element("g", { class: plan.wide ? "title" : "title stays" });
    titles.forEach(([line, full], number) => title.append(text({ class: "action", x: 10, y: (plan.wide ? y + 4 : plan.bottom + 16) + number * 14 }, line, full)));
    group.append(title);
    const put = (to, left, lines) => lines.forEach(([line, full], number) => {
      const made = element("text", { class: "change wrong", x: left + (line.startsWith("  ") ? 8 : 0), y: y + (plan.wide ? 4 : 8) + (number + 1) * LINE }, line.trim());
      made.append(element("title", {}, full));
      to.append(made);
    });
    for (const [lane, of] of drawn) {
      group.append(element("circle", { class: "ring", cx: plan.x(lane), cy: y, r: 7 }));
      if (plan.wide) put(group, plan.x(lane) + 8, of);
    }
    put(title, 10, staying);
    return { group, height: height + 4 };
  }

  /* The whole drawing. `shown` says of a place whether the reader wants to see it. */
  function draw(trace, shown, visible, width) {
    const plan = layout(trace, shown, visible, width);
    const round = trace.loop === null ? "" : `, the last of which leads back to state ${trace.loop}`;
    const words = `Space-time diagram of ${trace.last} steps${round}, in ${plan.lanes} lanes; a table has the same`;
    const svg = element("svg", { width: plan.width, role: "img", "aria-label": words });
    svg.append(...plan.rows.map((row) => {
      const group = element("g", { class: rowClass(trace, row.step), "data-step": row.step });
      group.append(element("rect", { class: "back", x: 0, y: row.top, width: plan.width, height: row.height }));
      return group;
    }));
    const upper = plan.rows.map((row) => drawRow(trace, plan, row));
    const marks = element("g", { "pointer-events": "none" });
    trace.arrows.filter(([from, to]) => plan.places.has(from) && plan.places.has(to)).forEach((arrow) => drawArrow(marks, plan, arrow));
    svg.append(...plan.visible.map((number) => drawLane(plan, number)), marks, ...upper);
    if (trace.loop !== null) svg.append(drawBack(trace, plan));
    let height = plan.bottom + 4;
    if (trace.failing.length > 0) {
      const verdict = drawVerdict(trace, plan);
      svg.append(verdict.group);
      height = plan.bottom + verdict.height;
    }
    svg.setAttribute("height", height);
    svg.setAttribute("viewBox", `0 0 ${plan.width} ${height}`);  // print scales by it
    return { svg, heads: heads(trace, plan), rows: plan.rows };
  }

  return { draw };
})();
