// The page "Try it": a position, a move, words about it; what the library says of them.

import { Board, EMPTY, nameOf } from "./board.js";
import { at, button, element } from "./elements.js";
import { ConceptPanel } from "./concepts.js";
import { GamePanel } from "./game.js";
import { Library } from "./library.js";
import { countClaims, listClaims, replaced, showMarked } from "./marks.js";
import { readLink, writeLink } from "./link.js";

const START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
/** Milliseconds without a key after which a comment is checked. */
const PAUSE = 250;
const QUICK = 100_000;

const { examples } = JSON.parse(at("try-data").textContent);
const library = new Library(new URL("worker.js", import.meta.url), hear);
const board = new Board(at("board"), {
  play: (uci) => play(uci),
  change: () => begin(),
  speak: (words) => { at("spoken").textContent = words; },
});
const game = new GamePanel({ ask, say, choose: (move) => choose(move) });
const concepts = new ConceptPanel({ ask, say });

/** The position and its legal moves (null: not known yet), and the move played in it. */
const now = { fen: `${START} w KQkq - 0 1`, legal: null, move: null };
let checks = 0;

// ---------------------------------------------------------------- the library

/** Whether what is said is done with once a comment is checked. */
let passing = false;

function say(words, bad = false, brief = false) {
  passing = brief;
  at("state").textContent = words;
  at("state").className = bad ? "state bad" : "state";
}

const megabytes = (bytes) => (bytes / 1e6).toFixed(1);

/** What the worker says beside answers. */
function hear(said) {
  if (said.loading) {
    const { step, done, total } = said.loading;
    const far = total ? `Loading ${step}: ${megabytes(done)} of ${megabytes(total)} MB` : `Loaded; ${step} …`;
    if (!judging) say(far, false, true);
  }
  if (said.ready) say(`Ready: Python and the book's code run in this page (${said.ready.toFixed(1)} s).`, false, true);
  if (said.searching && !judging) showProgress(said.searching);
  if (said.lost) say(said.lost, true, true);
}

function showProgress({ done, total }) {
  for (const id of ["progress", "game-progress"]) {
    at(id).max = total;
    at(id).value = done;
  }
  say(`Search ${Math.min(done + 1, total)} of ${total}`);
}

/** Asks for what the reader wants; what was said before is done with. */
async function ask(question) {
  const started = library.running;
  const answer = await library.ask(question);
  if (started) say("");
  return answer;
}

/** Asks, and says what is wrong where there is no answer; `then` gets the answer. */
async function askFor(question, then) {
  try {
    then(await ask(question));
  } catch (error) {
    say(error.message, true);
  }
}

/** Begins to load, where a reader's first press or key shows that it will be wanted. */
function begin() {
  if (!library.running) library.start();
}

// ---------------------------------------------------------------- position and move

function show(arrows = []) {
  const { fen, legal, move } = now;
  const [placement, turn] = (move ? move.after : fen).split(" ");
  const marks = move ? [move.uci.slice(0, 2), move.uci.slice(2, 4)] : [];
  const label = move ? `Board after ${move.name}` : `Board, ${turn === "w" ? "White" : "Black"} to move`;
  board.show({ placement, turn, legal: legal && Object.keys(legal), marks, arrows, label });
  at("move-name").textContent = move ? move.name : `${turn === "w" ? "White" : "Black"} to move`;
  at("take-back").disabled = !move;
  at("comment").disabled = !move;
  at("fen").value = fen;
  remember();
}

/** Leaves what was said of another move, and the example that it may have been. */
function forget() {
  at("example").value = "";
  at("samples").replaceChildren();
  const sample = examples.some(({ comments }) => comments.some(({ text }) => text === at("text").value));
  if (sample) at("text").value = "";
  at("card").hidden = true;
  at("card").replaceChildren();
  at("deepen").hidden = true;
}

/** Shows a position; its legal moves are asked for unless they are given. */
function setPosition(fen, legal = null) {
  forget();
  Object.assign(now, { fen, legal, move: null });
  concepts.show(null);
  board.turned = fen.split(" ")[1] === "b";
  show();
  check();
}

function readPosition(fen) {
  return askFor({ task: "position", fen }, (read) => {
    setPosition(read.fen, read.legal);
    const over = Object.keys(read.legal).length ? [] : ["no move is legal: the game is over"];
    say([...read.said, ...over].join("; "));
  });
}

