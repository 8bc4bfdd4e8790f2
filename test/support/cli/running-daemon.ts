/** A home with a running daemon, a saved key that is not held back by rate limits, and some items. */
import { request } from 'undici';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { type Home, makeHome } from './home.ts';

export interface Shop extends AsyncDisposable {
  readonly home: Home;
  readonly daemon: DaemonStatus;
  readonly key: string;
  /** Variables of a command that knows only address and key of the daemon, as on another machine. */
  readonly remoteEnv: Readonly<Record<string, string>>;
  /** A key of the tier `trickle`, three requests a minute. */
  addKey(args: readonly string[]): Promise<string>;
  /** Straight over HTTP, for preparing and for looking behind the command's back. */
  // oxlint-disable-next-line typescript/no-explicit-any
  http(method: 'GET' | 'POST', path: string, body?: unknown, key?: string): Promise<{ status: number; text: string; body: any }>;
}

let counter = 0;

/** `more` are further flags of the daemon. */
export async function openShop(items: readonly Readonly<Record<string, unknown>>[] = [], more: readonly string[] = []): Promise<Shop> {
  const home = await makeHome();
  const daemon = await home.start(['--test-clock', '--tier', 'bulk=1000000', '--tier', 'trickle=3', ...more]);
  const addKey: Shop['addKey'] = async (args) => {
    const { body } = await home.json(['keys', 'create', '--all-scopes', ...args]);
    return (body as { secret: string }).secret;
  };
  const key = await addKey(['--tier', 'bulk', '--save']);
  const http: Shop['http'] = async (method, path, body, as = key) => {
    const headers = { 'x-api-key': as, 'content-type': 'application/json', 'idempotency-key': `shop-${String((counter += 1))}` };
    const reply = await request(`${daemon.url ?? ''}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.body.text();
    return { status: reply.statusCode, text, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  };
  for (const item of items) {
    const { status, text } = await http('POST', '/v1/items', item);
    if (status !== 201) throw new Error(text);
  }
  const remoteEnv = {
    STOCKROOM_URL: daemon.url ?? '',
    STOCKROOM_API_KEY: key,
    XDG_CONFIG_HOME: home.path('other-machine', 'config'),
    XDG_DATA_HOME: home.path('other-machine', 'data'),
    XDG_CACHE_HOME: home.path('other-machine', 'cache'),
  };
  return { home, daemon, key, remoteEnv, addKey, http, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}
