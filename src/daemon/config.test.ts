import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
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
