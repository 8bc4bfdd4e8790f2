/** A loopback URL means the daemon of this user that listens there: all commands work with it, also those that need its admin socket. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openShop } from '../../support/cli/running-daemon.ts';
import { saying } from '../../support/cli/command-output.ts';
import { makeHome } from '../../support/cli/home.ts';

const ADMIN_COMMANDS = [
  ['clock', 'show'],
  ['doctor'],
  ['faults', 'list'],
  ['keys', 'list'],
  ['snapshot', 'list'],
  ['webhooks', 'trigger', 'order.created'],
];

test('commands that administer a daemon find it by its address', async () => {
  await using shop = await openShop();
  const { home, daemon, key } = shop;
  const url = daemon.url ?? '';
  // Not the default directory, so that only the address selects the daemon.
  const elsewhere = { XDG_DATA_HOME: home.path('other', 'data') };
  await home.run(['profile', 'add', 'by-address', '--url', url.replace('127.0.0.1', 'localhost'), '--api-key', '-'], { input: key });
  const ways = [
    [{ ...elsewhere, STOCKROOM_URL: url }, []],
    [elsewhere, ['--url', url]],
    [elsewhere, ['--profile', 'by-address']],
  ] as const;
  for (const [env, flags] of ways) {
    for (const command of ADMIN_COMMANDS) {
      const { exit, stderr } = await home.run([...command, ...flags], { env });
      expect({ exit, stderr }, [...command, ...flags].join(' ')).toMatchObject({ exit: 0 });
    }
    const frame = await home.run(['dashboard', '--once', ...flags], { env: { ...env, STOCKROOM_API_KEY: key } });
    expect(frame.stdout, flags.join(' ')).toMatch(/\* live/u);
    const listen = home.spawn(['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:9/', ...flags], {
      env: { ...env, STOCKROOM_API_KEY: key },
    });
    await saying(listen, 'Listening for');
    listen.kill('SIGINT');
    expect((await listen).exitCode).toBe(130);
  }
});

test('the key of a local profile is used with the address of its daemon, and not with that of another', async () => {
  await using shop = await openShop();
  const { home, daemon } = shop;
  const other = await home.start(['--data-dir', home.path('second')]);
  const list = async (url: string | null, ...flags: string[]) => {
    const { exit, body } = await home.json(['items', 'list', '--url', url ?? '', ...flags]);
    return `${String(exit)} ${String(body.error?.code)}`;
  };
  expect(await list(daemon.url)).toBe('0 undefined');
  expect(await list(other.url)).toBe('0 undefined');
  expect(await list(other.url, '--profile', 'local')).toBe('4 KEY_WITHHELD');
});

test('hints for an ephemeral daemon lead to a key of that daemon, and save no profile', async () => {
  await using shop = await openShop();
  const { home } = shop;
  const { url, dataDir } = await home.start(['--ephemeral']);
  const create = `stockroom keys create --all-scopes --data-dir ${dataDir}`;
  const { secret } = (await home.json(['keys', 'create', '--scope', 'items:read', '--url', url ?? ''])).body as { secret: string };
  for (const [args, key] of [
    [['items', 'list', '--url', url ?? ''], ''],
    [['items', 'list', '--data-dir', dataDir], ''],
    [['items', 'list', '--data-dir', dataDir], 'pk_test_wrong'],
    [['orders', 'list', 'sell', '--url', url ?? ''], secret],
  ] as const) {
    const { exit, body } = await home.json(args, { env: { STOCKROOM_API_KEY: key } });
    expect([exit, body.error.hint], args.join(' ')).toEqual([4, expect.stringContaining(`\`${create}\``)]);
    expect(body.error.hint).not.toMatch(/--save|profile/u);
  }
  const made = await home.json(create.split(' ').slice(1));
  const env = { STOCKROOM_API_KEY: (made.body as { secret: string }).secret };
  expect((await home.run(['orders', 'list', 'sell', '--url', url ?? ''], { env })).exit).toBe(0);
});

test('hints for a daemon of another data directory create the key there', async () => {
  await using shop = await openShop();
  const { home } = shop;
  const { url } = await home.start(['--data-dir', home.path('second')]);
  const { secret } = (await home.json(['keys', 'create', '--scope', 'items:read', '--url', url ?? ''])).body as { secret: string };
  const { body } = await home.json(['orders', 'list', 'sell', '--url', url ?? ''], { env: { STOCKROOM_API_KEY: secret } });
  expect(body.error.hint).toContain(`keys create --all-scopes --save --data-dir ${home.path('second')}\``);
});

test('hints for a profile with the URL of a daemon lead to a key in that profile', async () => {
  await using shop = await openShop();
  const { home } = shop;
  const second = home.path('second');
  const url = String((await home.start(['--data-dir', second])).url);
  const { secret } = (await home.json(['keys', 'create', '--scope', 'items:read', '--data-dir', second])).body as { secret: string };
  const keyFile = home.path('key.txt');
  const add = async (key: string): Promise<void> => {
    writeFileSync(keyFile, key);
    expect(await home.run(['profile', 'add', 'remote', '--url', url, '--api-key-file', keyFile])).toMatchObject({ exit: 0 });
  };
  const command = `stockroom profile add remote --url ${url} --api-key-file FILE`;
  for (const [key, code] of [
    [`${secret.slice(0, -1)}${secret.endsWith('0') ? '1' : '0'}`, 'UNAUTHENTICATED'],
    [secret, 'SCOPE_REQUIRED'],
  ] as const) {
    await add(key);
    const { body } = await home.json(['orders', 'list', 'sell', '--profile', 'remote']);
    expect(body.error).toMatchObject({ code, hint: expect.stringContaining(`\`${command}\``) });
    expect(body.error.hint).not.toContain('--save');
  }
  const made = await home.json(['keys', 'create', '--all-scopes', '--data-dir', second]);
  await add((made.body as { secret: string }).secret);
  expect((await home.run(['orders', 'list', 'sell', '--profile', 'remote'])).exit).toBe(0);
});

test('commands that administer a daemon mean the service of --url, whatever STOCKROOM_DATA_DIR says', async () => {
  await using shop = await openShop([{ name: 'Bolt', sku: 'BOLT' }]);
  const { home, daemon } = shop;
  const env = { STOCKROOM_DATA_DIR: daemon.dataDir };
  for (const command of [...ADMIN_COMMANDS, ['reset', '--yes'], ['audit', 'list', '-f']]) {
    const { exit, stderr } = await home.run([...command, '--url', 'http://127.0.0.1:9'], { env });
    expect([exit, stderr], command.join(' ')).toEqual([7, expect.stringContaining('http://127.0.0.1:9')]);
  }
  expect((await home.json(['items', 'list'], { env })).body.data).toMatchObject([{ sku: 'BOLT' }]);
  const second = await home.start(['--data-dir', home.path('second')]);
  expect((await home.json(['tenants', 'create', '--name', 'There', '--url', second.url ?? ''], { env })).exit).toBe(0);
  expect(JSON.stringify((await home.json(['tenants', 'list'], { env })).body)).not.toContain('There');
});

test('commands that administer a daemon reject a remote service by name', async () => {
  await using home = await makeHome();
  await home.run(['profile', 'add', 'hosted', '--url', 'https://api.example.com', '--api-key', '-'], {
    input: `pk_test_${'k'.repeat(46)}`,
  });
  const error = async (args: readonly string[], env = {}) => {
    const { exit, body } = await home.json(['clock', 'show', ...args], { env });
    return [exit, body.error.message];
  };
  const reason = 'is remote; this command needs a local daemon';
  expect(await error(['--profile', 'hosted'])).toEqual([2, `Profile 'hosted' ${reason}`]);
  expect(await error([], { STOCKROOM_URL: 'https://api.example.com' })).toEqual([
    2,
    `The service https://api.example.com (from STOCKROOM_URL) ${reason}`,
  ]);
  expect(await error(['--url', 'http://127.0.0.1:9'])).toEqual([
    7,
    'None of your daemons listens on http://127.0.0.1:9 (from --url); this command needs one',
  ]);
});
