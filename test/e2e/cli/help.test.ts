import { expect, test } from 'vitest';
import { SUBSCRIBABLE_EVENTS } from '../../../src/contract/events.ts';
import { makeHome } from '../../support/cli/home.ts';

test('help does not wrap within a list value at 80 columns', async () => {
  await using home = await makeHome();
  const { stdout } = await home.terminal(['webhooks', 'create', '--help'], { columns: 80 });
  const lines = stdout.split('\n');
  for (const event of SUBSCRIBABLE_EVENTS) expect(lines.filter((line) => line.includes(event)).length, event).toBeGreaterThan(0);
});

test.for(['doctor', 'items create', 'stock levels', 'stock documents submit', 'exec'])(
  'help of %s is at most 80 columns wide, except for examples',
  async (command) => {
    await using home = await makeHome();
    const { stdout } = await home.terminal([...command.split(' '), '--help'], { columns: 80 });
    expect(stdout).toContain('USAGE');
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.startsWith('  $ '))).toEqual([]);
  },
);

test('the main help is at most 80 columns wide', async () => {
  await using home = await makeHome();
  for (const args of [[], ['--help'], ['help'], ['help', 'formatting'], ['items', '--help']]) {
    const { stdout } = await home.terminal(args, { columns: 80 });
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});

test('help lists required flags first and marked, and refers to the global flags in one line', async () => {
  await using home = await makeHome();
  const { stdout } = await home.run(['items', 'create', '--help']);
  const flags = stdout.slice(stdout.indexOf('\nFLAGS\n') + 7);
  expect(flags).toMatch(/^ +--name=\S+\s+\(required\) /u);
  expect(stdout).toMatch(/^GLOBAL FLAGS\n {2}.*`stockroom help flags`\n\n/mu);
  expect(stdout).not.toMatch(/^ +(?:-o, )?--(?:output|json|verbose|profile)=?.* {2,}/mu);
  const verify = await home.run(['webhooks', 'verify', '--help']);
  expect(verify.stdout).toMatch(/\nFLAGS\n(?: +--(?:body|timestamp|signature)=\S+\s+\(required\) .*\n(?: {6,}[^- ].*\n|\n)*){3}/u);
  const topic = await home.run(['help', 'flags']);
  for (const flag of [
    '-o, --output',
    '--json',
    '--columns',
    '--profile',
    '--url',
    '--data-dir',
    '--api-key-file',
    '--max-wait',
    '--tenant',
  ])
    expect(topic.stdout).toMatch(new RegExp(`^ +${flag}\\b`, 'mu'));
});

test.for([
  ['orders ship', 'ORDER_ID [LINES...]', ['ORDER_ID ', '[LINES...] ']],
  ['stock transfer', 'SITE_ID TO_SITE_ID [LINES...]', ['SITE_ID ', 'TO_SITE_ID ', '[LINES...] ']],
  ['items delete', 'ITEM_ID...', ['ITEM_ID... ']],
  ['items get', 'ITEM_ID', ['ITEM_ID ']],
] as const)('help of %s marks only the argument that can be repeated with dots', async ([command, usage, names]) => {
  await using home = await makeHome();
  const { stdout } = await home.run([...command.split(' '), '--help']);
  expect(stdout).toContain(` ${command} ${usage} [FLAGS]\n`);
  const args = stdout.slice(stdout.indexOf('\nARGUMENTS\n') + 11, stdout.search(/\n(?:GLOBAL )?FLAGS\n/u));
  expect([...args.matchAll(/^ {2}(\S+ )/gmu)].map(([, name]) => name)).toEqual(names);
});

test.for([
  ['keys create', '--scope=SCOPE,…', 'items:read'],
  ['items list', '--item-type=A,B', 'material'],
  ['webhooks listen', '--event=EVENT,…', 'order.created'],
] as const)('help of %s shows how to join the values of %s, and lists them', async ([command, flag, value]) => {
  await using home = await makeHome();
  const { stdout } = await home.run([...command.split(' '), '--help']);
  const from = stdout.slice(stdout.indexOf(flag));
  expect(from).toMatch(/^--[^.]*\s/u);
  expect(from).toMatch(new RegExp(`^[^<]*<options: [^>]*\\b${value}\\b`, 'u'));
});
