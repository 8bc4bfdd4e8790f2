/** Keys appear only where they are shown once and in the credentials; hashes appear only in the store. Searches all output. */
import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { request } from 'undici';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { generateKey } from '../../../src/domain/tenancy/api-keys.ts';
import { type Home, type Ran, makeHome } from '../../support/cli/home.ts';
import { getKey } from '../../support/cli/daemon.ts';

const PUBLIC_CHARS = 16;

let home: Home;
let daemon: DaemonStatus;
/** Whole keys, and keys that were only tried. */
const keys = new Set<string>();
/** What every command printed, but the one time that a new key is shown. */
let printed = '';
/** Bodies and headers of every answer. */
let answered = '';
/** The command lines of all processes, looked at again and again. */
let processes = '';

const secretParts = (): string[] => [...keys].map((key) => key.slice(PUBLIC_CHARS));
const hashes = (): string[] => [...keys].map((key) => createHash('sha256').update(key).digest('hex'));

function lookAtProcesses(): void {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/u.test(name))) {
    try {
      processes += `${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}\n`;
    } catch {
      // It has ended meanwhile.
    }
  }
}

async function run(args: readonly string[], options: Parameters<Home['run']>[1] = {}): Promise<Ran> {
  const running = home.run(args, options);
  lookAtProcesses();
  const ran = await running;
  printed += `${ran.stdout}\n${ran.stderr}\n`;
  return ran;
}

async function newKey(args: readonly string[]): Promise<string> {
  const { body, stderr } = await home.json(['keys', 'create', '--all-scopes', ...args]);
  const { secret, ...shown } = body as { secret: string; data: unknown };
  keys.add(secret);
  printed += `${JSON.stringify(shown)}\n${stderr}\n`;
  return secret;
}

