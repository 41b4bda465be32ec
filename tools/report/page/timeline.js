// The attempts of a run on their machines, and where the slot time went.

const KIND_COLORS = ["build", "test", "env", "publish", "toolkit", "install", "sdist"];
// The phases of an attempt besides its own commands.
const PALE = 0.45;
const kindColor = (kind) => { const at = KIND_COLORS.indexOf(kind); return `k${at < 0 ? 7 : at}`; };

// Times between two lines of a time axis that people count in.
const TICKS = [1, 2, 5, 10, 20, 50, 100, 200, 500, ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 43200, 86400].map((seconds) => 1000 * seconds)];
const tickStep = (least) => TICKS.find((step) => step >= least) ?? Math.ceil(least / 86400000) * 86400000;

/** "20 s", "1:20", "5 min", "1:30 h": as exact as the lines are apart. */
function tickText(ms, step, end) {
  if (ms === 0) return "0";
  if (end < 60000) return step < 1000 ? `${ms} ms` : `${ms / 1000} s`;
  const two = (number) => String(number).padStart(2, "0");
  if (end < 3600000) return step % 60000 === 0 ? `${ms / 60000} min` : `${Math.floor(ms / 60000)}:${two(Math.floor(ms / 1000) % 60)}`;
  return `${Math.floor(ms / 3600000)}:${two(Math.floor(ms / 60000) % 60)}${step % 60000 === 0 ? "" : `:${two(Math.floor(ms / 1000) % 60)}`} h`;
}

class Timeline {
  constructor(run) {
    this.run = run;
    this.zoom = 1;
    this.cursor = 0;
    this.end = d3.max(run.attempts, (attempt) => attempt.end) ?? 1;
    this.lane = 18;
    this.tops = [];
    let top = 26;
    for (const machine of run.machines) {
      this.tops.push(top);
      top += 20 + Math.max(1, machine.slots) * this.lane;
    }
    this.height = top + 4;
    this.critical = new Set(run.critical.steps.flatMap((step) => d3.range(step.first, step.last + 1)
      .filter((at) => run.attempts[at].step === run.attempts[step.first].step)));
    this.canvas = el("canvas", {
      tabindex: "0", role: "application", "aria-label": "The timeline of the run", "aria-describedby": "timeline-help",
      pointermove: (event) => this.hover(event), pointerleave: hideTip, click: (event) => this.open(this.at(event)),
      keydown: (event) => this.key(event), focus: () => this.draw(), blur: () => this.draw(),
    });
    this.wide = el("div", {}, this.canvas);
    this.track = el("div", { class: "track", scroll: () => this.draw() }, this.wide);
    const button = (text, label, factor) => el("button", { type: "button", "aria-label": label, click: () => this.scale(factor) }, text);
    const kinds = [...new Set(run.attempts.map((attempt) => run.steps[attempt.step].kind))];
    const prepares = run.attempts.some((attempt) => attempt.phases.some((phase) => phase.phase !== "execution"));
    const pale = prepares ? [[kindColor(kinds[0]), "paler: installs packages, copies sources, finishes files", PALE]] : [];
    this.node = el("div", {},
      el("div", { class: "controls" }, button("−", "Zoom out", 0.5), button("+", "Zoom in", 2), button("whole run", "Show the whole run", 0),
        el("span", { class: "note" }, `${plural(run.attempts.length, "attempt")} in ${duration(this.end)}`)),
      legend([...kinds.map((kind) => [kindColor(kind), kind]), ...pale, ["critical", "outlined: on the critical path"]]),
      el("p", { id: "timeline-help", class: "unseen" }, "Left and right arrow keys move between attempts, plus and minus zoom, Enter shows the details."),
      this.track);
  }

