"use strict";
(() => {
  const study = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const PREFIX = `chessgloss-survey:${study.study}:`;
  const FORMAT = "chessgloss-ratings/1";
  const STEPS = ["welcome", "about", "guide", "examples", "rate", "break", "end"];
  const QUESTIONS = [
    ["correctness", "Every move, fact and judgement in the comment is right.", "disagree", "agree"],
    ["causes", "What is wrong? Mark every cause that applies."],
    ["relevance", "The comment keeps to what matters about this move and adds nothing beside it."],
    ["completeness", "The comment leaves out nothing that is important here."],
    ["clarity", "The comment is plain and definite: I know what it means."],
    ["fluency", "The comment reads smoothly and its sentences hang together."],
  ];
  const CAUSES = {
    move: "It names an illegal move or a piece that is not there",
    tactical: "It misunderstands a tactical or immediate advantage",
    positional: "It misunderstands a positional or long-term advantage",
    evaluation: "It judges the move or the position wrongly",
    other: "Something else:",
  };
  const CRITERIA = QUESTIONS.map(([name]) => name).filter((name) => name !== "causes");

  let state = null;
  let order = [];
  let shownAt = 0;
  let ticking = null;
  let stale = false;

  // ------------------------------------------------------------ small parts

  function element(name, parent, attributes = {}, text = "") {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    parent.append(made);
    return made;
  }

  function notice(text) {
    at("notice").textContent = text;
    at("notice").hidden = !text;
  }

  const counted = (count, one) => `${count} ${one}${count === 1 ? "" : "s"}`;

  // The same draw as chessgloss.survey.blinding.lot: FNV-1a, then MurmurHash3's final mixing.
  function lot(text) {
    let value = 0x811c9dc5;
    for (const byte of new TextEncoder().encode(text)) value = Math.imul(value ^ byte, 0x01000193);
    value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
    value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
    return (value ^ (value >>> 16)) >>> 0;
  }

  function orderFor(participant, pilot) {
    const moves = pilot ? study.moves.slice(0, study.pilotMoves) : study.moves;
    return moves.flatMap((move, index) =>
      move.items
        .map((item) => ({ ...item, move: index + 1, drawn: lot(`${participant}|${item.id}`) }))
        .sort((a, b) => a.drawn - b.drawn || (a.id < b.id ? -1 : 1)),
    );
  }

  // ------------------------------------------------------------ what is kept

  function stored() {
    try {
      return window.localStorage;
    } catch {
      return null;
    }
  }

  function save() {
    if (!state || stale) return;
    try {
      stored().setItem(PREFIX + state.participant, JSON.stringify(state));
    } catch {
      notice("This browser does not keep your answers: download your file before you close the page.");
    }
  }

  function kept() {
    const store = stored();
    if (!store) return [];
    const names = Array.from({ length: store.length }, (_, index) => store.key(index));
    return names.filter((name) => name.startsWith(PREFIX)).sort();
  }

  function load(name) {
    try {
      const found = JSON.parse(stored().getItem(name));
      return found && found.study === study.study && found.answers ? found : null;
    } catch {
      return null;
    }
  }

  function answer(index) {
    const { id } = order[index];
    state.answers[id] ??= { causes: [], other: "", remark: "", seconds: 0 };
    return state.answers[id];
  }

  function lacking(given) {
    const missing = CRITERIA.filter((name) => !given[name]);
    const wrong = given.correctness && given.correctness < study.points.correctness;
    if (wrong && given.causes.length === 0) missing.unshift("causes");
    if (wrong && given.causes.includes("other") && !given.other.trim()) missing.unshift("other");
    return missing;
  }

  const finished = () =>
    order.filter((item) => state.answers[item.id] && !lacking(state.answers[item.id]).length).length;

  function rating(item, index) {
    const given = state.answers[item.id] ?? { causes: [], other: "", remark: "", seconds: 0 };
    const wrong = given.correctness && given.correctness < study.points.correctness;
    const causes = wrong ? study.causes.filter((name) => given.causes.includes(name)) : [];
    const points = Object.fromEntries(CRITERIA.map((name) => [name, given[name] ?? null]));
    return {
      place: index + 1,
      move: item.move,
      item: item.id,
      ...points,
      causes,
      other: causes.includes("other") ? given.other.trim() : "",
      remark: given.remark.trim(),
      seconds: Math.round(given.seconds * 10) / 10,
    };
  }

  function exported() {
    return {
      format: FORMAT,
      simulated: false,
      study: study.study,
      participant: state.participant,
      pilot: state.pilot,
      consent: true,
      strength: state.strength,
      comments: order.map(rating),
      remarks: state.remarks.trim(),
    };
  }

  function download() {
    keepTime();
    save();
    if (!at("step-rate").hidden) shownAt = performance.now();
    const text = `${JSON.stringify(exported(), null, 1)}\n`;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = `ratings-${state.participant}.json`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  }

  // ------------------------------------------------------------ steps

  function show(step) {
    keepTime();
    if (state) state.step = step;
    for (const name of STEPS) at(`step-${name}`).hidden = name !== step;
    if (step === "rate") showComment();
    if (step === "break") showBreak();
    if (step === "end") showEnd();
    if (step === "welcome") listSessions();
    const rating = ["rate", "break", "end"].includes(step);
    at("progress").hidden = !rating;
    at("where").textContent = rating ? `${finished()} of ${order.length} rated` : "";
    if (rating) Object.assign(at("progress"), { max: order.length, value: finished() });
    save();
    window.scrollTo(0, 0);
    at(`step-${step}`).querySelector("h1").focus({ preventScroll: true });
  }

  function listSessions() {
    const sessions = kept().map(load).filter(Boolean);
    at("saved").hidden = !sessions.length;
    at("sessions").replaceChildren();
    for (const one of sessions) {
      const items = orderFor(one.participant, one.pilot);
      const done = items.filter((item) => one.answers[item.id] && !lacking(one.answers[item.id]).length);
      const text = `${one.participant}${one.pilot ? " (pilot)" : ""}: ${done.length} of ${items.length} rated`;
      const button = element("button", at("sessions"), { type: "button", class: "main" }, text);
      button.addEventListener("click", () => resume(one));
    }
  }

  function resume(found) {
    state = found;
    order = orderFor(state.participant, state.pilot);
    at("remarks").value = state.remarks;
    show(["welcome", "about"].includes(state.step) ? "guide" : state.step);
  }

  function begin(event) {
    event.preventDefault();
    const participant = at("participant").value.trim().toUpperCase();
    const found = load(PREFIX + participant);
    if (found && Object.keys(found.answers).length) {
      notice(`Code ${participant} has answers in this browser already; they go on here.`);
      resume(found);
      return;
    }
    const scale = at("scale").value;
    state = {
      study: study.study,
      participant,
      pilot: at("pilot").checked,
      strength: {
        scale,
        rating: scale === "none" ? null : Number(at("rating").value),
        english: at("english").checked,
      },
      answers: {},
      breaks: [],
      remarks: "",
      index: 0,
      step: "guide",
    };
    order = orderFor(participant, state.pilot);
    notice("");
    show("guide");
  }

  // ------------------------------------------------------------ one comment

  function buildQuestions() {
    for (const [name, statement, low, high] of QUESTIONS) {
      const set = element("fieldset", at("questions"), { id: `q-${name}` });
      const legend = element("legend", set);
      element("b", legend, {}, name === "causes" ? "Causes" : name[0].toUpperCase() + name.slice(1));
      legend.append(statement);
      if (name === "causes") buildCauses(set);
      else buildScale(set, name, low ?? "strongly disagree", high ?? "strongly agree");
    }
  }

  function buildScale(set, name, low, high) {
    const points = study.points[name];
    const scale = element("div", set, { class: `scale points-${points}` });
    for (let value = 1; value <= points; value += 1) {
      const label = element("label", scale);
      const said = value === 1 ? `${value}, ${low}` : value === points ? `${value}, ${high}` : value;
      const input = element("input", label, { type: "radio", name, value, "aria-label": said });
      element("span", label, { "aria-hidden": "true" }, value);
      input.addEventListener("change", () => choose(name, value));
    }
    const ends = element("div", set, { class: "ends", "aria-hidden": "true" });
    element("span", ends, {}, low);
    element("span", ends, {}, high);
  }

  function buildCauses(set) {
    const box = element("div", set, { class: "causes" });
    for (const name of study.causes) {
      const label = element("label", box, { class: "tick" });
      const input = element("input", label, { type: "checkbox", name: "causes", value: name });
      element("span", label, {}, CAUSES[name]);
      input.addEventListener("change", () => chooseCause(name, input.checked));
    }
    const text = element("input", box, { id: "other", maxlength: 300, "aria-label": "What else is wrong" });
    text.addEventListener("input", () => {
      answer(state.index).other = text.value;
      if (text.value && !answer(state.index).causes.includes("other")) mark("other");
      save();
    });
  }

  function choose(name, value) {
    answer(state.index)[name] = value;
    drawCauses();
    save();
  }

  function chooseCause(name, on) {
    const given = answer(state.index);
    given.causes = given.causes.filter((one) => one !== name).concat(on ? [name] : []);
    if (name === "other" && on) at("other").focus();
    save();
  }

  function mark(name) {
    const box = at("q-causes").querySelector(`input[value="${name}"]`);
    box.checked = !box.checked;
    chooseCause(name, box.checked);
  }

  function drawCauses() {
    const { correctness } = answer(state.index);
    at("q-causes").hidden = !correctness || correctness === study.points.correctness;
  }

  function showComment() {
    const item = order[state.index];
    const move = study.moves[item.move - 1];
    const given = answer(state.index);
    const within = 1 + order.slice(0, state.index).filter((one) => one.move === item.move).length;
    at("rate-title").textContent = `${move.san}: comment ${within} of ${move.items.length}`;
    at("caption").textContent = `${move.side} plays ${move.san} (blue arrow). The board is seen from ${move.side}'s side.`;
    at("board").replaceChildren(at(`board-${item.move}`).content.cloneNode(true));
    at("fen").textContent = move.fen;
    at("comment").textContent = item.text;
    at("previous").disabled = state.index === 0;
    at("next").textContent = state.index + 1 === order.length ? "Finish" : "Next comment";
    at("missing").textContent = "";
    for (const input of at("questions").querySelectorAll("input[type=radio]"))
      input.checked = given[input.name] === Number(input.value);
    for (const input of at("questions").querySelectorAll("input[type=checkbox]"))
      input.checked = given.causes.includes(input.value);
    at("other").value = given.other;
    at("remark").value = given.remark;
    at("remark-field").hidden = !state.pilot;
    drawCauses();
    shownAt = performance.now();
  }

  // Adds the time since the comment was shown; an absence counts for ten minutes at most.
  function keepTime() {
    if (shownAt && state && state.step === "rate")
      answer(state.index).seconds += Math.min((performance.now() - shownAt) / 1000, 600);
    shownAt = 0;
  }

  function next() {
    const missing = lacking(answer(state.index));
    if (missing.length) {
      const first = missing[0] === "other" ? "causes" : missing[0];
      const what = { causes: "at least one cause", other: "what else is wrong" };
      at("missing").textContent = `Still to be answered: ${missing.map((name) => what[name] ?? name).join(", ")}.`;
      (missing[0] === "other" ? at("other") : focusIn(first)).focus();
      return;
    }
    keepTime();
    const done = state.index + 1;
    if (done === order.length) {
      show("end");
      return;
    }
    state.index = done;
    if (done % study.block === 0 && !state.breaks.includes(done)) {
      state.breaks.push(done);
      state.breakStart = Date.now();
      show("break");
    } else show("rate");
  }

  function previous() {
    if (state.index === 0) return;
    keepTime();
    state.index -= 1;
    show("rate");
  }

  const focusIn = (name) =>
    at(`q-${name}`).querySelector("input:checked") ?? at(`q-${name}`).querySelector("input");

  function visibleQuestions() {
    return QUESTIONS.map(([name]) => name).filter((name) => !at(`q-${name}`).hidden);
  }

  function open(name) {
    const given = answer(state.index);
    return name === "causes" ? lacking(given).includes("causes") : !given[name];
  }

  function current() {
    const inside = document.activeElement.closest?.("fieldset");
    if (inside) return inside.id.slice(2);
    return visibleQuestions().find(open) ?? null;
  }

  function onward(name) {
    const names = visibleQuestions();
    const following = names[names.indexOf(name) + 1];
    if (following) focusIn(following).focus();
    else at("next").focus();
  }

  function digit(value) {
    const name = current();
    if (name === "causes") {
      if (value > study.causes.length) return;
      if (!document.activeElement.closest("#q-causes")) focusIn("causes").focus();
      mark(study.causes[value - 1]);
    } else if (name && value <= study.points[name]) {
      at(`q-${name}`).querySelector(`input[value="${value}"]`).checked = true;
      choose(name, value);
      onward(name);
    }
  }

  function pressed(event) {
    if (at("step-rate").hidden || event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.target;
    const writing = target.matches("textarea, input:not([type=radio]):not([type=checkbox])");
    if (event.key === "Enter" && target.closest("#q-causes")) {
      event.preventDefault();
      onward("causes");
    } else if (event.key === "Enter" && !target.matches("textarea, button, summary")) {
      event.preventDefault();
      next();
    } else if (!writing && at("keys").checked && /^[1-5]$/.test(event.key)) {
      event.preventDefault();
      digit(Number(event.key));
    } else if (!writing && at("keys").checked && event.key.toLowerCase() === "b") {
      event.preventDefault();
      previous();
    }
  }

  // ------------------------------------------------------------ break and end

  function showBreak() {
    const left = order.length - state.index;
    at("break-text").textContent =
      `${counted(state.index, "comment")} rated, ${left} to go. ` +
      `Please rest for about ${counted(study.breakMinutes || 10, "minute")}.`;
    clearInterval(ticking);
    ticking = setInterval(tick, 1000);
    tick();
  }

  function tick() {
    const left = Math.ceil(study.breakMinutes * 60 - (Date.now() - state.breakStart) / 1000);
    const over = left <= 0 || at("step-break").hidden;
    at("continue").disabled = !over;
    const seconds = String(Math.max(left, 0) % 60).padStart(2, "0");
    at("timer").textContent = over ? "" : `${Math.floor(left / 60)}:${seconds}`;
    if (over) clearInterval(ticking);
  }

  function showEnd() {
    at("end-text").textContent =
      `You rated ${counted(finished(), "comment")} on ${counted(new Set(order.map((one) => one.move)).size, "move")}. ` +
      "One thing is left: download your file.";
    at("copy").value = JSON.stringify(exported(), null, 1);
  }

  function forget() {
    if (!window.confirm("Remove your answers from this browser? Download them first.")) return;
    stored()?.removeItem(PREFIX + state.participant);
    state = null;
    show("welcome");
  }

  // ------------------------------------------------------------ putting it together

  function fill() {
    const count = study.moves.reduce((sum, move) => sum + move.items.length, 0);
    const hours = Math.max(1, Math.round(count / 60));
    at("study-title").textContent = study.title;
    at("load").textContent =
      `There are ${counted(count, "comment")} on ${counted(study.moves.length, "move")}, about one minute each` +
      (count > study.block ? `, with a break after every ${study.block}: some ${counted(hours, "hour")} in all. ` : ". ") +
      "You can stop and come back to this page in this browser.";
    at("organiser").textContent = study.organiser
      ? `This study is run by ${study.organiser}; ask there for anything you want to know.`
      : "No organiser is named: this page is a demonstration, not a study.";
    at("pilot-moves").textContent = counted(study.pilotMoves, "move");
    element("option", at("scale"), { value: "" }, "choose …");
    for (const [name, text] of Object.entries(study.strengths)) element("option", at("scale"), { value: name }, text);
  }

  function drawRating() {
    const none = at("scale").value === "none";
    at("rating-field").hidden = none;
    at("rating").required = !none;
  }

  function turn() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
    document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
  }

  function listen() {
    at("theme").addEventListener("click", turn);
    at("consent-form").addEventListener("submit", (event) => {
      event.preventDefault();
      show("about");
    });
    at("about-form").addEventListener("submit", begin);
    at("scale").addEventListener("change", drawRating);
    const back = { about: "welcome", guide: "about", examples: "guide" };
    for (const [step, before] of Object.entries(back))
      at(`step-${step}`).querySelector(".back").addEventListener("click", () => {
        if (before === "about" && Object.keys(state.answers).length) show("rate");
        else show(before);
      });
    at("to-examples").addEventListener("click", () => show("examples"));
    at("to-rating").addEventListener("click", () => show("rate"));
    at("again").addEventListener("click", () => show("guide"));
    at("rate-form").addEventListener("submit", (event) => {
      event.preventDefault();
      next();
    });
    at("previous").addEventListener("click", previous);
    at("remark").addEventListener("input", () => {
      answer(state.index).remark = at("remark").value;
      save();
    });
    at("continue").addEventListener("click", () => show("rate"));
    at("reopen").addEventListener("click", () => show("rate"));
    at("remarks").addEventListener("input", () => {
      state.remarks = at("remarks").value;
      at("copy").value = JSON.stringify(exported(), null, 1);
      save();
    });
    at("forget").addEventListener("click", forget);
    for (const button of document.querySelectorAll(".download")) button.addEventListener("click", download);
    document.addEventListener("keydown", pressed);
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) {
        keepTime();
        save();
      } else if (!at("step-rate").hidden) shownAt = performance.now();
    });
    window.addEventListener("pagehide", () => {
      keepTime();
      save();
    });
    window.addEventListener("storage", (event) => {
      if (!state || event.key !== PREFIX + state.participant || stale) return;
      stale = true;
      notice("This session goes on in another window; go on there. This window keeps nothing any more.");
    });
  }

  buildQuestions();
  fill();
  drawRating();
  listen();
  show("welcome");
})();
