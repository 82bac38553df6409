/** Building and changing elements. Text goes in as text alone: nothing that a stranger says is markup. @module */

export const DOM_SCRIPT = String.raw`
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

/** An element with these attributes; children are elements and texts, and what is no child is left out. */
function el(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) element.setAttribute(key, value);
  element.append(...children.filter((child) => child !== undefined && child !== null && child !== ""));
  return element;
}

/** Touches nothing that is as it should be: what is read aloud or selected stays whole. */
function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

function show(element, isShown) {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** Pairs of term and description. While the terms are the same, what is selected of the rest stays so. */
function setTerms(list, pairs) {
  const terms = pairs.map(([term]) => term).join("\n");
  if (list.dataset.terms !== terms) {
    list.dataset.terms = terms;
    list.replaceChildren(...pairs.map(([term]) => el("div", {}, el("dt", {}, term), el("dd"))));
  }
  pairs.forEach(([, description], at) => setText(list.children[at].lastChild, description));
}
`;
