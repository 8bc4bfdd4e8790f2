// The table of contents with its search.
import { collectText, listOperations } from './document.js';
import { createElement, getElement } from './dom.js';

const narrow = matchMedia('(max-width: 899px)');
const contents = getElement('contents', HTMLDetailsElement);
const groups = getElement('groups', HTMLUListElement);
const search = getElement('search', HTMLInputElement);
const noMatch = getElement('no-match', HTMLParagraphElement);

/**
 * Shows all operations: next to the reference on wide screens, collapsed above it on narrow ones.
 *
 * @param {OpenApiDocument} openApi
 */
export function renderContents(openApi) {
  contents.open = !narrow.matches;
  const operations = listOperations(openApi);
  /** @type {SearchEntry[]} */
  const entries = [];
  for (const { name } of openApi.tags) {
    const items = operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ path, method, operation }) => {
        const { operationId: id, summary, description = '', 'x-errors': errors } = operation;
        const link = createElement('a', { textContent: summary, href: `#/${encodeURIComponent(name)}/${id}` });
        link.dataset['method'] = method;
        link.addEventListener('click', () => {
          if (narrow.matches) contents.open = false;
          // The fragment is the same if the link is followed again.
          if (location.hash === link.hash) dispatchEvent(new HashChangeEvent('hashchange'));
        });
        const item = createElement('li', {}, [link]);
        const own = [name, summary, id, method, path, description, ...errors].join(' ').toLowerCase();
        entries.push({ item, link, own, text: `${own} ${collectText(openApi, operation).toLowerCase()}` });
        return item;
      });
    const group = createElement('details', { open: true }, [
      createElement('summary', { textContent: name }),
      createElement('ul', {}, items),
    ]);
    groups.append(createElement('li', {}, [group]));
  }
  addSearch(entries);
  markCurrent(entries);
  addEventListener('hashchange', () => markCurrent(entries));
}

/** The operation in the URL fragment. */
export function readFragment() {
  const [, tag, id] = location.hash.split('/').map(decodeURIComponent);
  return { tag, id };
}

/** @param {readonly SearchEntry[]} entries */
function markCurrent(entries) {
  for (const { link } of entries) {
    if (link.hash === location.hash) link.ariaCurrent = 'location';
    else link.removeAttribute('aria-current');
  }
}

/** @param {readonly SearchEntry[]} entries */
function addSearch(entries) {
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/u);
    const found = entries.filter(({ own }) => words.every((word) => own.includes(word)));
    // Names and descriptions of fields are searched if no operation is called so.
    const matches = found.length > 0 ? found : entries.filter(({ text }) => words.every((word) => text.includes(word)));
    for (const entry of entries) entry.item.hidden = !matches.includes(entry);
    for (const group of groups.children) {
      if (group instanceof HTMLElement) group.hidden = group.querySelector('ul > li:not([hidden])') === null;
    }
    noMatch.hidden = entries.some(({ item }) => !item.hidden);
    contents.open = !narrow.matches || search.value !== '';
  });
  search.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') entries.find(({ item }) => !item.hidden)?.link.click();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
  });
}
