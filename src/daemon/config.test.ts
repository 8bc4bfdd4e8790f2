import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type DaemonFlags, resolveConfig } from './config.ts';

async function allowsLoopback(flags: DaemonFlags, { file = {}, env = {} }: { file?: object; env?: Record<string, string> } = {}) {
  const config = mkdtempSync(join(tmpdir(), 'config-'));
  onTestFinished(() => rmSync(config, { recursive: true }));
  mkdirSync(join(config, 'stockroom'));
  writeFileSync(join(config, 'stockroom', 'config.json'), JSON.stringify(file));
  return (await resolveConfig(flags, { XDG_CONFIG_HOME: config, ...env })).webhooks.allowLoopback;
}

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
