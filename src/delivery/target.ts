/**
 * The way to a receiver, guarded where the connection is made: a name is looked up once, every address of it is judged, and the
 * connection goes to exactly those addresses. So neither a literal, nor a name with one bad address among good ones, nor a name that
 * changes between the look and the call gets through. decisions-api §1.9.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { buildConnector } from 'undici';
import { DELIVERY_CONNECT_TIMEOUT_S } from '../contract/limits.ts';
import { type TargetPolicy, bareHost, refusalOf } from '../domain/targets.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}
/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export const resolveByDns: Resolve = (hostname) => systemLookup(hostname, { all: true });

/** No request was sent: the policy forbids the address. */
export class TargetBlocked extends Error {
  override readonly name = 'TargetBlocked';
}

/** undici's hook `connect.lookup` is not called for IP literals, so the guard stands before it. */
export function guardedConnector(
  connectorOf: typeof buildConnector,
  policy: TargetPolicy,
  resolve: Resolve = resolveByDns,
): buildConnector.connector {
  return (options, callback) => {
    const host = bareHost(options.hostname);
    const isHttps = options.protocol === 'https:';
    const port = options.port === '' ? (isHttps ? 443 : 80) : Number(options.port);
    const connectTo = (addresses: readonly ResolvedAddress[]): void => {
      // Only the addresses that were judged; Happy Eyeballs among them is Node's.
      const connect = connectorOf({
        timeout: DELIVERY_CONNECT_TIMEOUT_S * 1_000,
        // One request at a time on each connection: what becomes of one must not touch the others, and over HTTP/2 an answer that is cut
        // off leaves a connection on which nothing more is sent.
        allowH2: false,
        lookup: (_name, { all }, found) =>
          all ? found(null, [...addresses]) : found(null, addresses[0]?.address ?? '', addresses[0]?.family),
      });
      connect(options, callback);
    };
    // undici's connectors are told by callback.
    // oxlint-disable-next-line promise/no-callback-in-promise
    void judge(policy, resolve, host, port, isHttps).then(connectTo, (error: unknown) => callback(error as Error, null));
  };
}

async function judge(
  policy: TargetPolicy,
  resolve: Resolve,
  host: string,
  port: number,
  isHttps: boolean,
): Promise<readonly ResolvedAddress[]> {
  const family = isIP(host);
  const addresses = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (addresses.length === 0) throw Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
  for (const { address } of addresses) {
    const refusal = refusalOf(policy, address, port, isHttps);
    if (refusal !== undefined) throw new TargetBlocked(refusal);
  }
  return addresses;
}
