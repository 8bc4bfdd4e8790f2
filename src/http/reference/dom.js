// Small helpers for the elements of the page.

/**
 * Returns an element of the page.
 *
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
export function getElement(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`no element #${id}`);
  return found;
}

/**
 * Creates an element.
 *
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 * @param {readonly (Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function createElement(tag, properties = {}, children = []) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
}

/**
 * Shows a section with a table in it.
 *
 * @param {string} id
 * @param {readonly string[]} headings
 * @param {readonly HTMLTableRowElement[]} rows
 */
export function showTable(id, headings, rows) {
  const cells = headings.map((textContent) => createElement('th', { textContent }));
  const head = createElement('thead', {}, [createElement('tr', {}, cells)]);
  const section = getElement(id, HTMLElement);
  section.append(createElement('table', {}, [head, createElement('tbody', {}, rows)]));
  section.hidden = false;
}

/**
 * Renders the Markdown that the texts of the contract use: bold and code.
 *
 * @param {string} text
 * @returns {Node[]}
 */
export function renderInline(text) {
  return text.split(/(\*\*.+?\*\*|`.+?`)/u).map((part) => {
    if (part.startsWith('**')) return createElement('b', {}, [part.slice(2, -2)]);
    if (part.startsWith('`')) return createElement('code', {}, [part.slice(1, -1)]);
    return document.createTextNode(part);
  });
}
