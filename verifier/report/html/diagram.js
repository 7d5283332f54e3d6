"use strict";
/* A trace as a space-time diagram: lanes side by side, time downwards, messages as arrows. */
const Diagram = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const LINE = 13, ABOVE = 17, MOST_LINES = 3, CHARACTER = 6.1, BOLD = 6.9;

  function element(name, attributes = {}, text = null) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== null) made.textContent = text;
    return made;
  }

  /* Whether one of two paths is the other or lies below it. */
  function related(one, other) {
    const [short, long] = one.length < other.length ? [one, other] : [other, one];
    return long.startsWith(short) && ["", ".", "["].includes(long.charAt(short.length));
  }

  /* A path without the prime of a value after a step. */
  function unprimed(path) {
    return path.replace(/^(\w+)'/, "$1");
  }

  /* A lane with what it is: "server s1". */
  function title([name, kind]) {
    return name.startsWith(kind) ? name : `${kind} ${name}`;
  }

  /* Where in a path the key of its lane ends; -1 if it has none. */
  function keyEnd([path, , , key]) {
    return key < 0 ? -1 : path.indexOf("]", key) + 1;
  }

  /* A change in words, as short as the room demands: both values, what was gained and lost, the new value. */
  function wordsOf(name, before, [, after, delta], room) {
    const whole = `${name}: ${before} → ${after}`;
    const shorter = [...(delta ? [delta] : []), after].map((words) => `${name}: ${words}`);
    return [whole, ...shorter].find((words) => words.length <= room) ?? shorter[0];
  }

  /* Whether what was gained and lost says it better than both values. */
  function isLong(before, [, after, delta]) {
    return Boolean(delta) && Math.max(before.length, after.length) > 24;
  }

  /* All states, and what the reader is told of the places that fail at the end. */
  function understood(trace) {
    const states = [trace.first];
    for (const [, , , changes] of trace.steps.slice(1)) {
      const next = states[states.length - 1].slice();
      for (const [place, value] of changes) next[place] = value;
      states.push(next);
    }
    const wrong = new Map();
    for (const [, , where] of trace.failing) {
      for (const [path, value] of where) {
        trace.places.forEach(([place], number) => { if (related(place, unprimed(path))) wrong.set(number, [path, value]); });
      }
    }
    const writer = new Map();
    trace.steps.forEach(([, , , changes], step) => changes.forEach(([place]) => {
      if (wrong.has(place)) writer.set(place, step);
    }));
    return { states, wrong, writer };
  }

  /* A place's path as its own lane needs it: without the lane's name. */
  function withoutLane(trace, place, fieldOnly) {
    const [path, lane, , key] = place, [name] = trace.lanes[lane];
    if (path.startsWith(`${name}.`)) return path.slice(name.length + 1);
    if (key < 0) return path;
    const rest = path.slice(keyEnd(place));
    return fieldOnly && rest.startsWith(".") ? rest.slice(1) : path.slice(0, key) + rest;
  }

  /* The same, of a record's field only the field where no other place of the lane is called so. */
  function shortPath(trace, number) {
    if (trace.names === undefined) {
      const fields = trace.places.map((place) => `${place[1]} ${withoutLane(trace, place, true)}`);
      const counts = new Map();
      for (const field of fields) counts.set(field, (counts.get(field) ?? 0) + 1);
      trace.names = trace.places.map((place, index) => withoutLane(trace, place, counts.get(fields[index]) === 1));
    }
    return trace.names[number];
  }

  function cut(text, room) {
    return text.length <= room ? text : `${text.slice(0, Math.max(1, room - 1))}…`;
  }

  /* What a step changes in a lane, a line for each place or, where that gets long, for each record. */
  function linesOf(trace, known, step, changes, lane, shown) {
    const own = changes.filter(([place]) => trace.places[place][1] === lane && shown(place));
    const groups = new Map();
    for (const change of own) {
      const [path] = trace.places[change[0]], dot = path.lastIndexOf(".");
      const parent = own.length > MOST_LINES && dot > path.lastIndexOf("]") ? path.slice(0, dot) : path;
      groups.set(parent, [...(groups.get(parent) ?? []), change]);
    }
    const before = known.states[Math.max(0, step - 1)], after = known.states[step];
    const lines = [...groups].map(([parent, of]) => {
      const full = of.map(([place]) => `${trace.places[place][0]}: ${before[place]} → ${after[place]}`).join("\n");
      const wrong = of.some(([place]) => known.writer.get(place) === step);
      if (of.length === 1) {
        const [[place]] = of, name = shortPath(trace, place);
        return { words: (room) => wordsOf(name, before[place], of[0], room), full, wrong };
      }
      const fields = of.map(([place]) => `${trace.places[place][0].slice(parent.length + 1)} ${after[place]}`).join(", ");
      const [name] = trace.lanes[lane];
      const isLane = parent === name || parent.length === keyEnd(trace.places[of[0][0]]);
      return { words: () => isLane ? fields : `${parent}: ${fields}`, full, wrong };
    });
    // What fails in the end comes first, so that it is not among those left out.
    return lines.sort((one, other) => other.wrong - one.wrong);
  }

  function layout(trace, known, shown, width) {
    const lanes = trace.lanes.length;
    const wide = width >= 820;
    const gutter = wide ? 264 : 34;
    const lane = Math.max(wide ? 104 : 84, Math.min(lanes < 3 ? 460 : 230, Math.floor((width - gutter - (wide ? 34 : 24)) / lanes)));
    const rows = [];
    let top = 4;
    trace.steps.forEach(([, , , changes], step) => {
      const texts = trace.lanes.map((_, lane) => linesOf(trace, known, step, changes, lane, shown));
      const lines = Math.min(Math.max(...texts.map((of) => of.length)), MOST_LINES);
      const above = ABOVE + (wide ? 0 : 16);
      const height = above + (lines ? lines * LINE + 10 : 17);
      rows.push({ step, top, height, y: top + above, texts });
      top += height;
    });
    return { lanes, wide, gutter, lane, rows, taken: [], flying: new Map(), bottom: top, width: Math.max(width, gutter + lanes * lane + (wide ? 30 : 20)), x: (n) => gutter + n * lane + (wide ? 26 : 16) };
  }

  function heads(trace, plan) {
    const svg = element("svg", { width: plan.width, height: 38, viewBox: `0 0 ${plan.width} 38`, class: "heads", "aria-hidden": "true" });
    trace.lanes.forEach(([name, kind], number) => {
      svg.append(element("text", { class: "lane-name", x: plan.x(number), y: 17 }, name));
      if (!name.startsWith(kind)) svg.append(element("text", { class: "lane-kind", x: plan.x(number), y: 32 }, kind));
    });
    return svg;
  }

  /* Where words stand, so that others go elsewhere. */
  function take(plan, x, y, words) {
    plan.taken.push({ left: x - 2, right: x + words.length * CHARACTER + 2, top: y - 10, bottom: y + 3 });
  }

  function isFree(plan, middle, y, words) {
    const half = words.length * CHARACTER * 0.48;
    const from = middle - half, to = middle + half;
    return from > plan.gutter && to < plan.width && !plan.taken.some(({ left, right, top, bottom }) => from < right && to > left && y - 9 < bottom && y + 3 > top);
  }

  function drawChanges(group, trace, plan, row) {
    const room = Math.floor((plan.lane - 12) / CHARACTER);
    row.texts.forEach((lines, lane) => {
      if (lines.length === 0) return;
      if (trace.steps[row.step][2] !== lane) group.append(element("circle", { class: "mark", cx: plan.x(lane), cy: row.y, r: 4 }));
      const most = lines.length > MOST_LINES ? MOST_LINES - 1 : lines.length;
      lines.slice(0, most).forEach(({ words: wordsIn, full, wrong }, line) => {
        const words = cut(wordsIn(room), room);
        const text = element("text", { class: wrong ? "change wrong" : "change", x: plan.x(lane) + 8, y: row.y + (line + 1) * LINE }, words);
        text.append(element("title", {}, full));
        take(plan, plan.x(lane) + 8, row.y + (line + 1) * LINE, words);
        group.append(text);
      });
      if (lines.length > most) {
        group.append(element("text", { class: "change", x: plan.x(lane) + 8, y: row.y + (most + 1) * LINE }, `+ ${lines.length - most} more`));
      }
    });
  }

  /* Whether a row is the last step of a loop, which leads back to the state where the loop starts. */
  function closes(trace, step) {
    return trace.loop !== null && step === trace.steps.length - 1;
  }

  /* A step's number, or the state that it leads back to. */
  function numberOf(trace, step) {
    return closes(trace, step) ? `back to ${trace.loop}` : String(step);
  }

  function rowClass(trace, step) {
    const broken = trace.about_step && step === trace.steps.length - 1;
    return ["row", broken ? "broken" : "", trace.loop !== null && step > trace.loop ? "round" : ""].filter(Boolean).join(" ");
  }

  /* The edge from the last step of the loop back to the state where it starts. */
  function drawBack(trace, plan) {
    const from = plan.rows[trace.steps.length - 1], to = plan.rows[trace.loop];
    const at = (row) => plan.wide ? row.y : row.top + 11;
    const group = element("g", { class: "back-edge", "pointer-events": "none" });
    group.append(element("path", { class: "edge", d: `M8 ${at(from)}H4V${at(to)}H7` }));
    group.append(element("path", { class: "head", d: `M12 ${at(to)}l-6 -4v8Z` }));
    return group;
  }

  function drawTitle(group, plan, row, number, action, parameters) {
    const room = Math.floor(((plan.wide ? plan.gutter : plan.width) - 34) / CHARACTER);
    const y = plan.wide ? row.y + 4 : row.top + 15;
    group.append(element("text", { class: "number", x: 24, y }, number));
    const words = parameters.map(([name, value]) => `${name}=${value}`).join(", ");
    if (plan.wide) {
      group.append(element("text", { class: "action", x: 32, y }, cut(action, Math.floor((plan.gutter - 40) / BOLD))));
      if (words && row.height > 32) group.append(element("text", { class: "parameters", x: 32, y: y + 14 }, cut(words, room)));
    } else {
      const text = element("text", { class: "action", x: 32, y }, cut(action, room));
      text.append(element("tspan", { class: "parameters", "font-weight": 400 }, ` ${cut(words, Math.max(0, room - action.length))}`));
      group.append(text);
    }
  }

  function drawRow(trace, plan, row) {
    const [action, parameters, lane, changes] = trace.steps[row.step];
    const group = element("g", { class: rowClass(trace, row.step), "data-step": row.step });
    drawTitle(group, plan, row, String(closes(trace, row.step) ? trace.loop : row.step), row.step === 0 ? trace.start : action, parameters);
    const stutters = closes(trace, row.step) && changes.length === 0;
    if (row.step > 0 && !stutters) group.append(element("circle", { class: "mark actor", cx: plan.x(lane), cy: row.y, r: 5.5 }));
    drawChanges(group, trace, plan, row);
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
    group.append(element("line", { class: `arrow${kind}`, "data-sent": sent, "data-received": received ?? "", x1: start.x, y1: start.y, x2: end.x, y2: end.y }));
    if (lost) {
      group.append(element("path", { class: "cross", d: `M${end.x - 5} ${end.y - 5}l10 10m0 -10l-10 10` }));
    } else if (received !== null && directed) {
      const side = { x: -unit.y * 4.2, y: unit.x * 4.2 }, back = { x: end.x - unit.x * 9, y: end.y - unit.y * 9 };
      group.append(element("path", { class: "head", d: `M${end.x + unit.x * 3} ${end.y + unit.y * 3}L${back.x + side.x} ${back.y + side.y}L${back.x - side.x} ${back.y - side.y}Z` }));
    }
    const words = lost ? `${label} lost` : received === null ? `${label} …` : label;
    if (label) {
      // Near where it arrives, but off the lanes and their marks; elsewhere on the way if words are there.
      const near = received === null ? 0.8 : Math.max(0.5, 1 - 62 / length);
      const at = (part) => [start.x + (end.x - start.x) * part, start.y + (end.y - start.y) * part - 4];
      const part = [near, 0.5, 0.4, 0.6, 0.3, 0.7, 0.8, 0.9].find((candidate) => isFree(plan, ...at(candidate), words)) ?? near;
      const [x, y] = at(part);
      take(plan, x - words.length * CHARACTER * 0.48, y, words);
      group.append(element("text", { class: `message${kind}`, x, y }, words));
    }
    svg.append(group);
  }

  /* What the failing formula mentions; of a step, the value before it and the one after it together. */
  function mentioned(trace) {
    const where = trace.failing.flatMap(([, , values]) => values);
    if (!trace.about_step) return where.map(([path, value]) => [path, ` = ${value}`]);
    const sides = new Map();
    for (const [path, value] of where) {
      const plain = unprimed(path), side = sides.get(plain) ?? {};
      sides.set(plain, path === plain ? { ...side, before: value } : { ...side, primed: path, after: value });
    }
    return [...sides].map(([path, { before, primed, after }]) => before === undefined ? [primed, ` = ${after}`] : after === undefined ? [path, ` = ${before}`] : [path, `: ${before} → ${after}`]);
  }

  function drawVerdict(trace, plan) {
    const group = element("g", { class: "verdict-row" });
    const byLane = new Map(), room = Math.floor((plan.lane - 12) / BOLD);
    const fails = trace.about_step ? ` fails in step ${trace.steps.length - 1}` : " fails";
    for (const [path, value] of mentioned(trace)) {
      const place = trace.places.findIndex(([name]) => related(name, unprimed(path)));
      if (place < 0) continue;
      const lane = trace.places[place][1];
      const words = `${path}${value}`, lines = words.length <= room ? [words] : [path, value.replace(/^[ :]+/, "")];
      byLane.set(lane, [...(byLane.get(lane) ?? []), ...lines]);
    }
    const lines = Math.max(1, ...[...byLane.values()].map((texts) => texts.length));
    const height = (plan.wide ? 16 : 30) + lines * LINE + 12, y = plan.bottom + (plan.wide ? 18 : 32);
    group.append(element("rect", { class: "back", x: 0, y: plan.bottom, width: plan.width, height }));
    group.append(element("text", { class: "action", x: 10, y: plan.wide ? y + 4 : plan.bottom + 16 }, cut(`✗ ${trace.property}`, (plan.wide ? 34 : 60) - fails.length) + fails));
    for (const [lane, texts] of byLane) {
      group.append(element("circle", { class: "ring", cx: plan.x(lane), cy: y, r: 7 }));
      texts.forEach((words, line) => {
        const text = element("text", { class: "change wrong", x: plan.x(lane) + 8, y: y + 4 + (line + 1) * LINE }, cut(words, room));
        text.append(element("title", {}, words));
        group.append(text);
      });
    }
    return { group, height: height + 4 };
  }

  /* The whole drawing. `shown` says of a place whether the reader wants to see it. */
  function draw(trace, known, shown, width) {
    const plan = layout(trace, known, shown, width);
    const round = trace.loop === null ? "" : `, the last of which leads back to state ${trace.loop}`;
    const words = `Space-time diagram of ${trace.steps.length - 1} steps${round}, in ${plan.lanes} lanes; the same as a table is below`;
    const svg = element("svg", { width: plan.width, role: "img", "aria-label": words });
    svg.append(...plan.rows.map((row) => {
      const group = element("g", { class: rowClass(trace, row.step), "data-step": row.step });
      group.append(element("rect", { class: "back", x: 0, y: row.top, width: plan.width, height: row.height }));
      return group;
    }));
    trace.lanes.forEach((_, number) => svg.append(element("line", { class: "lane", x1: plan.x(number), x2: plan.x(number), y1: 0, y2: plan.bottom, "pointer-events": "none" })));
    const upper = plan.rows.map((row) => drawRow(trace, plan, row));
    const marks = element("g", { "pointer-events": "none" });
    trace.arrows.forEach((arrow) => drawArrow(marks, plan, arrow));
    svg.append(marks, ...upper);
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

  return { draw, understood, related, shortPath, title, isLong, closes, numberOf };
})();
