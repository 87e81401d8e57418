// Elements of a page, made of text and never of markup.

export const at = (id) => document.getElementById(id);

export function element(name, text, parent, kind) {
  const made = document.createElement(name);
  made.textContent = text;
  if (kind) made.className = kind;
  parent.append(made);
  return made;
}

export function button(text, parent, press) {
  const made = element("button", text, parent);
  made.type = "button";
  made.addEventListener("click", press);
  return made;
}

export function shape(name, attributes, parent) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
}
