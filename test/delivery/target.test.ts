/** What a delivery may connect to, with real sockets and names that resolve as we say. decisions-api §1.9. */
import { expect, test } from 'vitest';
import { createSender } from '../../src/delivery/send.ts';
import type { TargetPolicy } from '../../src/domain/targets.ts';
import { startReceiver } from '../support/receiver.ts';

const NAMES: Readonly<Record<string, readonly string[]>> = {
  'good.test': ['127.0.0.1'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:169.254.169.254'],
  'mixed.test': ['127.0.0.1', '10.0.0.1'],
  'private.test': ['10.0.0.1'],
  'public.test': ['8.8.8.8'],
  'empty.test': [],
};
const resolve = (name: string) => {
  const addresses = NAMES[name];
  return addresses
    ? Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })))
    : Promise.reject(Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' }));
};
const policy = (more: Partial<TargetPolicy> = {}): TargetPolicy => ({
  allowSubnets: [],
  requireHttps: true,
  ownPorts: () => new Set(),
  ...more,
});

/** Only the end of waiting: what is blocked is told at once. */
const PATIENCE_MS = 30_000;

async function errorAt(url: string, targets = policy(), timeoutMs = PATIENCE_MS): Promise<string | null | undefined> {
  const sender = createSender({ targets, resolve });
  try {
    return (await sender.send({ url, headers: {}, body: Buffer.from('{}'), startedAt: new Date(), timeoutMs }))?.error;
  } finally {
    await sender.close();
  }
}

test('a name is resolved once and the connection goes to what was judged', async () => {
  await using receiver = await startReceiver();
  let asked = 0;
  const rebinding = (name: string) => {
    asked += 1;
    return asked === 1 ? resolve('good.test') : resolve(name === '' ? name : 'metadata.test');
  };
  const sender = createSender({ targets: policy(), resolve: rebinding });
  const url = receiver.url.replace('127.0.0.1', 'rebinding.test');
  expect(
    (await sender.send({ url, headers: {}, body: Buffer.from('{}'), startedAt: new Date(), timeoutMs: PATIENCE_MS }))?.error,
  ).toBeNull();
  await sender.close();
  expect([asked, receiver.received.length]).toEqual([1, 1]);
});

test.for([
  ['a literal', 'http://169.254.169.254/'],
  ['a decimal literal', 'http://2852039166/'],
  ['a mapped literal', 'http://[::ffff:169.254.169.254]/'],
  ['a link-local literal', 'http://[fe80::1]/'],
  ['the IPv6 metadata address', 'http://[fd00:ec2::254]/'],
  ['nowhere', 'http://0.0.0.0/'],
  ['broadcast', 'https://255.255.255.255/'],
  ['multicast', 'https://224.0.0.1/'],
  ['a name with a bad address', 'http://metadata.test/'],
  ['a name with a mapped one', 'http://mapped.test/'],
  ['a name with one bad address among good ones', 'http://mixed.test/'],
  ['a private network', 'https://private.test/'],
  ['plain http to the public', 'http://public.test/'],
  ['documentation addresses', 'https://192.0.2.1/'],
  ['an address inside an address', 'https://[64:ff9b::a00:1]/'],
])('%s is blocked', async ([, url = '']) => {
  expect(await errorAt(url)).toBe('target_blocked');
});

test('what can never be reached stays blocked whatever is allowed', async () => {
  const open = policy({ allowSubnets: ['0.0.0.0/0', '::/0', '169.254.0.0/16'], requireHttps: false });
  expect(await errorAt('http://169.254.169.254/', open)).toBe('target_blocked');
  expect(await errorAt('http://metadata.test/', open)).toBe('target_blocked');
  // Allowed now, so it fails later: there is no such machine.
  expect(await errorAt('https://private.test/', policy({ allowSubnets: ['10.0.0.0/8'] }), 500)).not.toBe('target_blocked');
});

test('the ports of the service itself are blocked, as a literal and by name', async () => {
  await using receiver = await startReceiver();
  const own = policy({ ownPorts: () => new Set([Number(new URL(receiver.url).port)]) });
  expect(await errorAt(receiver.url, own)).toBe('target_blocked');
  expect(await errorAt(receiver.url.replace('127.0.0.1', 'good.test'), own)).toBe('target_blocked');
  expect(receiver.received).toEqual([]);
  expect(await errorAt(receiver.url)).toBeNull();
});

test('a name that nobody knows, or that has no address', async () => {
  expect(await errorAt('https://unknown.test/')).toBe('dns_not_found');
  expect(await errorAt('https://empty.test/')).toBe('dns_not_found');
});
