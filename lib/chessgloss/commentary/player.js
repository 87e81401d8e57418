"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const games = JSON.parse(JSON.stringify(data.games), (_, value) =>
    typeof value === "string" && value[0] === "~" ? data.texts[value.slice(1)] : value);
  const BLANK = { marks: "", before: "", comment: "", gloss: "", score: "", chance: null, arrows: [], next: [] };
  for (const each of games) each.nodes = each.nodes.map((node) => ({ ...BLANK, ...node }));
  const SVG = "http://www.w3.org/2000/svg";
  const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
  const COLOURS = { green: "#15781b", red: "#a3261f", yellow: "#c79a00", blue: "#1f4f9c" };
  const at = (id) => document.getElementById(id);
  let game = games[0];
  let now = 0;
  let turned = false;
  let timer = null;

  function shape(name, attributes, parent) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    parent.append(made);
    return made;
  }

  function element(name, text, parent, kind) {
    const made = document.createElement(name);
    made.textContent = text;
    if (kind) made.className = kind;
    parent.append(made);
    return made;
  }

  const place = (file, rank) => (turned ? [7 - file, rank] : [file, 7 - rank]);
  const square = (name) => place(name.charCodeAt(0) - 97, Number(name[1]) - 1);

  function pieces(placement) {
    const found = [];
    placement.split("/").forEach((row, down) => {
      let file = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "8") file += Number(letter);
        else found.push([letter, file++, 7 - down]);
      }
    });
    return found;
  }

  function drawBoard(node) {
    const board = at("board");
    board.replaceChildren();
    for (let index = 0; index < 64; index += 1) {
      const [file, rank] = [index % 8, index >> 3];
      const [x, y] = place(file, rank);
      const shade = (file + rank) % 2 ? "light" : "dark";
      shape("rect", { x, y, width: 1, height: 1, class: `square ${shade}` }, board);
      const corner = { x: x + 0.04, y: y + 0.96, class: "coordinate" };
      if (y === 7) shape("text", corner, board).textContent = "abcdefgh"[file];
      const side = { x: x + 0.04, y: y + 0.2, class: "coordinate" };
      if (x === 0) shape("text", side, board).textContent = rank + 1;
    }
    const ends = node.uci && node.uci !== "0000" ? [node.uci.slice(0, 2), node.uci.slice(2, 4)] : [];
    for (const name of ends) {
      const [x, y] = square(name);
      shape("rect", { x, y, width: 1, height: 1, class: "played" }, board);
    }
    for (const [letter, file, rank] of pieces(node.placement)) {
      const [x, y] = place(file, rank);
      const lower = letter.toLowerCase();
      const href = `#${letter === lower ? "black" : "white"}-${NAMES[lower]}`;
      const transform = `translate(${x} ${y}) scale(${1 / 45})`;
      shape("use", { href, transform, class: "piece" }, board);
    }
    for (const [from, to, colour] of node.arrows) drawArrow(square(from), square(to), colour, board);
    board.setAttribute("aria-label", `Board ${named(node)}: ${node.placement}`);
  }

  function drawArrow([x1, y1], [x2, y2], colour, board) {
    const stroke = COLOURS[colour] || COLOURS.green;
    if (x1 === x2 && y1 === y2) {
      const ring = { cx: x1 + 0.5, cy: y1 + 0.5, r: 0.44, fill: "none", stroke, class: "arrow" };
      shape("circle", ring, board);
      return;
    }
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [tx, ty] = [x2 + 0.5 - 0.15 * dx, y2 + 0.5 - 0.15 * dy];
    const [hx, hy] = [tx - 0.32 * dx, ty - 0.32 * dy];
    const line = { x1: x1 + 0.5, y1: y1 + 0.5, x2: hx, y2: hy, stroke, class: "arrow" };
    shape("line", line, board);
    const [px, py] = [-dy * 0.2, dx * 0.2];
    const points = `${tx},${ty} ${hx + px},${hy + py} ${hx - px},${hy - py}`;
    shape("polygon", { points, fill: stroke, opacity: 0.75 }, board);
  }

  const number = (node) => `${node.number}${node.white ? "." : "…"}`;

  const chance = (node) => `White's expected score ${Math.round(100 * node.chance)} %`;

  function named(node) {
    if (node.parent < 0) return "before the first move";
    return `after ${number(node)} ${node.san}${node.marks}`;
  }

  function drawBar(node) {
    const known = node.chance !== null;
    at("white-share").style.height = `${known ? 100 * node.chance : 50}%`;
    at("bar").classList.toggle("turned", turned);
    const words = known ? `${node.score}, ${chance(node)}` : "not evaluated";
    at("bar").setAttribute("aria-label", `Evaluation: ${words}`);
    at("bar").title = words;
    at("bar-text").textContent = words;
  }

  function drawCard(node) {
    const start = node.parent < 0;
    at("move-name").textContent = start ? "The start" : `${number(node)} ${node.san}${node.marks}`;
    at("gloss").textContent = node.gloss;
    at("human").textContent = [node.before, node.comment].filter(Boolean).join(" ");
    at("numbers").textContent = [node.score, node.chance === null ? "" : chance(node)].filter(Boolean).join(" · ");
  }

  // What else is known of a move: comments by every method with their claims, notes, concepts, and
  // of a position who plays what.
  function drawMore(node) {
    const more = at("more");
    more.replaceChildren();
    if (node.comments) drawComments(node.comments, more);
    if (node.notes) {
      element("h3", "Notes: what is true of the move", more);
      const list = element("ul", "", more);
      for (const note of node.notes) element("li", note, list);
    }
    if (node.concepts) drawConcepts(node.concepts, more);
    const players = node.players ?? (node.parent === 0 && game.nodes[0].players);
    if (players) drawPlayers(players, more);
  }

  function drawComments(comments, parent) {
    element("h3", "Comments, each claim checked", parent);
    const list = element("dl", "", parent);
    for (const [name, key, parts] of comments) {
      const title = element("dt", name, list);
      title.title = key;
      const said = element("dd", "", list);
      for (const [text, verdict, why] of parts) {
        if (!verdict) {
          said.append(text);
          continue;
        }
        const claim = element("span", text, said, `claim claim-${verdict}`);
        claim.tabIndex = 0;
        const evidence = element("span", why, claim, "evidence");
        evidence.setAttribute("role", "tooltip");
      }
    }
  }

  function drawConcepts(concepts, parent) {
    element("h3", "Concepts that change most", parent);
    const table = element("table", "", parent);
    const most = Math.max(...concepts.flatMap(([, before, after]) => [Math.abs(before), Math.abs(after)]), 0.01);
    for (const [name, before, after] of concepts) {
      const row = table.insertRow();
      element("th", name, row).scope = "row";
      const words = `${before.toFixed(2)} before, ${after.toFixed(2)} after`;
      const bars = shape("svg", { viewBox: "-50 0 100 10", role: "img", "aria-label": words }, row.insertCell());
      shape("title", {}, bars).textContent = words;
      for (const [value, y, kind] of [[before, 0, "past"], [after, 5, "present"]]) {
        const width = (48 * Math.abs(value)) / most;
        shape("rect", { x: value < 0 ? -width : 0, y, width, height: 4.5, class: kind }, bars);
      }
      shape("line", { x1: 0, x2: 0, y1: 0, y2: 10, class: "zero" }, bars);
      element("td", `${before.toFixed(2)} → ${after.toFixed(2)}`, row);
    }
    element("small", "Grey before the move, coloured after; in pawns, for White where no side is named.", parent);
  }

  function drawPlayers(players, parent) {
    element("h3", "Who plays what", parent);
    const table = element("table", "", parent);
    for (const [san, loss, names] of players) {
      const row = table.insertRow();
      element("th", san, row).scope = "row";
      element("td", loss === null ? "not legal" : `${loss} centipawns lost`, row);
      const who = element("details", "", row.insertCell());
      element("summary", names.length === 1 ? "1 player" : `${names.length} players`, who);
      element("span", names.join(", "), who);
    }
  }

  function drawChoices(node) {
    const row = at("choices");
    row.replaceChildren();
    if (node.next.length < 2) return;
    for (const index of node.next) {
      const next = game.nodes[index];
      const button = element("button", `${number(next)} ${next.san}${next.marks}`, row);
      button.type = "button";
      button.addEventListener("click", () => show(index));
    }
  }

  function drawGraph() {
    const graph = at("graph");
    graph.replaceChildren();
    const line = mainLine();
    graph.toggleAttribute("hidden", !line.some((index) => game.nodes[index].chance !== null));
    const step = 100 / Math.max(1, line.length - 1);
    let last = 0.5;
    const heights = line.map((index, ply) => {
      last = game.nodes[index].chance ?? last;
      return `${(ply * step).toFixed(3)},${(30 - 30 * last).toFixed(2)}`;
    });
    shape("polygon", { points: `0,30 ${heights.join(" ")} 100,30`, class: "white" }, graph);
    shape("line", { x1: 0, x2: 100, y1: 15, y2: 15, class: "half" }, graph);
    const ply = line.indexOf(ancestor(now));
    shape("line", { x1: ply * step, x2: ply * step, y1: 0, y2: 30, class: "now" }, graph);
  }

  function ancestor(index) {
    while (!game.nodes[index].main) index = game.nodes[index].parent;
    return index;
  }

  function mainLine() {
    const line = [0];
    while (game.nodes[line.at(-1)].next.length) line.push(game.nodes[line.at(-1)].next[0]);
    return line;
  }

  function listLine(index, parent, numbered) {
    // Without recursion along a line: a game may be thousands of plies long.
    while (index !== undefined) {
      const node = game.nodes[index];
      const others = alternatives(index);
      const pair = element("span", "", parent, "move");
      if (node.white || numbered) element("span", number(node), pair, "number");
      listMove(index, node, pair);
      parent.append(" ");
      numbered = Boolean(node.comment || node.gloss) && !node.white;
      if (others.length) {
        for (const other of others) {
          const block = element("div", "", parent, "variation");
          listLine(other, block, true);
        }
        numbered = true;
      }
      index = node.next[0];
    }
  }

  /** The variations that stand beside a move of the line that they leave. */
  function alternatives(index) {
    const siblings = game.nodes[game.nodes[index].parent].next;
    return siblings[0] === index ? siblings.slice(1) : [];
  }

  function listMove(index, node, parent) {
    const button = element("button", node.san, parent);
    button.type = "button";
    button.id = `move-${index}`;
    button.tabIndex = -1;
    if (node.comment || node.gloss) button.classList.add("commented");
    if (node.marks) element("span", node.marks, button, /^\?/.test(node.marks) ? "bad" : "good");
    button.addEventListener("click", () => show(index));
  }

  function listMoves() {
    at("moves").replaceChildren();
    const item = element("li", "", at("moves"), "line");
    if (game.nodes[0].next.length) listLine(game.nodes[0].next[0], item, true);
    element("span", ` ${game.result}`, item);
  }

  function listHeaders() {
    at("headers").replaceChildren();
    for (const [key, value] of game.headers || []) {
      element("dt", key, at("headers"));
      element("dd", value, at("headers"));
    }
  }

  function markMove(index) {
    const old = document.querySelector("#moves [aria-current]");
    if (old) {
      old.removeAttribute("aria-current");
      old.tabIndex = -1;
    }
    const button = at(`move-${index}`);
    if (!button) {
      at("moves").scrollTop = 0;
      return;
    }
    button.setAttribute("aria-current", "true");
    button.tabIndex = 0;
    const list = at("moves");
    const top = button.offsetTop - list.clientHeight / 2;
    if (button.offsetTop < list.scrollTop || button.offsetTop > list.scrollTop + list.clientHeight - 40) {
      list.scrollTop = top;
    }
  }

  function show(index) {
    now = index;
    const node = game.nodes[index];
    drawBoard(node);
    drawBar(node);
    drawCard(node);
    drawMore(node);
    drawChoices(node);
    drawGraph();
    markMove(index);
    at("back").disabled = at("first").disabled = node.parent < 0;
    at("forward").disabled = at("last").disabled = node.next.length === 0;
    document.body.dataset.node = String(index);
    if (game.name) history.replaceState(null, "", `#${game.name}/${index}`);
  }

  // A position and a move asked for by themselves: game and node, or a bare board.
  function find(fen, uci) {
    const [placement, side] = fen.split(" ");
    const white = side !== "b";
    const fits = (node) =>
      node.parent === 0 && Boolean(node.white) === white && (!uci || node.uci === uci);
    const which = games.findIndex(({ nodes }) => nodes[0].placement === placement && nodes.some(fits));
    if (which >= 0) return [which, games[which].nodes.findIndex(fits)];
    const arrows = uci ? [[uci.slice(0, 2), uci.slice(2, 4), "blue"]] : [];
    const added = games.push({
      title: `${white ? "White" : "Black"} to move`,
      event: "A position of this book, without comments",
      result: "", about: "", opens: 0, turned: !white,
      nodes: [{ ...BLANK, placement, arrows, parent: -1, number: 0, main: true }],
    });
    return [added - 1, 0];
  }

  // A link such as #second-7/1: the game's name, and the node to show; or #fen=…&move=….
  function follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (/^[1-8/pnbrqk]+ [wb]( |$)/i.test(asked.get("fen"))) {
      load(...find(asked.get("fen"), asked.get("move") || ""));
      return true;
    }
    const [name, index] = location.hash.slice(1).split("/");
    const which = games.findIndex((each) => each.name && each.name === name);
    if (which >= 0) load(which, games[which].nodes[index] ? Number(index) : games[which].opens);
    return which >= 0;
  }

  function load(which, index) {
    game = games[which];
    turned = Boolean(game.turned);
    at("games").value = String(which);
    for (const id of ["about-game", "take"]) at(id).hidden = !game.pgn;
    at("players").textContent = game.title;
    at("event").textContent = game.event;
    at("about").textContent = game.about;
    if (game.pgn) at("download").href = `data:application/x-chess-pgn;charset=utf-8,${encodeURIComponent(game.pgn)}`;
    listMoves();
    listHeaders();
    show(index ?? game.opens ?? 0);
  }

  function back() {
    if (game.nodes[now].parent >= 0) show(game.nodes[now].parent);
  }

  function forward() {
    const next = game.nodes[now].next[0];
    if (next !== undefined) show(next);
    return next !== undefined;
  }

  function last() {
    let index = now;
    while (game.nodes[index].next.length) index = game.nodes[index].next[0];
    show(index);
  }

  function jump(step) {
    const line = mainLine();
    let ply = line.indexOf(ancestor(now)) + step;
    while (line[ply] !== undefined) {
      const node = game.nodes[line[ply]];
      if (node.gloss || node.comment) {
        show(line[ply]);
        return;
      }
      ply += step;
    }
  }

  function play(on) {
    clearInterval(timer);
    timer = on ? setInterval(() => forward() || play(false), 1200) : null;
    at("play").setAttribute("aria-pressed", String(on));
    at("play").setAttribute("aria-label", on ? "Pause" : "Play");
    at("play").textContent = on ? "❚❚ pause" : "▶ play";
  }

  function flip() {
    turned = !turned;
    show(now);
  }

  function theme() {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const seen = document.documentElement.dataset.theme || dark;
    document.documentElement.dataset.theme = seen === "dark" ? "light" : "dark";
  }

  const KEYS = {
    ArrowLeft: back,
    ArrowRight: forward,
    ArrowUp: () => jump(-1),
    ArrowDown: () => jump(1),
    Home: () => show(0),
    End: last,
    f: flip,
    " ": () => play(timer === null),
  };

  // On a page of its own every key is the board's, elsewhere those pressed within it: a click on the
  // board is enough. The arrows to the sides, for which a page has no use, are the board's as soon as
  // it is seen.
  const SIDEWAYS = ["ArrowLeft", "ArrowRight"];
  const seen = () => {
    const { top, bottom } = at("board").getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  };
  const root = document.querySelector(".player");
  const alone = root.matches("body > main > *");
  root.tabIndex = -1;
  root.addEventListener("click", (event) => {
    if (!event.target.closest("button, select, input, summary, a, [tabindex='0']")) {
      root.focus({ preventScroll: true });
    }
  });
  document.addEventListener("keydown", (event) => {
    const free = event.target === document.body && SIDEWAYS.includes(event.key) && seen();
    if (!alone && !root.contains(event.target) && !free) return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest("select, input, summary, a")) return;
    if (event.key === " " && event.target.closest("button")) return;
    if (!(event.key in KEYS)) return;
    if (event.key !== " ") play(false);
    KEYS[event.key]();
    event.preventDefault();
  });
  const pressed = { first: () => show(0), back, forward, last, flip, theme };
  for (const [id, action] of Object.entries(pressed)) {
    at(id).addEventListener("click", () => {
      if (id !== "flip" && id !== "theme") play(false);
      action();
    });
  }
  at("play").addEventListener("click", () => play(timer === null));
  at("graph").addEventListener("click", (event) => {
    const box = at("graph").getBoundingClientRect();
    const line = mainLine();
    show(line[Math.round(((event.clientX - box.left) / box.width) * (line.length - 1))]);
  });
  at("games").addEventListener("change", (event) => load(Number(event.target.value)));
  at("chooser").hidden = games.length < 2;
  games.forEach((each, which) => {
    let list = at("games");
    if (each.group) {
      if (list.lastChild?.label !== each.group) element("optgroup", "", list).label = each.group;
      list = list.lastChild;
    }
    element("option", each.listed || `${which + 1}. ${each.title}`, list).value = String(which);
  });
  addEventListener("hashchange", follow);
  if (!follow()) load(0);
})();
