// What all pictures share: the data, colours of the theme, numbers as text.
const data = JSON.parse(document.getElementById("pictures").textContent);
const element = (id) => document.getElementById(id);
const limit = (value, least, most) => Math.min(most, Math.max(least, value));

// Functions to call when what is drawn must be drawn again.
const pictures = [];
const drawAll = () => pictures.forEach((draw) => draw());

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
// [red, green, blue] of "#rrggbb".
const channels = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));

// A time; span: digits suffice to tell times apart that differ by a hundredth of it.
function seconds(value, span = value) {
  const [unit, factor] = span >= 1 ? ["s", 1] : span >= 1e-3 ? ["ms", 1e3] : ["us", 1e6];
  const digits = limit(2 - Math.floor(Math.log10(Math.max(1e-12, span * factor))), 0, 6);
  return `${(value * factor).toFixed(digits)} ${unit}`;
}
const percent = (share) => `${(100 * share).toFixed(1)} %`;
// "3" for "rank 3", "32" for "ranks 32-63", "3.1" for "rank 3, thread 1".
const shortName = (name) => name.match(/[0-9]+(?:, thread [0-9]+)?/)[0].replace(", thread ", ".");
const count = (value) => Math.round(value).toLocaleString("en-US");
function bytes(value) {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  for (; value >= 999.95 && unit + 1 < units.length; value /= 1000) ++unit;
  return `${unit ? value.toFixed(1) : value} ${units[unit]}`;
}

// A sentence in a live region. While a pointer passes many things, it is seen, but read aloud only where the pointer rests.
const resting = new Map();
function say(id, text, passing = false) {
  clearTimeout(resting.get(id));
  element(id).setAttribute("aria-live", passing ? "off" : "polite");
  element(id).textContent = text;
  if (passing) resting.set(id, setTimeout(() => say(id, text), 500));
}

// A canvas as wide as its place and `height` high, in device pixels; [context, width, height, pixels per unit].
function prepare(canvas, height) {
  const ratio = window.devicePixelRatio || 1, width = Math.max(200, canvas.parentElement.clientWidth);
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = `12px ${colour("--sans")}`;
  return [context, width, height, ratio];
}

// Opens all folded parts of the page before it is printed.
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => (one.open = true)));

// On narrow screens each row of a table is a block, whose cells have the names of their columns.
document.querySelectorAll("table").forEach((table) => {
  const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
  for (const row of table.tBodies[0].rows)
    [...row.cells].forEach((cell, at) => {
      cell.dataset.column = cell.colSpan > 1 ? "" : names[at];
    });
  table.classList.add("stacked");
});

// Light or dark: as the system says until somebody chooses.
const system = window.matchMedia("(prefers-color-scheme: dark)");
const themeButton = element("theme");
const isDark = () => (document.documentElement.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
function showTheme() {
  themeButton.textContent = isDark() ? "Light" : "Dark";
  themeButton.setAttribute("aria-label", isDark() ? "Switch to the light theme" : "Switch to the dark theme");
  drawAll();
}
themeButton.hidden = false;
themeButton.addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  showTheme();
});
system.addEventListener("change", showTheme);

// On paper it is light.
let chosen;
window.addEventListener("beforeprint", () => {
  chosen = document.documentElement.dataset.theme;
  document.documentElement.dataset.theme = "light";
  drawAll();
});
window.addEventListener("afterprint", () => {
  if (chosen) document.documentElement.dataset.theme = chosen;
  else delete document.documentElement.dataset.theme;
  drawAll();
});
