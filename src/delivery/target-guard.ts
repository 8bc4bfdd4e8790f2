/**
 * Checks the target of a delivery where the connection is opened: a name is resolved once, all of its addresses are checked, and the
 * connection goes to exactly those addresses. This blocks address literals, names with one forbidden address among allowed ones, and
 * names whose address changes between the check and the connection (DNS rebinding). W-9.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { buildConnector } from 'undici';
import { DELIVERY_CONNECT_TIMEOUT_S } from '../contract/limits.ts';
import { stripBrackets } from '../platform/loopback.ts';
import { type TargetPolicy, getBlockedReason } from '../domain/webhooks/target-policy.ts';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}
/** Resolves a name to all of its addresses. */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export const resolveByDns: Resolve = (hostname) => systemLookup(hostname, { all: true });

/** The policy forbids the address; no request was sent. */
export class TargetBlocked extends Error {
  override readonly name = 'TargetBlocked';
}

/** A connector, because undici does not call its hook `connect.lookup` for IP literals. */
export function createGuardedConnector(
  createConnector: typeof buildConnector,
  policy: TargetPolicy,
  resolve: Resolve = resolveByDns,
): buildConnector.connector {
  return (options, callback) => {
    const host = stripBrackets(options.hostname);
    const isHttps = options.protocol === 'https:';
    const port = options.port === '' ? (isHttps ? 443 : 80) : Number(options.port);
    const connectTo = (addresses: readonly ResolvedAddress[]): void => {
      // Only the checked addresses; Node tries them with Happy Eyeballs.
      const connect = createConnector({
        timeout: DELIVERY_CONNECT_TIMEOUT_S * 1_000,
        // One request at a time on each connection, so that no request affects another: over HTTP/2, a response that is cut off leaves a
        // connection on which nothing more is sent.
        allowH2: false,
        lookup: (_name, { all }, found) =>
          all ? found(null, [...addresses]) : found(null, addresses[0]?.address ?? '', addresses[0]?.family),
      });
      connect(options, callback);
    };
    // undici's connectors report through a callback.
    // oxlint-disable-next-line promise/no-callback-in-promise
    void resolveTarget(policy, resolve, host, port, isHttps).then(connectTo, (error: unknown) => callback(error as Error, null));
  };
}

/** Returns the addresses of a target, or throws TargetBlocked. */
async function resolveTarget(
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
    const refusal = getBlockedReason(policy, address, port, isHttps);
    if (refusal !== undefined) throw new TargetBlocked(refusal);
  }
  return addresses;
}
