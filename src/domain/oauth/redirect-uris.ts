/** Redirect URIs of applications: which can be registered, and which a request can use. RFC 9700 §4.1, RFC 8252 §7.3. */
import type { ApplicationType } from '../../contract/oauth.ts';
import { invalidField } from '../kernel/errors.ts';

const LOOPBACK_HOSTS = ['127.0.0.1', '[::1]', 'localhost'];
/** Matches host and path of a loopback redirect URI. Public applications may use any port. */
const LOOPBACK_URI = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?((?:[/?].*)?)$/u;

/** Throws a 400 for the field `path` unless the redirect URI is unambiguous and secure. */
export function checkRedirectUri(uri: string, path: string): void {
  const createError = (message: string) => invalidField(path, `${uri} ${message}`, 'not_allowed');
  if (!URL.canParse(uri)) throw createError('must be an absolute URL, such as https://shop.example/callback');
  const { protocol, hostname, username, password, href } = new URL(uri);
  if (protocol !== 'https:' && protocol !== 'http:') throw createError('must start with https://');
  if (protocol === 'http:' && !LOOPBACK_HOSTS.includes(hostname))
    throw createError('must use https; http is allowed for loopback addresses only');
  if (username !== '' || password !== '') throw createError('must not contain a user name or password');
  if (uri.includes('#')) throw createError('must not contain a fragment (#…)');
  // Requests are compared exactly, so only normalised URLs are accepted.
  if (href !== uri && href !== `${uri}/`) throw createError(`must be normalised: ${href}`);
}

/** Whether the redirect URI is registered. It must match exactly, except for the port of a public application's loopback address. */
export function isRegisteredRedirectUri(
  { type, redirectUris }: { type: ApplicationType; redirectUris: readonly string[] },
  uri: string,
): boolean {
  if (redirectUris.includes(uri)) return true;
  if (type !== 'public' || !URL.canParse(uri)) return false;
  const [, host, rest] = LOOPBACK_URI.exec(uri) ?? [];
  if (host === undefined) return false;
  return redirectUris.some((registered) => {
    const match = LOOPBACK_URI.exec(registered);
    return match?.[1] === host && match[2] === rest;
  });
}

/** Appends query parameters to a URI. */
export function appendParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined));
  return `${uri}${uri.includes('?') ? '&' : '?'}${query.toString()}`;
}

/** Whether the redirect stays on this machine. */
export const isLoopbackUri = (uri: string): boolean => LOOPBACK_HOSTS.includes(new URL(uri).hostname);
