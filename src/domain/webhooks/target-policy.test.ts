import { expect, test } from 'vitest';
import { type TargetPolicy, checkTargetUrl, getBlockedReason } from './target-policy.ts';

const policy = (allowSubnets: readonly string[]): TargetPolicy => ({
  allowLoopback: true,
  allowSubnets,
  requireHttps: true,
  ownPorts: () => new Set([8625]),
});

test('checkTargetUrl refuses http to a host name, unless allowed subnets leave the decision to its address', () => {
  const url = 'http://intranet.example:8080/hook';
  expect(() => checkTargetUrl(policy([]), url)).toThrow('must use https');
  const open = policy(['10.0.0.0/8']);
  expect(() => checkTargetUrl(open, url)).not.toThrow();
  expect(getBlockedReason(open, '10.1.2.3', 8080, false)).toBeUndefined();
  expect(getBlockedReason(open, '93.184.216.34', 8080, false)).toContain('requires https');
  expect(getBlockedReason(open, '192.168.1.1', 8080, false)).toContain('private network');
});

test.for([
  ['/hook', 'targetUrl must be a URL, such as https://example.com/webhooks.'],
  ['ftp://example.com/', 'targetUrl must start with http:// or https://.'],
  ['https://ana@example.com/', 'targetUrl must not contain a user name or password; verify the signature instead.'],
  ['https://example.com/#top', 'targetUrl must not contain a fragment (#…), which is never sent.'],
  [
    'https://169.254.169.254/',
    'targetUrl is not allowed: 169.254.169.254 is a link-local or reserved address, which deliveries can never reach.',
  ],
  [
    'https://10.0.0.1/',
    'targetUrl is not allowed: 10.0.0.1 is in a private network or another special-purpose range. Allow it in config.json (see `stockroom config show`) with the setting webhooks.allowSubnets.',
  ],
  [
    'http://93.184.216.34/',
    'targetUrl is not allowed: 93.184.216.34 is not on this machine, so it requires https (setting webhooks.requireHttps).',
  ],
  ['http://example.com/', 'targetUrl must use https: example.com is not this machine (setting webhooks.requireHttps).'],
] as const)('checkTargetUrl says why it rejects %s', ([url, message]) => {
  const code = /must be a URL|must start/u.test(message) ? 'bad_format' : 'not_allowed';
  expect(() => checkTargetUrl(policy([]), url)).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_FAILED',
      message,
      fields: [expect.objectContaining({ in: 'body', path: '/targetUrl', code })],
    }),
  );
});

test('getBlockedReason blocks the port of the service on every address of the machine', () => {
  const here = { ...policy(['10.0.0.0/8']), ownAddresses: () => new Set(['10.1.2.3', '93.184.216.34']) };
  for (const [address, isHttps] of [
    ['127.0.0.1', false],
    ['10.1.2.3', false],
    ['::ffff:10.1.2.3', false],
    ['93.184.216.34', true],
  ] as const) {
    expect(getBlockedReason(here, address, 8625, isHttps)).toContain('is stockroom itself');
    expect(getBlockedReason(here, address, 8626, isHttps)).toBeUndefined();
  }
  expect(getBlockedReason(here, '10.9.9.9', 8625, false)).toBeUndefined();
  expect(getBlockedReason(policy(['10.0.0.0/8']), '10.1.2.3', 8625, false)).toBeUndefined();
  const onIPv6 = { ...policy(['fd00::/8']), ownAddresses: () => new Set(['fd00::5']) };
  expect(getBlockedReason(onIPv6, 'fd00:0:0::5', 8625, true)).toContain('is stockroom itself');
  expect(getBlockedReason(onIPv6, 'fd00::6', 8625, true)).toBeUndefined();
});

test.for([
  ['http://127.0.0.1/', 80],
  ['http://localhost/', 80],
  ['https://127.0.0.1/', 443],
  ['https://localhost/', 443],
  ['https://localhost:80/', 80],
] as const)('checkTargetUrl refuses %s when the service listens on port %i', ([url, own]) => {
  const on = (port: number) => ({ ...policy([]), ownPorts: () => new Set([port]) });
  expect(() => checkTargetUrl(on(own), url)).toThrow(`port ${String(own)} on this machine is stockroom itself`);
  for (const other of [80, 443, 8625].filter((port) => port !== own)) expect(() => checkTargetUrl(on(other), url)).not.toThrow();
});
