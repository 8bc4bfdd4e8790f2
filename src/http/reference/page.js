// Shows the OpenAPI document of this service, and sends requests with an API key. Runs in the browser without a build.
// Introduction, contents and errors appear first; swagger-ui, which takes longer to start than all of them, adds the operations.
import { readFragment, renderContents } from './contents.js';
import { GENERATED_KEY, prepareForViewer } from './document.js';
import { renderEvents } from './events.js';
import { createExampleFiller } from './examples.js';
import { getElement } from './dom.js';
import { renderErrors, renderIntroduction } from './introduction.js';
import { watchKey } from './key-field.js';
import { createDetailsPlugin } from './operation-details.js';
import { createViewerPlugin } from './viewer-plugin.js';

const VIEWER = '/docs/viewer.js';
const dark = matchMedia('(prefers-color-scheme: dark)');

applyColorScheme();
dark.addEventListener('change', applyColorScheme);
const spec = /** @type {OpenApiDocument} */ (await (await fetch('/openapi.json')).json());
/** @type {{ ui?: Viewer }} */
const viewer = {};
renderIntroduction(spec);
renderErrors(spec);
renderContents(spec);
void renderEvents();
await waitForPaint();
// The viewer would scroll to linked elements itself, and put them behind the header.
window.noZensmooth = true;
await loadScript(VIEWER);
prepareForViewer(spec);
const fillExample = createExampleFiller(spec);
viewer.ui = SwaggerUIBundle({
  // Requests go to the address of this page, as its content security policy demands, also if the document names the public one.
  spec: { ...spec, servers: [{ url: location.origin }] },
  domNode: getElement('reference', HTMLElement),
  deepLinking: true,
  docExpansion: 'list',
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 3,
  validatorUrl: null,
  requestInterceptor: (/** @type {ViewerRequest} */ request) => fillExample(setIdempotencyKey(request)),
  plugins: [createDetailsPlugin(spec), createViewerPlugin(spec)],
});
watchKey(viewer.ui);
addEventListener('hashchange', () => showOperation());

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

/** @returns {Promise<void>} */
function waitForPaint() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}

/**
 * @param {string} src
 * @returns {Promise<void>}
 */
function loadScript(src) {
  return new Promise((done, fail) => {
    const script = Object.assign(document.createElement('script'), { src });
    script.addEventListener('load', () => done());
    script.addEventListener('error', () => fail(new Error(`${src} could not be loaded`)));
    document.head.append(script);
  });
}

/** Opens the operation in the URL fragment: of a link, of the history, or of an address that was pasted. The viewer itself opens the first one. */
function showOperation() {
  const { tag, id } = readFragment();
  if (viewer.ui === undefined || tag === undefined || id === undefined) return;
  const { dispatch } = viewer.ui.getSystem().getStore();
  // The action of the viewer would add a history entry for each.
  for (const thing of [
    ['operations-tag', tag],
    ['operations', tag, id],
  ])
    dispatch({ type: 'layout_show', payload: { thing, shown: true } });
  // swagger-ui escapes its element ids as in a CSS selector.
  const target = `operations-${tag.replaceAll(' ', '_')}-${CSS.escape(id)}`;
  requestAnimationFrame(() => document.getElementById(target)?.scrollIntoView());
}
