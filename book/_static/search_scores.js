// What the search weighs (Sphinx's own scorer with other numbers): titles over words in the text,
// chapters over the library's pages, which are many and name everything. What the glossary defines
// comes before chapters that use the word, and the page of questions first where somebody asks in
// several words.
const asksInWords = () =>
  (new URLSearchParams(location.search).get("q") ?? "").trim().split(/\s+/).length > 2;

var Scorer = {
  score: ([docname, , , , score]) => {
    if (docname.startsWith("book/library/")) return score - 200;
    if (docname === "book/glossary") return score + 10;
    return docname === "book/questions" && asksInWords() ? score + 100 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 60,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
