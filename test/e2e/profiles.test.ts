/** Where a command sends its request, with which key, and how both are kept. */
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Home, makeHome } from '../support/cli.ts';
import { type Shop, openShop } from '../support/shop.ts';

const KEY = `pk_test_${'k'.repeat(46)}`;
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const file = (home: Home, name: string) => home.path('config', 'stockroom', name);

/** Answers every request with an empty list and remembers the keys it was shown. */
async function listener() {
  const keys: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['x-api-key'] as string | undefined);
    response.end('{"data":[],"pagination":{"page":1,"pageSize":50,"total":0,"totalPages":0}}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    keys,
    async [Symbol.asyncDispose]() {
      server.close();
      await Promise.resolve();
    },
  };
}

describe('a profile', () => {
  test('is added with a key from stdin or a file, listed, shown masked, used and removed', async () => {
    await using home = await makeHome();
    await using remote = await listener();
    const added = await home.run(['profile', 'add', 'staging', '--url', remote.url, '--api-key', '-'], { input: `${KEY}\n` });
    expect(added).toEqual({ exit: 0, stdout: '', stderr: 'saved profile staging' });
    writeFileSync(home.path('key.txt'), KEY);
    await home.run(['profile', 'add', 'second', '--url', 'http://127.0.0.1:9', '--api-key-file', home.path('key.txt')]);

    const { body } = await home.json(['profile', 'list']);
    expect(body.data).toMatchObject([
      { name: 'staging', inUse: true, url: remote.url, hasKey: true },
      { name: 'second', inUse: false, hasKey: true },
    ]);
    const shown = await home.run(['profile', 'show', 'staging']);
    expect(shown.stdout).toContain('pk_test_kkkkkkkk…');
    expect(shown.stdout).not.toContain(KEY);

    expect((await home.run(['items', 'list'])).exit).toBe(0);
    expect(remote.keys).toEqual([KEY]);

    expect((await home.run(['profile', 'use', 'second'])).exit).toBe(0);
    expect((await home.run(['items', 'list'])).exit).toBe(7);
    expect((await home.run(['items', 'list', '--profile', 'staging'])).exit).toBe(0);
    expect((await home.run(['items', 'list'], { env: { STOCKROOM_PROFILE: 'staging' } })).exit).toBe(0);

    expect((await home.run(['profile', 'remove', 'second'])).exit).toBe(0);
    expect(readFileSync(file(home, 'credentials.json'), 'utf8')).not.toContain('second');
    const unknown = await home.run(['items', 'list', '--profile', 'second']);
    expect(unknown.exit).toBe(2);
    expect(unknown.stderr).toContain('saved: staging');
  });

  test('never takes a key from the command line', async () => {
    await using home = await makeHome();
    const { exit, stderr } = await home.run(['profile', 'add', 'x', '--url', 'http://127.0.0.1:9', '--api-key', KEY]);
    expect(exit).toBe(2);
    expect(stderr).toContain('a key is not taken from the command line');
    expect(stderr).not.toContain(KEY);
    expect(existsSync(file(home, 'config.json'))).toBe(false);
  });

  test('is kept for its owner only, again at every save, and replaced whole', async () => {
    await using home = await makeHome();
    const add = (name: string) => home.run(['profile', 'add', name, '--url', 'http://127.0.0.1:9', '--api-key', '-'], { input: KEY });
    await add('one');
    chmodSync(file(home, 'credentials.json'), 0o644);
    chmodSync(file(home, '.'), 0o755);
    await add('two');
    expect([mode(file(home, '.')), mode(file(home, 'config.json')), mode(file(home, 'credentials.json'))]).toEqual(['700', '600', '600']);
    expect(Object.keys((JSON.parse(readFileSync(file(home, 'credentials.json'), 'utf8')) as { profiles: object }).profiles)).toEqual([
      'one',
      'two',
    ]);
  });

  test('file that is damaged is named, and left as it is', async () => {
    await using home = await makeHome();
    mkdirSync(file(home, '.'), { recursive: true });
    writeFileSync(file(home, 'config.json'), '{"profiles":');
    const { exit, stderr } = await home.run(['items', 'list']);
    expect(exit).toBe(2);
    expect(stderr).toContain(`${file(home, 'config.json')} cannot be read`);
    expect((await home.run(['profile', 'add', 'x', '--url', 'http://127.0.0.1:9'])).exit).toBe(2);
    expect(readFileSync(file(home, 'config.json'), 'utf8')).toBe('{"profiles":');
  });
});

