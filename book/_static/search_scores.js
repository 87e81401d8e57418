// What the search weighs (Sphinx's own scorer with other numbers): titles over words in the text, and
// chapters over the library's pages, which are many and name everything.
var Scorer = {
  score: ([docname, , , , score]) =>
    docname.startsWith("book/library/") ? score - 200 : score,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 60,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
