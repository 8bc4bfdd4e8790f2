/**
 * The IP address ranges that the target policy distinguishes. W-9.
 * Sources: the IANA registries of special-purpose addresses for IPv4 and IPv6 (RFC 6890, RFC 8190). Ranges of the registries that are
 * globally reachable are included as well, since they serve other protocols than HTTP.
 */

/** IPv6 addresses outside this range are not assigned to hosts of the Internet (RFC 4291 §2.4). */
export const GLOBAL_UNICAST_RANGES = ['0.0.0.0/0', '2000::/3'];

/** Never a target, whatever the settings allow. Loopback addresses in their usual notation are checked before. */
export const FORBIDDEN_IPV4_RANGES = [
  '0.0.0.0/8', // RFC 791: "this" network
  '100.100.100.200/32', // metadata service of Alibaba Cloud
  '127.0.0.0/8', // RFC 1122: loopback
  '168.63.129.16/32', // virtual host address of Azure
  '169.254.0.0/16', // RFC 3927: link-local, with most metadata services
  '192.0.0.192/32', // metadata service of Oracle Cloud
  '224.0.0.0/4', // RFC 5771: multicast
  '240.0.0.0/4', // RFC 1112: reserved, with the limited broadcast address (RFC 919)
];

/** Together with all addresses outside the global unicast range that are not below. */
export const FORBIDDEN_IPV6_RANGES = [
  'fd00:ec2::/32', // local services of Amazon EC2, such as metadata
  'fd20:ce::254/128', // metadata service of Google Cloud
];

/** Targets only if `webhooks.allowSubnets` includes them. */
export const SPECIAL_RANGES = [
  '10.0.0.0/8', // RFC 1918: private use
  '100.64.0.0/10', // RFC 6598: shared by customers of a provider
  '172.16.0.0/12', // RFC 1918: private use
  '192.0.0.0/24', // RFC 6890: protocol assignments
  '192.0.2.0/24', // RFC 5737: documentation
  '192.31.196.0/24', // RFC 7535: AS112
  '192.52.193.0/24', // RFC 7450: multicast tunneling
  '192.88.99.0/24', // RFC 7526: former relays of 6to4
  '192.168.0.0/16', // RFC 1918: private use
  '192.175.48.0/24', // RFC 7534: AS112
  '198.18.0.0/15', // RFC 2544: benchmarks
  '198.51.100.0/24', // RFC 5737: documentation
  '203.0.113.0/24', // RFC 5737: documentation
  '64:ff9b::/96', // RFC 6052: NAT64
  '64:ff9b:1::/48', // RFC 8215: NAT64 with a prefix of its own
  '2001::/23', // RFC 2928: protocol assignments, such as Teredo (RFC 4380), benchmarks (RFC 5180) and ORCHIDv2 (RFC 7343)
  '2001:db8::/32', // RFC 3849: documentation
  '2002::/16', // RFC 3056: 6to4
  '2620:4f:8000::/48', // RFC 7534: AS112
  '3fff::/20', // RFC 9637: documentation
  'fc00::/7', // RFC 4193: private use
  'fec0::/10', // RFC 3879: former site-local addresses
];

/** The ranges of IPv6 addresses from which NAT64 (RFC 6052) and 6to4 (RFC 3056) extract the addresses of an IPv4 range. */
export function toTranslatedRanges(ipv4Range: string): readonly string[] {
  const [address = '', prefix = ''] = ipv4Range.split('/');
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const hex = [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':');
  return [`64:ff9b::${hex}/${String(96 + Number(prefix))}`, `2002:${hex}::/${String(16 + Number(prefix))}`];
}
