// The matrix of a run: one square for each variant, in cells of two axes that the reader chooses.

const STATES = ["done", "reused", "failed", "blocked", "interrupted", "unfinished", "skipped", "none"];
const EVIDENCE = { none: 0, inspected: 1, loaded: 2, ran: 3 };
const STATE_MARKS = { failed: "×", blocked: "!", interrupted: "∿", unfinished: "…", skipped: "–" };
// The worst state of several steps represents them.
const SEVERITY = ["none", "reused", "done", "skipped", "unfinished", "interrupted", "blocked", "failed"];

function worst(steps) {
  let state = "none";
  for (const step of steps) if (SEVERITY.indexOf(step.state) > SEVERITY.indexOf(state)) state = step.state;
  return state;
}

/** What the heat map shows of a variant: its state, and a number for the ramp. */
function reading(run, variant, kind, measure) {
  const all = variant.steps.map((index) => run.steps[index]);
  const steps = kind === "all" ? all : all.filter((step) => step.kind === kind);
  const state = worst(steps);
  if (measure === "state") return { state };
  if (measure === "evidence") {
    const proofs = all.filter((step) => step.evidence);
    const proof = proofs.reduce((best, step) => (EVIDENCE[step.evidence] > EVIDENCE[best] ? step.evidence : best), "none");
    return { state, value: EVIDENCE[proof], text: proof === "none" ? "no evidence" : proof };
  }
  if (measure === "duration") {
    const spent = steps.reduce((sum, step) => sum + (step.elapsed || 0), 0);
    return { state, value: steps.length ? spent : null, text: duration(spent) };
  }
  const sizes = all.flatMap((step) => step.outputs).filter((output) => output.path.endsWith(".whl"));
  const size = sizes.reduce((sum, output) => sum + output.size, 0);
  return { state, value: sizes.length ? size : null, text: bytes(sizes.length ? size : null) };
}

const GAP = 7; // between cells

/** How many squares of a cell are in a row: about a square, with few places left empty. */
function widthOf(count) {
  const least = Math.ceil(Math.sqrt(count));
  return d3.least(d3.range(least, Math.ceil(1.8 * least) + 1), (across) => across * Math.ceil(count / across) - count + (across - least) * 0.3) ?? 1;
}

class HeatMap {
  constructor(run) {
    this.run = run;
    const kinds = [...new Set(run.variants.flatMap((variant) => variant.steps.map((index) => run.steps[index].kind)))];
    const bySize = run.axes.map((axis, at) => [axis.values.length, at]).sort((a, b) => b[0] - a[0]);
    this.columns = bySize[0]?.[1] ?? -1;
    this.rows = bySize[1]?.[1] ?? -1;
    this.kind = "all";
    this.measure = "state";
    this.words = [];
    this.cursor = 0;
    this.haystacks = run.variants.map((variant) => {
      const steps = variant.steps.map((index) => run.steps[index]);
      return [variant.id, ...steps.flatMap((step) => [step.state, step.evidence, step.reason, step.error])].join(" ").toLowerCase();
    });
    const axes = [...run.axes.map((axis, at) => [String(at), axis.name]), ["-1", "(none)"]];
    const choose = (name, value) => { this[name] = value; this.arrange(); };
    this.filter = el("input", { type: "search", placeholder: "words of ids, states and errors", input: () => this.search() });
    this.count = el("span", { class: "note", role: "status" });
    this.canvas = el("canvas", {
      tabindex: "0", role: "application", "aria-label": "The matrix as a heat map", "aria-describedby": "matrix-help",
      click: (event) => this.open(this.at(event)), pointermove: (event) => this.hover(event), pointerleave: hideTip,
      keydown: (event) => this.key(event), focus: () => this.draw(), blur: () => this.draw(),
    });
    this.list = el("div");
    this.legend = el("div");
    this.node = el("div", {},
      el("div", { class: "controls" },
        picker("Rows", axes, String(this.rows), (value) => choose("rows", Number(value))),
        picker("Columns", axes, String(this.columns), (value) => choose("columns", Number(value))),
        picker("Color", ["state", "evidence", "duration", "size"].map((name) => [name, name]), "state", (value) => choose("measure", value)),
        picker("Steps", [["all", "all"], ...kinds.map((kind) => [kind, kind])], "all", (value) => choose("kind", value)),
        el("label", {}, "Filter ", this.filter), this.count),
      this.legend,
      el("p", { id: "matrix-help", class: "unseen" }, "Arrow keys move between variants, Enter shows the details. The table below has the same contents."),
      el("figure", {}, this.canvas),
      el("details", { toggle: (event) => { if (event.target.open) this.fill(); } }, el("summary", {}, "The matrix as a table"), this.list));
    this.search();
  }

  search() {
    const begun = performance.now();
    this.words = this.filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.matches = this.haystacks.map((text) => this.words.every((word) => text.includes(word)));
    const found = this.matches.filter(Boolean).length;
    this.count.textContent = `${plural(found, "variant")}${this.words.length ? ` of ${this.matches.length.toLocaleString("en")}` : ""}`;
    if (this.canvas.isConnected) this.draw();
    if (this.node.querySelector("details").open) this.fill();
    performance.measure("pinwheel-filter", { start: begun, end: performance.now() });
  }

