"use strict";
/* What is copied: the execution as text, as ITF, and the command that makes it. */
const Copying = {
  SAID: 2000,  // milliseconds for which a button says that it copied

  text(trace) {
    const lines = trace.steps.flatMap((step, number) => {
      const begins = trace.loop === number ? [`     the loop begins in state ${number}: the steps below repeat forever`] : [];
      const title = trace.closes(number) ? `${trace.callOf(number)}, which leads back to state ${trace.loop}` : trace.callOf(number);
      const changes = step.changes.map((change) => `     ${trace.changedBy(change)}: ${Trace.isLong(change) ? change.delta : trace.both(change)}`);
      return [`${String(number).padStart(3)}  ${title}`, ...(number ? changes : []), ...begins];
    });
    const failing = trace.failing.flatMap(([formula, witnesses, where, , states]) => {
      const at = witnesses.map(([name, value]) => `${name} = ${value}`).join(", ");
      const values = where.map(([path, value]) => `${path} = ${value}`).join(", ");
      const [from, to] = states ? states[states.length - 1] : [trace.at, trace.at];
      const when = trace.loop === null ? "" : to === trace.last ? " in the loop, forever" : trace.inState(from);
      return [`fails${when}${at ? ` for ${at}` : ""}: ${formula}`, ...(values ? [`     where ${values}`] : [])];
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

  /* Of many executions the ITF is packed together, and unpacked when it is first asked for. */
  async packed(number) {
    Copying.ready ??= Copying.unpack(document.getElementById("itfs").textContent);
    return (await Copying.ready)[number];
  },

  /* JSON that was compressed and written in base 64. */
  async unpack(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return JSON.parse(await new Response(stream).text());
  },

  button(what, text) {
    let timer = null;
    const say = (words) => {
      made.textContent = words;
      clearTimeout(timer);
      timer = setTimeout(() => { made.textContent = `Copy ${what}`; }, Copying.SAID);
    };
    const made = Page.button(`Copy ${what}`, `Copy ${what}`, async () => {
      const found = await text();
      if (found === null) document.getElementById("copied").textContent = `the ${what} is too long for a page`;
      else await Copying.copy(found, what);
      say(found === null ? "Too long" : "Copied");
    });
    return made;
  },
};
