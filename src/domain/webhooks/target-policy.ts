/**
 * Which addresses deliveries may reach. W-9.
 * Loopback addresses are allowed while the service is for its machine alone, which is the main use; private networks and other special
 * ranges only by configuration; link-local addresses, which serve cloud credentials, never. All others must be global unicast addresses.
 */
import { BlockList, isIP } from 'node:net';
import { isLocalhostName, isLoopbackAddress, stripBrackets } from '../../platform/loopback.ts';
import { invalidField } from '../kernel/errors.ts';
import { addSubnet } from './subnets.ts';
import {
  FORBIDDEN_IPV4_RANGES,
  FORBIDDEN_IPV6_RANGES,
  GLOBAL_UNICAST_RANGES,
  SPECIAL_RANGES,
  toTranslatedRanges,
} from './address-ranges.ts';

export interface TargetPolicy {
  /** CIDR blocks of private networks that may be reached. */
  readonly allowSubnets: readonly string[];
  /** Whether services of this machine may be reached. Not from a published service, whose tenants have no access to the machine. */
  readonly allowLoopback: boolean;
  /** Loopback ports that may always be reached: receivers of this service, for the demo. */
  receiverPorts?(): ReadonlySet<number>;
  /** Public addresses need https. */
  readonly requireHttps: boolean;
  /** Endpoints that a tenant may have. */
  readonly maxEndpoints?: number;
  /** Ports of this service, known only after its start. A delivery to the service itself would be a loop. */
  ownPorts(): ReadonlySet<number>;
  /** Addresses of this machine besides loopback, on which the service may listen. */
  ownAddresses?(): ReadonlySet<string>;
}

const createBlockList = (...blocks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const block of blocks) addSubnet(list, block);
  return list;
};

interface Ranges {
  readonly forbidden: BlockList;
  readonly special: BlockList;
  readonly globalUnicast: BlockList;
}

let cachedRanges: Ranges | undefined;
/** Created on first use, because creating block lists would slow down the start. */
const getRanges = (): Ranges =>
  (cachedRanges ??= {
    forbidden: createBlockList(
      ...FORBIDDEN_IPV4_RANGES,
      ...FORBIDDEN_IPV6_RANGES,
      // Addresses with an embedded IPv4 address, which a gateway would extract.
      ...FORBIDDEN_IPV4_RANGES.flatMap(toTranslatedRanges),
    ),
    special: createBlockList(...SPECIAL_RANGES),
    globalUnicast: createBlockList(...GLOBAL_UNICAST_RANGES),
  });

const allowedSubnetLists = new WeakMap<TargetPolicy, BlockList>();
function getAllowedSubnets(policy: TargetPolicy): BlockList {
  let list = allowedSubnetLists.get(policy);
  if (!list) allowedSubnetLists.set(policy, (list = createBlockList(...policy.allowSubnets)));
  return list;
}

/** Why deliveries may not reach an IP address, or undefined when they may. IPv4-mapped IPv6 addresses count as IPv4. */
export function getBlockedReason(policy: TargetPolicy, address: string, port: number, isHttps: boolean): string | undefined {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  const { forbidden, special, globalUnicast } = getRanges();
  const isLoopback = isLoopbackAddress(address);
  const isSpecial = special.check(address, family);
  const isReserved = !isSpecial && !globalUnicast.check(address, family);
  if (!isLoopback && (isReserved || forbidden.check(address, family)))
    return `${address} is a link-local or reserved address, which deliveries can never reach`;
  // Before the check of own ports, so that the answer is the same for every port.
  if (isLoopback && !policy.allowLoopback && !policy.receiverPorts?.().has(port) && !getAllowedSubnets(policy).check(address, family))
    return `${address} is the machine of the service. ${ALLOW_WITH}webhooks.allowLoopback`;
  // The service may listen on all addresses of the machine.
  if (policy.ownPorts().has(port) && (isLoopback || isOwnAddress(policy, address, family)))
    return `port ${String(port)} on this machine is stockroom itself`;
  if (isLoopback) return undefined;
  if (isSpecial) {
    return getAllowedSubnets(policy).check(address, family)
      ? undefined
      : `${address} is in a private network or another special-purpose range. ${ALLOW_WITH}webhooks.allowSubnets`;
  }
  return isHttps || !policy.requireHttps
    ? undefined
    : `${address} is not on this machine, so it requires https (setting webhooks.requireHttps)`;
}

/** `config show` names the file. */
const ALLOW_WITH = 'Allow it in config.json (see `stockroom config show`) with the setting ';

/** Compares as addresses, because one address can be written in several ways. */
const isOwnAddress = (policy: TargetPolicy, address: string, family: 'ipv4' | 'ipv6'): boolean =>
  createBlockList(...[...(policy.ownAddresses?.() ?? [])].map((own) => `${own}/${isIP(own) === 4 ? '32' : '128'}`)).check(address, family);

export const getPort = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));

/** Why deliveries may not reach a URL, as far as that is known without resolving its name. */
export function getBlockedUrlReason(policy: TargetPolicy, targetUrl: string): string | undefined {
  const url = new URL(targetUrl);
  const host = stripBrackets(url.hostname);
  const isHttps = url.protocol === 'https:';
  if (isIP(host) !== 0) return getBlockedReason(policy, host, getPort(url), isHttps);
  // Resolves to a loopback address, whichever it is.
  return isLocalhostName(host) ? getBlockedReason(policy, '127.0.0.1', getPort(url), isHttps) : undefined;
}

/** Throws a 400 for a URL that is invalid or forbidden without resolving its name. Resolved addresses are checked on every connection. */
export function checkTargetUrl(policy: TargetPolicy, targetUrl: string): void {
  const path = '/targetUrl';
  if (!URL.canParse(targetUrl)) throw invalidField(path, 'targetUrl must be a URL, such as https://example.com/webhooks', 'bad_format');
  const url = new URL(targetUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalidField(path, 'targetUrl must start with http:// or https://', 'bad_format');
  if (url.username !== '' || url.password !== '')
    throw invalidField(path, 'targetUrl must not contain a user name or password; verify the signature instead', 'not_allowed');
  if (targetUrl.includes('#')) throw invalidField(path, 'targetUrl must not contain a fragment (#…), which is never sent', 'not_allowed');
  const host = stripBrackets(url.hostname);
  const isHttps = url.protocol === 'https:';
  const reason = getBlockedUrlReason(policy, targetUrl);
  if (reason !== undefined) throw invalidField(path, `targetUrl is not allowed: ${reason}`, 'not_allowed');
  const isName = isIP(host) === 0 && !isLocalhostName(host);
  if (isName && !isHttps && policy.requireHttps && policy.allowSubnets.length === 0) {
    // If subnets are allowed, the resolved address is checked on every connection.
    throw invalidField(path, `targetUrl must use https: ${host} is not this machine (setting webhooks.requireHttps)`, 'not_allowed');
  }
}
