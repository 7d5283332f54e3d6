// The page asks the server of its own address, and shows what it answers. The address keeps the path: after # stand
// the number of the initial state, and which of the listed steps was taken each time.
"use strict";

const $ = (id) => document.getElementById(id);
const watched = [];
const marks = [];
let shown = null; // the last answers: path, state, successors
const LONGEST_LINE = 40; // characters of a value that stays on one line
let choices = []; // the path as the address has it

async function ask(method, params = {}) {
  const token = location.pathname.split("/")[1];
  const answer = await fetch("request", {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Token": token },
    body: JSON.stringify({ method, params }),
  });
  const content = await answer.json();
  if (content.error) {
    throw new Error(content.error.message);
  }
  return content.result;
}

function make(kind, words = "", attributes = {}) {
  const node = document.createElement(kind);
  node.textContent = words;
  for (const [name, value] of Object.entries(attributes)) {
    node.setAttribute(name, value);
  }
  return node;
}

function say(words, isBad = false) {
  $("message").textContent = words;
  $("message").className = isBad ? "bad" : "";
}

// Do one thing at a time; say what went wrong.
let busy = Promise.resolve();
function act(work) {
  busy = busy.then(async () => {
    say("");
    document.body.setAttribute("aria-busy", "true");
    try {
      await resume();
      await work();
    } catch (error) {
      say(error.message, true);
    }
    document.body.removeAttribute("aria-busy");
  });
  return busy;
}

// The server has one execution. If another tab walked on it, this one goes back to its own.
async function resume() {
  if (shown === null) {
    return;
  }
  const show = ({ begins, steps, at }) => JSON.stringify([begins, steps.map((one) => [one.title, one.state]), at]);
  const { path } = shown;
  if (show(await ask("path")) === show(path)) {
    return;
  }
  await ask("go", { state: path.begins });
  for (const step of path.steps) {
    await takeStep(step);
  }
  if (path.at < path.steps.length) {
    await ask("back", { steps: path.steps.length - path.at });
  }
}

function takeStep(step) {
  return ask("step", { action: step.action, parameters: step.parameters, to: step.state });
}

async function refresh() {
  const [path, state, next] = [await ask("path"), await ask("state"), await ask("successors", { limit: 200 })];
  shown = { path, state, next };
  const focused = document.activeElement;
  const list = focused.closest("#path, #properties, #steps");
  showPath();
  showState();
  showSteps();
  await showWatched();
  keepFocus(focused, list);
  history.replaceState(null, "", `#${choices.slice(0, path.at + 1).join(".")}`);
  showDrawings();
}

/* The buttons of a list are new ones, and some others are disabled now: whoever uses keys goes on beside them. */
function keepFocus(focused, list) {
  if (focused.disabled) {
    $("restart").focus();
  } else if (list !== null) {
    const near = list.querySelector("[aria-current] button") ?? list.querySelector("button") ?? $("restart");
    near.focus({ preventScroll: true });
  }
}

/* The drawings that are open are made anew. */
function showDrawings() {
  for (const frame of document.querySelectorAll(".drawn[open] iframe")) {
    if (frame.src) {
      frame.contentWindow.draw?.();
    } else {
      frame.src = frame.dataset.page;
    }
  }
}

function changesOf(step) {
  const changes = step.changed.map((one) => `${one.path}: ${one.before} → ${one.after}`);
  return changes.length > 0 ? changes : ["changes nothing"];
}

function showPath() {
  const { path } = shown;
  const items = [["initially", []], ...path.steps.map((step) => [step.title, changesOf(step)])];
  $("path").replaceChildren(
    ...items.map(([title, changes], number) => {
      const item = make("li", "", number === path.at ? { "aria-current": "step" } : {});
      item.classList.toggle("later", number > path.at);
      const button = make("button", `${number}  ${title}`, { class: "title" });
      button.onclick = () => act(() => moveTo(number));
      const untrue = path.not_true[number];
      item.append(button, ...changes.map((words) => make("p", words, { class: "changes" })));
      if (untrue.length > 0) {
        item.append(make("p", `✗ not true here: ${untrue.join(", ")}`, { class: "untrue" }));
      }
      return item;
    }),
  );
  const current = $("path").querySelector("[aria-current]");
  const box = $("path").parentElement;
  if (box.scrollHeight > box.clientHeight) {
    box.scrollTop = current.offsetTop - box.offsetTop - box.clientHeight / 2;
  }
  $("back").disabled = path.at === 0;
  $("forward").disabled = path.at >= path.steps.length;
}

