// A board to play on and to set up, by mouse, touch or keys. It knows no rules: the legal moves are
// given to it, and where they are not known yet it hands on whatever is tried.

import { shape } from "./elements.js";

const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const COLOURS = { best: "#15781b", reply: "#a3261f", played: "#1f4f9c" };

export const EMPTY = "8/8/8/8/8/8/8/8";

export const nameOf = (letter) =>
  `${letter === letter.toLowerCase() ? "black" : "white"} ${NAMES[letter.toLowerCase()]}`;

/** The pieces of a FEN's first field, by square. */
export function readPlacement(placement) {
  const found = new Map();
  placement.split("/").forEach((row, down) => {
    let file = 0;
    for (const letter of row) {
      if (letter >= "1" && letter <= "8") file += Number(letter);
      else found.set("abcdefgh"[file++] + (8 - down), letter);
    }
  });
  return found;
}

export function writePlacement(pieces) {
  const rows = [];
  for (let rank = 8; rank >= 1; rank -= 1) {
    const row = [..."abcdefgh"].map((file) => pieces.get(file + rank) ?? "1").join("");
    rows.push(row.replace(/1+/g, (run) => String(run.length)));
  }
  return rows.join("/");
}

export class Board {
  /**
   * @param {SVGElement} svg the board
   * @param {{play: (uci: string) => void, change: () => void, speak: (words: string) => void}} told
   */
  constructor(svg, told) {
    this.svg = svg;
    this.told = told;
    this.pieces = new Map();
    this.legal = null;
    this.turned = false;
    this.editing = false;
    this.chosen = null;
    this.stamp = null; // the piece that a click sets while editing
    this.cursor = null;
    this.marks = [];
    this.arrows = [];
    svg.addEventListener("pointerdown", (event) => this.#press(event));
    svg.addEventListener("pointermove", (event) => this.#drag(event));
    svg.addEventListener("pointerup", (event) => this.#release(event));
    svg.addEventListener("pointercancel", () => this.#letGo());
    svg.addEventListener("keydown", (event) => this.#key(event));
    svg.addEventListener("blur", () => { this.cursor = null; this.draw(); });
  }

  /**
   * Shows a position; `legal` are its moves (UCI), or null where they are not known. A piece that is
   * chosen stays so while the position is the same: its moves may come in later.
   */
  show({ placement, turn, legal = null, marks = [], arrows = [], label = "" }) {
    const same = turn === this.turn && placement === this.placement;
    this.pieces = readPlacement(placement);
    if (!same) Object.assign(this, { chosen: null, ghost: null });
    Object.assign(this, { turn, legal, marks, arrows });
    this.svg.setAttribute("aria-label", label);
    this.draw();
  }

  get placement() {
    return writePlacement(this.pieces);
  }

  #place(name) {
    const [file, rank] = [name.charCodeAt(0) - 97, Number(name[1]) - 1];
    return this.turned ? [7 - file, rank] : [file, 7 - rank];
  }

  #squareAt(x, y) {
    if (x < 0 || y < 0 || x > 7 || y > 7) return null;
    const [file, rank] = this.turned ? [7 - x, y] : [x, 7 - y];
    return "abcdefgh"[file] + (rank + 1);
  }

  draw() {
    const { svg } = this;
    svg.replaceChildren();
    for (let y = 0; y < 8; y += 1) for (let x = 0; x < 8; x += 1) this.#drawSquare(x, y);
    for (const [name, letter] of this.pieces) if (name !== this.ghost?.from) this.#drawPiece(letter, ...this.#place(name));
    for (const target of this.#targets()) {
      const [x, y] = this.#place(target);
      shape("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.14, class: "target" }, svg);
    }
    for (const [from, to, kind] of this.arrows) this.#drawArrow(from, to, kind);
    if (this.cursor) {
      const [x, y] = this.#place(this.cursor);
      shape("rect", { x: x + 0.04, y: y + 0.04, width: 0.92, height: 0.92, class: "cursor" }, svg);
    }
    if (this.ghost) this.#drawPiece(this.ghost.letter, this.ghost.x - 0.5, this.ghost.y - 0.5);
  }

  #drawSquare(x, y) {
    const name = this.#squareAt(x, y);
    shape("rect", { x, y, width: 1, height: 1, class: (x + y) % 2 ? "square dark" : "square light" }, this.svg);
    if (this.marks.includes(name) || this.chosen === name) {
      shape("rect", { x, y, width: 1, height: 1, class: "played" }, this.svg);
    }
    if (y === 7) shape("text", { x: x + 0.04, y: 7.96, class: "coordinate" }, this.svg).textContent = name[0];
    if (x === 0) shape("text", { x: 0.04, y: y + 0.2, class: "coordinate" }, this.svg).textContent = name[1];
  }

  #drawPiece(letter, x, y) {
    const href = `#${nameOf(letter).replace(" ", "-")}`;
    shape("use", { href, transform: `translate(${x} ${y}) scale(${1 / 45})`, class: "piece" }, this.svg);
  }

  #drawArrow(from, to, kind) {
    const [[x1, y1], [x2, y2]] = [this.#place(from), this.#place(to)];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const [tx, ty] = [x2 + 0.5 - 0.15 * dx, y2 + 0.5 - 0.15 * dy];
    const [hx, hy] = [tx - 0.32 * dx, ty - 0.32 * dy];
    const stroke = COLOURS[kind];
    shape("line", { x1: x1 + 0.5, y1: y1 + 0.5, x2: hx, y2: hy, stroke, class: "arrow" }, this.svg);
    const points = `${tx},${ty} ${hx - dy * 0.2},${hy + dx * 0.2} ${hx + dy * 0.2},${hy - dx * 0.2}`;
    shape("polygon", { points, fill: stroke, opacity: 0.75 }, this.svg);
  }

  #targets() {
    if (this.editing || !this.legal || !this.chosen) return [];
    const from = this.legal.filter((uci) => uci.startsWith(this.chosen));
    return new Set(from.map((uci) => uci.slice(2, 4)));
  }

  #point({ clientX, clientY }) {
    const box = this.svg.getBoundingClientRect();
    return [((clientX - box.left) / box.width) * 8, ((clientY - box.top) / box.height) * 8];
  }

