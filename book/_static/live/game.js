// A game that was pasted: its moves, and the program's comments on those that matter.

import { at, button, element } from "./elements.js";

export class GamePanel {
  /**
   * @param {{ask: Function, say: Function, choose: (move: object) => void}} page what the panel needs
   */
  constructor(page) {
    this.page = page;
    this.games = [];
    this.number = 0;
    at("pgn-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.read();
    });
    at("pgn-file").addEventListener("change", async ({ target }) => {
      if (!target.files[0]) return;
      at("pgn").value = await target.files[0].text();
      this.read();
    });
    at("games").addEventListener("change", () => this.open(Number(at("games").value)));
    at("annotate").addEventListener("click", () => this.annotate());
    at("stop-game").addEventListener("click", () => page.ask({ task: "stop" }));
  }

  async read() {
    const { page } = this;
    if (!at("pgn").value.trim()) {
      this.clear();
      page.say("There is no game any more: the field is empty.");
      return;
    }
    try {
      const { games } = await page.ask({ task: "games", pgn: at("pgn").value });
      if (!games.length) throw new Error("there is no game in it");
      this.games = games;
      at("games").replaceChildren();
      games.forEach(({ name }, place) => { element("option", name, at("games")).value = place; });
      at("game").hidden = false;
      this.open(0);
    } catch (error) {
      page.say(`The game cannot be read: ${error.message}`, true);
    }
  }

  clear() {
    this.games = [];
    at("game").hidden = true;
    for (const name of ["games", "moves", "game-comments"]) at(name).replaceChildren();
    at("game-problem").textContent = "";
    at("game-files").hidden = true;
  }

  open(place) {
    this.number = place;
    const { moves, problem, said } = this.games[place];
    const list = at("moves");
    list.replaceChildren();
    const line = element("li", "", list, "line");
    moves.forEach((move, ply) => {
      const white = move.fen.split(" ")[1] === "w";
      const pair = element("span", "", line, "move");
      if (white || !ply) element("span", `${move.name.split(" ")[0]} `, pair, "number");
      const press = button(move.san, pair, () => this.show(ply));
      press.id = `ply-${ply}`;
      line.append(" ");
    });
    at("game-comments").replaceChildren();
    at("game-files").hidden = true;
    at("annotate").disabled = Boolean(problem);
    if (moves.length) this.show(0);
    const words = [problem, ...said].filter(Boolean).join("; ");
    at("game-problem").textContent = words;
    this.page.say(words, Boolean(problem));
  }

  show(ply) {
    document.querySelector("#moves [aria-current]")?.removeAttribute("aria-current");
    at(`ply-${ply}`).setAttribute("aria-current", "true");
    this.page.choose(this.games[this.number].moves[ply]);
  }

  async annotate() {
    const { page } = this;
    this.busy(true);
    try {
      const question = { task: "annotate", pgn: at("pgn").value, number: this.number + 1 };
      this.list(await page.ask(question));
      page.say("");
    } catch (error) {
      page.say(`${error.message} Press the button again to go on.`, true);
    } finally {
      this.busy(false);
    }
  }

  busy(searching) {
    at("stop-game").hidden = !searching;
    at("game-progress").hidden = !searching;
    at("annotate").disabled = searching;
  }

  list({ comments, sources, pgn, page }) {
    const box = at("game-comments");
    box.replaceChildren();
    for (const { move, ply, text } of comments) {
      const line = element("p", "", box);
      button(move, line, () => this.show(ply));
      line.append(` ${text}`);
    }
    if (!comments.length) element("p", "No move asks for a comment.", box);
    element("p", sources, box, "source");
    const offer = (id, text, type) => {
      URL.revokeObjectURL(at(id).href);
      at(id).href = URL.createObjectURL(new Blob([text], { type }));
    };
    offer("save-pgn", pgn, "application/x-chess-pgn");
    offer("save-page", page, "text/html");
    at("game-files").hidden = false;
  }
}
