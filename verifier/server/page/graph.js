"use strict";
// The states that were seen, as reports draw them. A button goes to the state that is selected.
class SeenStates extends StateGraph {
  constructor(host, seen) {
    super(host);
    this.numbers = seen.numbers;
    this.visited = new Set(seen.visited);
    this.walked = new Set(seen.path.slice(1).map((state, place) => `${seen.path[place]} ${state}`));
    if (seen.current !== null) this.select(seen.current);
    this.draw();
  }

  // The address belongs to the page around.
  select(state) {
    super.select(state, false);
  }

  mark() {
    super.mark();
    if (!this.visited) return; // not yet: the graph is drawn while it is made
    for (const edge of this.svg.querySelectorAll("[data-edge]")) edge.classList.toggle("walked", this.walked.has(edge.dataset.edge));
    for (const node of this.svg.querySelectorAll("[data-state]")) node.classList.toggle("ahead", !this.visited.has(Number(node.dataset.state)));
  }

  // Nothing is known of what follows the states where nobody was.
  isStuck(state) {
    return this.visited?.has(state) === true && this.out[state].length === 0;
  }

  tell() {
    super.tell();
    const way = [];
    for (let state = this.current; state !== null; state = this.came(state)) way.unshift(this.numbers?.[state]);
    this.aside.prepend(Page.button("Go to this state", "Walk to the state selected", () => parent.act(() => parent.walkTo(way))));
  }
}

let graph = null;

async function draw() {
  const seen = await parent.ask("graph");
  document.getElementById("graph-data").textContent = JSON.stringify(seen.graph);
  const more = seen.left_out ? ` ${seen.left_out} more are not drawn.` : "";
  document.getElementById("told").textContent = `Full circles are states where you were, pale ones those to which steps lead from there. The thick line is the execution.${more}`;
  graph = new SeenStates(document.getElementById("host"), seen);
}

// The drawing fits the window again, and what is selected stays in view.
addEventListener("resize", () => graph?.fit());

draw();
