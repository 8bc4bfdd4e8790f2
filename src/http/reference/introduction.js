// The parts of the page that do not need the viewer: the introduction and the table of all error codes.
import { listErrors } from './document.js';
import { createElement, getElement, renderInline, showTable } from './dom.js';

const ALL_METHODS = 4;

/** @param {OpenApiDocument} openApi */
export function renderIntroduction({ info }) {
  const paragraphs = info.description.split('\n\n').map((text) => createElement('p', {}, renderInline(text)));
  const version = createElement('p', { className: 'version', textContent: `Version ${info.version}` });
  getElement('introduction', HTMLElement).replaceChildren(createElement('h1', { textContent: info.title }), version, ...paragraphs);
}

/** @param {OpenApiDocument} openApi */
export function renderErrors(openApi) {
  const rows = listErrors(openApi).map((row) =>
    createElement('tr', { id: `error-${row.code}` }, [
      createElement('td', { textContent: row.status }),
      createElement('td', {}, [createElement('code', { textContent: row.code })]),
      createElement('td', {}, renderInline(row.meaning)),
      createElement('td', { textContent: describeOperations(row) }),
    ]),
  );
  showTable('errors', ['Status', 'Code', 'Meaning', 'Returned by'], rows);
}

/** @param {ErrorRow} row */
function describeOperations({ isSpecific, methods }) {
  if (isSpecific) return 'Operations that list it';
  return methods.size === ALL_METHODS ? 'Any operation' : `Any ${[...methods].join(', ')}`;
}
