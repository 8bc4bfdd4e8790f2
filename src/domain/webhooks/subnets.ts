/** Ranges of IP addresses in CIDR notation. */
import { type BlockList, isIP } from 'node:net';

/** Adds a CIDR block such as `10.1.0.0/16`. Returns false when `block` is not one. */
export function addSubnet(list: BlockList, block: string): boolean {
  const [address = '', prefix = '', ...rest] = block.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0 || !/^\d{1,3}$/u.test(prefix) || Number(prefix) > (family === 4 ? 32 : 128)) return false;
  list.addSubnet(address, Number(prefix), family === 4 ? 'ipv4' : 'ipv6');
  return true;
}
