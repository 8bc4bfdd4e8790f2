/** Profiles and settings: which service a command uses, with which key, and how both are stored. */
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { startKeyListener } from '../../support/servers/key-listener.ts';
import { mode } from '../../support/cli/daemon.ts';
import { type Shop, openShop } from '../../support/cli/running-daemon.ts';

const KEY = `pk_test_${'k'.repeat(46)}`;
const file = (home: Home, name: string) => home.path('config', 'stockroom', name);

describe('a profile', () => {
  test('is added with a key from stdin or a file, listed, shown masked, used and removed', async () => {
    await using home = await makeHome();
    await using remote = await startKeyListener();
    const added = await home.run(['profile', 'add', 'staging', '--url', remote.url, '--api-key', '-'], { input: `${KEY}\n` });
    expect(added).toEqual({ exit: 0, stdout: '', stderr: 'Saved profile staging' });
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
    expect(unknown.stderr).toContain('Saved profiles: staging');
  });

  test('and a file with a key that other users can read get a warning on stderr, once', async () => {
    await using home = await makeHome();
    await using remote = await startKeyListener();
    await home.run(['profile', 'add', 'staging', '--url', remote.url, '--api-key', '-', '--use'], { input: `${KEY}\n` });
    const [saved, own] = [file(home, 'credentials.json'), home.path('key.txt')];
    writeFileSync(own, KEY, { mode: 0o600 });
    const list = ['items', 'list', '--json'];
    const read = async (...args: string[]) => (await home.run([...list, ...args])).stderr;
    expect([await read(), await read('--api-key-file', own)]).toEqual(['', '']);
    for (const [path, ...args] of [[saved], [own, '--api-key-file', own]] as const) {
      chmodSync(path, 0o644);
      expect(await read(...args)).toBe(`Warning: other users can read the API key in ${path}. Protect it with \`chmod 600 ${path}\``);
    }
    // Another key is sent.
    expect((await home.run(list, { env: { STOCKROOM_API_KEY: KEY } })).stderr).toBe('');
    const refused = await home.json(['items', 'list', '--url', 'http://127.0.0.1:9', '--api-key-file', own, '--max-wait', '0']);
    expect([refused.exit, JSON.stringify(refused.body)]).toEqual([7, expect.not.stringContaining('Warning')]);
    await home.run(['profile', 'add', 'other', '--url', remote.url, '--api-key-file', own]);
    expect(await read()).toBe('');
  });

  test('is selected by a variable, a project file or a data directory', async () => {
    await using home = await makeHome();
    for (const [name, ...where] of [
      ['saved', '--url', 'http://127.0.0.1:9'],
      ['named', '--url', 'http://127.0.0.1:9'],
      ['shelf', '--data-dir', home.path('shelf')],
    ] as const)
      await home.run(['profile', 'add', name, ...where]);
    const project = home.path('project');
    mkdirSync(project);
    writeFileSync(join(project, '.stockroom.json'), '{"profile":"named"}');
    const inUse = async (options: Parameters<Home['run']>[1]) => {
      const { body } = await home.json(['profile', 'list'], options);
      return (body.data as { name: string; inUse: boolean }[]).filter((each) => each.inUse).map(({ name }) => name);
    };
    for (const [name, options] of [
      ['saved', {}],
      ['named', { env: { STOCKROOM_PROFILE: 'named' } }],
      ['named', { cwd: project }],
      ['shelf', { env: { STOCKROOM_DATA_DIR: home.path('shelf') } }],
    ] as const) {
      expect(await inUse(options)).toEqual([name]);
      expect((await home.json(['profile', 'show'], options)).body.data).toMatchObject({ name, inUse: true });
    }
    expect((await home.json(['profile', 'show', 'saved'], { cwd: project })).body.data).toMatchObject({ name: 'saved', inUse: false });
    const gone = { env: { STOCKROOM_PROFILE: 'gone' } };
    expect(await inUse(gone)).toEqual([]);
    expect((await home.run(['profile', 'show'], gone)).stderr).toContain('No profile "gone" (from STOCKROOM_PROFILE)');
    const other = { env: { STOCKROOM_DATA_DIR: home.path('other') } };
    expect(await inUse(other)).toEqual([]);
    expect((await home.run(['profile', 'show'], other)).stderr).toContain(`No profile is saved for ${home.path('other')}`);
    expect((await home.run(['profile', 'use', 'shelf'], { cwd: project })).stderr).toBe(
      `Now using profile shelf, but ${join(project, '.stockroom.json')} selects named here`,
    );
    for (const options of [{}, gone, other])
      expect(await home.run(['profile', 'use', 'saved'], options)).toMatchObject({ exit: 0, stderr: 'Now using profile saved' });
  });

  test('does not accept a key on the command line', async () => {
    await using home = await makeHome();
    const { exit, stderr } = await home.run(['profile', 'add', 'x', '--url', 'http://127.0.0.1:9', '--api-key', KEY]);
    expect(exit).toBe(2);
    expect(stderr).toContain('Keys cannot be passed on the command line');
    expect(stderr).not.toContain(KEY);
    expect(existsSync(file(home, 'config.json'))).toBe(false);
  });

  test('is stored with owner-only permissions at every save, and replaced atomically', async () => {
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

  test('file that is damaged is named and left unchanged', async () => {
    await using home = await makeHome();
    mkdirSync(file(home, '.'), { recursive: true });
    writeFileSync(file(home, 'config.json'), '{"profiles":');
    const { exit, stderr } = await home.run(['items', 'list']);
    expect(exit).toBe(2);
    expect(stderr).toContain(`Cannot read ${file(home, 'config.json')}`);
    expect((await home.run(['profile', 'add', 'x', '--url', 'http://127.0.0.1:9'])).exit).toBe(2);
    expect(readFileSync(file(home, 'config.json'), 'utf8')).toBe('{"profiles":');
  });
});

test.for(['constructor', 'toString', '__proto__'])('%s is not a profile, help topic or route unless defined', async (name) => {
  await using home = await makeHome();
  for (const args of [
    ['profile', 'use', name],
    ['profile', 'show', name],
    ['profile', 'remove', name],
    ['items', 'list', '--profile', name],
    ['help', name],
    ['webhooks', 'listen', '--route', `${name}=http://127.0.0.1:9`],
  ]) {
    const { exit, stdout, stderr } = await home.run(args);
    expect({ exit, stdout }, args.join(' ')).toEqual({ exit: 2, stdout: '' });
    expect(stderr).toMatch(/^Error: (?:No |Invalid --route)/u);
  }
  expect((await home.json(['profile', 'list'])).body.data).toEqual([]);
});

test.for([
  ['config.json', '{"profiles":{"local":null}}', 'profile "local" must be an object'],
  ['config.json', '{"profiles":{"local":{"dataDir":5}}}', '"dataDir" of profile "local" must be a string'],
  ['config.json', '{"profile":5}', '"profile" must be a string'],
  ['config.json', '{"profiles":[]}', '"profiles" must be an object'],
  ['credentials.json', '{"profiles":{"local":{"apiKey":5}}}', '"apiKey" of profile "local" must be a string'],
] as const)('%s with %s is rejected with a one-line error', async ([name, text, reason]) => {
  await using home = await makeHome();
  await home.run(['profile', 'add', 'local', '--url', 'http://127.0.0.1:9']);
  writeFileSync(file(home, name), text);
  for (const args of [
    ['profile', 'list'],
    ['config', 'show'],
    ['items', 'list'],
  ]) {
    const { exit, stderr } = await home.run(args);
    expect({ exit, stderr }).toMatchObject({ exit: 2, stderr: expect.stringContaining(`Cannot read ${file(home, name)}: ${reason}`) });
    expect(stderr).toContain('Hint:  Fix the file or remove it');
  }
});

test.for(['config.json', 'credentials.json', 'listen-local.ndjson'])(
  '%s that is a directory or invalid JSON is reported without system error text',
  async (name) => {
    await using home = await makeHome();
    await home.start([]);
    const path = file(home, name);
    rmSync(path, { force: true });
    mkdirSync(path);
    const hint = 'Hint:  Fix the file or remove it';
    expect(await home.run(['webhooks', 'listen'])).toEqual({
      exit: 2,
      stdout: '',
      stderr: `Error: Cannot read ${path}: it is a directory\n${hint}`,
    });
    rmSync(path, { recursive: true });
    writeFileSync(path, 'garbage');
    const { exit, stderr } = await home.run(['webhooks', 'listen']);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`Error: Cannot read ${path}: invalid JSON (`)]);
  },
);