  fill() {
    const rows = this.run.variants.filter((_, at) => this.matches[at]);
    this.list.replaceChildren(table(`Variants (${rows.length.toLocaleString("en")})`, [
      { name: "variant", cell: (variant) => el("button", { type: "button", click: () => this.open(this.run.variants.indexOf(variant)) }, variant.id) },
      ...this.run.axes.map((axis, at) => ({ name: axis.name, cell: (variant) => axis.values[variant.axes[at]] ?? "–" })),
      { name: "state", cell: (variant) => worst(variant.steps.map((index) => this.run.steps[index])) },
      { name: "evidence", cell: (variant) => reading(this.run, variant, "all", "evidence").text },
      { name: "time", number: true, cell: (variant) => reading(this.run, variant, "all", "duration").text },
      { name: "size", number: true, cell: (variant) => reading(this.run, variant, "all", "size").text },
    ], rows));
  }

  values(axis) { return axis < 0 ? [""] : this.run.axes[axis].values; }

  /** Decides where each variant is; called when an axis or a measure changes, or the width. */
  arrange() {
    const { run } = this;
    this.cells = new Map();
    run.variants.forEach((variant, at) => {
      const row = this.rows < 0 ? 0 : variant.axes[this.rows];
      const column = this.columns < 0 ? 0 : variant.axes[this.columns];
      const key = `${row} ${column}`;
      if (!this.cells.has(key)) this.cells.set(key, { row, column, members: [] });
      this.cells.get(key).members.push(at);
    });
    this.readings = run.variants.map((variant) => reading(run, variant, this.kind, this.measure));
    const numbers = this.readings.map((one) => one.value).filter((value) => value !== null && value !== undefined);
    this.low = this.measure === "evidence" ? 0 : d3.min(numbers) ?? 0;
    this.high = this.measure === "evidence" ? 3 : d3.max(numbers) ?? 1;
    this.place();
    this.showLegend();
    this.draw();
  }

  place() {
    const columns = this.values(this.columns).length + (this.missing(this.columns) ? 1 : 0);
    const rows = this.values(this.rows).length + (this.missing(this.rows) ? 1 : 0);
    const most = d3.max([...this.cells.values()], (cell) => cell.members.length) ?? 1;
    const context = this.canvas.getContext("2d");
    context.font = "12px system-ui, sans-serif";
    const widest = (axis) => Math.min(220, d3.max(this.labels(axis), (text) => context.measureText(visible(text)).width) ?? 0);
    this.left = Math.ceil(widest(this.rows)) + 12;
    const width = Math.max(320, this.canvas.parentElement?.clientWidth ?? 900);
    this.across = widthOf(most);
    this.down = Math.ceil(most / this.across);
    const room = (width - this.left - 8) / columns - GAP;
    // A few variants have larger squares.
    const largest = Math.max(26, Math.min(72, Math.floor(420 / (columns * this.across)), Math.floor(260 / (rows * this.down))));
    this.side = Math.max(6, Math.min(largest, Math.floor(room / this.across)));
    this.cellWidth = this.side * this.across + GAP;
    this.cellHeight = this.side * this.down + GAP;
    const label = widest(this.columns);
    this.slanted = label + 8 > this.cellWidth;
    this.top = this.slanted ? Math.ceil(label * 0.71) + 22 : 24;
    this.width = this.left + columns * this.cellWidth + (this.slanted ? Math.ceil(label * 0.71) + 8 : 8);
    this.height = this.top + rows * this.cellHeight + 4;
    this.places = new Array(this.run.variants.length);
    for (const cell of this.cells.values()) {
      const column = cell.column < 0 ? columns - 1 : cell.column;
      const row = cell.row < 0 ? rows - 1 : cell.row;
      cell.members.forEach((variant, at) => {
        this.places[variant] = [this.left + column * this.cellWidth + (at % this.across) * this.side,
          this.top + row * this.cellHeight + Math.floor(at / this.across) * this.side];
      });
    }
  }

  missing(axis) { return axis >= 0 && this.run.variants.some((variant) => variant.axes[axis] < 0); }
  labels(axis) { return [...this.values(axis), ...(this.missing(axis) ? ["(none)"] : [])]; }

  fillOf(at, ramp, states) {
    const one = this.readings[at];
    if (this.measure === "state") return states[one.state];
    return one.value === null || one.value === undefined ? states.none : ramp(one.value);
  }

