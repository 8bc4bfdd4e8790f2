/** Allowed and blocked targets of deliveries, with real sockets and a fake DNS. W-9. */
import { type LookupFunction, isIP } from 'node:net';
import type { buildConnector } from 'undici';
import { expect, test } from 'vitest';
import { createSender } from '../../src/delivery/sender.ts';
import { TargetBlocked, createGuardedConnector } from '../../src/delivery/target-guard.ts';
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
  allowLoopback: true,
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

/** Connects through the guard with a fake connector. Returns the addresses that the connector was given. */
function connectThroughGuard(hostname: string, addresses: readonly string[], targets = policy()): Promise<readonly string[]> {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return new Promise((succeed, fail) => {
    const createConnector = (({ lookup }: { lookup: LookupFunction }) =>
      () =>
        lookup(hostname, { all: true }, (_error, all) =>
          succeed((all as unknown as readonly { address: string }[]).map(({ address }) => address)),
        )) as unknown as typeof buildConnector;
    const connect = createGuardedConnector(createConnector, targets, () => Promise.resolve(found));
    connect({ hostname, host: hostname, protocol: 'https:', port: '' }, (...[error]) => fail(error ?? new Error('no error')));
  });
}

test('the connector gets 5 s to connect over HTTP/1.1, and only the checked addresses', async () => {
  const addresses = ['127.0.0.1', '::1'].map((address) => ({ address, family: isIP(address) }));
  const { promise, resolve: succeed } = Promise.withResolvers<{ timeout: number; allowH2: boolean; lookup: LookupFunction }>();
  const createConnector = ((options: Awaited<typeof promise>) => () => succeed(options)) as unknown as typeof buildConnector;
  const connect = createGuardedConnector(createConnector, policy(), () => Promise.resolve(addresses));
  connect({ hostname: 'two.test', host: 'two.test', protocol: 'http:', port: '' }, () => undefined);
  const { lookup, ...options } = await promise;
  expect(options).toEqual({ timeout: 5_000, allowH2: false });
  const lookUp = (all: boolean) => new Promise((found) => lookup('two.test', { all }, (...result) => found(result)));
  expect([await lookUp(true), await lookUp(false)]).toEqual([
    [null, addresses],
    [null, '127.0.0.1', 4],
  ]);
});

test.for([
  ['http:', '', 80],
  ['https:', '', 443],
  ['http:', '443', 443],
  ['https:', '80', 80],
] as const)(
  'a connection over %s with the port %j goes to port %i, which is blocked when it is the own one',
  async ([protocol, port, own]) => {
    const connect = (ownPort: number) =>
      new Promise((settle) => {
        const createConnector = (() => () => settle('connected')) as unknown as typeof buildConnector;
        const targets = policy({ ownPorts: () => new Set([ownPort]) });
        createGuardedConnector(createConnector, targets)({ hostname: '[::1]', host: '[::1]', protocol, port }, (...[error]) =>
          settle(error),
        );
      });
    expect(await connect(own)).toBeInstanceOf(TargetBlocked);
    for (const other of [80, 443, 8_080].filter((each) => each !== own)) expect(await connect(other)).toBe('connected');
  },
);

