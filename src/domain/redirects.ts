/** Redirect addresses of applications: what may be registered, and what a request may name. RFC 9700 §4.1, RFC 8252 §7.3; decisions-api §6.2. */
import type { ApplicationType } from '../contract/oauth.ts';
import { invalidField } from './errors.ts';

const THIS_MACHINE = ['127.0.0.1', '[::1]', 'localhost'];
/** Address and path of a redirect to a loopback address, whose port is free for public applications. */
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?((?:[/?].*)?)$/u;

/** Throws a 400 that names `path` when the address could lead elsewhere than it seems. */
export function checkRedirectUri(uri: string, path: string): void {
  const refuse = (message: string) => invalidField(path, `${uri} ${message}`, 'not_allowed');
  if (!URL.canParse(uri)) throw refuse('is no address; write it in full, such as https://shop.example/callback');
  const { protocol, hostname, username, password, href } = new URL(uri);
  if (protocol !== 'https:' && protocol !== 'http:') throw refuse('must begin with https://');
  if (protocol === 'http:' && !THIS_MACHINE.includes(hostname)) throw refuse('must use https; http is for this machine only');
  if (username !== '' || password !== '') throw refuse('must not hold a user name or password');
  if (uri.includes('#')) throw refuse('must not have a fragment');
  // Exact comparison later means that nothing may be left to normalise now.
  if (href !== uri && href !== `${uri}/`) throw refuse(`must be written as ${href}`);
}

/** Whether a request may name this address. Exact, but public applications on a loopback address may choose their port. */
export function isRegistered({ type, redirectUris }: { type: ApplicationType; redirectUris: readonly string[] }, uri: string): boolean {
  if (redirectUris.includes(uri)) return true;
  if (type !== 'public' || !URL.canParse(uri)) return false;
  const [, host, rest] = LOOPBACK.exec(uri) ?? [];
  if (host === undefined) return false;
  return redirectUris.some((registered) => {
    const match = LOOPBACK.exec(registered);
    return match?.[1] === host && match[2] === rest;
  });
}

/** The address with more parameters behind its own. */
export function withParameters(uri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined));
  return `${uri}${uri.includes('?') ? '&' : '?'}${query.toString()}`;
}

/** Whether the answer stays on this machine. */
export const isLoopback = (uri: string): boolean => THIS_MACHINE.includes(new URL(uri).hostname);
