/**
 * Which addresses deliveries may reach, for a service that runs on a developer's machine. W-9.
 * Loopback addresses are allowed, which is the main use; private networks only by configuration; link-local addresses, which serve cloud
 * credentials, never.
 */
import { BlockList, isIP } from 'node:net';
import { isLocalhostName, isLoopbackAddress, stripBrackets } from '../../contract/loopback.ts';
import { invalidField } from '../kernel/errors.ts';

export interface TargetPolicy {
  /** CIDR blocks of private networks that may be reached. */
  readonly allowSubnets: readonly string[];
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
  readonly private: BlockList;
}

let cachedRanges: Ranges | undefined;
/** Created on first use, because creating block lists would slow down the start. */
const getRanges = (): Ranges =>
  (cachedRanges ??= {
    forbidden: createBlockList(
      '0.0.0.0/8',
      '169.254.0.0/16',
      '224.0.0.0/4',
      '240.0.0.0/4',
      '100.100.100.200/32',
      '::/128',
      'fe80::/10',
      'ff00::/8',
      'fd00:ec2::254/128',
    ),
    private: createBlockList(
      '10.0.0.0/8',
      '172.16.0.0/12',
      '192.168.0.0/16',
      '100.64.0.0/10',
      '198.18.0.0/15',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '198.51.100.0/24',
      '203.0.113.0/24',
      'fc00::/7',
      '2001:db8::/32',
      // Addresses with an embedded IPv4 address, which a gateway would extract.
      '64:ff9b::/96',
      '2002::/16',
    ),
  });

/** Adds a CIDR block such as `10.1.0.0/16`. Returns false when `block` is not one. */
export function addSubnet(list: BlockList, block: string): boolean {
  const [address = '', prefix = ''] = block.split('/');
  const family = isIP(address);
  if (family === 0 || !/^\d{1,3}$/u.test(prefix) || Number(prefix) > (family === 4 ? 32 : 128)) return false;
  list.addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  return true;
}

const allowedSubnetLists = new WeakMap<TargetPolicy, BlockList>();
function getAllowedSubnets(policy: TargetPolicy): BlockList {
  let list = allowedSubnetLists.get(policy);
  if (!list) allowedSubnetLists.set(policy, (list = createBlockList(...policy.allowSubnets)));
  return list;
}

/** Why deliveries may not reach an IP address, or undefined when they may. IPv4-mapped IPv6 addresses count as IPv4. */
export function getBlockedReason(policy: TargetPolicy, address: string, port: number, isHttps: boolean): string | undefined {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  if (getRanges().forbidden.check(address, family))
    return `${address} is a link-local or reserved address, which deliveries can never reach`;
  const isLoopback = isLoopbackAddress(address);
  // The service may listen on all addresses of the machine.
  if (policy.ownPorts().has(port) && (isLoopback || policy.ownAddresses?.().has(address)))
    return `port ${String(port)} on this machine is stockroom itself`;
  if (isLoopback) return undefined;
  if (getRanges().private.check(address, family)) {
    return getAllowedSubnets(policy).check(address, family)
      ? undefined
      : `${address} is in a private network. Allow it with the setting webhooks.allowSubnets`;
  }
  return isHttps || !policy.requireHttps
    ? undefined
    : `${address} is not on this machine, so it requires https (setting webhooks.requireHttps)`;
}

export const getPort = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));

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
  if (isIP(host) !== 0) {
    const reason = getBlockedReason(policy, host, getPort(url), isHttps);
    if (reason !== undefined) throw invalidField(path, `targetUrl is not allowed: ${reason}`, 'not_allowed');
  } else if (isLocalhostName(host)) {
    if (policy.ownPorts().has(getPort(url)))
      throw invalidField(path, `targetUrl is not allowed: port ${String(getPort(url))} on this machine is stockroom itself`, 'not_allowed');
  } else if (!isHttps && policy.requireHttps && policy.allowSubnets.length === 0) {
    // If subnets are allowed, the resolved address is checked on every connection.
    throw invalidField(path, `targetUrl must use https: ${host} is not this machine (setting webhooks.requireHttps)`, 'not_allowed');
  }
}