test('an unwritable configuration is reported in one line, and a started service keeps running', async () => {
  await using home = await makeHome();
  // A link that leads nowhere: nothing is there to read, and nothing can be put there.
  mkdirSync(home.path('config'));
  symlinkSync(home.path('nowhere', 'deep'), home.path('config', 'stockroom'));
  const added = await home.run(['profile', 'add', 'x', '--url', 'http://127.0.0.1:9']);
  expect(added.exit).toBe(1);
  expect(added.stderr).toMatch(/^Error: Cannot write \S+config\.json: .*\nHint: {2}Make it writable/u);

  const started = await home.json(['daemon', 'start', '--port', '0']);
  expect(started).toMatchObject({ exit: 0, body: { data: { status: 'running' } } });
  expect(started.stderr).toContain('The key was not saved: ');
  const { stdout } = await home.run(['keys', 'create', '--all-scopes', '--columns', 'secret']);
  const key = stdout.split('\n').at(-1) ?? '';
  expect((await home.run(['items', 'list'], { env: { STOCKROOM_API_KEY: key } })).exit).toBe(0);
});

describe('setting precedence', () => {
  test('is flag, variable, project file, profile, default, and config show names the source', async () => {
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

  test('a project file cannot redirect a saved key to another URL', async () => {
    await using home = await makeHome();
    await home.run(['profile', 'add', 'p', '--url', 'http://127.0.0.1:9', '--api-key', '-'], { input: KEY });
    writeFileSync(home.path('.stockroom.json'), '{"url":"http://stranger.example"}');
    const { exit, body } = await home.json(['items', 'list']);
    expect(exit).toBe(4);
    expect(body.error).toMatchObject({ code: 'KEY_WITHHELD', exit: 4 });
  });
});

describe('a project file', () => {
  test.each([
    ['{"url":', 'Cannot read'],
    ['[]', 'it is not a JSON object'],
    ['{"url":5}', '"url" must be a string'],
    ['{"apiKey":"pk_test_x"}', 'save keys in a profile'],
    ['{"adress":"http://127.0.0.1:1"}', 'unknown setting "adress"; valid settings: url, profile, tenant'],
  ])('%s is rejected with the reason', async (text, words) => {
    await using home = await makeHome();
    writeFileSync(home.path('.stockroom.json'), text);
    const { exit, stderr, stdout } = await home.run(['config', 'show']);
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
    expect(stderr.replaceAll(/\s+/gu, ' ')).toContain(words);
    expect(stderr).not.toContain('pk_test_x');
  });

  test('selects profile and tenant, and a flag overrides it', async () => {
    await using home = await makeHome();
    for (const name of ['one', 'two'])
      await home.run(['profile', 'add', name, '--url', `http://${name}.example`, '--tenant', `of-${name}`]);
    writeFileSync(home.path('.stockroom.json'), '{"profile":"two","tenant":"mine"}');
    const shown = async (args: readonly string[] = []) => {
      const { body } = await home.json(['config', 'show', ...args]);
      return Object.fromEntries((body.data as { setting: string; value: string }[]).map(({ setting, value }) => [setting, value]));
    };
    expect(await shown()).toMatchObject({ profile: 'two', url: 'http://two.example', tenant: 'mine' });
    expect(await shown(['--profile', 'one'])).toMatchObject({ profile: 'one', url: 'http://one.example', tenant: 'mine' });
  });
});

test('config show truncates nothing in a terminal of 80 columns', async () => {
  await using home = await makeHome();
  const dataDir = home.path('a-rather-long-name-of-a-directory', 'that-does-not-fit', 'beside-anything-else');
  await home.run(['profile', 'add', 'here', '--data-dir', dataDir, '--api-key', '-'], { input: KEY });
  const { stdout } = await home.terminal(['config', 'show', '--origin']);
  const unbroken = stdout.replaceAll('\n', '');
  for (const part of [dataDir.replace(home.directory, '~'), 'credentials.json, profile here', 'http://127.0.0.1:8625'])
    expect(unbroken).toContain(part);
  expect(stdout).not.toContain(KEY);
  expect(stdout.replaceAll('kkkkkkkk…', '')).not.toContain('…');
});

test('a key for one command is read from a file or stdin and overrides the others', async () => {
  await using home = await makeHome();
  await using remote = await startKeyListener();
  const other = KEY.replaceAll('k', 'j').replace('pj_', 'pk_');
  await home.run(['profile', 'add', 'p', '--url', remote.url, '--api-key', '-'], { input: KEY });
  writeFileSync(home.path('other.txt'), `${other}\n`);
  const env = { STOCKROOM_API_KEY: KEY };
  expect((await home.run(['items', 'list', '--api-key-file', home.path('other.txt')], { env })).exit).toBe(0);
  expect((await home.run(['items', 'list', '--api-key-file', '-'], { input: other, env })).exit).toBe(0);
  expect(remote.keys).toEqual([other, other]);
  const twice = await home.run(['items', 'create', '--data', '-', '--api-key-file', '-'], { input: other });
  expect([twice.exit, twice.stderr]).toEqual([2, expect.stringContaining('--data and --api-key-file cannot both read stdin')]);
  const none = await home.run(['items', 'list', '--api-key-file', home.path('none')]);
  expect([none.exit, none.stderr]).toEqual([2, `Error: Cannot read ${home.path('none')}: no such file`]);
  expect(remote.keys).toHaveLength(2);
});

test('a live key causes a notice in a terminal, but not in a pipe', async () => {
  await using home = await makeHome();
  await using remote = await startKeyListener();
  await home.run(['profile', 'add', 'prod', '--url', remote.url, '--api-key', '-'], { input: KEY.replace('test', 'live') });
  expect((await home.terminal(['items', 'list'])).stdout).toContain(`PRODUCTION  ${remote.url}, key of profile prod`);
  expect((await home.run(['items', 'list'])).stderr).not.toContain('PRODUCTION');
  await home.run(['profile', 'add', 'test', '--url', remote.url, '--api-key', '-', '--use'], { input: KEY });
  expect((await home.terminal(['items', 'list'])).stdout).not.toContain('PRODUCTION');
});

test('a named data directory uses its own profile or none, never key or tenant of another service', async () => {
  await using home = await makeHome();
  await using remote = await startKeyListener();
  await home.run(['profile', 'add', 'remote', '--url', remote.url, '--tenant', 'strange', '--api-key', '-', '--use'], { input: KEY });
  const dataDir = home.path('other');
  await home.start(['--ephemeral']);
  await home.start(['--data-dir', dataDir]);
  const settings = async (env: Record<string, string> = {}, args: readonly string[] = []) => {
    const { body } = await home.json(['config', 'show', ...args], { env });
    return Object.fromEntries((body.data as { setting: string; value: string | null }[]).map(({ setting, value }) => [setting, value]));
  };
  expect(await settings({}, ['--data-dir', dataDir])).toMatchObject({ profile: 'local', tenant: 'local', dataDir });
  expect(await settings({ STOCKROOM_DATA_DIR: dataDir })).toMatchObject({ profile: 'local', tenant: 'local', dataDir });
  expect(await settings({ STOCKROOM_DATA_DIR: home.path('none') })).toMatchObject({ apiKey: null, tenant: null });
  expect((await home.run(['items', 'list', '--data-dir', dataDir])).exit).toBe(0);
  expect((await home.run(['units', 'list', '--data-dir', dataDir])).exit).toBe(0);
  expect(remote.keys).toEqual([]);
  // A key that is saved for an unknown directory takes no other's place.
  const third = home.path('third');
  await home.start(['--data-dir', third]);
  await home.run(['profile', 'remove', 'local-2']);
  expect((await home.run(['keys', 'create', '--all-scopes', '--save', '--data-dir', third])).stderr).toContain('Saved to profile local-2');
  expect((await home.run(['items', 'list', '--data-dir', dataDir])).exit).toBe(0);
  expect((await home.run(['items', 'list', '--data-dir', third])).exit).toBe(0);
});

describe('the local daemon', () => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop();
  });
  afterAll(() => shop[Symbol.asyncDispose]());

  test('is found and used with a single request', async () => {
    const { stderr } = await shop.home.run(['items', 'list', '--verbose']);
    expect(stderr.split('\n')).toHaveLength(1);
    expect(stderr).toContain(`GET ${shop.daemon.url ?? ''}/v1/items`);
  });

  test('that has stopped does not expose its key to another process on its port', async () => {
    await using foreign = await startKeyListener();
    const path = join(shop.daemon.dataDir, 'daemon.json');
    const state = readFileSync(path, 'utf8');
    // No process has this id: Linux ends below it.
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(state) as object), pid: 2 ** 30, url: foreign.url }));
    const { exit, body } = await shop.home.json(['items', 'list']);
    writeFileSync(path, state);
    expect({ exit, code: body.error.code }).toEqual({ exit: 7, code: 'UNREACHABLE' });
    expect(foreign.keys).not.toContain(shop.key);
    expect((await shop.home.run(['items', 'list'])).exit).toBe(0);
  });

  test('keys create and keys rotate with --save store the new key in the profile and show the secret once', async () => {
    const { body } = await shop.home.json([
      'keys',
      'create',
      '--name',
      'Reader',
      '--scope',
      'items:read',
      '--expires-in',
      '30d',
      '--save',
      '--force',
    ]);
    expect(body).toMatchObject({ data: { name: 'Reader', scopes: ['items:read'] }, secret: expect.stringMatching(/^pk_test_/u) });
    const context = await shop.home.json(['auth', 'context']);
    expect(context.body.data.api_key).toMatchObject({ prefix: body.data.prefix, scopes: ['items:read'] });

    const rotated = await shop.home.json(['keys', 'rotate', body.data.prefix as string, '--save']);
    expect(rotated.body).toMatchObject({ data: { name: 'Reader', scopes: ['items:read'] }, secret: expect.stringMatching(/^pk_test_/u) });
    const { prefix } = rotated.body.data;
    expect((await shop.home.json(['auth', 'context'])).body.data.api_key).toMatchObject({ prefix, scopes: ['items:read'] });

    const revoked = await shop.home.json(['keys', 'revoke', prefix as string]);
    expect(revoked.body.data.revokedAt).toEqual(expect.any(String));
    expect((await shop.home.run(['items', 'list'])).exit).toBe(4);
  });
});

