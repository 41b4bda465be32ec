// The parts that the data has, in order.

function showRun(run, failures) {
  const count = (state) => run.steps.filter((step) => step.state === state).length;
  const summary = section("summary", "Summary", cards([
    [run.steps.length.toLocaleString("en"), "steps"], [count("done"), "done"], [count("reused"), "reused"], [count("failed"), "failed"], [count("blocked"), "blocked"],
    ...(count("skipped") ? [[count("skipped"), "skipped"]] : []),
    [duration(run.slot_time.makespan_ms), "from first to last"], [duration(run.critical.length_ms), "critical path"],
  ]), run.unmeasured ? el("p", { class: "note" }, `${plural(run.unmeasured, "step")} of an older pinwheel without times.`) : null);
  if (run.begun) summary.append(el("p", { class: "note" }, `Began ${run.begun}.`));
  if (failures.length) showFailures(run, failures);
  if (run.variants.length) {
    const map = new HeatMap(run);
    section("matrix", "Matrix", map.node);
    onRedraw(() => map.arrange());
  }
  if (run.attempts.length) {
    const timeline = new Timeline(run);
    section("timeline", "Timeline", timeline.node, el("h3", {}, "Critical path"), criticalTable(run));
    onRedraw(() => timeline.draw());
    section("slots", "Slot time", slotTime(run));
  }
  // Its figure measures the width of its place.
  const place = section("outliers", "Outliers");
  place.append(...outlierFigure(run));
  redraw();
}

function showFailures(run, failures) {
  section("failures", "Failures", el("p", { class: "note" }, `${plural(d3.sum(failures, (one) => one.steps.length), "failed step")} with ${plural(failures.length, "cause")}.`),
    failures.map((one, at) => el("details", { class: "cause", open: at < 3 },
      el("summary", {}, one.steps.length === 1 ? one.steps[0] : `${one.steps[0]} and ${one.steps.length - 1} more`),
      el("pre", { tabindex: "0", "aria-label": `Cause ${at + 1}` }, one.text))));
}

function showHistory(history) {
  const { runs, flaky } = history;
  const figure = el("figure", { role: "img", "aria-label": "Duration and size of the last runs" });
  section("history", "History", el("p", { class: "note" }, `The last ${plural(runs.length, "run")} in the journal of this state directory.`), figure,
    table("Runs, the newest first", [
      { name: "run", cell: (one) => code(one.name) }, { name: "time", number: true, cell: (one) => duration(one.elapsed_ms) },
      { name: "steps", number: true, cell: (one) => one.steps }, { name: "failed", number: true, cell: (one) => one.failed },
      { name: "reused", number: true, cell: (one) => one.reused }, { name: "compiler cache", number: true, cell: (one) => (one.hits + one.misses ? `${percent(one.hits / (one.hits + one.misses))} of ${one.hits + one.misses}` : "–") },
      { name: "size of wheels", number: true, cell: (one) => bytes(one.size || null) },
    ], runs.slice().reverse(), 20),
    el("h3", {}, "Flaky steps"), flaky.length === 0 ? el("p", { class: "note" }, "No step had different outcomes with the same key.")
      : table("Steps with the same key and different outcomes", [
        { name: "step", cell: (one) => one.id }, { name: "key", cell: (one) => code(one.key.slice(0, 12)) },
        { name: "outcomes, the newest last", cell: (one) => one.states.join(", ") },
        { name: "failed", number: true, cell: (one) => percent(one.states.filter((state) => state === "failed").length / one.states.length) },
      ], flaky));
  onRedraw(() => {
    const unit = d3.max(runs, (one) => one.elapsed_ms) > 120000 ? [60000, "minutes"] : [1000, "seconds"];
    const plot = (label, value, hue) => plainPlot({
      width: Math.max(320, Math.min(560, (figure.clientWidth || 900) / 2 - 16)), height: 190, marginLeft: 55,
      style: { display: "inline-block" },
      x: { type: "linear", ticks: Math.min(8, runs.length), tickFormat: "d", label: "run" }, y: { label, grid: true, zero: true },
      marks: [Plot.lineY(runs, { x: (_, at) => at + 1, y: value, stroke: color(hue) }), Plot.dot(runs, { x: (_, at) => at + 1, y: value, fill: (one) => color(one.failed ? "failed" : hue), r: 3 })],
    });
    const plots = [plot(unit[1], (one) => one.elapsed_ms / unit[0], "k0")];
    if (runs.some((one) => one.size > 0)) plots.push(plot("MB of wheels", (one) => one.size / 1e6, "k2"));
    figure.replaceChildren(...plots);
  });
}

// The theme: the system's, or the reader's choice.
const dark = matchMedia("(prefers-color-scheme: dark)");
const chosen = document.getElementById("theme");
function applyTheme(printing) {
  // Drawings get the width of a sheet, which is not known before it is printed.
  document.documentElement.classList.toggle("printing", printing);
  document.documentElement.dataset.theme = printing ? "light" : chosen.value || (dark.matches ? "dark" : "light");
  redraw();
}
chosen.addEventListener("change", () => applyTheme(false));
dark.addEventListener("change", () => applyTheme(false));
addEventListener("beforeprint", () => { closeDetails(); applyTheme(true); });
addEventListener("afterprint", () => applyTheme(false));
let waiting = 0;
addEventListener("resize", () => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(redraw); });
addEventListener("keydown", (event) => { if (event.key === "Escape") { hideTip(); closeDetails(); } });
addEventListener("scroll", hideTip, { passive: true });

document.getElementById("title").textContent = visible(data.title);
document.documentElement.dataset.theme = dark.matches ? "dark" : "light";
if (data.run) showRun(data.run, data.failures ?? []);
if (data.wheels?.length || data.absent?.length) showWheels(data.wheels ?? [], data.absent);
if (data.compat?.length) showCompat(data.compat);
if (data.history?.runs.length > 1) showHistory(data.history);
performance.mark("pinwheel-shown");
