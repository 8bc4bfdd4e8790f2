/** Which hosts are this machine. The only place that decides it: server, client, OAuth and webhooks must agree. */

/** Whether an IP address always means this machine: 127.0.0.0/8, ::1, and the IPv6 forms of the former. Without brackets. */
export const isLoopbackAddress = (address: string): boolean =>
  /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::ffff:7f[\da-f]{2}:[\da-f]{1,4}|::1|(?:0{1,4}:){7}0{0,3}1)$/iu.test(address);

/** Whether the name always resolves to loopback (RFC 6761). */
export const isLocalhostName = (hostname: string): boolean => /^(?:.*\.)?localhost\.?$/iu.test(hostname);

/** Whether a host, as in a URL or an option, is a loopback address or exactly `localhost`. IPv6 addresses may have brackets. */
export const isLoopbackHost = (host: string): boolean => /^localhost$/iu.test(host) || isLoopbackAddress(stripBrackets(host));

/** The host name of a URL without the brackets of an IPv6 address. */
export const stripBrackets = (hostname: string): string => hostname.replace(/^\[(.*)\]$/u, '$1');