/** Shows a move as played, and asks for the moves that may follow. */
function choose(move) {
  forget();
  Object.assign(now, { fen: move.fen, legal: null, move });
  concepts.show(move, examples.find((example) => example.move === move));
  at("move").value = "";
  show();
  check();
  if (library.running) learnLegal();
}

/** Learns the legal moves, without a word: what is said of a game stays. */
async function learnLegal() {
  const { move } = now;
  const { legal } = await library.ask({ task: "position", fen: move.after }).catch(() => ({}));
  if (now.move !== move || !legal) return;
  now.legal = legal;
  show(board.arrows);
}

/** A move is tried on the board: in the position shown, which a move may have led to. */
function play(uci) {
  const { legal, move } = now;
  const fen = move ? move.after : now.fen;
  const [side, rank] = [fen.split(" ")[1], uci[3]];
  const pawn = board.pieces.get(uci.slice(0, 2))?.toLowerCase() === "p";
  if (pawn && rank === (side === "w" ? "8" : "1") && (!legal || `${uci}q` in legal)) {
    choosePromotion(fen, uci, side);
    return;
  }
  if (legal && !(uci in legal)) say(`${uci.slice(0, 2)} to ${uci.slice(2)} is not legal here.`, true);
  else readMove(fen, uci);
}

function choosePromotion(fen, uci, side) {
  const row = at("promotion");
  row.replaceChildren();
  row.hidden = false;
  for (const letter of "qrbn") {
    const piece = nameOf(side === "w" ? letter.toUpperCase() : letter);
    button(piece.split(" ")[1], row, () => {
      row.hidden = true;
      readMove(fen, uci + letter);
    });
  }
  row.firstChild.focus();
}

function readMove(fen, text) {
  return askFor({ task: "move", fen, move: text }, (move) => {
    choose(move);
    at("spoken").textContent = `${move.name} played`;
    say(move.said.join("; "));
  });
}

function takeBack() {
  const { fen } = now;
  setPosition(fen, null);
  if (library.running) readPosition(fen);
}

// ---------------------------------------------------------------- examples

function listExamples() {
  const select = at("example");
  element("option", "choose one …", select).value = "";
  examples.forEach(({ title, move }, number) => {
    element("option", `${move.name}, ${title}`, select).value = number;
  });
  select.addEventListener("change", () => select.value && openExample(Number(select.value)));
  for (const card of document.querySelectorAll("[data-example]")) {
    const open = button("Open on the board", card.lastElementChild, () => {
      openExample(Number(card.dataset.example));
      at("live").scrollIntoView();
    });
    open.classList.add("open");
  }
}

function openExample(number) {
  const { move, comments } = examples[number];
  board.turned = move.fen.split(" ")[1] === "b";
  choose(move);
  at("example").value = String(number);
  const samples = at("samples");
  samples.replaceChildren();
  for (const { who, text, claims } of comments) {
    button(who, samples, () => {
      at("text").value = text;
      showClaims(text, claims);
      remember();
    });
  }
  samples.firstChild.click();
  button("write your own", samples, writeOwn).classList.add("own");
}

/** An empty text, and the cursor in it. */
function writeOwn() {
  at("text").value = "";
  showClaims("", []);
  remember();
  at("text").focus();
}

// ---------------------------------------------------------------- a comment, checked while one types

function showClaims(text, claims) {
  showMarked(at("marked"), text, claims);
  at("counts").textContent = text.trim() ? countClaims(claims) : "";
  listClaims(at("claims"), claims, ({ span }, words) => {
    at("text").value = replaced(text, span, words);
    begin();
    check(true);
  });
}

/** Checks the comment, if the library is there or a reader's own words ask for it. */
async function check(wanted = library.running) {
  const text = at("text").value;
  const number = (checks += 1);
  remember();
  if (!text.trim()) showClaims("", []);
  else if (!now.move) at("counts").textContent = "Play the move first that this is about.";
  else if (wanted) {
    try {
      const { claims } = await library.ask({ task: "check", move: now.move, text });
      if (passing) say("");
      if (number !== checks) return;
      showClaims(text, claims);
      judge(now.move);
    } catch (error) {
      say(error.message, true, true);
    }
  }
}