  draw() {
    const context = prepareCanvas(this.canvas, this.width, this.height);
    const states = Object.fromEntries(STATES.map((state) => [state, color(state)]));
    const ramp = d3.scaleLinear([this.low, Math.max(this.high, this.low + 1e-9)], [color("ramp-0"), color("ramp-1")]).interpolate(d3.interpolateLab);
    const size = this.side - (this.side > 8 ? 2 : 1);
    this.drawLabels(context);
    this.run.variants.forEach((_, at) => {
      const [x, y] = this.places[at];
      context.globalAlpha = this.matches[at] ? 1 : 0.12;
      context.fillStyle = this.fillOf(at, ramp, states);
      context.fillRect(x, y, size, size);
      const mark = this.measure === "state" && size >= 11 ? STATE_MARKS[this.readings[at].state] : null;
      if (!mark) return;
      context.fillStyle = color("paper");
      context.textAlign = "center";
      context.fillText(mark, x + size / 2, y + size / 2 + 0.5);
    });
    context.globalAlpha = 1;
    if (document.activeElement !== this.canvas || !this.places[this.cursor]) return;
    const [x, y] = this.places[this.cursor];
    context.strokeStyle = color("focus");
    context.lineWidth = 2;
    context.strokeRect(x - 1, y - 1, size + 2, size + 2);
  }

  drawLabels(context) {
    context.fillStyle = color("dim");
    context.textAlign = "right";
    this.labels(this.rows).forEach((text, at) =>
      context.fillText(fitText(context, text, 220), this.left - 8, this.top + at * this.cellHeight + (this.cellHeight - GAP) / 2));
    context.textAlign = this.slanted ? "left" : "center";
    this.labels(this.columns).forEach((text, at) => {
      context.save();
      context.translate(this.left + at * this.cellWidth + (this.cellWidth - GAP) / 2, this.top - 10);
      if (this.slanted) context.rotate(-Math.PI / 4);
      context.fillText(fitText(context, text, 220), 0, 0);
      context.restore();
    });
  }

  showLegend() {
    if (this.measure === "state") {
      const counts = d3.rollup(this.readings, (group) => group.length, (one) => one.state);
      this.legend.replaceChildren(legend(STATES.filter((state) => counts.has(state)).map((state) =>
        [state, `${state === "none" ? "not in this run" : state} (${counts.get(state).toLocaleString("en")})`])));
      return;
    }
    const name = { evidence: ["none", "ran"], duration: [duration(this.low), duration(this.high)], size: [bytes(this.low), bytes(this.high)] }[this.measure];
    this.legend.replaceChildren(el("p", { class: "legend" }, name[0], el("span", { class: "ramp" }), name[1]));
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    return this.places.findIndex(([left, top]) => x >= left && x < left + this.side && y >= top && y < top + this.side);
  }

  describe(at) {
    const one = this.readings[at];
    return `${this.run.variants[at].id}: ${one.state === "none" ? "not in this run" : one.state}${one.text ? `, ${one.text}` : ""}`;
  }

  hover(event) {
    const at = this.at(event);
    this.canvas.style.cursor = at < 0 ? "default" : "pointer";
    if (at < 0) hideTip(); else showTip(event, this.describe(at));
  }

  key(event) {
    const steps = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[event.key];
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); this.open(this.cursor); }
    if (!steps) return;
    event.preventDefault();
    const [x, y] = this.places[this.cursor];
    let best = -1;
    let least = Infinity;
    this.places.forEach(([left, top], at) => {
      const along = (left - x) * steps[0] + (top - y) * steps[1];
      const aside = Math.abs((left - x) * steps[1]) + Math.abs((top - y) * steps[0]);
      if (along <= 0 || (steps[0] !== 0 && aside > 0)) return;
      const distance = along + aside * 4;
      if (distance < least) { least = distance; best = at; }
    });
    if (best < 0) return;
    this.cursor = best;
    this.draw();
    announce(this.describe(best));
  }

  open(at) {
    if (at < 0 || !this.run.variants[at]) return;
    this.cursor = at;
    const variant = this.run.variants[at];
    openDetails(variant.id, variant.steps.map((index) => stepDetails(this.run, index)));
  }
}

/** The facts about one step: what a reader needs to look further. */
function stepDetails(run, index) {
  const step = run.steps[index];
  return el("div", {},
    el("h3", {}, el("span", { class: "swatch", style: `background: var(--${STATES.includes(step.state) ? step.state : "none"})` }), step.id),
    facts([
      ["state", step.state + (step.reused_from ? ` (${step.reused_from})` : "")],
      ["reason", step.reason],
      ["evidence", step.evidence],
      ["attempts", step.attempts > 1 ? step.attempts : null],
      ["time", step.attempts > 0 ? duration(step.elapsed) : null],
      ["key", step.key && code(step.key)],
      ["log", step.log && code(step.log)],
      [step.state === "failed" ? "reproduce" : "repeat", step.again && [code(step.again), step.state === "failed" ? null : " from the checkout"]],
      ["shell", step.shell && code(step.shell)],
      ["needs", step.needs.length ? step.needs.join(", ") : null],
    ]),
    step.outputs.length ? facts(step.outputs.map((output) => [bytes(output.size), [code(output.path), el("br"), el("span", { class: "note mono" }, `sha256 ${output.sha256}`)]])) : null,
    step.error ? el("pre", { tabindex: "0", "aria-label": `Error of ${visible(step.id)}` }, step.error) : null,
    step.warnings.map((warning) => el("p", { class: "note" }, `warning: ${warning}`)));
}