async function http(method: 'GET' | 'POST', path: string, headers: Record<string, string>, body?: string): Promise<number> {
  const reply = await request(`${daemon.url ?? ''}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  answered += `${JSON.stringify(reply.headers)}\n${await reply.body.text()}\n`;
  return reply.statusCode;
}

/** Every file below a directory, by its path from the home. */
function filesBelow(directory: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    found.set(relative(home.directory, path), readFileSync(path, 'latin1'));
  }
  return found;
}

beforeAll(async () => {
  home = await makeHome();
  daemon = await home.start(['--log-level', 'debug', '--test-clock', '--tier', 'trickle=2']);
  keys.add(getKey(home));

  const used = await newKey(['--name', 'used', '--environment', 'production', '--expires-in', '30d']);
  const slow = await newKey(['--tier', 'trickle']);
  const saved = await newKey(['--save']);
  const tried = generateKey(null).secret;
  keys.add(tried);
  // The public part of a real key with another's secret.
  const mixed = used.slice(0, PUBLIC_CHARS) + tried.slice(PUBLIC_CHARS);

  for (const key of [used, slow, saved, tried, mixed]) {
    await http('GET', '/v1/auth/context', { 'x-api-key': key });
    await http('GET', '/v1/auth/context', { authorization: `Bearer ${key}` });
    await http('GET', '/v1/auth/context', { authorization: `Bearer ${key}`, 'x-api-key': tried });
    await http('GET', '/v1/usage', { 'x-api-key': key });
  }
  const json = { 'x-api-key': used, 'content-type': 'application/json' };
  // Keys where they do not belong.
  await http('GET', `/v1/items?api_key=${tried}`, { 'x-api-key': used });
  await http('GET', `/v1/items?token=${used}`, {});
  await http('POST', '/v1/items', { ...json, 'idempotency-key': used }, '{"name":"Keyed by a key"}');
  await http('POST', '/v1/items', { ...json, 'idempotency-key': 'a' }, `{"name":1,"token":"x"}`);
  await http('POST', '/v1/items', { ...json, 'idempotency-key': 'b' }, `{"apiKey":"${used}"`);
  await http('GET', '/nowhere', { cookie: `session=${used}`, 'x-api-key': used });

  const env = { STOCKROOM_API_KEY: used };
  for (const command of [
    ['items', 'list', '--verbose'],
    ['items', 'create', '--name', 'Bolt', '--verbose'],
    ['items', 'create', '--json'],
    ['items', 'get', '00000000-0000-7000-8000-000000000000'],
    ['auth', 'context', '--json'],
    ['usage'],
    ['config', 'show', '--origin'],
    ['audit', 'export'],
    ['api', 'GET', '/v1', '-i', '--verbose'],
  ]) {
    await run(command, { env });
    await run(command);
  }
  await run(['items', 'list', '--verbose', '--max-wait', '0'], { env: { STOCKROOM_API_KEY: slow } });
  await run(['items', 'list', '--verbose', '--max-wait', '0', '--json'], { env: { STOCKROOM_API_KEY: slow } });
  await run(['items', 'list', '--json'], { env: { STOCKROOM_API_KEY: mixed } });
  await run(['profile', 'add', 'typed', '--url', daemon.url ?? '', '--api-key', '-'], { input: `${tried}\n` });
  await run(['profile', 'show', 'typed', '--json']);
  await run(['profile', 'list', '--json']);
  await run(['profile', 'remove', 'typed']);
  await run(['keys', 'list', '--json']);
  await run(['keys', 'revoke', slow.slice(0, PUBLIC_CHARS), '--json']);
  await run(['tenants', 'update', 'local', '--name', 'Renamed', '--json']);
  await run(['doctor', '--verbose']);
  await run(['daemon', 'status', '--verbose']);
  await run(['daemon', 'logs', '-n', '1000']);
  await run(['daemon', 'restart']);
  lookAtProcesses();
});
afterAll(() => home[Symbol.asyncDispose]());

test('output, responses and process command lines contain no key and no hash', () => {
  for (const [where, text] of Object.entries({ printed, answered, processes })) {
    expect(text.length, where).toBeGreaterThan(1_000);
    for (const secret of [...secretParts(), ...hashes()]) expect(text.includes(secret), where).toBe(false);
  }
  // What was searched is what was meant: the public parts are there, and so is the daemon's own process.
  const [first = ''] = keys;
  expect(printed).toContain(first.slice(0, PUBLIC_CHARS));
  expect(processes).toContain(home.directory);
});

test('the log contains the requests and no secret', () => {
  const log = readFileSync(join(daemon.dataDir, 'daemon.log'), 'utf8');
  for (const path of ['/v1/auth/context', '/v1/items', '/v1/usage']) expect(log).toContain(path);
  for (const secret of [...secretParts(), ...hashes()]) expect(log.includes(secret)).toBe(false);
});

test('only the credentials file contains keys, and only the store contains their hashes', async () => {
  await home.run(['daemon', 'stop']);
  const withKeys = new Set<string>();
  const withHashes = new Set<string>();
  const files = filesBelow(home.directory);
  for (const [path, content] of files) {
    if (secretParts().some((secret) => content.includes(secret))) withKeys.add(path);
    if (hashes().some((hash) => content.includes(hash))) withHashes.add(path);
  }
  expect([...withKeys]).toEqual([join('config', 'stockroom', 'credentials.json')]);
  expect(withHashes.size).toBeGreaterThan(0);
  for (const path of withHashes) expect(path).toMatch(/^data\/stockroom\/(?:journal|checkpoint)-/u);
});

test('files of the daemon and the CLI are accessible by their owner only', () => {
  for (const top of ['data', 'config']) {
    const stockroom = home.path(top, 'stockroom');
    for (const entry of ['.', ...(readdirSync(stockroom, { recursive: true }) as string[])]) {
      const path = join(stockroom, entry);
      expect([path, (lstatSync(path).mode & 0o077).toString(8)]).toEqual([path, '0']);
    }
    expect(statSync(stockroom).isDirectory()).toBe(true);
  }
});
