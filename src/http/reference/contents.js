// The table of contents with its search.
import { listOperations } from './document.js';
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
 * @param {(tag: string, id: string) => void} showOperation
 */
export function renderContents(openApi, showOperation) {
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
          showOperation(name, id);
        });
        const item = createElement('li', {}, [link]);
        entries.push({ item, link, text: [name, summary, id, method, path, description, ...errors].join(' ').toLowerCase() });
        return item;
      });
    const group = createElement('details', { open: true }, [
      createElement('summary', { textContent: name }),
      createElement('ul', {}, items),
    ]);
    groups.append(createElement('li', {}, [group]));
  }
  addSearch(entries);
}

/** @param {readonly SearchEntry[]} entries */
function addSearch(entries) {
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/u);
    for (const { item, text } of entries) item.hidden = !words.every((word) => text.includes(word));
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