test('keys create --save replaces no key that has more scopes, unless with --force, and creates none then', async () => {
  await using home = await makeHome();
  await home.start();
  const countKeys = async () => ((await home.json(['keys', 'list', '--all'])).body.data as unknown[]).length;
  const before = await countKeys();
  const refused = await home.json(['keys', 'create', '--scope', 'items:write', '--save']);
  expect(refused).toMatchObject({
    exit: 2,
    body: {
      error: { message: expect.stringMatching(/^--save would replace the key of profile local, which also has the scopes .*items:read/u) },
    },
  });
  expect([await countKeys(), (await home.run(['items', 'list'])).exit]).toEqual([before, 0]);
  const saved = await home.run(['keys', 'create', '--all-scopes', '--save']);
  expect([saved.exit, saved.stderr]).toEqual([
    0,
    expect.stringMatching(/The key before it had the tier elevated, this one has standard; change it/u),
  ]);
  expect((await home.run(['keys', 'create', '--scope', 'items:write', '--save', '--force'])).exit).toBe(0);

  const denied = await home.json(['items', 'list']);
  expect(denied.body.error).toMatchObject({ code: 'SCOPE_REQUIRED', hint: expect.stringContaining('keys create --all-scopes --save`') });
  // A key with additional scopes loses none.
  expect((await home.run(['keys', 'create', '--scope', 'items:write', '--scope', 'items:read', '--save'])).exit).toBe(0);
  expect((await home.run(['items', 'list'])).exit).toBe(0);
});

