// A text with its claims marked, as everywhere in the book: each with its evidence on hover and focus.

import { button, element } from "./elements.js";

/** How a verdict is marked, the gravest first; what is only named bears no mark. */
export const MARKS = { false: "false", "not checkable": "open", true: "true" };

/** Shows a text in `parent`; spans of claims count characters, not UTF-16 units. */
export function showMarked(parent, text, claims) {
  parent.replaceChildren();
  const letters = Array.from(text);
  const ends = new Set([0, letters.length]);
  for (const { span } of claims) span.forEach((end) => ends.add(Math.min(end, letters.length)));
  const sorted = [...ends].sort((first, second) => first - second);
  sorted.slice(0, -1).forEach((start, place) => {
    const stop = sorted[place + 1];
    const part = letters.slice(start, stop).join("");
    const over = claims.filter(({ span }) => span[0] <= start && stop <= span[1]);
    const verdict = Object.keys(MARKS).find((each) => over.some((claim) => claim.verdict === each));
    if (!verdict) {
      parent.append(part);
      return;
    }
    const marked = element("span", part, parent, `claim claim-${MARKS[verdict]}`);
    marked.tabIndex = 0;
    const why = over.map(({ kind, verdict, evidence }) => `${name(kind)}${verdict}: ${evidence}`).join("; ");
    element("span", why, marked, "evidence").setAttribute("role", "tooltip");
  });
}

/** What sort of claim it is; of words that were not read there is none. */
const name = (kind) => (kind === "unread" ? "" : `${kind}, `);

/** A text with other words in the place of a claim's; spans count characters, not UTF-16 units. */
export function replaced(text, [start, stop], words) {
  const letters = Array.from(text);
  return letters.slice(0, start).join("") + words + letters.slice(stop).join("");
}

/**
 * Lists the claims below each other, for readers who cannot point at them. What was not read has
 * sentences that could be; `take` is told which of them a reader chooses, and for what.
 */
export function listClaims(list, claims, take) {
  list.replaceChildren();
  for (const claim of claims) {
    if (!(claim.verdict in MARKS)) continue;
    const item = element("li", "", list, `verdict-${MARKS[claim.verdict]}`);
    element("b", `${claim.verdict}: `, item);
    element("q", claim.text, item);
    item.append(` — ${claim.evidence}`);
    if (!claim.offers?.length) continue;
    const choices = element("div", "It can check: ", item, "offers");
    for (const words of claim.offers) button(words, choices, () => take(claim, words));
  }
}

export function countClaims(claims) {
  const count = (verdict) => claims.filter((each) => each.verdict === verdict).length;
  const [no, open, yes] = Object.keys(MARKS).map(count);
  if (!no && !open && !yes) return "No claim that could be checked.";
  return [[yes, "true"], [no, "false"], [open, "not checkable"]]
    .filter(([number]) => number)
    .map(([number, verdict]) => `${number} ${verdict}`)
    .join(", ");
}
