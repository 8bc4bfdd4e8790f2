// Shows the description of this service in the viewer and lets the reader try calls with a key. Runs in the browser as it is.
// The key lives in this page's memory: not in storage, not in the address, and it goes nowhere but to this origin.

/** In place of an idempotency key, until a call is sent. */
const FRESH = 'made-up-for-each-call';
const UNKNOWN_OWNER = 'Kept by this page alone, until you leave it.';
const narrow = matchMedia('(max-width: 899px)');
const dark = matchMedia('(prefers-color-scheme: dark)');

const keyField = element('key', HTMLInputElement);
const owner = element('owner', HTMLOutputElement);
const contents = element('contents', HTMLDetailsElement);
const groups = element('groups', HTMLUListElement);

const spec = readable(/** @type {Description} */ (await (await fetch('/openapi.json')).json()));
const ui = SwaggerUIBundle({
  spec,
  domNode: element('reference', HTMLElement),
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 3,
  validatorUrl: null,
  requestInterceptor: withFreshKey,
});
showContents();
wearColours();
dark.addEventListener('change', wearColours);
keyField.addEventListener('change', () => void useKey());

/**
 * The document as it is best read and tried here: by key (OAuth is for applications), with no filter filled in that nobody asked for.
 *
 * @param {Description} given
 */
function readable(given) {
  const { apiKey } = given.components.securitySchemes;
  given.components.securitySchemes = { apiKey };
  given.components.parameters.IdempotencyKey.example = FRESH;
  for (const op of operationsOf(given)) {
    op.security = [{ apiKey: [] }];
    for (const parameter of op.parameters ?? []) {
      if (parameter.in === 'query' && !parameter.required) delete parameter.example;
      if (parameter['x-extension']) parameter.description = `${parameter.description ?? ''} *Extension.*`;
    }
  }
  return given;
}

/** @param {Description} given */
function operationsOf(given) {
  return Object.values(given.paths).flatMap((path) => Object.values(path));
}

/** @param {ViewerRequest} request */
function withFreshKey(request) {
  for (const [name, value] of Object.entries(request.headers)) if (value === FRESH) request.headers[name] = crypto.randomUUID();
  return request;
}

function wearColours() {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

/** Hands the key to the viewer and says whose it is. */
async function useKey() {
  const key = keyField.value.trim();
  owner.className = '';
  owner.value = UNKNOWN_OWNER;
  if (key === '') {
    ui.authActions.logout(['apiKey']);
    return;
  }
  ui.preauthorizeApiKey('apiKey', key);
  const { data, error } = await askOwner(key);
  // Somebody may have typed on.
  if (key !== keyField.value.trim()) return;
  owner.className = data ? 'good' : 'bad';
  owner.value = data
    ? `Valid: ${data.api_key.scopes.length} scopes, plan ${data.tenant.plan}.`
    : (error?.message ?? 'The service does not answer.');
}

/**
 * @param {string} key
 * @returns {Promise<OwnerAnswer>}
 */
async function askOwner(key) {
  try {
    const reply = await fetch('/v1/auth/context', { headers: { 'x-api-key': key } });
    return /** @type {OwnerAnswer} */ (await reply.json());
  } catch {
    return {};
  }
}

/** Fills the list of contents: beside the text where there is room, folded away above it where there is none. */
function showContents() {
  contents.open = !narrow.matches;
  for (const { name } of spec.tags) {
    const list = document.createElement('ul');
    for (const { operationId, summary } of operationsOf(spec).filter(({ tags }) => tags.includes(name))) {
      const link = document.createElement('a');
      link.textContent = summary;
      link.href = `#/${encodeURIComponent(name)}/${operationId}`;
      link.addEventListener('click', () => show(name, operationId));
      list.append(inItem(link));
    }
    const heading = document.createElement('summary');
    heading.textContent = name;
    const group = document.createElement('details');
    group.append(heading, list);
    groups.append(inItem(group));
  }
}

/**
 * @param {string} tag
 * @param {string} id
 */
function show(tag, id) {
  if (narrow.matches) contents.open = false;
  const { layoutActions } = ui.getSystem();
  layoutActions.show(['operations-tag', tag], true);
  layoutActions.show(['operations', tag, id], true);
  // The viewer writes ids as it would in a selector.
  const target = `operations-${tag.replaceAll(' ', '_')}-${CSS.escape(id)}`;
  requestAnimationFrame(() => document.getElementById(target)?.scrollIntoView());
}

/** @param {Node} content */
function inItem(content) {
  const item = document.createElement('li');
  item.append(content);
  return item;
}

/**
 * An element of the page.
 *
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}