  scale(factor) {
    const middle = (this.track.scrollLeft + this.track.clientWidth / 2) / (this.track.clientWidth * this.zoom);
    this.zoom = factor === 0 ? 1 : Math.max(1, Math.min(256, this.zoom * factor));
    this.draw();
    this.track.scrollLeft = middle * this.track.clientWidth * this.zoom - this.track.clientWidth / 2;
    this.draw();
  }

  x(time) { return 8 + (time / this.end) * (this.whole - 16) - this.track.scrollLeft; }
  y(attempt) { return this.tops[attempt.machine] + 18 + attempt.slot * this.lane; }

  draw() {
    const width = this.track.clientWidth || 900;
    this.whole = width * this.zoom;
    this.wide.style.width = `${this.whole}px`;
    const context = prepareCanvas(this.canvas, width, this.height);
    this.drawAxis(context, width);
    const colors = Object.fromEntries(d3.range(8).map((at) => [`k${at}`, color(`k${at}`)]));
    const [critical, failed] = [color("critical"), color("failed")];
    this.run.attempts.forEach((attempt, at) => {
      const left = this.x(attempt.start);
      const right = Math.max(left + 1, this.x(attempt.end));
      if (right < 0 || left > width) return;
      const step = this.run.steps[attempt.step];
      const y = this.y(attempt);
      context.fillStyle = colors[kindColor(step.kind)];
      context.globalAlpha = PALE;
      context.fillRect(left, y, right - left, this.lane - 4);
      context.globalAlpha = 1;
      const runs = attempt.phases.filter((phase) => phase.phase === "execution");
      for (const phase of attempt.phases.length ? runs : [attempt]) {
        const from = this.x(phase.start);
        context.fillRect(from, y, Math.max(1, Math.min(this.x(phase.end), right) - from), this.lane - 4);
      }
      if (attempt.state === "failed") { context.fillStyle = failed; context.fillRect(left, y + this.lane - 6, right - left, 3); }
      if (this.critical.has(at)) { context.strokeStyle = critical; context.lineWidth = 1.5; context.strokeRect(left, y - 0.5, right - left, this.lane - 3); }
      const label = Math.max(runs.length ? this.x(runs[0].start) : left, 0) + 4;
      if (right - label < 40) return;
      context.fillStyle = color("paper");
      context.textAlign = "left";
      context.fillText(fitText(context, step.id, right - label - 4), label, y + this.lane / 2 - 1.5);
    });
    this.drawCursor(context);
  }

  drawAxis(context, width) {
    const step = tickStep(this.end / Math.max(2, Math.round((10 * this.whole) / width)));
    const ticks = d3.range(0, this.end, step);
    context.strokeStyle = color("line");
    context.lineWidth = 1;
    context.fillStyle = color("dim");
    for (const tick of ticks) {
      const x = Math.round(this.x(tick)) + 0.5;
      if (x < -40 || x > width + 40) continue;
      context.beginPath();
      context.moveTo(x, 20);
      context.lineTo(x, this.height);
      context.stroke();
      context.textAlign = x < 30 ? "left" : x > width - 30 ? "right" : "center";
      context.fillText(tickText(tick, step, this.end), x, 10);
    }
    context.textAlign = "left";
    this.run.machines.forEach((machine, at) => {
      context.fillStyle = color("ink");
      const moved = machine.clock_offset_ms ? `, clock moved by ${duration(machine.clock_offset_ms)}` : "";
      context.fillText(fitText(context, `${machine.name} (${plural(machine.slots, "slot")}${moved})`, width - 20), 8, this.tops[at] + 8);
    });
  }

  drawCursor(context) {
    const attempt = this.run.attempts[this.cursor];
    if (document.activeElement !== this.canvas || !attempt) return;
    context.strokeStyle = color("focus");
    context.lineWidth = 2.5;
    const left = this.x(attempt.start);
    context.strokeRect(left - 1, this.y(attempt) - 2, Math.max(3, this.x(attempt.end) - left + 2), this.lane);
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return this.run.attempts.findIndex((attempt) => {
      const top = this.y(attempt);
      return y >= top - 1 && y <= top + this.lane - 2 && x >= this.x(attempt.start) - 1 && x <= Math.max(this.x(attempt.start) + 3, this.x(attempt.end));
    });
  }

