// The page's own script: draws each figure of the page, and lets readers find and order players.
"use strict";
(() => {
  const NARROW = 480;
  const controls = document.getElementById("controls");
  const find = document.getElementById("find");
  const order = document.getElementById("order");
  const places = [...document.querySelectorAll(".chart")];
  const drawn = new Map();

  const isNarrow = (place) => place.clientWidth < NARROW;

  // What the reader looks for, as a pattern: names or parts of names, separated by commas.
  const pattern = () =>
    find.value.split(",").map((part) => part.trim()).filter(Boolean)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");

  const expand = (columns) => {
    const names = Object.keys(columns);
    const full = names.map((name) => {
      const column = columns[name];
      return Array.isArray(column) ? column : column.at.map((place) => column.of[place]);
    });
    return (full[0] ?? []).map((_, row) => Object.fromEntries(names.map((name, i) => [name, full[i][row]])));
  };

  async function draw(place) {
    const { chart, columns } = JSON.parse(place.closest(".panel").querySelector("script").textContent);
    const signals = { find: pattern(), order: order.value, narrow: isNarrow(place) };
    for (const signal of chart.signals) if (signal.name in signals) signal.value = signals[signal.name];
    chart.data.find(({ name }) => name === "rows").values = expand(columns);
    drawn.get(place)?.finalize();
    try {
      // Only errors are logged (level 1): Vega warns of each scale when no player is found.
      const options = { mode: "vega", renderer: "svg", ast: true, actions: false, defaultStyle: false, logLevel: 1 };
      const found = await vegaEmbed(place, chart, options);
      drawn.set(place, Object.assign(found, { isNarrow: signals.narrow }));
    } catch (error) {
      place.textContent = `This figure could not be drawn: ${error.message}`;
      console.error(error);
    }
  }

  async function drawAll(chosen) {
    for (const place of chosen) await draw(place);
    document.documentElement.dataset.drawn = String(drawn.size);
  }

  function apply() {
    for (const { view } of drawn.values()) view.signal("find", pattern()).signal("order", order.value).runAsync();
    const matcher = new RegExp(pattern(), "i");
    for (const table of document.querySelectorAll("main table")) {
      const headings = [...table.tHead.rows].pop().cells;
      if (![...headings].some((heading) => heading.textContent === "player")) continue;
      for (const row of table.tBodies[0].rows) row.hidden = !matcher.test(row.textContent);
    }
  }

  const number = (text) => parseFloat(text.replace("−", "-").replace(/[,<\s]/g, ""));

  function sortBy(heading) {
    const body = heading.closest("table").tBodies[0];
    const sign = heading.getAttribute("aria-sort") === "descending" ? 1 : -1;
    for (const other of heading.parentNode.cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", sign < 0 ? "descending" : "ascending");
    const text = (row) => row.cells[heading.cellIndex].textContent;
    const compare = (one, other) => {
      const [a, b] = [number(text(one)), number(text(other))];
      if (isNaN(a) || isNaN(b)) return isNaN(a) - isNaN(b) || -sign * text(one).localeCompare(text(other));
      return sign * (a - b);
    };
    body.append(...[...body.rows].sort(compare));
  }

  for (const heading of document.querySelectorAll("main thead tr:last-child th")) {
    heading.tabIndex = 0;
    heading.title = "Sort by this column";
    heading.addEventListener("click", () => sortBy(heading));
    heading.addEventListener("keydown", (event) => event.key === "Enter" && sortBy(heading));
  }
  let waiting = 0;
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => drawAll(places.filter((place) => drawn.get(place)?.isNarrow !== isNarrow(place))), 200);
  });
  controls.addEventListener("submit", (event) => event.preventDefault());
  controls.addEventListener("input", apply);
  controls.hidden = places.length === 0;
  drawAll(places);
})();
