// The timeline: rows of ranks or threads, columns of time, and messages between them.
const kinds = data.kinds.length;
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";
const digitOf = new Map([...digits].map((digit, value) => [digit, value]));

// Shares of each cell, in 63rds: kinds in a row for each column.
function cellsOf(text) {
  const cells = new Uint8Array(data.columns * kinds);
  let at = 0;
  for (let i = 0; i < text.length && at < cells.length;) {
    if (text[i] === "*") {
      for (let n = digitOf.get(text[i + 1]); n > 0; --n, at += kinds) cells.copyWithin(at, at - kinds, at);
      i += 2;
    } else {
      for (let kind = 0; kind < kinds; ++kind) cells[at++] = digitOf.get(text[i++]);
    }
  }
  return cells;
}

const rows = data.rows.map((row) => ({ name: row.name, size: row.size, cells: cellsOf(row.cells) }));
const whole = rows.reduce((sum, row) => sum + row.size, 0);
const length = data.columns * data.column_s;
const flows = [];
for (let i = 0; i < data.flows.lines.length; i += 5) {
  const [from, to, sent, took, messages] = data.flows.lines.slice(i, i + 5);
  flows.push({ from, to, sent: (sent + 0.5) * data.flows.column_s, received: (sent + took + 0.5) * data.flows.column_s, messages });
}

const timeline = { from: 0, to: length, row: 0 };
const canvas = element("timeline-canvas"), tip = element("timeline-tip"), cross = element("timeline-cross");
const top_ = 58, axis = 24, rowHeight = limit(Math.round(420 / rows.length), 3, 40), gap = rowHeight > 5 ? 1 : 0;
const kMostLines = 1200; // of messages: more hide what is below them
let gutter = 72, plot = 1;

// Mean shares of kinds (0..1) of a row between two times.
function sharesOf(row, from, to) {
  const first = limit(Math.floor(from / data.column_s), 0, data.columns - 1);
  const last = limit(Math.ceil(to / data.column_s), first + 1, data.columns);
  const sums = new Float64Array(kinds);
  for (let at = first * kinds; at < last * kinds; at += kinds)
    for (let kind = 0; kind < kinds; ++kind) sums[kind] += row.cells[at + kind];
  for (let kind = 0; kind < kinds; ++kind) sums[kind] /= 63 * (last - first);
  return sums;
}

const timeAt = (x) => timeline.from + ((x - gutter) / plot) * (timeline.to - timeline.from);
const xOf = (time) => gutter + ((time - timeline.from) / (timeline.to - timeline.from)) * plot;
const rowAt = (y) => Math.floor((y - top_) / rowHeight);
const rowMiddle = (row) => top_ + ((row + Math.min(row + data.flows.row_step, rows.length)) / 2) * rowHeight;

// Ticks at 1, 2 or 5 times a power of ten.
function ticks(span, most) {
  const rough = span / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((f) => f * power).find((s) => s >= rough) || rough;
  const all = [];
  for (let k = Math.ceil(timeline.from / step - 1e-9); k * step <= timeline.to + step * 1e-6; ++k) all.push(k * step);
  return [all, step];
}

function drawCells(context, ratio) {
  const width = Math.round(plot * ratio), height = Math.round(rowHeight * ratio), inner = Math.max(1, height - Math.round(gap * ratio));
  const palette = data.kinds.map((_, kind) => channels(colour(`--kind-${kind}`))), empty = channels(colour("--surface"));
  const image = context.createImageData(width, inner), pixels = new Uint32Array(image.data.buffer);
  const packed = (rgb) => (255 << 24) | (rgb[2] << 16) | (rgb[1] << 8) | rgb[0];
  const packedKinds = palette.map(packed), packedEmpty = packed(empty);
  const span = timeline.to - timeline.from;
  const computing = new Float64Array(width);
  rows.forEach((row, number) => {
    pixels.fill(packedEmpty);
    for (let x = 0; x < width; ++x) {
      const shares = sharesOf(row, timeline.from + (x / width) * span, timeline.from + ((x + 1) / width) * span);
      computing[x] += shares[0] * row.size;
      if (inner < 6) {
        // Too low for parts above each other: their colours are mixed.
        const mixed = [0, 0, 0];
        let rest = 1;
        for (let kind = 0; kind < kinds; ++kind) {
          rest -= shares[kind];
          for (let c = 0; c < 3; ++c) mixed[c] += shares[kind] * palette[kind][c];
        }
        for (let c = 0; c < 3; ++c) mixed[c] = Math.round(mixed[c] + Math.max(0, rest) * empty[c]);
        for (let y = 0; y < inner; ++y) pixels[y * width + x] = packed(mixed);
        continue;
      }
      let below = 0;
      for (let kind = 0, sum = 0; kind < kinds; ++kind) {
        sum += shares[kind];
        const until = Math.round(Math.min(1, sum) * inner);
        for (; below < until; ++below) pixels[(inner - 1 - below) * width + x] = packedKinds[kind];
      }
    }
    context.putImageData(image, Math.round(gutter * ratio), Math.round((top_ + number * rowHeight) * ratio));
  });
  return computing;
}

