/**
 * Where deliveries may go: an address policy for a service that runs on its owner's machine. decisions-api §1.9.
 * This machine itself is allowed, that is what the tool is for; its neighbours only by configuration; link-local addresses, where
 * clouds keep their credentials, never.
 */
import { BlockList, isIP } from 'node:net';
import { invalidField } from './errors.ts';

export interface TargetPolicy {
  /** CIDR blocks of private networks that may be reached. */
  readonly allowSubnets: readonly string[];
  /** Public addresses need https. */
  readonly requireHttps: boolean;
  /** Endpoints that a tenant may have. */
  readonly maxEndpoints?: number;
  /** Ports of this service: a delivery to itself would be a loop. Asked anew each time, because ports are known only after the start. */
  ownPorts(): ReadonlySet<number>;
  /** Addresses of this machine besides loopback, where the service may listen, too. */
  ownAddresses?(): ReadonlySet<string>;
}

const subnets = (...blocks: readonly string[]): BlockList => {
  const list = new BlockList();
  for (const block of blocks) addSubnet(list, block);
  return list;
};

interface Ranges {
  readonly loopback: BlockList;
  readonly never: BlockList;
  readonly private: BlockList;
}

let made: Ranges | undefined;
/** Made when an address is first judged: Node compiles what tells addresses from names then, for which a start need not wait. */
const ranges = (): Ranges =>
  (made ??= {
    loopback: subnets('127.0.0.0/8', '::1/128'),
    never: subnets(
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
    private: subnets(
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
      // Addresses that carry an IPv4 address inside, which a gateway would unwrap.
      '64:ff9b::/96',
      '2002::/16',
    ),
  });

/** Reads `10.1.0.0/16`; false when it is no CIDR block. */
export function addSubnet(list: BlockList, block: string): boolean {
  const [address = '', prefix = ''] = block.split('/');
  const family = isIP(address);
  if (family === 0 || !/^\d{1,3}$/u.test(prefix) || Number(prefix) > (family === 4 ? 32 : 128)) return false;
  list.addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  return true;
}

const allowed = new WeakMap<TargetPolicy, BlockList>();
function allowedBy(policy: TargetPolicy): BlockList {
  let list = allowed.get(policy);
  if (!list) allowed.set(policy, (list = subnets(...policy.allowSubnets)));
  return list;
}

/** Why an IP address must not be called, undefined when it may. IPv4 addresses mapped into IPv6 are judged as what they are. */
export function refusalOf(policy: TargetPolicy, address: string, port: number, isHttps: boolean): string | undefined {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  if (ranges().never.check(address, family)) return `${address} is an address that no delivery may go to`;
  const isLoopback = ranges().loopback.check(address, family);
  // It may listen on every address of the machine.
  if (policy.ownPorts().has(port) && (isLoopback || policy.ownAddresses?.().has(address)))
    return `port ${String(port)} of this machine is this service itself`;
  if (isLoopback) return undefined;
  if (ranges().private.check(address, family)) {
    return allowedBy(policy).check(address, family)
      ? undefined
      : `${address} is in a private network; the setting webhooks.allowSubnets can allow it`;
  }
  return isHttps || !policy.requireHttps
    ? undefined
    : `${address} is not on this machine, so it needs https (setting webhooks.requireHttps)`;
}

/** The host of a URL without the brackets of IPv6. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/u, '$1');

/** Whether the name is this machine by definition (RFC 6761). */
export const isLocalName = (hostname: string): boolean => /(?:^|\.)localhost\.?$/iu.test(hostname);

export const portOf = ({ port, protocol }: URL): number => (port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port));

/** 400 for a target that can be seen to be wrong without a look at DNS; names are judged again at every connection. */
export function checkTargetUrl(policy: TargetPolicy, targetUrl: string): void {
  const path = '/targetUrl';
  if (!URL.canParse(targetUrl)) throw invalidField(path, 'targetUrl is not a URL', 'bad_format');
  const url = new URL(targetUrl);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw invalidField(path, 'targetUrl must begin with http:// or https://', 'bad_format');
  if (url.username !== '' || url.password !== '')
    throw invalidField(path, 'targetUrl must not contain a user name or password; verify the signature instead', 'not_allowed');
  if (targetUrl.includes('#'))
    throw invalidField(path, 'targetUrl must not contain a fragment (#…): it would never be sent', 'not_allowed');
  const host = bareHost(url.hostname);
  const isHttps = url.protocol === 'https:';
  if (isIP(host) !== 0) {
    const refusal = refusalOf(policy, host, portOf(url), isHttps);
    if (refusal !== undefined) throw invalidField(path, `targetUrl cannot be used: ${refusal}`, 'not_allowed');
  } else if (isLocalName(host)) {
    if (policy.ownPorts().has(portOf(url)))
      throw invalidField(
        path,
        `targetUrl cannot be used: port ${String(portOf(url))} of this machine is this service itself`,
        'not_allowed',
      );
  } else if (!isHttps && policy.requireHttps && policy.allowSubnets.length === 0) {
    // With subnets allowed, the address decides at every connection.
    throw invalidField(path, `targetUrl must use https: ${host} is not this machine (setting webhooks.requireHttps)`, 'not_allowed');
  }
}