/** The moves that an engine was asked about, so that a judgement of them can be checked. */
const judged = new Set();
let judging = false;

const nameOfMove = ({ fen, uci }) => `${fen} ${uci}`;

/** Has the engine judge a move after its first check, without a word, and checks again. */
async function judge(move) {
  if (!move || judging || judged.has(nameOfMove(move))) return;
  judging = true;
  judged.add(nameOfMove(move));
  const known = await library.ask({ task: "comment", move, nodes: QUICK }).catch(() => null);
  judging = false;
  if (now.move !== move) judge(now.move && at("text").value.trim() ? now.move : null);
  else if (known) check();
}

let pause = null;

function typed() {
  begin();
  clearTimeout(pause);
  pause = setTimeout(() => check(true), PAUSE);
}

// ---------------------------------------------------------------- the program's comment

function fillCard(title, sentences, after = []) {
  const card = at("card");
  card.hidden = false;
  card.replaceChildren();
  element("h3", title, card);
  for (const { text, facts } of sentences) {
    const line = element("details", "", card);
    element("summary", text, line);
    const list = element("ul", "", line);
    for (const fact of facts.length ? facts : ["the move and the board alone show it"]) element("li", fact, list);
  }
  if (!sentences.length) element("p", "Nothing that is worth saying.", card);
  for (const words of after) element("p", words, card, "source");
  return card;
}

async function comment(nodes) {
  const { move } = now;
  if (!move) return;
  judging = false; // what is searched now is shown
  judged.add(nameOfMove(move));
  try {
    const seen = await ask({ task: "look", move });
    if (now.move !== move) return;
    if (nodes) fillCard("From the board alone", seen.sentences, ["An engine is asked next …"]);
    busy(true);
    const said = await ask({ task: "comment", move, nodes });
    if (now.move === move) showComment(said, nodes);
    say("");
    check();
  } catch (error) {
    say(error.message, true);
    element("p", `No engine's verdict: ${error.message}`, at("card"), "source bad");
  } finally {
    busy(false);
  }
}

function busy(searching) {
  at("stop").hidden = !searching;
  at("progress").hidden = !searching;
  at("progress").removeAttribute("value");
  at("comment").disabled = searching;
  at("deepen").disabled = searching;
}

const JUDGED = { best: "the best move", good: "a good move", inaccuracy: "an inaccuracy", mistake: "a mistake", blunder: "a blunder" };

function showComment(said, nodes) {
  const searched = `${said.engine}, ${said.nodes.toLocaleString("en")} nodes`;
  const verdict = [JUDGED[said.judgement], said.stands, said.value.score].filter(Boolean).join(", ");
  const card = fillCard(`${now.move.name}${said.glyph}`, said.sentences, [`${searched}: ${verdict}.`]);
  element("h4", `Lines of ${said.engine}`, card);
  const table = element("table", "", card);
  const row = (name, line) => {
    const cells = table.insertRow();
    element("th", name, cells).scope = "row";
    element("td", line.san, cells);
    element("td", line.score ?? "", cells);
  };
  said.before.forEach((line, place) => row(place ? `${place + 1}.` : "Best", line));
  said.after.forEach((line) => row("Reply", line));
  const ends = (line, kind) => [line.uci[0].slice(0, 2), line.uci[0].slice(2, 4), kind];
  const best = said.before.filter((line) => line.uci.length).slice(0, 1);
  const reply = said.after.filter((line) => line.uci.length);
  const arrows = reply.map((line) => ends(line, "reply"));
  if (best.length && best[0].uci[0] !== now.move.uci) arrows.push(ends(best[0], "best"));
  element("p", "Arrows: red, the expected reply; green, the better move.", card, "source");
  show(arrows);
  at("deepen").hidden = !nodes;
}

// ---------------------------------------------------------------- set up by hand

function editing(on) {
  board.editing = on;
  board.stamp = null;
  at("setup").hidden = !on;
  at("set-up").setAttribute("aria-expanded", String(on));
  if (on) {
    const [placement, side] = (now.move ? now.move.after : now.fen).split(" ");
    at("side").value = side;
    board.show({ placement, turn: side, label: "Board, set up" });
  } else show();
}

