/** Allowed and blocked targets of deliveries, with real sockets and a fake DNS. W-9. */
import { expect, test } from 'vitest';
import { createSender } from '../../src/delivery/sender.ts';
import type { TargetPolicy } from '../../src/domain/webhooks/target-policy.ts';
import { startReceiver } from '../support/servers/webhook-receiver.ts';

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

/** Never reached: blocked targets fail immediately. */
const TIMEOUT_MS = 30_000;

async function sendAndGetError(url: string, targets = policy(), timeoutMs = TIMEOUT_MS): Promise<string | null | undefined> {
  const sender = createSender({ targets, resolve });
  try {
    return (await sender.send({ url, headers: {}, body: Buffer.from('{}'), startedAt: new Date(), timeoutMs }))?.error;
  } finally {
    await sender.close();
  }
}

test('a name is resolved once, and the connection goes to the checked address', async () => {
  await using receiver = await startReceiver();
  let lookups = 0;
  const rebinding = (name: string) => {
    lookups += 1;
    return lookups === 1 ? resolve('good.test') : resolve(name === '' ? name : 'metadata.test');
  };
  const sender = createSender({ targets: policy(), resolve: rebinding });
  const url = receiver.url.replace('127.0.0.1', 'rebinding.test');
  expect(
    (await sender.send({ url, headers: {}, body: Buffer.from('{}'), startedAt: new Date(), timeoutMs: TIMEOUT_MS }))?.error,
  ).toBeNull();
  await sender.close();
  expect([lookups, receiver.received.length]).toEqual([1, 1]);
});

test.for([
  ['a literal', 'http://169.254.169.254/'],
  ['a decimal literal', 'http://2852039166/'],
  ['a mapped literal', 'http://[::ffff:169.254.169.254]/'],
  ['a link-local literal', 'http://[fe80::1]/'],
  ['the IPv6 metadata address', 'http://[fd00:ec2::254]/'],
  ['the unspecified address', 'http://0.0.0.0/'],
  ['broadcast', 'https://255.255.255.255/'],
  ['multicast', 'https://224.0.0.1/'],
  ['a name with a forbidden address', 'http://metadata.test/'],
  ['a name with a mapped forbidden address', 'http://mapped.test/'],
  ['a name with one forbidden address among allowed ones', 'http://mixed.test/'],
  ['a private network', 'https://private.test/'],
  ['plain HTTP to a public address', 'http://public.test/'],
  ['a documentation address', 'https://192.0.2.1/'],
  ['an IPv4 address embedded in IPv6', 'https://[64:ff9b::a00:1]/'],
])('delivery to %s is blocked', async ([, url = '']) => {
  expect(await sendAndGetError(url)).toBe('target_blocked');
});

test('link-local addresses are blocked even when allowSubnets includes them', async () => {
  const open = policy({ allowSubnets: ['0.0.0.0/0', '::/0', '169.254.0.0/16'], requireHttps: false });
  expect(await sendAndGetError('http://169.254.169.254/', open)).toBe('target_blocked');
  expect(await sendAndGetError('http://metadata.test/', open)).toBe('target_blocked');
  // Allowed, so the connection fails for another reason: the address does not exist.
  expect(await sendAndGetError('https://private.test/', policy({ allowSubnets: ['10.0.0.0/8'] }), 500)).not.toBe('target_blocked');
});

test('the ports of the service itself are blocked, by address and by name', async () => {
  await using receiver = await startReceiver();
  const own = policy({ ownPorts: () => new Set([Number(new URL(receiver.url).port)]) });
  expect(await sendAndGetError(receiver.url, own)).toBe('target_blocked');
  expect(await sendAndGetError(receiver.url.replace('127.0.0.1', 'good.test'), own)).toBe('target_blocked');
  expect(receiver.received).toEqual([]);
  expect(await sendAndGetError(receiver.url)).toBeNull();
});

test('an unknown name and a name without addresses fail with dns_not_found', async () => {
  expect(await sendAndGetError('https://unknown.test/')).toBe('dns_not_found');
  expect(await sendAndGetError('https://empty.test/')).toBe('dns_not_found');
});
