/**
 * The address of a PostgreSQL store. The configuration of a daemon, which other users can see in the list of processes, has it without the
 * password; that comes from the environment or from a password file (.pgpass).
 */
import type { Env } from '../platform/local-paths.ts';
import { DaemonError } from './errors.ts';

export const STORE_VARIABLE = 'STOCKROOM_STORE';
/** An address for notifications, where that in the other variable leads to a pooler that shares connections between transactions. */
const LISTEN_VARIABLE = 'STOCKROOM_STORE_LISTEN';

/** The address without a password; undefined for the file store. Throws a DaemonError for an invalid one. */
export function resolveStoreAddress(flag: string | undefined, env: Env): string | undefined {
  if (flag !== undefined && flag !== '') return parseStoreFlag(flag, '--store');
  const given = flag ?? env[STORE_VARIABLE];
  return given === undefined || given === '' ? undefined : removePassword(parseAddress(given, STORE_VARIABLE)).href;
}

/** The address in a flag. Throws a DaemonError for an invalid one, and for one with a password. */
export function parseStoreFlag(text: string, flag: string): string {
  const url = parseAddress(text, flag);
  if (hasPassword(url)) {
    throw new DaemonError('USAGE', `The password in ${flag} is visible to every user of this machine`, {
      hint: `Set ${STORE_VARIABLE} in the environment instead, or keep the password in ~/.pgpass`,
    });
  }
  return url.href;
}

/** The addresses to connect to, with the password from the environment. `address`: from the configuration. */
export function getStoreUrls(address: string, env: Env): { readonly url: string; readonly listenUrl?: string } {
  const given = env[STORE_VARIABLE];
  const isSame = given !== undefined && given !== '' && removePassword(parseAddress(given, STORE_VARIABLE)).href === address;
  const listen = env[LISTEN_VARIABLE];
  return {
    url: isSame ? given : address,
    ...(listen === undefined || listen === '' ? {} : { listenUrl: parseAddress(listen, LISTEN_VARIABLE).href }),
  };
}

function parseAddress(text: string, name: string): URL {
  const hint = `For example ${name}${name.startsWith('-') ? ' ' : '='}postgres://stockroom@localhost/stockroom`;
  if (!/^[a-z][a-z+.-]*:\/\//iu.test(text) || !URL.canParse(text))
    throw new DaemonError('USAGE', `Invalid ${name}: it is not a postgres:// address`, { hint });
  const url = new URL(text);
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')
    throw new DaemonError('USAGE', `Invalid ${name}: a store at ${url.protocol}// is not supported, only at postgres://`, { hint });
  if (url.hash !== '' || /@/u.test(url.pathname + url.search))
    throw new DaemonError('USAGE', `Invalid ${name}: the password or another part has characters that end it early`, {
      hint: 'Write # / ? @ in a password as %23 %2F %3F %40',
    });
  return url;
}

const hasPassword = (url: URL): boolean => url.password !== '' || url.searchParams.has('password');

export function removePassword(url: URL): URL {
  const copy = new URL(url);
  copy.password = '';
  copy.searchParams.delete('password');
  return copy;
}
