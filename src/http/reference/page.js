// Shows the OpenAPI document of this service, and sends requests with an API key. Runs in the browser without a build.
// Introduction, contents and errors appear first; swagger-ui, which takes longer to start than all of them, adds the operations.
import { renderContents } from './contents.js';
import { GENERATED_KEY, prepareForViewer } from './document.js';
import { getElement } from './dom.js';
import { renderErrors, renderIntroduction } from './introduction.js';
import { watchKey } from './key-field.js';
import { createDetailsPlugin } from './operation-details.js';

const VIEWER = '/docs/viewer.js';
const dark = matchMedia('(prefers-color-scheme: dark)');

applyColorScheme();
dark.addEventListener('change', applyColorScheme);
const spec = /** @type {OpenApiDocument} */ (await (await fetch('/openapi.json')).json());
/** @type {{ ui?: Viewer }} */
const viewer = {};
renderIntroduction(spec);
renderErrors(spec);
renderContents(spec, showOperation);
await waitForPaint();
// The viewer would scroll to linked elements itself, and put them behind the header.
window.noZensmooth = true;
await loadScript(VIEWER);
prepareForViewer(spec);
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
  requestInterceptor: setIdempotencyKey,
  plugins: [createDetailsPlugin(spec)],
});
watchKey(viewer.ui);

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

/**
 * Before the viewer is loaded, the link sets the URL fragment only; the viewer opens the operation that it names.
 *
 * @param {string} tag
 * @param {string} id
 */
function showOperation(tag, id) {
  if (viewer.ui === undefined) return;
  const { layoutActions } = viewer.ui.getSystem();
  layoutActions.show(['operations-tag', tag], true);
  layoutActions.show(['operations', tag, id], true);
  // swagger-ui escapes its element ids as in a CSS selector.
  const target = `operations-${tag.replaceAll(' ', '_')}-${CSS.escape(id)}`;
  requestAnimationFrame(() => document.getElementById(target)?.scrollIntoView());
}