/* A long function or record has a line for each of its entries. */
function linesOf(value) {
  if (value.length <= LONGEST_LINE || !/^[([]/.test(value)) {
    return [value];
  }
  const lines = [""];
  let depth = 0;
  for (const sign of value) {
    depth += "([{⟨".includes(sign) ? 1 : ")]}⟩".includes(sign) ? -1 : 0;
    const line = lines.length - 1;
    lines[line] += sign;
    if (depth === 1 && /(, | @@ )$/.test(lines[line])) {
      lines.push("");
    }
  }
  return lines.filter((line) => line !== "").map((line) => line.trimEnd());
}

function showState() {
  const { state, path } = shown;
  const last = path.at > 0 ? path.steps[path.at - 1].changed.map((one) => one.path) : [];
  $("state-title").textContent = path.at > 0 ? `State after step ${path.at}` : "Initial state";
  $("properties").replaceChildren(
    ...Object.entries(state.properties).map(([name, holds]) => {
      const words = holds === null ? "has no value" : holds ? "true" : "false";
      const item = make("li");
      const button = make("button", `${name}: ${words}`, { "data-holds": String(holds) });
      button.onclick = () => act(() => explainProperty(name));
      item.append(button);
      return item;
    }),
  );
  $("state").replaceChildren(
    ...Object.entries(state.values).flatMap(([name, value]) => {
      const isChanged = last.some((path) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`));
      const shownValue = make("dd", "", isChanged ? { class: "changed" } : {});
      shownValue.append(...linesOf(value).map((line) => make("div", line)));
      return [make("dt", name), shownValue];
    }),
  );
}

function showSteps() {
  const { next } = shown;
  $("next-title").textContent = next.count > next.steps.length ? `Next steps (${next.steps.length} of ${next.count})` : "Next steps";
  $("steps").replaceChildren(
    ...next.steps.map((step, index) => {
      const item = make("li");
      const button = make("button", step.title, { class: "title" });
      button.onclick = () => act(() => take(step, index));
      item.append(button, ...changesOf(step).map((words) => make("p", words, { class: "changes" })));
      return item;
    }),
  );
  if (next.count === 0) {
    $("steps").append(make("li", "No action is enabled: a deadlock."));
  }
  $("disabled").replaceChildren(
    ...next.disabled.map((action) => {
      const item = make("li");
      const button = make("button", `${action}: why?`);
      button.onclick = () => act(() => explainAction(action, item));
      item.append(button);
      return item;
    }),
  );
}

async function showWatched() {
  const rows = [];
  for (const [index, expression] of watched.entries()) {
    let words;
    try {
      const { values } = await ask("evaluate_along", { expression });
      words = values.map((value) => value ?? "–").join(" → ");
    } catch (error) {
      words = error.message;
    }
    const item = make("li", "", {});
    const remove = make("button", "×", { "aria-label": `Watch no more: ${expression}` });
    remove.onclick = () => act(() => { watched.splice(index, 1); return showWatched(); });
    item.append(make("code", expression), remove, make("p", words, { class: "changes" }));
    rows.push(item);
  }
  $("watched").replaceChildren(...rows);
}

async function take(step, index) {
  choices = [...choices.slice(0, shown.path.at + 1), index];
  await takeStep(step);
  await refresh();
}

async function moveTo(number) {
  const by = number - shown.path.at;
  if (by !== 0) {
    await ask(by < 0 ? "back" : "forward", { steps: Math.abs(by) });
    await refresh();
  }
}

// After the server walked by itself, look up which of the listed steps it took.
async function noteWalk(before) {
  const path = await ask("path");
  choices = choices.slice(0, before + 1);
  let state = before === 0 ? path.begins : path.steps[before - 1].state;
  for (const step of path.steps.slice(before, path.at)) {
    const { steps } = await ask("successors", { state, limit: 10000 });
    choices.push(steps.findIndex((one) => one.state === step.state && one.title === step.title));
    state = step.state;
  }
  await refresh();
}

async function explainAction(action, item) {
  const found = await ask("why_disabled", { action, limit: 3 });
  item.querySelectorAll(".reason").forEach((old) => old.remove());
  for (const one of found.nearest) {
    const values = Object.entries(one.values).map(([name, value]) => `${name} = ${value}`);
    item.append(make("p", `${one.action}: ${one.formula} ${one.says}${values.length ? `, where ${values.join(", ")}` : ""}`, { class: "reason" }));
  }
}

async function explainProperty(name) {
  const found = await ask("why_false", { property: name });
  const parts = (found.false_parts ?? []).map((one) => {
    const at = Object.entries(one.with).map(([key, value]) => `${key} = ${value}`);
    return `${one.formula}${at.length ? ` with ${at.join(", ")}` : ""}${one.why ? `: ${one.why}` : ""}`;
  });
  say(`${name} is ${found.holds === null ? `without a value: ${found.reason}` : found.holds}${parts.length ? `. False: ${parts.join("; ")}` : ""}`);
}

// Take steps, each chosen among those that are listed.
async function follow(picks) {
  for (const pick of picks) {
    const { steps } = await ask("successors", { limit: 10000 });
    const index = pick(steps);
    if (!(index in steps)) {
      throw new Error("the address names a step that there is not");
    }
    await takeStep(steps[index]);
    choices.push(index);
  }
}

async function start(given) {
  const initial = await ask("initial_states", { limit: 1000 });
  const first = given[0] ?? 0;
  if (!(first in initial.states)) {
    throw new Error("the address names an initial state that there is not");
  }
  await ask("go", { state: initial.states[first].state });
  choices = [first];
  await follow(given.slice(1).map((index) => () => index));
  showInitial(initial);
}

// Go to a state of the graph, by the numbers of the states on the way to it.
async function walkTo(way) {
  const initial = await ask("initial_states", { limit: 10000 });
  choices = [initial.states.findIndex((one) => one.state === way[0])];
  await ask("go", { state: way[0] });
  await follow(way.slice(1).map((state) => (steps) => steps.findIndex((one) => one.state === state)));
  await refresh();
}

// Walk as far as an address leads, and say what is wrong with the rest.
async function openAddress(given) {
  let problem = null;
  try {
    await start(given);
  } catch (error) {
    problem = error.message;
    if (shown === null && choices.length === 0) {
      await start([0]);
    }
  }
  await refresh();
  if (problem !== null) {
    say(problem, true);
  }
}

function showInitial(initial) {
  if (initial.count > 1) {
    say(`${initial.count} initial states: Start goes to the next one.`);
  }
}

const readAddress = () => location.hash.slice(1).split(".").filter(Boolean).map(Number);

$("back").onclick = () => act(() => moveTo(shown.path.at - 1));
$("forward").onclick = () => act(() => moveTo(shown.path.at + 1));
$("restart").onclick = () =>
  act(async () => {
    const initial = await ask("initial_states", { limit: 1000 });
    const next = shown.path.steps.length === 0 ? (choices[0] + 1) % initial.states.length : choices[0];
    await start([next]);
    await refresh();
  });
$("random").onclick = () =>
  act(async () => {
    const before = shown.path.at;
    const { ended, steps } = await ask("random_walk", { steps: 5, seed: Math.floor(Math.random() * 1e9) });
    await noteWalk(before);
    if (ended === "deadlock") {
      say(`${steps.length} of 5 steps: then no action is enabled.`);
    }
  });
$("mark").onclick = () => {
  const address = location.hash;
  const item = make("li");
  const link = make("a", `state ${shown.state.state}, after ${shown.path.at} steps`, { href: address });
  item.append(link);
  marks.push(address);
  $("marks").append(item);
  $("marks-box").hidden = false;
};
$("watch-form").onsubmit = (event) => {
  event.preventDefault();
  watched.push($("watch-input").value);
  $("watch-input").value = "";
  act(showWatched);
};
$("find-form").onsubmit = (event) => {
  event.preventDefault();
  act(async () => {
    const before = shown.path.at;
    const found = await ask("find_state", { expression: $("find-input").value });
    if (found.found) {
      await noteWalk(before);
    } else {
      const states = `${found.states} state${found.states === 1 ? "" : "s"}`;
      say(found.all_states ? `No reachable state from here: ${states}, all of them.` : `None among the ${states} nearest.`);
    }
  });
};
for (const box of document.querySelectorAll(".drawn")) {
  box.ontoggle = showDrawings;
}
window.onhashchange = () => act(() => openAddress(readAddress()));

act(async () => {
  const about = await ask("about");
  $("title").textContent = about.title;
  document.title = `${about.title} – verify open`;
  const given = readAddress();
  if (given.length > 0) {
    await openAddress(given);
  } else if (about.walked) {
    choices = [about.initial];
    await noteWalk(0);
  } else {
    await start([0]);
    await refresh();
  }
});
