// Who sends to whom, and who waits for whom.
const names = data.pairs.names, size = names.length;
const quantities = [
  { key: "bytes", name: "Bytes", text: bytes, verb: (a, b) => `${a} to ${b}` },
  { key: "messages", name: "Messages", text: count, verb: (a, b) => `${a} to ${b}` },
  { key: "waited", name: "Waiting", text: (value) => seconds(value), verb: (a, b) => `${a} for ${b}` },
].filter(({ key }) => data.pairs[key] && data.pairs[key].length > 0);
for (const quantity of quantities) {
  quantity.values = new Float64Array(size * size);
  const list = data.pairs[quantity.key];
  for (let i = 0; i < list.length; i += 3) quantity.values[list[i] * size + list[i + 1]] = list[i + 2];
  quantity.most = quantity.values.reduce((a, b) => Math.max(a, b), 0);
  quantity.least = quantity.values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), Infinity);
}
const matrix = { shown: quantities[0], row: 0, column: Math.min(1, size - 1) };
const matrixCanvas = element("matrix-canvas");
const edge = 44;
let cell = 1;

// 0 for nothing; from the least to the most by orders of magnitude.
function strength({ values, least, most }, at) {
  if (!(values[at] > 0)) return 0;
  return most > least ? 0.18 + 0.82 * (Math.log(values[at] / least) / Math.log(most / least)) : 1;
}

function drawMatrix() {
  const side = Math.min(matrixCanvas.parentElement.clientWidth, 544);
  const [context] = prepare(matrixCanvas, side);
  matrixCanvas.style.width = `${side}px`;
  matrixCanvas.width = matrixCanvas.height = Math.round(side * (window.devicePixelRatio || 1));
  context.scale(matrixCanvas.width / side, matrixCanvas.width / side);
  cell = (side - edge - 4) / size;
  const full = channels(colour("--kind-0")), none = channels(colour("--page"));
  context.font = `12px ${colour("--sans")}`;
  for (let row = 0; row < size; ++row)
    for (let column = 0; column < size; ++column) {
      const part = strength(matrix.shown, row * size + column);
      context.fillStyle = `rgb(${full.map((c, i) => Math.round(none[i] + (c - none[i]) * part))})`;
      const thin = cell > 4 ? 1 : 0;
      context.fillRect(edge + column * cell, edge + row * cell, cell - thin, cell - thin);
    }
  context.fillStyle = colour("--soft");
  const every = Math.ceil(16 / cell), across = Math.ceil((shortName(names[size - 1]).length > 3 ? 44 : 26) / cell);
  for (let i = 0; i < size; ++i) {
    const label = shortName(names[i]), middle = edge + (i + 0.5) * cell;
    context.textAlign = "right";
    if (i % every === 0) context.fillText(label, edge - 6, middle + 4);
    context.textAlign = "center";
    if (i % across === 0) context.fillText(label, middle, edge - 8);
  }
  context.strokeStyle = colour("--accent");
  context.lineWidth = 2;
  if (document.activeElement === matrixCanvas || matrix.hover)
    context.strokeRect(edge + matrix.column * cell, edge + matrix.row * cell, Math.max(4, cell - 1), Math.max(4, cell - 1));
}

function tellPair(passing) {
  const { values, text, verb, name } = matrix.shown, value = values[matrix.row * size + matrix.column];
  say("matrix-status", `${name}, ${verb(names[matrix.row], names[matrix.column])}: ${value > 0 ? text(value) : "none"}.`, passing);
}
function choosePair(row, column, passing) {
  matrix.row = limit(row, 0, size - 1);
  matrix.column = limit(column, 0, size - 1);
  drawMatrix();
  tellPair(passing);
}

if (quantities.length > 0) {
  for (const quantity of quantities) {
    const label = document.createElement("label"), input = document.createElement("input");
    Object.assign(input, { type: "radio", name: "matrix-what", value: quantity.key, checked: quantity === matrix.shown });
    input.addEventListener("change", () => {
      matrix.shown = quantity;
      choosePair(matrix.row, matrix.column);
    });
    label.append(input, quantity.name);
    element("matrix-what").append(label);
  }
  matrixCanvas.addEventListener("pointermove", (event) => {
    const box = matrixCanvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top - edge) / cell), column = Math.floor((event.clientX - box.left - edge) / cell);
    matrix.hover = row >= 0 && row < size && column >= 0 && column < size;
    matrix.hover ? choosePair(row, column, true) : drawMatrix();
  });
  matrixCanvas.addEventListener("pointerleave", () => {
    matrix.hover = false;
    drawMatrix();
  });
  matrixCanvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    choosePair(matrix.row + step[0], matrix.column + step[1]);
  });
  matrixCanvas.addEventListener("focus", drawMatrix);
  matrixCanvas.addEventListener("blur", drawMatrix);
  element("matrix-box").hidden = false;
  pictures.push(drawMatrix);
  tellPair();
}

new ResizeObserver(drawAll).observe(document.querySelector("main"));
showTheme();