  describe(at) {
    const attempt = this.run.attempts[at];
    const waits = attempt.waits.map((wait) => `\nwaited ${duration(wait.ms)} for ${wait.cause}${wait.on ? ` ${wait.on}` : ""}`).join("");
    return `${this.run.steps[attempt.step].id}, ${attempt.state}: ${duration(attempt.end - attempt.start)} from ${duration(attempt.start)}${waits}`;
  }

  hover(event) {
    const at = this.at(event);
    this.canvas.style.cursor = at < 0 ? "default" : "pointer";
    if (at < 0) hideTip(); else showTip(event, this.describe(at));
  }

  key(event) {
    if (event.key === "+" || event.key === "-") { this.scale(event.key === "+" ? 2 : 0.5); return; }
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); this.open(this.cursor); return; }
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !this.run.attempts.length) return;
    event.preventDefault();
    this.cursor = Math.max(0, Math.min(this.run.attempts.length - 1, this.cursor + step));
    const x = this.x(this.run.attempts[this.cursor].start);
    if (x < 0 || x > this.track.clientWidth) this.track.scrollLeft += x - 40;
    this.draw();
    announce(this.describe(this.cursor));
  }

  open(at) {
    const attempt = this.run.attempts[at];
    if (!attempt) return;
    this.cursor = at;
    openDetails(this.run.steps[attempt.step].id, facts([
      ["attempt", attempt.attempt], ["machine", this.run.machines[attempt.machine].name],
      ["started", `${duration(attempt.start)} after the first`], ["time", duration(attempt.end - attempt.start)],
      ["phases", attempt.phases.map((phase) => `${phase.phase.replace("_", " ")} ${duration(phase.end - phase.start)}`).join(", ")],
      ["waited", attempt.waits.map((wait) => `${duration(wait.ms)} for ${wait.cause}${wait.on ? ` ${wait.on}` : ""}`).join(", ")],
      ["cores", attempt.cores], ["processor", attempt.cpu_ms === null ? null : duration(attempt.cpu_ms)],
      ["peak memory", attempt.peak_memory === null ? null : bytes(attempt.peak_memory)],
    ]), attempt.commands.length ? table("The longest commands", [
      { name: "output", cell: (command) => code(command.output) }, { name: "kind", cell: (command) => command.kind.replace("_", " ") },
      { name: "time", number: true, cell: (command) => duration(command.ms) },
    ], attempt.commands) : null, stepDetails(this.run, attempt.step));
  }
}

function criticalTable(run) {
  const { critical } = run;
  return table(`Critical path: ${duration(critical.length_ms)} of ${duration(run.slot_time.makespan_ms)}`, [
    { name: "step", cell: (step) => stepButton(run, run.attempts[step.first].step) },
    { name: "starts", number: true, cell: (step) => duration(run.attempts[step.first].start) },
    { name: "time", number: true, cell: (step) => duration(step.spent_ms) },
    { name: "share of the path", number: true, cell: (step) => percent(critical.length_ms ? step.spent_ms / critical.length_ms : 0) },
    { name: "could save", number: true, cell: (step) => duration(step.saves_ms) },
  ], critical.steps);
}

const stepButton = (run, at) => el("button", { type: "button", click: () => openDetails(run.steps[at].id, stepDetails(run, at)) }, run.steps[at].id);

const SLOT_COLORS = { fetch: "k2", compile: "k0", device_compile: "k4", link: "k5", build: "k8", test: "k1", package: "k3", upload: "k6" };
const slotColor = (name) => (SLOT_COLORS[name] ? `var(--${SLOT_COLORS[name]})` : name === "absent" ? "var(--none)" : name === "idle_dependency" ? "var(--k7)" : "var(--skipped)");

