import { expect, test } from 'vitest';
import { isLocalhostName, isLoopbackAddress, isLoopbackHost } from './loopback.ts';

const LOOPBACK = ['127.0.0.1', '127.0.0.2', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1', '::FFFF:7F00:1'];
const OTHER = ['128.0.0.1', '0.0.0.0', '::', '10.127.0.0.1', '127.0.0.1.example', '127.0.0', '::2', '::ffff:10.0.0.1', '::ffff:807f:1', ''];

test('isLoopbackAddress accepts 127.0.0.0/8 and ::1, also in IPv6 notation', () => {
  for (const address of LOOPBACK) expect([address, isLoopbackAddress(address)]).toEqual([address, true]);
  for (const address of [...OTHER, 'localhost', '[::1]']) expect([address, isLoopbackAddress(address)]).toEqual([address, false]);
});

test('isLoopbackHost accepts loopback addresses, with or without brackets, and localhost', () => {
  for (const host of [...LOOPBACK, '[::1]', 'localhost', 'LOCALHOST']) expect([host, isLoopbackHost(host)]).toEqual([host, true]);
  for (const host of [...OTHER, 'x.localhost', 'localhost.example', '127.0.0.1:80'])
    expect([host, isLoopbackHost(host)]).toEqual([host, false]);
});

test('isLocalhostName accepts localhost and every name below it', () => {
  for (const name of ['localhost', 'LocalHost', 'localhost.', 'a.localhost', 'a.b.localhost.']) expect(isLocalhostName(name)).toBe(true);
  for (const name of ['localhost.example', 'xlocalhost', '127.0.0.1', '']) expect(isLocalhostName(name)).toBe(false);
});