describe('what counts', () => {
  test('is flag, then variable, then project file, then profile, then default, and config show says which', async () => {
    await using home = await makeHome();
    const below = home.path('project', 'deep', 'down');
    mkdirSync(below, { recursive: true });
    const origins = async (args: readonly string[] = [], env: Record<string, string> = {}, cwd = home.directory) => {
      const { body } = await home.json(['config', 'show', '--origin', ...args], { env, cwd });
      const { value, origin } =
        (body.data as { setting: string; value: string; origin: string }[]).find(({ setting }) => setting === 'url') ?? {};
      return [value, origin];
    };
    expect(await origins()).toEqual(['http://127.0.0.1:8625', 'default']);
    await home.run(['profile', 'add', 'p', '--url', 'http://profile:1']);
    expect(await origins()).toEqual(['http://profile:1', 'profile p']);
    writeFileSync(home.path('project', '.stockroom.json'), '{"url":"http://project:2"}');
    expect(await origins([], {}, below)).toEqual(['http://project:2', home.path('project', '.stockroom.json')]);
    expect(await origins([], { STOCKROOM_URL: 'http://variable:3' }, below)).toEqual(['http://variable:3', 'STOCKROOM_URL']);
    expect(await origins(['--url', 'http://flag:4'], { STOCKROOM_URL: 'http://variable:3' }, below)).toEqual(['http://flag:4', '--url']);
  });

  test('a saved key stays with its address: a project file cannot send it elsewhere', async () => {
    await using home = await makeHome();
    await home.run(['profile', 'add', 'p', '--url', 'http://127.0.0.1:9', '--api-key', '-'], { input: KEY });
    writeFileSync(home.path('.stockroom.json'), '{"url":"http://stranger.example"}');
    const { exit, body } = await home.json(['items', 'list']);
    expect(exit).toBe(4);
    expect(body.error).toMatchObject({ code: 'key_withheld', exit: 4 });
  });
});

describe('the local daemon', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  test('is found and asked with one request', async () => {
    const { stderr } = await shop.home.run(['items', 'list', '--verbose']);
    expect(stderr.split('\n')).toHaveLength(1);
    expect(stderr).toContain(`GET ${shop.daemon.url ?? ''}/v1/items`);
  });

  test('that is gone does not hand its key to whoever took the port', async () => {
    await using stranger = await listener();
    const path = join(shop.daemon.dataDir, 'daemon.json');
    const state = readFileSync(path, 'utf8');
    // No process has this id: Linux ends below it.
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(state) as object), pid: 2 ** 30, url: stranger.url }));
    const { exit, body } = await shop.home.json(['items', 'list']);
    writeFileSync(path, state);
    expect({ exit, code: body.error.code }).toEqual({ exit: 7, code: 'unreachable' });
    expect(stranger.keys).not.toContain(shop.key);
    expect((await shop.home.run(['items', 'list'])).exit).toBe(0);
  });

  test('keys create --save puts the new key into the profile; the secret is shown that once', async () => {
    const { body } = await shop.home.json(['keys', 'create', '--name', 'Reader', '--scope', 'items:read', '--expires-in', '30d', '--save']);
    expect(body).toMatchObject({ data: { name: 'Reader', scopes: ['items:read'] }, secret: expect.stringMatching(/^pk_test_/u) });
    const context = await shop.home.json(['auth', 'context']);
    expect(context.body.data.api_key).toMatchObject({ prefix: body.data.prefix, scopes: ['items:read'] });

    const revoked = await shop.home.json(['keys', 'revoke', body.data.prefix as string]);
    expect(revoked.body.data.revokedAt).toEqual(expect.any(String));
    expect((await shop.home.run(['items', 'list'])).exit).toBe(4);
  });
});

test('demo starts a service where none runs, loads the tenants once, and items list shows them', async () => {
  await using home = await makeHome();
  const first = await home.json(['demo']);
  expect(first).toMatchObject({ exit: 0, body: { data: { status: 'running' } } });
  const names = (await home.json(['items', 'list', '--all'])).body.data as unknown[];
  expect(names.length).toBeGreaterThan(40);
  expect((await home.json(['demo'])).body.data.instanceId).toBe(first.body.data.instanceId);
  expect((await home.json(['items', 'list', '--all'])).body.data).toEqual(names);
});