function slotTime(run) {
  const { slot_time: all } = run;
  const total = d3.sum(all.classes, (one) => one.ms) || 1;
  const present = all.classes.filter((one) => one.ms > 0);
  const text = present.map((one) => `${one.title} ${percent(one.ms / total)}`).join(", ");
  return [
    el("p", { class: "note" }, `${plural(all.slots, "slot")} for ${duration(all.makespan_ms)}: as many as attempts ran at once on each machine.`),
    el("div", { class: "bar", role: "img", "aria-label": `Slot time: ${visible(text)}` }, present.map((one) =>
      el("span", {
        style: `width: ${(100 * one.ms) / total}%; background: ${slotColor(one.class)}`, pointermove: (event) =>
          showTip(event, `${one.title}: ${duration(one.ms)}, ${percent(one.ms / total)}`), pointerleave: hideTip,
      }))),
    table(`Slot time by class (${percent(d3.sum(all.classes, (one) => one.ms) / total)} of ${duration(total)})`, [
      { name: "class", cell: (one) => [el("span", { class: "swatch", style: `background: ${slotColor(one.class)}` }), one.title] },
      { name: "time", number: true, cell: (one) => duration(one.ms) },
      { name: "share", number: true, cell: (one) => percent(one.ms / total) },
    ], d3.sort(present, (one) => -one.ms)),
  ];
}

/** The steps of a kind that took much longer than the others: above the third quartile by more than 1.5 times the range. */
function outliers(run) {
  // An environment that was there already is no measure for one that had to be made.
  const ran = run.steps.map((step, at) => ({ step, at })).filter(({ step }) =>
    step.attempts > 0 && step.elapsed > 0 && (step.kind !== "env" || step.elapsed >= 1000));
  const groups = d3.groups(ran, ({ step }) => step.kind).filter(([, group]) => group.length >= 4);
  const found = groups.flatMap(([, group]) => {
    const times = d3.sort(group, ({ step }) => step.elapsed).map(({ step }) => step.elapsed);
    const [q1, middle, q3] = [0.25, 0.5, 0.75].map((share) => d3.quantileSorted(times, share));
    return group.filter(({ step }) => step.elapsed > q3 + 1.5 * (q3 - q1)).map((one) => ({ ...one, middle }));
  });
  return { ran: groups.flatMap(([, group]) => group), found: d3.sort(found, ({ step, middle }) => -step.elapsed / middle) };
}

function outlierFigure(run) {
  const { ran, found } = outliers(run);
  if (ran.length === 0) return [el("p", { class: "note" }, "Too few steps of one kind to compare.")];
  const figure = el("figure", { role: "img", "aria-label": "Times of the steps by kind, as boxes" });
  const unit = d3.max(ran, ({ step }) => step.elapsed) > 120000 ? [60000, "minutes"] : [1000, "seconds"];
  onRedraw(() => figure.replaceChildren(plainPlot({
    width: Math.max(360, Math.min(1000, figure.clientWidth || 900)), marginLeft: 70,
    x: { label: unit[1], grid: true }, y: { label: null },
    marks: [Plot.boxX(ran, { x: ({ step }) => step.elapsed / unit[0], y: ({ step }) => step.kind, fill: color("none"), stroke: color("dim") })],
  })));
  return [figure, found.length === 0 ? el("p", { class: "note" }, "No step took much longer than the others of its kind.")
    : table("Steps that took much longer than the others of their kind", [
      { name: "step", cell: (one) => stepButton(run, one.at) },
      { name: "time", number: true, cell: (one) => duration(one.step.elapsed) },
      { name: "median of its kind", number: true, cell: (one) => duration(one.middle) },
      { name: "times the median", number: true, cell: (one) => (one.step.elapsed / one.middle).toFixed(1) },
    ], found)];
}
