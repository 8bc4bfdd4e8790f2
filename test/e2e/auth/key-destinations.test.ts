/** Where a saved key may be sent, and which project files are trusted. */
import { chownSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeHome } from '../../support/cli/home.ts';
import { startKeyListener } from '../../support/servers/key-listener.ts';

const KEY = `pk_test_${'k'.repeat(46)}`;

test('a project file cannot redirect the key of a remote or local profile to another port of this machine', async () => {
  await using home = await makeHome();
  await using remote = await startKeyListener();
  await using other = await startKeyListener();
  const daemon = await home.start();
  await home.run(['profile', 'add', 'remote', '--url', remote.url, '--api-key', '-'], { input: KEY });
  const project = home.path('.stockroom.json');
  const list = async (settings: object, args: readonly string[] = []) => {
    writeFileSync(project, JSON.stringify(settings));
    const { exit, body } = await home.json(['items', 'list', ...args]);
    return `${String(exit)} ${String(body.error?.code)}`;
  };
  for (const profile of ['remote', 'local']) {
    expect(await list({ profile, url: other.url }), profile).toBe('4 KEY_WITHHELD');
    expect(await list({ profile }, ['--url', other.url]), profile).toBe('4 KEY_WITHHELD');
    expect(await list({ profile, url: 'http://[::1]:9' }), profile).toBe('7 UNREACHABLE');
  }
  expect(other.keys).toEqual([]);
  expect(await list({ profile: 'remote', url: remote.url })).toBe('0 undefined');
  expect(remote.keys).toEqual([KEY]);
  expect(await list({ profile: 'local', url: daemon.url })).toBe('0 undefined');
  expect(await list({ profile: 'local', url: daemon.url?.replace('127.0.0.1', 'localhost') })).toBe('0 undefined');
});

test('a URL of a project file gets no key from STOCKROOM_API_KEY, in commands and completion, until the user names it', async () => {
  await using home = await makeHome();
  await using other = await startKeyListener();
  const project = home.path('.stockroom.json');
  writeFileSync(project, JSON.stringify({ url: other.url }));
  const env = { STOCKROOM_API_KEY: KEY };
  for (const args of [['items', 'list'], ['usage'], ['api', 'GET', '/v1/items']]) {
    const { exit, body } = await home.json(args, { env });
    expect([exit, body.error.code, body.error.message, body.error.hint], args.join(' ')).toEqual([
      4,
      'KEY_WITHHELD',
      `The key in STOCKROOM_API_KEY is not sent to ${other.url}: the project file ${project} names the URL, and others may have written it`,
      `If you trust it, pass --url ${other.url}, or add a profile with \`stockroom profile add NAME --url ${other.url}\``,
    ]);
  }
  const complete = await home.run(['__complete', '--', 'items', 'get', ''], { env });
  expect([complete.exit, other.keys]).toEqual([0, []]);
  expect((await home.run(['items', 'list', '--url', other.url], { env })).exit).toBe(0);
  expect((await home.run(['profile', 'add', 'trusted', '--url', other.url])).exit).toBe(0);
  expect((await home.run(['items', 'list'], { env })).exit).toBe(0);
  expect(other.keys).toEqual([KEY, KEY]);
});

test('a profile that is replaced keeps its key for the same service only', async () => {
  await using home = await makeHome();
  await using service = await startKeyListener();
  await using other = await startKeyListener();
  const add = async (url: string, ...more: string[]) => {
    const { body, stderr } = await home.json(['profile', 'add', 'staging', '--url', url, ...more], { input: KEY });
    return [body.data.hasKey, stderr];
  };
  expect(await add(service.url, '--api-key-file', '-')).toEqual([true, 'Saved profile staging']);
  expect(await add(service.url, '--tenant', 'acme')).toEqual([true, 'Saved profile staging']);
  expect((await home.run(['items', 'list'])).exit).toBe(0);
  expect(await add(other.url)).toEqual([false, 'Saved profile staging without a key']);
  await home.run(['items', 'list']);
  // Nor does it come back with the address.
  expect(await add(service.url)).toEqual([false, 'Saved profile staging without a key']);
  await home.run(['items', 'list']);
  expect([service.keys, other.keys]).toEqual([[KEY, undefined], [undefined]]);
});

test('the key of a profile is not sent to the daemon of another data directory', async () => {
  await using home = await makeHome();
  await home.start();
  const dataDir = home.path('second');
  await home.start(['--data-dir', dataDir]);
  await home.run(['profile', 'add', 'hosted', '--url', 'https://api.example.com', '--api-key', '-'], { input: KEY });
  for (const [args, env] of [
    [['--data-dir', dataDir], { STOCKROOM_PROFILE: 'hosted' }],
    [['--profile', 'local'], { STOCKROOM_DATA_DIR: dataDir }],
    [['--profile', 'local', '--data-dir', dataDir], {}],
  ] as const) {
    const { exit, body } = await home.json(['items', 'list', ...args], { env });
    expect([exit, body.error.code, body.error.message]).toEqual([
      4,
      'KEY_WITHHELD',
      expect.stringContaining(`it was saved for another service than the daemon of ${dataDir}`),
    ]);
  }
  expect((await home.json(['items', 'list', '--data-dir', dataDir])).exit).toBe(0);
});

test('a command reports that nothing listens on a loopback address before it reports that the saved key is not for it', async () => {
  await using home = await makeHome();
  await home.start();
  await using other = await startKeyListener();
  const get = async (url: string) => {
    const { exit, body } = await home.json(['items', 'list', '--url', url]);
    return [exit, body.error.message, body.error.hint];
  };
  const nowhere = 'http://127.0.0.1:1';
  expect(await get(nowhere)).toEqual([
    7,
    `No response from ${nowhere}: connection refused`,
    'Check --url, STOCKROOM_URL or the profile: `stockroom config show --origin`',
  ]);
  expect(await get(other.url)).toEqual([4, expect.stringContaining('is not sent'), expect.any(String)]);
  expect(other.keys).toEqual([]);
});

test.skipIf(process.getuid?.() !== 0)('a saved key is not sent if another user owns the state file (as root)', async () => {
  await using home = await makeHome();
  await home.start();
  chownSync(home.path('data', 'stockroom', 'daemon.json'), 65_534, 65_534);
  const { exit, body } = await home.json(['items', 'list']);
  expect([exit, body.error]).toEqual([4, expect.objectContaining({ code: 'KEY_WITHHELD' })]);
  expect(body.error.message).toContain(`another user owns the state file in ${home.path('data', 'stockroom')}`);
});

test.skipIf(process.getuid?.() !== 0)('a project file of another user is ignored with a note (as root)', async () => {
  await using home = await makeHome();
  await using remote = await startKeyListener();
  const path = home.path('.stockroom.json');
  writeFileSync(path, JSON.stringify({ url: remote.url }));
  chownSync(path, 65_534, 65_534);
  const env = { STOCKROOM_API_KEY: KEY };
  const { exit, stderr } = await home.run(['items', 'list'], { env });
  expect({ exit, stderr }).toEqual({ exit: 7, stderr: expect.stringContaining(`Ignored ${path}: another user owns it\n`) });
  const settings = await home.run(['config', 'show', '--origin']);
  expect(settings.stderr).toBe(`Ignored ${path}: another user owns it`);
  expect(settings.stdout).not.toContain(remote.url);
  expect(remote.keys).toEqual([]);
});
