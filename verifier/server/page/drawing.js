"use strict";
// The execution in lanes, or as a table where nobody takes part: as reports draw it. A press on a step goes there.
const isAll = () => true;
let view = null;

async function draw() {
  const { at, diagram } = await parent.ask("drawing");
  const trace = new Trace(diagram), host = document.getElementById("host");
  view = trace.hasLanes ? new Lanes(trace, isAll) : new Variables(trace, isAll, () => "#");
  host.replaceChildren(view.pane);
  view.draw();
  view.mark(at, new Set());
  host.querySelector(`[data-step="${at}"]`)?.scrollIntoView({ block: "nearest" });
}

document.addEventListener("click", (event) => {
  const row = event.target.closest("[data-step]");
  if (row) {
    event.preventDefault();
    parent.act(() => parent.moveTo(Number(row.dataset.step)));
  }
});
addEventListener("resize", () => view?.draw());
draw();
