/** Names of commands and flags: shortcuts, global flags before the command, and old spellings that keep working. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { generateKey } from '../../../src/domain/tenancy/api-keys.ts';

let home: Home;
let endpoint: string;
beforeAll(async () => {
  home = await makeHome();
  await home.start(['--demo']);
  endpoint = (await home.json(['webhooks', 'list', '--all'])).body.data[0].id;
});
afterAll(() => home[Symbol.asyncDispose]());

const lines = async (...args: string[]): Promise<string> => {
  const { exit, stdout, stderr } = await home.run(args);
  expect({ exit, stderr }).toEqual({ exit: 0, stderr: expect.not.stringContaining('Error') });
  return stdout;
};

test('global flags are accepted before the command', async () => {
  const json = await lines('items', 'list', '--limit', '1', '--json');
  expect(await lines('--json', 'items', 'list', '--limit', '1')).toBe(json);
  expect(await lines('--profile', 'kestrel-coffee', '-o', 'json', 'items', 'list', '--limit', '1')).toBe(json);
  expect((await home.run(['__complete', '--', '--profile', 'kestrel-coffee', 'items', 'li'])).stdout).toMatch(/^list\t/u);
});

test('switches take true and false as values', async () => {
  expect(await lines('contacts', 'update', 'Duarte Pinto', '--is-active=false', '--dry-run')).toContain('{"isActive":false}');
  const { exit, stderr } = await home.run(['contacts', 'update', 'Duarte Pinto', '--is-active=no']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('Invalid --is-active "no". Expected --is-active or --no-is-active')]);
});

test.for([
  ['start', 'daemon start'],
  ['status', 'daemon status'],
  ['logs', 'daemon logs'],
  ['stop', 'daemon stop'],
  ['listen', 'webhooks listen'],
  ['trigger', 'webhooks trigger'],
])('%s is short for %s, listed once in the help', async ([short = '', long = '']) => {
  expect((await home.run([short, '--nonsense'])).stderr).toContain(`See \`stockroom ${long} --help\``);
  expect(await lines(short, '--help')).toContain(`$ stockroom ${long}`);
  expect(await lines(long.split(' ')[0] ?? '', '--help')).not.toMatch(new RegExp(`^ +${short} `, 'mu'));
  expect(await lines()).toMatch(new RegExp(`^ +shortcuts .*\\b${short}\\b`, 'mu'));
  const help = await lines('--help');
  expect(help).toMatch(new RegExp(`^SHORTCUTS\n.*\\b${short}\\b`, 'mu'));
  expect(help).not.toMatch(new RegExp(`^ +${short} `, 'mu'));
  expect((await home.run(['__complete', '--', short.slice(0, -1)])).stdout).toContain(`${short}\t`);
});

test('the deliveries of an endpoint are listed by webhooks deliveries list, and as before without list', async () => {
  await lines('trigger', 'order.created', '--set', 'status=open');
  const json = await lines('webhooks', 'deliveries', 'list', endpoint, '--json');
  expect(JSON.parse(await lines('webhooks', 'deliveries', endpoint, '--json'))).toMatchObject({
    pagination: (JSON.parse(json) as { pagination: object }).pagination,
  });
  const help = await lines('webhooks', 'deliveries', '--help');
  expect(help).toMatch(/^ {2}webhooks deliveries list /mu);
  expect(help).toContain('webhooks deliveries COMMAND');
});

test('events are named by --event in every command, and by the old flags', async () => {
  for (const flag of ['--event', '--event-type'])
    expect((await home.json(['webhooks', 'deliveries', 'list', endpoint, flag, 'integration.connected'])).body.data).toEqual([]);
  expect((await home.run(['webhooks', 'deliveries', 'tail', '--event', 'nope'])).stderr).toContain('Invalid --event "nope"');
  for (const args of [
    ['--event', 'nope'],
    ['--event', 'order.created', '--event', 'nope'],
    ['--events', 'order.created,nope'],
  ])
    expect((await home.run(['webhooks', 'listen', ...args])).stderr).toContain('Invalid --event "nope"');
  for (const command of ['listen', 'deliveries list', 'deliveries tail', 'create', 'update']) {
    const help = await lines('webhooks', ...command.split(' '), '--help');
    expect(help).toMatch(/--event[= ]/u);
    expect(help).not.toMatch(/--events|--event-type/u);
  }
});

test('profile add reads the key from stdin with --api-key-file -, and with the old --api-key -', async () => {
  const input = `${generateKey('development').secret}\n`;
  for (const [name, flag] of [
    ['one', '--api-key-file'],
    ['two', '--api-key'],
  ] as const) {
    const { exit, stderr } = await home.run(['profile', 'add', name, '--url', 'http://127.0.0.1:9', flag, '-'], { input });
    expect({ exit, stderr }).toEqual({ exit: 0, stderr: `Saved profile ${name}` });
  }
  expect(await lines('profile', 'add', '--help')).not.toContain('--api-key=');
});

test('keys revoke and keys rotate name the tenant in which no key was found', async () => {
  for (const command of ['revoke', 'rotate']) {
    const { exit, stderr } = await home.run(['keys', command, 'pk_test_Nowhere1', '--tenant', 'sandbox']);
    expect({ command, exit }).toEqual({ command, exit: 3 });
    expect(stderr).toMatch(/tenant (?:'|")?sandbox/u);
    expect(stderr).toContain('--tenant');
  }
});