// How many ranks or threads compute, above the rows.
function drawConcurrency(context, computing, ratio) {
  const base = top_ - 12, height = base - 8;
  context.beginPath();
  context.moveTo(gutter, base);
  computing.forEach((size, x) => context.lineTo(gutter + x / ratio, base - (size / whole) * height));
  context.lineTo(gutter + plot, base);
  context.closePath();
  context.fillStyle = colour("--kind-0");
  context.globalAlpha = 0.35;
  context.fill();
  context.globalAlpha = 1;
  context.strokeStyle = colour("--line");
  context.beginPath();
  for (const y of [base, base - height]) context.moveTo(gutter, y), context.lineTo(gutter + plot, y);
  context.stroke();
  context.fillStyle = colour("--soft");
  context.textAlign = "right";
  context.fillText(count(whole), gutter - 8, base - height + 4);
  context.fillText("0", gutter - 8, base + 3);
  context.textAlign = "left";
  context.fillText(`${data.unit} computing`, gutter + 4, base - height + 13);
}

function drawMessages(context) {
  const seen = flows.filter((flow) => flow.received >= timeline.from && flow.sent <= timeline.to);
  const many = seen.length > kMostLines;
  element("messages-word").textContent = many ? "Messages (zoom in to see them)" : "Messages";
  if (!element("with-messages").checked || many) return;
  context.save();
  context.beginPath();
  context.rect(gutter, top_, plot, rows.length * rowHeight);
  context.clip();
  context.strokeStyle = colour("--ink");
  context.globalAlpha = limit(160 / Math.max(1, seen.length), 0.2, 0.75);
  for (const flow of seen) {
    context.lineWidth = limit(0.7 + Math.log10(flow.messages) * 0.6, 0.7, 3);
    context.beginPath();
    context.moveTo(xOf(flow.sent), rowMiddle(flow.from));
    context.lineTo(xOf(flow.received), rowMiddle(flow.to));
    context.stroke();
  }
  context.restore();
}

function drawLabels(context) {
  const bottom = top_ + rows.length * rowHeight;
  context.fillStyle = colour("--soft");
  context.strokeStyle = colour("--line");
  context.textAlign = "right";
  const every = Math.ceil(14 / rowHeight);
  rows.forEach((row, number) => {
    if (number % every && number !== timeline.row) return;
    context.fillText(shortName(row.name), gutter - 8, top_ + number * rowHeight + Math.max(rowHeight / 2 + 4, 8));
  });
  const span = timeline.to - timeline.from, [at, step] = ticks(span, Math.max(2, plot / 110));
  context.textAlign = "center";
  for (const time of at) {
    const x = xOf(time);
    context.beginPath();
    context.moveTo(x, bottom);
    context.lineTo(x, bottom + 5);
    context.stroke();
    context.fillText(seconds(time, step * 10), limit(x, gutter + 20, gutter + plot - 24), bottom + 18);
  }
  if (document.activeElement === canvas) {
    context.strokeStyle = colour("--accent");
    context.strokeRect(gutter - 0.5, top_ + timeline.row * rowHeight - 0.5, plot, rowHeight);
  }
}

function drawTimeline() {
  const [context, width, , ratio] = prepare(canvas, top_ + rows.length * rowHeight + axis);
  gutter = width < 500 ? 44 : 72;
  plot = width - gutter - 6;
  const computing = drawCells(context, ratio);
  drawConcurrency(context, computing, plot > 0 ? computing.length / plot : 1);
  drawMessages(context);
  drawLabels(context);
}

let waiting = 0;
function redraw() {
  waiting ||= requestAnimationFrame(() => {
    waiting = 0;
    drawTimeline();
  });
}

const words = (row, from, to) => {
  const shares = sharesOf(row, from, to);
  const said = data.kinds.map((name, kind) => [shares[kind], `${name} ${percent(shares[kind])}`]).filter(([share]) => share >= 0.0005);
  return said.length ? said.sort((a, b) => b[0] - a[0]).map(([, text]) => text).join(", ") : "nothing recorded";
};

function tell(passing) {
  const span = timeline.to - timeline.from, row = rows[timeline.row];
  say("timeline-status", `${seconds(timeline.from, span)} to ${seconds(timeline.to, span)}, ${row.name}: ${words(row, timeline.from, timeline.to)}.`, passing);
}

