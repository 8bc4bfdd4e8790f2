// Shows the OpenAPI document of this service in swagger-ui, and sends requests with an API key. Runs in the browser without a build.
// The key is kept in memory only, never in storage or in the URL, and is sent to this origin only.

/** Placeholder for the idempotency key; replaced by a random key in every request. */
const GENERATED_KEY = 'generated-for-each-request';
const KEY_NOTICE = 'In memory only; cleared when you leave';
const narrow = matchMedia('(max-width: 899px)');
const dark = matchMedia('(prefers-color-scheme: dark)');

const keyField = getElement('key', HTMLInputElement);
const keyStatus = getElement('key-status', HTMLOutputElement);
const contents = getElement('contents', HTMLDetailsElement);
const groups = getElement('groups', HTMLUListElement);

const spec = prepareDocument(/** @type {OpenApiDocument} */ (await (await fetch('/openapi.json')).json()));
const ui = SwaggerUIBundle({
  spec,
  domNode: getElement('reference', HTMLElement),
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 3,
  validatorUrl: null,
  requestInterceptor: setIdempotencyKey,
});
renderContents();
applyColorScheme();
dark.addEventListener('change', applyColorScheme);
keyField.addEventListener('change', () => void applyKey());

/**
 * Adapts the document to this page: API keys only, because OAuth is for applications, and no example values in optional filters, because
 * swagger-ui would send them.
 *
 * @param {OpenApiDocument} openApi
 */
function prepareDocument(openApi) {
  const { apiKey } = openApi.components.securitySchemes;
  openApi.components.securitySchemes = { apiKey };
  openApi.components.parameters.IdempotencyKey.example = GENERATED_KEY;
  for (const op of listOperations(openApi)) {
    op.security = [{ apiKey: [] }];
    for (const parameter of op.parameters ?? []) {
      if (parameter.in === 'query' && !parameter.required) delete parameter.example;
      if (parameter['x-extension']) parameter.description = `${parameter.description ?? ''} *Extension.*`;
    }
  }
  return openApi;
}

/** @param {OpenApiDocument} openApi */
function listOperations({ paths }) {
  return Object.values(paths).flatMap((path) => Object.values(path));
}

/**
 * Replaces the placeholder of the idempotency key.
 *
 * @param {ViewerRequest} request
 */
function setIdempotencyKey(request) {
  for (const [name, value] of Object.entries(request.headers)) if (value === GENERATED_KEY) request.headers[name] = crypto.randomUUID();
  return request;
}

function applyColorScheme() {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}

/** Passes the key to swagger-ui and shows whether it is valid. */
async function applyKey() {
  const key = keyField.value.trim();
  keyStatus.className = '';
  keyStatus.value = KEY_NOTICE;
  if (key === '') {
    ui.authActions.logout(['apiKey']);
    return;
  }
  ui.preauthorizeApiKey('apiKey', key);
  const { data, error } = await fetchAuthContext(key);
  // The key may have been edited meanwhile.
  if (key !== keyField.value.trim()) return;
  keyStatus.className = data ? 'good' : 'bad';
  keyStatus.value = data
    ? `Valid: ${data.api_key.scopes.length} scopes, plan ${data.tenant.plan}.`
    : (error?.message ?? 'The service is not reachable.');
}

/**
 * @param {string} key
 * @returns {Promise<AuthContextReply>}
 */
async function fetchAuthContext(key) {
  try {
    const reply = await fetch('/v1/auth/context', { headers: { 'x-api-key': key } });
    return /** @type {AuthContextReply} */ (await reply.json());
  } catch {
    return {};
  }
}

/** Fills the table of contents: next to the reference on wide screens, collapsed above it on narrow ones. */
function renderContents() {
  contents.open = !narrow.matches;
  for (const { name } of spec.tags) {
    const list = document.createElement('ul');
    for (const { operationId, summary } of listOperations(spec).filter(({ tags }) => tags.includes(name))) {
      const link = document.createElement('a');
      link.textContent = summary;
      link.href = `#/${encodeURIComponent(name)}/${operationId}`;
      link.addEventListener('click', () => showOperation(name, operationId));
      list.append(wrapInItem(link));
    }
    const heading = document.createElement('summary');
    heading.textContent = name;
    const group = document.createElement('details');
    group.append(heading, list);
    groups.append(wrapInItem(group));
  }
}

/**
 * @param {string} tag
 * @param {string} id
 */
function showOperation(tag, id) {
  if (narrow.matches) contents.open = false;
  const { layoutActions } = ui.getSystem();
  layoutActions.show(['operations-tag', tag], true);
  layoutActions.show(['operations', tag, id], true);
  // swagger-ui escapes its element ids as in a CSS selector.
  const target = `operations-${tag.replaceAll(' ', '_')}-${CSS.escape(id)}`;
  requestAnimationFrame(() => document.getElementById(target)?.scrollIntoView());
}

/** @param {Node} content */
function wrapInItem(content) {
  const item = document.createElement('li');
  item.append(content);
  return item;
}

/**
 * Returns an element of the page.
 *
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} type
 * @returns {T}
 */
function getElement(id, type) {
  const found = document.getElementById(id);
  if (!(found instanceof type)) throw new Error(`no element #${id}`);
  return found;
}