test('keys rotate --save keeps the key of the profile when the rotated one has fewer scopes', async () => {
  await using home = await makeHome();
  await home.start();
  const { body } = await home.json(['keys', 'create', '--name', 'Reader', '--read-only']);
  const scopes = body.data.scopes as string[];
  expect(scopes).toContain('items:read');
  expect(scopes.filter((scope) => !scope.endsWith(':read'))).toEqual([]);
  for (const reference of [body.data.prefix, body.data.id] as string[]) {
    const refused = await home.json(['keys', 'rotate', reference, '--save']);
    expect(refused).toMatchObject({ exit: 2, body: { error: { message: expect.stringContaining('items:write') } } });
  }
  const { secret } = (await home.json(['keys', 'rotate', body.data.prefix as string])).body;
  // Nothing else contains the secret.
  const columns = await home.run(['keys', 'create', '--read-only', '--columns', 'prefix', '--output', 'tsv']);
  expect(columns.stdout).toMatch(/^prefix\tsecret\npk_test_\w{8}\tpk_test_\w{46}$/u);
  const keys = (await home.json(['keys', 'list', '--search', 'Reader'])).body.data as { name: string; status: string }[];
  expect(keys.filter(({ name }) => name === 'Reader').map(({ status }) => status)).toEqual(['active', 'replaced']);
  const ambiguous = await home.json(['keys', 'revoke', 'Reader', '--yes']);
  expect(ambiguous.body.error.details.candidates).toMatchObject([{ status: 'active' }, { status: 'replaced' }]);
  expect(ambiguous.body.error.hint).toBe('Pass the prefix instead');
  const asked = (await home.terminal(['keys', 'revoke', 'Reader'])).stdout;
  expect(asked).toContain('2 keys have the prefix or name "Reader"');
  expect(asked).not.toContain('[y/N]');
  const [{ prefix }] = ambiguous.body.error.details.candidates as [{ prefix: string }];
  expect((await home.terminal(['keys', 'list'])).stdout).toMatch(new RegExp(`^active +${prefix} `, 'mu'));
  const denied = await home.run(['items', 'list'], { env: { STOCKROOM_API_KEY: `${secret as string}x` } });
  expect([denied.exit, denied.stderr]).toEqual([4, expect.stringContaining('The key is that of the variable STOCKROOM_API_KEY')]);
});