function show(from, to, passing) {
  const span = limit(to - from, Math.min(length, 8 * data.column_s), length);
  timeline.from = limit((from + to - span) / 2, 0, length - span);
  timeline.to = timeline.from + span;
  redraw();
  tell(passing);
}
function zoom(factor, around = (timeline.from + timeline.to) / 2, passing = false) {
  show(around - (around - timeline.from) * factor, around + (timeline.to - around) * factor, passing);
}
function pan(share) {
  const by = limit(share * (timeline.to - timeline.from), -timeline.from, length - timeline.to);
  show(timeline.from + by, timeline.to + by);
}
function select(row) {
  timeline.row = limit(row, 0, rows.length - 1);
  redraw();
  tell();
}

const actions = { in: () => zoom(0.5), out: () => zoom(2), left: () => pan(-0.25), right: () => pan(0.25), all: () => show(0, length) };
for (const button of document.querySelectorAll("#timeline-box [data-do]")) button.addEventListener("click", actions[button.dataset.do]);
element("with-messages").addEventListener("change", redraw);

canvas.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const keys = {
    ArrowLeft: actions.left, ArrowRight: actions.right, ArrowUp: () => select(timeline.row - 1), ArrowDown: () => select(timeline.row + 1),
    Home: () => select(0), End: () => select(rows.length - 1), "+": actions.in, "=": actions.in, "-": actions.out, 0: actions.all, Escape: actions.all,
    m: () => element("with-messages").click(),
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
canvas.addEventListener("focus", redraw);
canvas.addEventListener("blur", redraw);

// The pointer: what is below it, moving, choosing a stretch.
let drag = null;
const place = (event) => {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
};
function hideTip() {
  tip.hidden = cross.hidden = true;
}
function showTip(x, y) {
  const number = rowAt(y), time = timeAt(x);
  if (x < gutter || x > gutter + plot || number < 0 || number >= rows.length) return hideTip();
  const row = rows[number], column = Math.max(data.column_s, (timeline.to - timeline.from) / plot), shares = sharesOf(row, time, time + column / 2);
  const title = document.createElement("b");
  title.textContent = `${row.name}, ${seconds(time, timeline.to - timeline.from)}`;
  const lines = data.kinds.map((name, kind) => {
    const line = document.createElement("div"), label = document.createElement("span"), mark = document.createElement("i");
    mark.className = `kind-${kind}`;
    label.append(mark, name);
    line.append(label, percent(shares[kind]));
    return [shares[kind], line];
  }).filter(([share]) => share >= 0.0005).map(([, line]) => line);
  tip.replaceChildren(title, ...(lines.length ? lines : ["nothing recorded"]));
  tip.hidden = cross.hidden = false;
  cross.className = "cross";
  cross.style.left = `${x}px`;
  cross.style.width = "1px";
  const left = x + 16 + tip.offsetWidth > canvas.clientWidth ? x - 16 - tip.offsetWidth : x + 16;
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${Math.max(0, y - 20)}px`;
}
canvas.addEventListener("pointerdown", (event) => {
  const [x, y] = place(event);
  if (event.button !== 0 || x < gutter) return;
  canvas.setPointerCapture(event.pointerId);
  drag = { x, from: timeline.from, to: timeline.to, choose: event.shiftKey };
  const row = rowAt(y);
  if (row >= 0 && row < rows.length) timeline.row = row;
});
canvas.addEventListener("pointermove", (event) => {
  const [x, y] = place(event);
  if (!drag) return showTip(x, y);
  tip.hidden = true;
  if (drag.choose) {
    cross.hidden = false;
    cross.className = "cross range";
    cross.style.left = `${Math.min(x, drag.x)}px`;
    cross.style.width = `${Math.abs(x - drag.x)}px`;
    return;
  }
  canvas.classList.add("dragging");
  const by = limit(((drag.x - x) / plot) * (drag.to - drag.from), -drag.from, length - drag.to);
  show(drag.from + by, drag.to + by, true);
});
function drop(event) {
  if (!drag) return;
  const [x] = place(event), { choose, x: begin } = drag;
  drag = null;
  canvas.classList.remove("dragging");
  hideTip();
  if (choose && Math.abs(x - begin) > 4) show(timeAt(Math.min(x, begin)), timeAt(Math.max(x, begin)));
  else tell();
}
canvas.addEventListener("pointerup", drop);
canvas.addEventListener("pointercancel", drop);
canvas.addEventListener("pointerleave", hideTip);
canvas.addEventListener("dblclick", (event) => zoom(0.4, timeAt(place(event)[0])));
canvas.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  zoom(Math.exp(limit(event.deltaY, -200, 200) / 300), timeAt(place(event)[0]), true);
}, { passive: false });

// Stretches of low concurrency, each with a margin.
for (const button of document.querySelectorAll(".show")) {
  button.hidden = false;
  button.addEventListener("click", () => {
    const from = Number(button.dataset.from), to = Number(button.dataset.to), margin = to - from;
    show(from - margin, to + margin);
    element("timeline").scrollIntoView();
    canvas.focus({ preventScroll: true });
  });
}

if (data.columns > 0 && rows.length > 0) {
  element("timeline-box").hidden = false;
  pictures.push(drawTimeline);
  tell();
}