  #press(event) {
    if (event.button) return;
    const [x, y] = this.#point(event);
    const name = this.#squareAt(Math.floor(x), Math.floor(y));
    this.cursor = null;
    if (!name) return;
    const letter = this.pieces.get(name);
    const choosing = this.#choose(name);
    const draggable = letter && choosing && event.pointerType !== "touch";
    if (draggable) {
      this.svg.setPointerCapture(event.pointerId);
      this.ghost = { from: name, letter, x, y };
    }
    this.draw();
  }

  #drag(event) {
    if (!this.ghost) return;
    [this.ghost.x, this.ghost.y] = this.#point(event);
    this.draw();
  }

  #release(event) {
    if (!this.ghost) return;
    const { from } = this.ghost;
    const [x, y] = this.#point(event);
    this.ghost = null;
    const to = this.#squareAt(Math.floor(x), Math.floor(y));
    if (to !== from) this.#go(from, to);
    this.draw();
  }

  #letGo() {
    this.ghost = null;
    this.chosen = null;
    this.draw();
  }

  /** A square is pressed: choose its piece, or go there with the chosen one. True if chosen. */
  #choose(name) {
    if (this.editing && this.stamp) {
      this.pieces.set(name, this.stamp);
      this.told.change();
      return false;
    }
    const letter = this.pieces.get(name);
    const own = letter && (this.editing || (letter === letter.toUpperCase()) === (this.turn === "w"));
    if (this.chosen && this.chosen !== name && (!own || this.editing)) {
      this.#go(this.chosen, name);
      return false;
    }
    this.chosen = own ? name : null;
    return own;
  }

  #go(from, to) {
    this.chosen = null;
    if (this.editing) {
      const letter = this.pieces.get(from);
      this.pieces.delete(from);
      if (to) this.pieces.set(to, letter);
      this.told.change();
    } else if (to) this.told.play(from + to);
  }

  #key(event) {
    if (STEPS[event.key]) {
      const [x, y] = this.cursor ? this.#place(this.cursor) : [4, 6];
      const [right, down] = this.cursor ? STEPS[event.key] : [0, 0];
      this.cursor = this.#squareAt(x + right, y + down) ?? this.cursor;
    } else if (this.cursor && (event.key === "Enter" || event.key === " ")) {
      const chosen = this.#choose(this.cursor);
      event.preventDefault();
      this.draw();
      if (chosen) this.told.speak(`${this.cursor} chosen`);
      return;
    } else if (event.key === "Escape") this.chosen = null;
    else if (this.editing && this.cursor && (event.key === "Delete" || event.key === "Backspace")) {
      this.pieces.delete(this.cursor);
      this.told.change();
    } else return;
    event.preventDefault();
    this.draw();
    const here = this.pieces.get(this.cursor);
    if (this.cursor) this.told.speak(`${this.cursor} ${here ? nameOf(here) : "empty"}`);
  }
}
