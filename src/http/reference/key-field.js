// The field for the API key. A valid key is kept for the session of the tab, never in the URL, and is sent to this origin only.
import { getElement } from './dom.js';

const STORED_KEY = 'stockroom-api-key';
const NOTICE = 'Kept until you close this tab';
const field = getElement('key', HTMLInputElement);
const status = getElement('key-status', HTMLOutputElement);

/** @param {Viewer} ui */
export function watchKey(ui) {
  field.addEventListener('change', () => void applyKey(ui));
  field.value ||= sessionStorage.getItem(STORED_KEY) ?? '';
  if (field.value !== '') void applyKey(ui);
}

/**
 * Passes the key to swagger-ui, shows whether it is valid, and stores it if it is.
 *
 * @param {Viewer} ui
 */
async function applyKey(ui) {
  const key = field.value.trim();
  status.className = '';
  status.value = NOTICE;
  sessionStorage.removeItem(STORED_KEY);
  if (key === '') {
    ui.authActions.logout(['apiKey']);
    return;
  }
  ui.preauthorizeApiKey('apiKey', key);
  const { data, error } = await fetchAuthContext(key);
  // The key may have been edited meanwhile.
  if (key !== field.value.trim()) return;
  if (data) sessionStorage.setItem(STORED_KEY, key);
  status.className = data ? 'good' : 'bad';
  status.value = data
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