test('the tenant of a profile is not that of a daemon at another URL', async () => {
  await using home = await makeHome();
  await home.start();
  expect((await home.run(['tenants', 'create', '--slug', 'acme', '--name', 'Acme', '--plan', 'free'])).exit).toBe(0);
  expect((await home.run(['keys', 'create', '--all-scopes', '--tenant', 'acme', '--save'])).exit).toBe(0);
  const profiles = (await home.json(['profile', 'list'])).body.data as { name: string; tenant: string | null }[];
  const { name } = profiles.find(({ tenant }) => tenant === 'acme')!;
  const { url } = await home.start(['--ephemeral']);
  const create = ['keys', 'create', '--all-scopes', '--profile', name];
  expect(await home.run(create)).toMatchObject({ exit: 0 });
  expect(await home.run([...create, '--url', url!])).toMatchObject({ exit: 0, stderr: '' });
});

test('keys create --save for another tenant adds a profile and replaces no key', async () => {
  await using home = await makeHome();
  await home.start();
  expect((await home.run(['tenants', 'create', '--slug', 'other', '--name', 'Other', '--plan', 'free'])).exit).toBe(0);
  const make = () => home.run(['keys', 'create', '--all-scopes', '--save', '--tenant', 'other']);
  for (let made = 0; made < 2; made += 1)
    expect((await make()).stderr).toContain('Saved to profile other; the active profile is still local');
  const getPlan = async (...args: string[]) => (await home.json(['auth', 'context', ...args])).body.data.tenant.plan as string;
  expect([await getPlan(), await getPlan('--profile', 'other')]).toEqual(['enterprise', 'free']);
});

