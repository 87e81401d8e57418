// The concepts that a move changes, as bars: what Stockfish 8 says before and after it.

import { at, element, shape } from "./elements.js";

/** Concepts that are shown at once; the others fold away. */
const MOST = 6;

const signed = (value) => {
  const rounded = value.toFixed(2);
  return Number(rounded) > 0 ? `+${rounded}` : rounded.replace("-", "−");
};

/** The largest value of some rows, whatever its sign. */
const largest = (rows) => Math.max(...rows.flatMap(({ before, after }) => [Math.abs(before), Math.abs(after)]), 0.01);

export class ConceptPanel {
  /** @param {{ask: Function, say: Function}} page what the panel needs */
  constructor(page) {
    this.page = page;
    at("concepts").addEventListener("toggle", () => this.read());
  }

  /** A move is shown now, or none; it may be that of an example. */
  show(move, example = null) {
    this.move = move;
    this.example = example;
    this.asked = null;
    at("concept-bars").replaceChildren();
    this.read();
  }

  say(words, bad = false) {
    at("concept-state").textContent = words;
    at("concept-state").className = bad ? "source bad" : "source";
  }

  async read() {
    const { move } = this;
    if (!at("concepts").open || (move && this.asked === move)) return;
    this.asked = move;
    if (!move) {
      this.say("Play the move first that this is about.");
      return;
    }
    this.say("Stockfish 8 is asked …");
    try {
      const { terms } = await this.page.ask({ task: "concepts", move });
      this.page.say("");
      if (this.asked !== move) return;
      at("concept-size").hidden = true;
      this.say("");
      this.draw(terms);
    } catch (error) {
      if (this.asked !== move) return;
      this.asked = null;
      this.page.say("");
      this.say(`No concepts: ${error.message}`, true);
    }
  }

  draw(terms) {
    const box = at("concept-bars");
    box.replaceChildren();
    element("p", "In pawns, as White sees them: to the right is good for White, to the left for Black. The upper, "
      + "grey bar is before the move, the lower one after it. Middlegame values, as in the paper.", box, "source");
    const moved = terms.filter(({ before, after }) => before !== after).length;
    const shown = terms.slice(0, Math.min(moved, MOST));
    const most = largest(terms);
    if (shown.length) this.tabulate(shown, most, "What the move changes, says Stockfish 8", box);
    else element("p", "The move changes none of the 21 terms.", box);
    const rest = element("details", "", box);
    element("summary", `The other ${terms.length - shown.length} terms`, rest);
    this.tabulate(terms.slice(shown.length), most, "The other terms", rest);
    if (this.example) this.drawNetwork(terms, this.example, box);
  }

  /** What the network shows of an example, and what the paper ranks first: known beforehand. */
  drawNetwork(terms, { network, published }, box) {
    const names = new Map(terms.map(({ key, name }) => [key, name]));
    const rows = network.map(([key, before, after]) => ({ key, name: names.get(key), before, after }));
    this.tabulate(rows, largest(rows), "What a network shows of it", box);
    element("p", "The same terms as the activations of Stockfish 15.1's network show them to the book's trained "
      + "model: the five that it ranks first, in its order.", box, "source");
    element("p", `The paper's ranking puts first: ${published.map((key) => names.get(key)).join(", ")}.`, box, "published");
    element("p", "Both were computed beforehand.", box, "source");
  }

  tabulate(rows, most, title, parent) {
    const table = element("table", "", parent, "bars");
    element("caption", title, table);
    const head = table.createTHead().insertRow();
    for (const name of ["Concept", "Before", "After", "Change"]) element("th", name, head).scope = "col";
    const body = table.createTBody();
    for (const { key, name, before, after } of rows) {
      const row = body.insertRow();
      const cell = element("th", "", row);
      cell.scope = "row";
      element("span", name, cell).title = key;
      drawBars(before, after, most, cell);
      for (const value of [before, after, after - before]) element("td", signed(value), row);
    }
  }
}

function drawBars(before, after, most, parent) {
  const bars = shape("svg", { viewBox: "-50 0 100 11", preserveAspectRatio: "none", "aria-hidden": "true" }, parent);
  for (const [value, y, kind] of [[before, 0.5, "past"], [after, 6, "present"]]) {
    const width = (49 * Math.abs(value)) / most;
    shape("rect", { x: value < 0 ? -width : 0, y, width, height: 4.5, class: kind }, bars);
  }
  shape("line", { x1: 0, x2: 0, y1: 0, y2: 11, class: "zero" }, bars);
}