/** The first and last address of each range outside global unicast space. IANA registries of special-purpose addresses, RFC 6890. */
const SPECIAL_RANGES = [
  ['RFC 791', '0.0.0.0', '0.255.255.255'],
  ['RFC 1918', '10.0.0.0', '10.255.255.255'],
  ['RFC 6598', '100.64.0.0', '100.127.255.255'],
  ['RFC 3927', '169.254.0.0', '169.254.255.255'],
  ['RFC 1918', '172.16.0.0', '172.31.255.255'],
  ['RFC 6890', '192.0.0.0', '192.0.0.255'],
  ['RFC 5737', '192.0.2.0', '192.0.2.255'],
  ['RFC 7535', '192.31.196.0', '192.31.196.255'],
  ['RFC 7450', '192.52.193.0', '192.52.193.255'],
  ['RFC 7526', '192.88.99.0', '192.88.99.255'],
  ['RFC 1918', '192.168.0.0', '192.168.255.255'],
  ['RFC 7534', '192.175.48.0', '192.175.48.255'],
  ['RFC 2544', '198.18.0.0', '198.19.255.255'],
  ['RFC 5737', '198.51.100.0', '198.51.100.255'],
  ['RFC 5737', '203.0.113.0', '203.0.113.255'],
  ['RFC 5771', '224.0.0.0', '239.255.255.255'],
  ['RFC 1112', '240.0.0.0', '255.255.255.255'],
  ['RFC 4291', '::', '::'],
  ['RFC 4291', '::2', '::255.255.255.255'],
  ['RFC 4291', '::ffff:10.0.0.0', '::ffff:a9fe:a9fe'],
  ['RFC 6052', '64:ff9b::', '64:ff9b::ffff:ffff'],
  ['RFC 8215', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 6666', '100::', '100::ffff:ffff:ffff:ffff'],
  ['RFC 9780', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['RFC 4291', '200::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 4380', '2001::', '2001:0:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 5180', '2001:2::', '2001:2:0:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 4843', '2001:10::', '2001:1f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 7343', '2001:20::', '2001:2f:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 2928', '2001:30::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 3849', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 3056', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 7534', '2620:4f:8000::', '2620:4f:8000:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 9637', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 4291', '4000::', 'dfff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 9602', '5f00::', '5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 4193', 'fc00::', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 4291', 'fe00::', 'fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 4291', 'fe80::', 'febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 3879', 'fec0::', 'feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['RFC 4291', 'ff00::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
] as const;

test.for(SPECIAL_RANGES)('no connection is opened to a name or literal in a special range (%s: %s to %s)', async ([, ...ends]) => {
  for (const address of ends) {
    await expect(connectThroughGuard('special.test', [address]), address).rejects.toThrow(TargetBlocked);
    await expect(connectThroughGuard('special.test', ['8.8.8.8', address]), address).rejects.toThrow(TargetBlocked);
    const literal = isIP(address) === 4 ? address : `[${address}]`;
    await expect(connectThroughGuard(literal, []), literal).rejects.toThrow(TargetBlocked);
  }
});

test('connections to global unicast addresses, up to the edges of the special ranges, get exactly the checked addresses', async () => {
  const addresses = [
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.0.3.0',
    '198.17.255.255',
    '198.20.0.0',
    '223.255.255.255',
    '::ffff:8.8.8.8',
    '2000::',
    '2001:200::',
    '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db9::',
    '2003::',
    '2606:4700::1111',
    '2620:4f:8001::',
    '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff:1000::',
  ];
  expect(await connectThroughGuard('global.test', addresses)).toEqual(addresses);
});

test('metadata services stay blocked in subnets that are allowed, also behind address translation', async () => {
  const open = policy({ allowSubnets: ['0.0.0.0/0', '::/0'], requireHttps: false });
  for (const address of [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    '::ffff:169.254.169.254',
    '0:0:0:0:0:ffff:7f00:1',
    '64:ff9b::169.254.169.254',
    '64:ff9b::127.0.0.1',
    '2002:a9fe:a9fe::1',
    '2002:7f00:1::',
  ]) {
    await expect(connectThroughGuard('metadata.test', [address], open), address).rejects.toThrow(TargetBlocked);
  }
  const allowed = ['10.0.0.1', '64:ff9b::8.8.8.8', '2002:808:808::1', 'fd00::1'];
  expect(await connectThroughGuard('allowed.test', allowed, open)).toEqual(allowed);
});

test('a service that may not reach its machine blocks every loopback target alike, whether its port is open, closed or its own', async () => {
  await using receiver = await startReceiver();
  const open = Number(new URL(receiver.url).port);
  const published = policy({ allowLoopback: false, ownPorts: () => new Set([9]) });
  for (const host of ['127.0.0.1', '127.1.2.3', '[::1]', '[::ffff:127.0.0.1]', 'good.test', '2130706433'])
    for (const port of [open, 1, 9])
      expect(await sendAndGetError(`http://${host}:${String(port)}/`, published), `${host}:${String(port)}`).toBe('target_blocked');
  expect(receiver.received).toEqual([]);
});

test('a service that may not reach its machine reaches its own receivers, and loopback addresses that allowSubnets includes', async () => {
  await using receiver = await startReceiver();
  const port = Number(new URL(receiver.url).port);
  expect(await sendAndGetError(receiver.url, policy({ allowLoopback: false, receiverPorts: () => new Set([port]) }))).toBeNull();
  expect(await sendAndGetError(receiver.url, policy({ allowLoopback: false, allowSubnets: ['127.0.0.1/32'] }))).toBeNull();
  expect(await sendAndGetError('http://127.0.0.2:1/', policy({ allowLoopback: false, allowSubnets: ['127.0.0.1/32'] }))).toBe(
    'target_blocked',
  );
});