function fillPalette() {
  for (const letter of "KQRBNPkqrbnp") {
    const choice = button("", at("palette"), () => {
      board.stamp = board.stamp === letter ? null : letter;
      for (const each of at("palette").children) each.setAttribute("aria-pressed", String(each === choice && Boolean(board.stamp)));
    });
    const use = `<svg viewBox="0 0 45 45" aria-hidden="true"><use href="#${nameOf(letter).replace(" ", "-")}"/></svg>`;
    choice.append(new DOMParser().parseFromString(use.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"'), "image/svg+xml").documentElement);
    choice.setAttribute("aria-label", nameOf(letter));
    choice.setAttribute("aria-pressed", "false");
  }
}

/** The castling rights that kings and rooks on their first squares allow. */
function castling(pieces) {
  const there = (king, rook, letters) => pieces.get(king) === letters[0] && pieces.get(rook) === letters[1];
  const rights = [["K", "e1", "h1", "KR"], ["Q", "e1", "a1", "KR"], ["k", "e8", "h8", "kr"], ["q", "e8", "a8", "kr"]];
  return rights.filter(([, king, rook, letters]) => there(king, rook, letters)).map(([right]) => right).join("") || "-";
}

function usePosition() {
  const fen = `${board.placement} ${at("side").value} ${castling(board.pieces)} - 0 1`;
  return askFor({ task: "position", fen }, ({ legal }) => {
    editing(false);
    setPosition(fen, legal);
  });
}

// ---------------------------------------------------------------- the link that restores it

/** A move of a link that no library has read yet stands in its field. */
const unread = () => at("move").value.match(/^[a-h][1-8][a-h][1-8][qrbn]?$/)?.[0];

function remember() {
  const { fen, move } = now;
  writeLink({ fen, move: move?.uci ?? unread(), text: at("text").value, pgn: at("pgn").value, turned: board.turned });
}

/** Shows what the address asks for, as far as that goes without loading anything. */
function restore() {
  const asked = readLink();
  if (!asked) return false;
  const known = examples.findIndex(({ move }) => move.fen === asked.fen && move.uci === asked.move);
  at("pgn").value = asked.pgn;
  at("pgn-box").open = Boolean(asked.pgn);
  if (known >= 0) openExample(known);
  else {
    at("move").value = asked.move;
    setPosition(asked.fen);
    say(asked.move ? "Press Play for the move of the link: that loads Python and the book's code." : "");
  }
  at("text").value = asked.text;
  board.turned = asked.turned;
  const sample = known >= 0 && examples[known].comments.find(({ text }) => text === asked.text);
  showClaims(asked.text, sample ? sample.claims : []);
  if (asked.text && !sample) at("counts").textContent = "Not checked yet.";
  show();
  return true;
}

async function copyLink() {
  remember();
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied. It holds position, move, comment and game.");
  } catch {
    say("The link is the address of this page, as your browser shows it: copy it there.");
  }
}

// ---------------------------------------------------------------- all of it together

function submit(id, act) {
  at(id).addEventListener("submit", (event) => {
    event.preventDefault();
    act();
  });
}

function wire() {
  const press = (id, act) => at(id).addEventListener("click", act);
  press("take-back", takeBack);
  press("flip", () => { board.turned = !board.turned; board.draw(); remember(); });
  press("set-up", () => { begin(); editing(!board.editing); });
  press("clear", () => board.show({ placement: EMPTY, turn: "w", label: "Board, set up" }));
  press("initial", () => board.show({ placement: START, turn: "w", label: "Board, set up" }));
  press("use", usePosition);
  press("check", () => { begin(); check(true); });
  press("comment", () => comment(QUICK));
  press("deepen", () => comment(null));
  press("stop", () => ask({ task: "stop" }));
  press("link", copyLink);
  submit("fen-form", () => readPosition(at("fen").value));
  submit("move-form", () => readMove(now.move ? now.move.after : now.fen, at("move").value));
  at("text").addEventListener("input", typed);
  at("board").addEventListener("pointerdown", begin);
  at("board").addEventListener("keydown", begin);
}

at("off").hidden = true;
at("live").hidden = false;
fillPalette();
listExamples();
wire();
say("Nothing is loaded yet: your first move, key or question loads Python and the book's code.");
at("state").classList.add("quiet"); // it does not follow the reader down the page
if (!restore()) openExample(0);
window.tryIt = { library, game };
