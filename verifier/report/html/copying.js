"use strict";
/* What is copied: the execution as text, as ITF, and the command that makes it. */
const Copying = {
  text(trace) {
    const lines = trace.steps.flatMap((step, number) => {
      const title = number === 0 ? trace.start : `${step.action}(${trace.parametersOf(number)})`;
      const changes = step.changes.map((change) => `     ${trace.places[change.place][0]}: ${Trace.isLong(change) ? change.delta : `${change.before.text} → ${change.after.text}`}`);
      return [`${String(number).padStart(3)}  ${title}`, ...(number ? changes : [])];
    });
    const failing = trace.failing.flatMap(([formula, witnesses, where]) => {
      const at = witnesses.map(([name, value]) => `${name} = ${value}`).join(", ");
      const values = where.map(([path, value]) => `${path} = ${value}`).join(", ");
      return [`fails${at ? ` for ${at}` : ""}: ${formula}`, ...(values ? [`     where ${values}`] : [])];
    });
    return [...lines, ...failing].join("\n");
  },

  /* Puts a text into the clipboard, and says so. */
  async copy(text, what) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = Page.make("textarea", { class: "hidden", "aria-hidden": "true" });
      area.value = text;
      document.body.append(area);
      area.select();
      document.execCommand("copy");  // where a page from disk may not use the clipboard
      area.remove();
    }
    document.getElementById("copied").textContent = `${what} copied`;
  },

  button(what, text) {
    return Page.button(`Copy ${what}`, `Copy ${what}`, () => Copying.copy(text(), what));
  },
};
