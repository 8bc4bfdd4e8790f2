/** Redirect URIs of applications: which can be registered, and which a request can use. RFC 9700 §4.1, RFC 8252 §7.3. */
import type { ApplicationType } from '../../contract/oauth.ts';
import { isLoopbackHost } from '../../platform/loopback.ts';
import { invalidField } from '../kernel/errors.ts';

/** A host that is a single source in a Content-Security-Policy: a name or an IP address. The URL standard allows more, such as `;` and `*`. */
const HOST = /^(?:[a-z\d._-]+|\[[\da-f:]+\])$/u;
/** Characters that separate or quote in headers, or look like a wildcard. They can be percent-encoded. */
const AMBIGUOUS = /[\s\p{Cc}"'`*,;<>\\]/u;

/** Throws a 400 for the field `path` unless the redirect URI is unambiguous and secure. */
export function checkRedirectUri(uri: string, path: string): void {
  const createError = (message: string) => invalidField(path, `${uri} ${message}`, 'not_allowed');
  if (!URL.canParse(uri)) throw createError('must be an absolute URL, such as https://shop.example/callback');
  const { protocol, hostname, username, password, href } = new URL(uri);
  if (AMBIGUOUS.test(uri))
    throw createError('must not contain wildcards (*), white space, quotes, commas or semicolons; percent-encode them after the host name');
  if (protocol !== 'https:' && protocol !== 'http:') throw createError('must start with https://');
  if (!HOST.test(hostname)) throw createError('must have a host name of letters, digits, hyphens and dots, or an IP address');
  if (protocol === 'http:' && !isLoopbackHost(hostname)) throw createError('must use https; http is allowed for loopback addresses only');
  if (username !== '' || password !== '') throw createError('must not contain a user name or password');
  if (uri.includes('#')) throw createError('must not contain a fragment (#…)');
  // Requests are compared exactly, so only normalized URLs are accepted.
  if (href !== uri && href !== `${uri}/`) throw createError(`must be normalized: ${href}`);
}

/** Whether the redirect URI is registered. It must match exactly, except for the port of a public application's loopback address. */
export function isRegisteredRedirectUri(
  { type, redirectUris }: { type: ApplicationType; redirectUris: readonly string[] },
  uri: string,
): boolean {
  // Versions before this check may have stored others.
  if (!URL.canParse(uri) || !isUnambiguous(uri)) return false;
  if (redirectUris.includes(uri)) return true;
  const withoutPort = type === 'public' ? removeLoopbackPort(uri) : undefined;
  return withoutPort !== undefined && redirectUris.some((registered) => removeLoopbackPort(registered) === withoutPort);
}

const isUnambiguous = (uri: string): boolean => !AMBIGUOUS.test(uri) && HOST.test(new URL(uri).hostname);

/** A redirect URI with a loopback address or `localhost`, at which public applications may use any port (RFC 8252 §7.3, §8.3: as many do), without the port. Undefined for other URIs, and for those that are not normalized. */
function removeLoopbackPort(uri: string): string | undefined {
  const url = new URL(uri);
  if (url.protocol !== 'http:' || !isLoopbackHost(url.hostname)) return undefined;
  const origin = `http://${url.hostname}`;
  // URLs omit the default port when they are normalized.
  const isNormalized = url.href === uri || url.href === uri.replace(`${origin}:80/`, `${origin}/`);
  url.port = '';
  return isNormalized ? url.href : undefined;
}

/** Appends query parameters to a URI. */
export function appendParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined));
  return `${uri}${uri.includes('?') ? '&' : '?'}${query.toString()}`;
}

/** Whether the redirect stays on this machine. */
export const isLoopbackUri = (uri: string): boolean => isLoopbackHost(new URL(uri).hostname);
