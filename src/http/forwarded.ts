/**
 * Who sent a request, and to which address, when a reverse proxy passed it on. Its headers `X-Forwarded-For`, `-Host` and `-Proto` are used
 * only if the connection comes from a trusted proxy, because every other client can send them as well.
 */
import { BlockList, isIP } from 'node:net';
import type { Request } from '@hapi/hapi';
import { addSubnet } from '../domain/webhooks/subnets.ts';

declare module '@hapi/hapi' {
  interface RequestApplicationState {
    /** Set for requests of trusted proxies. */
    forwarded?: Forwarded;
  }
}

export interface Forwarded {
  /** The address of the client. */
  readonly address: string;
  /** The host that the client asked for; undefined if the proxy does not say it. */
  readonly host: string | undefined;
  readonly protocol: 'http' | 'https' | undefined;
}

/** What `getClientAddress` reads of a request. Tool calls have it, too. */
interface ForwardedRequest {
  readonly app: Pick<Request['app'], 'forwarded'>;
  readonly info: Pick<Request['info'], 'remoteAddress'>;
}

/** `ranges` in CIDR notation. Undefined if there are none, so that requests need no check. */
export function createTrustedProxies(ranges: readonly string[]): BlockList | undefined {
  if (ranges.length === 0) return undefined;
  const list = new BlockList();
  for (const range of ranges) addSubnet(list, range);
  return list;
}

type Headers = Readonly<Record<string, string | undefined>>;

/** `peer`: the address of the other end of the connection. Undefined if that is not a trusted proxy. */
export function parseForwardedHeaders(headers: Headers, peer: string, trusted: BlockList): Forwarded | undefined {
  if (!isTrustedProxy(trusted, peer)) return undefined;
  const host = getLastValue(headers['x-forwarded-host'])?.toLowerCase();
  const protocol = getLastValue(headers['x-forwarded-proto'])?.toLowerCase();
  return {
    address: findClientAddress(headers['x-forwarded-for'] ?? '', peer, trusted),
    host: host !== undefined && isHost(host) ? host : undefined,
    protocol: protocol === 'http' || protocol === 'https' ? protocol : undefined,
  };
}

/** Finds out who sent a request, if a trusted proxy passed it on. */
export function readForwardedHeaders({ app, headers, info }: Request, trusted: BlockList): void {
  const forwarded = parseForwardedHeaders(headers as Headers, info.remoteAddress, trusted);
  if (forwarded) app.forwarded = forwarded;
}

/** The address of the client: for audit rows, limits and logs. */
export const getClientAddress = ({ app, info }: ForwardedRequest): string => app.forwarded?.address ?? info.remoteAddress;

/** The `Host` of the request as the client sent it. */
export const getRequestHost = ({ app, headers }: Pick<Request, 'app' | 'headers'>): string | undefined =>
  app.forwarded?.host ?? (headers['host'] as string | undefined);

/** A name or an address, with an optional port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/iu;

export const isHost = (text: string): boolean => HOST.test(text);

/**
 * Each proxy appends the address from which it received the request. Those to the left of the first untrusted address come from the client
 * and may be invented; at an entry that is no address, the proxy to the right of it is all that is known.
 */
function findClientAddress(header: string, peer: string, trusted: BlockList): string {
  let address = peer;
  for (const entry of header.split(',').toReversed()) {
    const next = parseAddress(entry.trim());
    if (next === undefined) break;
    address = next;
    if (!isTrustedProxy(trusted, address)) break;
  }
  return address;
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function parseAddress(entry: string): string | undefined {
  const [, v6, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/u.exec(entry) ?? [];
  const address = unmapAddress(v6 ?? v4 ?? entry);
  return isIP(address) === 0 ? undefined : address;
}

/** `::ffff:192.0.2.1` → `192.0.2.1`, as hapi shows the address of a connection. */
const unmapAddress = (address: string): string => address.replace(/^::ffff:(?=[\d.]+$)/iu, '');

/** Whether an address is one of the proxies. IPv4-mapped IPv6 addresses match IPv4 ranges. */
export const isTrustedProxy = (trusted: BlockList, address: string): boolean =>
  trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** The last value is that of the trusted proxy; earlier ones may come from the client. */
const getLastValue = (header: string | undefined): string | undefined => header?.slice(header.lastIndexOf(',') + 1).trim();
