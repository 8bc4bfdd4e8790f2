/**
 * The session of the console in a request: half of its key in a cookie that scripts cannot read, half in a header that only the page of the
 * console can send. The cookie alone, which every page on this machine makes its browser send, is worth nothing.
 */
import type { Request } from '@hapi/hapi';
import { joinKey } from '../../domain/tenancy/api-keys.ts';
import { getBaseUrl } from '../base-url.ts';
import { readCookie } from '../cookies.ts';

/** The second half of the key. */
export const CONSOLE_TOKEN = 'x-console-token';

/** Browsers send the cookies of all ports of a host, so the name has the port. */
export function getCookieName(request: Request): string {
  const { protocol, port } = new URL(getBaseUrl(request));
  return `${protocol === 'https:' ? '__Host-' : ''}stockroom_console${port === '' ? '' : `_${port}`}`;
}

/** The key of the session. Undefined without one, without a console, or for a page of another origin, even if it may use the API. */
export function readConsoleSecret(request: Request): string | undefined {
  const headers = request.headers as Readonly<Record<string, string | undefined>>;
  const token = headers[CONSOLE_TOKEN];
  const site = headers['sec-fetch-site'] ?? 'same-origin';
  if (
    token === undefined ||
    request.server.settings.app?.hasConsole !== true ||
    request.app.allowedOrigin !== undefined ||
    site !== 'same-origin'
  )
    return undefined;
  const cookie = readCookie(request, getCookieName(request));
  return cookie === undefined ? undefined : joinKey(cookie, token);
}
