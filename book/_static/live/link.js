// The part of the address behind `#`, which no browser sends anywhere: it restores the page.

/** Most letters of a game that a link holds; browsers differ in how long an address may be. */
const MOST = 6000;

export function writeLink({ fen, move, text, pgn, turned }) {
  const kept = new URLSearchParams({ fen });
  if (move) kept.set("move", move);
  if (text) kept.set("text", text);
  if (pgn && pgn.length <= MOST) kept.set("pgn", pgn);
  if (turned) kept.set("turned", "1");
  history.replaceState(null, "", `#${kept}`);
}

/** What the address asks for; null if it asks for no position. */
export function readLink() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const fen = asked.get("fen");
  if (!/^[1-8/pnbrqk]+ [wb]( |$)/i.test(fen ?? "")) return null;
  return {
    fen,
    move: asked.get("move") ?? "",
    text: asked.get("text") ?? "",
    pgn: asked.get("pgn") ?? "",
    turned: asked.has("turned"),
  };
}