test('demo starts a service if none is running and loads the demo tenants once', async () => {
  await using home = await makeHome();
  const first = await home.json(['demo']);
  expect(first).toMatchObject({ exit: 0, body: { data: { status: 'running' } } });
  const names = (await home.json(['items', 'list', '--all'])).body.data as unknown[];
  expect(names.length).toBeGreaterThan(40);
  expect((await home.json(['demo'])).body.data.instanceId).toBe(first.body.data.instanceId);
  expect((await home.json(['items', 'list', '--all'])).body.data).toEqual(names);
});

test('with the key of another tenant in STOCKROOM_API_KEY every command means its tenant, and errors name it', async () => {
  await using home = await makeHome();
  await home.start();
  expect((await home.run(['tenants', 'create', '--name', 'Other', '--slug', 'other'])).exit).toBe(0);
  const { secret } = (await home.json(['keys', 'create', '--name', 'Other key', '--all-scopes', '--tenant', 'other'])).body as {
    secret: string;
  };
  const env = { STOCKROOM_API_KEY: secret };
  expect((await home.run(['sites', 'create', '--name', 'Harbor', '--code', 'HB'], { env })).exit).toBe(0);
  expect((await home.run(['items', 'create', '--name', 'Bolt', '--sku', 'OTHER-1'], { env })).exit).toBe(0);
  const names = async (args: string[], more: object = {}) =>
    ((await home.json(args, more)).body as { data: { name: string }[] }).data.map(({ name }) => name);
  expect(await names(['sites', 'list', '--tenant', 'other'])).toContain('Harbor');
  expect(await names(['sites', 'list'], { env })).toContain('Harbor');
  expect(await names(['sites', 'list'])).not.toContain('Harbor');
  expect(await names(['keys', 'list'], { env })).toEqual(['Other key']);
  // The flag says another tenant than the key, whose names cannot be looked up there.
  const refused = await home.json(['stock', 'levels', 'set', 'OTHER-1', '--site-id', 'HB', '--reorder-point', '5', '--tenant', 'local'], {
    env,
  });
  expect(refused.body).toMatchObject({
    error: { message: 'Names cannot be looked up in tenant local: the key in STOCKROOM_API_KEY belongs to tenant other' },
  });
  const set = await home.json(['stock', 'levels', 'set', 'OTHER-1', '--site-id', 'HB', '--reorder-point', '5'], { env });
  expect([set.exit, set.stderr]).toEqual([0, '']);
  // A key that no tenant of this daemon has does not keep its owner from administering it.
  expect(await names(['sites', 'list'], { env: { STOCKROOM_API_KEY: `${secret}x` } })).not.toContain('Harbor');
});
