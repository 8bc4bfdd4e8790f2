/** The admin operations on a port, for test suites in any language: with a bearer token, under `/control` instead of `/admin`. */
const ADMIN_PREFIX = '/admin';
export const CONTROL_PREFIX = '/control';

/** Path of the OpenAPI document of the control port. */
export const CONTROL_DOCUMENT_PATH = `${CONTROL_PREFIX}/openapi.json`;

/** In the environment of a program that `exec` runs. */
export const CONTROL_URL_VARIABLE = 'STOCKROOM_CONTROL_URL';
/** Also in the environment of a daemon that shall use this token. */
export const CONTROL_TOKEN_VARIABLE = 'STOCKROOM_CONTROL_TOKEN';

/** The path on the control port: `/admin/keys` becomes `/control/keys`, `/metrics` becomes `/control/metrics`. */
export const toControlPath = (path: string): string =>
  CONTROL_PREFIX + (path.startsWith(`${ADMIN_PREFIX}/`) ? path.slice(ADMIN_PREFIX.length) : path);
