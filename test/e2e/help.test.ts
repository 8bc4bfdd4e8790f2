import { expect, test } from 'vitest';
import { SUBSCRIBABLE_EVENTS } from '../../src/contract/events.ts';
import { makeHome } from '../support/cli.ts';

test('help breaks no value of a list at 80 columns', async () => {
  await using home = await makeHome();
  const { stdout } = await home.terminal(['webhooks', 'create', '--help'], { columns: 80 });
  const lines = stdout.split('\n');
  for (const event of SUBSCRIBABLE_EVENTS) expect(lines.filter((line) => line.includes(event)).length, event).toBeGreaterThan(0);
});

test.for(['doctor', 'items create', 'stock levels', 'stock documents submit', 'exec'])(
  'no line of the help of %s is wider than 80 columns, but for examples, which are typed as they stand',
  async (command) => {
    await using home = await makeHome();
    const { stdout } = await home.terminal([...command.split(' '), '--help'], { columns: 80 });
    expect(stdout).toContain('USAGE');
    expect(stdout.split('\n').filter((line) => line.length > 80 && !line.startsWith('  $ '))).toEqual([]);
  },
);

test('no line of the help of the whole is wider than 80 columns', async () => {
  await using home = await makeHome();
  for (const args of [[], ['--help'], ['help'], ['help', 'formatting'], ['items', '--help']]) {
    const { stdout } = await home.terminal(args, { columns: 80 });
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});
