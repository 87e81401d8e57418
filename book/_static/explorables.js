"use strict";
// Pictures of the chapters that answer. Each stands on the page without this script too.
//
// A figure: one of its points is chosen, by a control below it or by pointing, and its words are
// said. A board: what is read of each square, at each move of a game.
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
  const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  /** How far from a point, in pixels, one may point at it. */
  const NEAR = 22;

  const make = (name, parent, attributes = {}, text = "") => {
    const made = parent.namespaceURI === SVG || name === "svg"
      ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text) made.textContent = text;
    parent.append(made);
    return made;
  };

  /** A control with its label, in a row of its own; tells what is chosen, a place in `names`. */
  function addControl(parent, label, names, kind, tell) {
    const line = make("label", parent, { class: "control" }, `${label} `);
    const made = kind === "range"
      ? make("input", line, { type: "range", min: 0, max: names.length - 1 }) : make("select", line);
    made.setAttribute("aria-label", label);
    if (kind !== "range") names.forEach((name, at) => make("option", made, { value: at }, name));
    made.addEventListener("input", () => tell(Number(made.value)));
    return {
      set(at, said = names[at]) {
        made.value = at;
        if (kind === "range") made.setAttribute("aria-valuetext", said);
      },
      fit(most) { made.max = most; },
    };
  }

  // ------------------------------------------------------------------ a figure

  function startFigure(place) {
    const svg = place.querySelector("svg");
    const points = [...svg.querySelectorAll("[data-point]")].map((group) => ({
      group, key: group.dataset.point, words: group.querySelector("title").textContent,
    }));
    const { label, control, start } = place.dataset;
    if (control === "select") points.sort((one, other) => one.words.localeCompare(other.words));
    const live = make("div", place, { class: "live" });
    const names = points.map(({ words }) => words.split(": ")[0]);
    const chooser = addControl(live, label, names, control, choose);
    const said = make("p", live, { role: "status" });
    let ring = null;

    function choose(at) {
      const { group, key, words } = points[at];
      for (const each of svg.querySelectorAll("[data-with]")) {
        each.style.visibility = each.dataset.with === key ? "visible" : "hidden";
      }
      const { x, y, width, height } = group.getBBox();
      ring?.remove();
      ring = make("circle", svg, { class: "ring", cx: x + width / 2, cy: y + height / 2, r: Math.max(width, 6) });
      said.textContent = words;
      chooser.set(at);
    }

    function point({ clientX, clientY }) {
      const away = points.map(({ group }) => {
        const box = group.getBoundingClientRect();
        return Math.hypot(box.x + box.width / 2 - clientX, box.y + box.height / 2 - clientY);
      });
      const least = Math.min(...away);
      if (least < NEAR) choose(away.indexOf(least));
    }

    svg.addEventListener("pointermove", point);
    svg.addEventListener("pointerdown", point);
    choose(points.findIndex(({ key }) => key === start));
  }

  // ------------------------------------------------------------------ a board that is read

  const nameOf = (letter) => (letter === "." ? "nothing"
    : `a ${letter === letter.toLowerCase() ? "black" : "white"} ${NAMES[letter.toLowerCase()]}`);
  const share = (digit) => parseInt(digit, 36) / 35;
  const percent = (part) => `${Math.round(100 * part)} %`;
  const squareName = (at) => "abcdefgh"[at % 8] + (1 + Math.floor(at / 8));

  /** The 64 letters of a FEN's first field, from a1 to h8, as readings have them. */
  const lettersOf = (placement) => placement.split("/").reverse().join("")
    .replace(/\d/g, (empty) => ".".repeat(Number(empty)));

  /** What stands on a square, what is read there, and the probability that each gets. */
  function readingOf(game, ply, at) {
    const [there, read] = [lettersOf(game.boards[ply]), game.read[ply]];
    const likeliest = share(game.sure[ply][at]);
    if (there[at] === read[at]) return { there: there[at], read: read[at], likeliest, right: likeliest };
    const before = [...read.slice(0, at)].filter((letter, place) => letter !== there[place]).length;
    return { there: there[at], read: read[at], likeliest, right: share(game.missed[ply][before]) };
  }

  function drawBoard(svg, letters, wrong, chosen) {
    svg.replaceChildren();
    for (let at = 0; at < 64; at += 1) {
      const [x, y] = [at % 8, 7 - Math.floor(at / 8)];
      make("rect", svg, { x, y, width: 1, height: 1, class: (x + y) % 2 ? "dark" : "light" });
      if (wrong.has(at)) make("rect", svg, { x, y, width: 1, height: 1, class: "wrong" });
      if (letters[at] === ".") continue;
      const href = `#${nameOf(letters[at]).slice(2).replace(" ", "-")}`;
      make("use", svg, { href, transform: `translate(${x} ${y}) scale(${1 / 45})` });
    }
    const [x, y] = [chosen % 8, 7 - Math.floor(chosen / 8)];
    make("rect", svg, { x: x + 0.05, y: y + 0.05, width: 0.9, height: 0.9, class: "chosen" });
  }

  function startBoard(place) {
    const { games, ply: first, square } = JSON.parse(place.querySelector("script").textContent);
    const shown = { game: games[0], ply: first, at: square };
    const live = make("div", place, { class: "live" });
    const pair = make("div", live, { class: "pair" });
    const [actual, read] = ["The board", "As it is read"].map((title) => {
      const side = make("div", pair);
      make("p", side, { class: "table-caption" }, title);
      return make("svg", side, { viewBox: "0 0 8 8" });
    });
    const names = games.map(({ name }) => name);
    addControl(live, "Game", names, "select", (game) => change({ game: games[game], ply: 0 }));
    const mover = addControl(live, "After", games[0].moves, "range", (ply) => change({ ply }));
    const said = make("p", live, { role: "status" });
    const history = make("svg", live, { class: "history", height: 40, preserveAspectRatio: "none", "aria-hidden": "true" });
    make("p", live, { class: "evidence" }, "Below the boards, move by move: the probability that the layer gives to "
      + "what stands on the chosen square; orange where it reads something else. Click there for that move.");
    actual.setAttribute("aria-hidden", "true");
    for (const [key, value] of Object.entries({ tabindex: 0, role: "application", "aria-roledescription": "chessboard" })) {
      read.setAttribute(key, value);
    }

    function change(now) {
      Object.assign(shown, now);
      const { game, ply, at } = shown;
      mover.fit(game.moves.length - 1);
      mover.set(ply, game.moves[ply]);
      const letters = lettersOf(game.boards[ply]);
      const wrong = new Set([...letters].flatMap((letter, where) => (letter === game.read[ply][where] ? [] : [where])));
      drawBoard(actual, letters, new Set(), at);
      drawBoard(read, game.read[ply], wrong, at);
      const { there, read: letter, likeliest, right } = readingOf(game, ply, at);
      said.textContent = `${squareName(at)} after ${game.moves[ply]}: read as ${nameOf(letter)} (${percent(likeliest)}), `
        + `${there === letter ? "which is right" : `while ${nameOf(there)} is there (${percent(right)})`}. `
        + `${64 - wrong.size} of 64 squares are read rightly.`;
      read.setAttribute("aria-label", `The board as it is read after ${game.moves[ply]}. Arrow keys choose a square.`);
      drawHistory(game, at, ply);
    }

    function drawHistory(game, at, ply) {
      history.replaceChildren();
      history.setAttribute("viewBox", `0 0 ${game.moves.length} 1`);
      make("rect", history, { x: ply, y: 0, width: 1, height: 1, class: "now" });
      game.moves.forEach((_, each) => {
        const { there, read: letter, right } = readingOf(game, each, at);
        const kind = there === letter ? "right" : "wrong";
        make("rect", history, { x: each + 0.1, y: 1 - right, width: 0.8, height: right, class: kind });
        if (kind === "wrong") make("rect", history, { x: each + 0.1, y: 0.96, width: 0.8, height: 0.04, class: kind });
      });
    }

    const within = (svg, { clientX, clientY }) => {
      const box = svg.getBoundingClientRect();
      return [(clientX - box.x) / box.width, (clientY - box.y) / box.height].map((part) => Math.min(Math.max(part, 0), 0.999));
    };
    for (const svg of [actual, read]) {
      svg.addEventListener("pointerdown", (event) => {
        const [x, y] = within(svg, event);
        change({ at: Math.floor(8 * x) + 8 * (7 - Math.floor(8 * y)) });
      });
    }
    history.addEventListener("pointerdown", (event) => {
      change({ ply: Math.floor(within(history, event)[0] * shown.game.moves.length) });
    });
    read.addEventListener("keydown", (event) => {
      if (!STEPS[event.key]) return;
      event.preventDefault();
      const [right, down] = STEPS[event.key];
      const [x, y] = [shown.at % 8 + right, Math.floor(shown.at / 8) - down];
      if (x >= 0 && x < 8 && y >= 0 && y < 8) change({ at: x + 8 * y });
    });
    change({});
  }

  for (const place of document.querySelectorAll(".explorable:not(.running)")) {
    place.classList.add("running");
    if (place.querySelector("[data-point]")) startFigure(place);
    else startBoard(place);
  }
})();
