import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { DaemonError } from './errors.ts';
import { type DaemonFlags, resolveConfig } from './config.ts';

interface Sources {
  readonly file?: object;
  readonly env?: Record<string, string>;
}

async function resolve(flags: DaemonFlags, { file = {}, env = {} }: Sources = {}) {
  const config = mkdtempSync(join(tmpdir(), 'config-'));
  onTestFinished(() => rmSync(config, { recursive: true }));
  mkdirSync(join(config, 'stockroom'));
  writeFileSync(join(config, 'stockroom', 'config.json'), JSON.stringify(file));
  return resolveConfig(flags, { XDG_CONFIG_HOME: config, ...env });
}

const getError = (flags: DaemonFlags, sources?: Sources): Promise<DaemonError> =>
  resolve(flags, sources).then(
    () => expect.unreachable(),
    (error: unknown) => error as DaemonError,
  );

const allowsLoopback = async (flags: DaemonFlags, sources?: Sources) => (await resolve(flags, sources)).webhooks.allowLoopback;

test('webhooks reach loopback only while the service listens on loopback and has no public URL', async () => {
  const insecure = true;
  const publicUrl = 'https://stock.example';
  expect(await allowsLoopback({})).toBe(true);
  expect(await allowsLoopback({ host: '::1' })).toBe(true);
  expect(await allowsLoopback({ host: '0.0.0.0', insecure })).toBe(false);
  expect(await allowsLoopback({ host: '192.168.1.5', insecure })).toBe(false);
  expect(await allowsLoopback({ publicUrl })).toBe(false);
  expect(await allowsLoopback({}, { env: { STOCKROOM_PUBLIC_URL: publicUrl } })).toBe(false);
  expect(await allowsLoopback({}, { file: { daemon: { publicUrl } } })).toBe(false);
  expect(await allowsLoopback({}, { file: { daemon: { host: '0.0.0.0', insecure } } })).toBe(false);
});

test('webhooks.allowLoopback overrides whether webhooks reach loopback', async () => {
  expect(await allowsLoopback({ host: '0.0.0.0', insecure: true }, { file: { webhooks: { allowLoopback: true } } })).toBe(true);
  expect(await allowsLoopback({}, { file: { webhooks: { allowLoopback: false } } })).toBe(false);
});

test('the settings that flags or file give are explicit, also with their default', async () => {
  const file = { daemon: { console: false, drainSeconds: 7, logLevel: 'info' } };
  expect((await resolve({}, { file })).explicit).toEqual(['logLevel', 'console', 'drainSeconds']);
  expect((await resolve({ host: '127.0.0.1', contract: 'extended', webhookRetries: 'default', console: true })).explicit).toEqual([
    'host',
    'webhookRetries',
    'contract',
    'console',
  ]);
  expect((await resolve({ demo: true, metricsPort: 0, metricsHost: '::1' })).explicit).toEqual(['metricsHost']);
});

test.each([
  ['daemons', 'Did you mean "daemon"?'],
  ['webhook', 'Did you mean "webhooks"?'],
  ['backups', 'Remove it, or install the release of stockroom that has this section'],
])('an unknown section %s of the configuration file is an error', async (section, hint) => {
  expect(await getError({}, { file: { [section]: {} } })).toMatchObject({
    message: expect.stringContaining(`/config.json: unknown section "${section}". Known sections: daemon, webhooks, events, `) as string,
    hint,
  });
});

test('the sections of the client are accepted', async () => {
  expect(await resolve({}, { file: { profile: 'local', profiles: {}, dashboard: { filters: [] } } })).toMatchObject({ host: '127.0.0.1' });
});

test.each([
  ['--public-url', '--public-url https://', { flags: { publicUrl: 'x' } }],
  ['--trust-proxy', '--trust-proxy 10.', { flags: { trustProxy: ['x'] } }],
  ['--tier', undefined, { flags: { tiers: { X: 1 } } }],
  ['STOCKROOM_PUBLIC_URL', 'STOCKROOM_PUBLIC_URL=https://', { env: { STOCKROOM_PUBLIC_URL: 'x' } }],
  ['STOCKROOM_TRUST_PROXY', 'STOCKROOM_TRUST_PROXY=10.', { env: { STOCKROOM_TRUST_PROXY: 'x' } }],
  ['STOCKROOM_CORS', 'STOCKROOM_CORS=http:', { env: { STOCKROOM_CORS: 'x' } }],
  ['STOCKROOM_OTLP_ENDPOINT', 'STOCKROOM_OTLP_ENDPOINT=http:', { env: { STOCKROOM_OTLP_ENDPOINT: 'x' } }],
  ['daemon.publicUrl of ', '{"daemon":{"publicUrl":"https:', { file: { daemon: { publicUrl: 'x' } } }],
  ['daemon.trustProxy of ', '{"daemon":{"trustProxy":["10.', { file: { daemon: { trustProxy: ['x'] } } }],
  ['daemon.cors of ', '{"daemon":{"cors":["http:', { file: { daemon: { cors: ['x'] } } }],
  ['daemon.otlpEndpoint of ', '{"daemon":{"otlpEndpoint":"http:', { file: { daemon: { otlpEndpoint: 'x' } } }],
  ['daemon.tiers of ', undefined, { file: { daemon: { tiers: { X: 1 } } } }],
  ['webhooks.allowSubnets of ', '{"webhooks":{"allowSubnets":["10.', { file: { webhooks: { allowSubnets: ['x'] } } }],
] as const)('an invalid value in %s names where it comes from, with an example for that place', async (name, example, { ...from }) => {
  const { flags = {}, env = {}, file = {} } = from as Sources & { flags?: DaemonFlags };
  const { message, hint } = await getError(flags, { env, file });
  expect(message).toContain(` in ${name}`);
  if (name.endsWith(' of ')) expect(message).toContain('/stockroom/config.json');
  if (example !== undefined) expect(hint).toContain(`For example ${example}`);
});

test('a host of the configuration file that other machines reach is rejected with the place to change', async () => {
  expect((await getError({}, { file: { daemon: { host: '0.0.0.0' } } })).hint).toContain('omit daemon.host of ');
});
