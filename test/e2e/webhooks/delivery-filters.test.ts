/** Filters by status and event take several values, joined by commas or in repeated flags, in every list. */
import { beforeAll, expect, test } from 'vitest';
import { useShop } from '../../support/cli/shared-daemon.ts';

const { shop, json } = useShop();
const NAMES = ['Down', 'Paused'];

beforeAll(async () => {
  for (const name of NAMES) {
    const events = 'inventory.item.created,contact.created';
    await json('webhooks', 'create', '--name', name, '--target-url', 'http://127.0.0.1:9/', '--event', events);
  }
  await json('webhooks', 'update', 'Paused', '--status', 'paused');
  await json('items', 'create', '--name', 'Bolt');
  await json('contacts', 'create', '--name', 'Ana');
});

type Row = { eventType: string; status: string };
const listEvents = async (...args: string[]) => ((await json(...args)).data as Row[]).map(({ eventType }) => eventType).toSorted();
const BOTH = ['contact.created', 'inventory.item.created'];

test.for([
  ['joined by commas', ['--status', 'pending,retrying,failed', '--event', BOTH.join(',')]],
  ['in repeated flags', ['--status', 'pending', '--status', 'retrying', '--status', 'failed', '--event', BOTH[0], '--event', BOTH[1]]],
] as const)('deliveries list and tail take values %s', async ([, filters]) => {
  const args = filters.map(String);
  expect(await listEvents('webhooks', 'deliveries', 'list', 'Down', ...args)).toEqual(BOTH);
  const { stdout } = await shop.home.run(['webhooks', 'deliveries', 'tail', '--no-follow', '--webhook-id', 'Down', ...args]);
  const tailed = stdout.split('\n').map((line) => (JSON.parse(line) as Row).eventType);
  expect(tailed.toSorted()).toEqual(BOTH);
});

test('deliveries list --filter prints what matches the query of all pages, and names the position of a mistake in it', async () => {
  const list = ['webhooks', 'deliveries', 'list', 'Down', '--filter'];
  expect(await listEvents(...list, 'event:contact.* since:1h')).toEqual(['contact.created']);
  expect(await listEvents(...list, '!contact', '--limit', '1')).toEqual(['inventory.item.created']);
  expect(await listEvents(...list, 'status:delivered')).toEqual([]);
  const { exit, stderr } = await shop.home.run([...list, 'event:x took:>1s']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('Invalid --filter: at 9: no field "took"; there are event, status, http,')]);
});

test('webhooks list takes several statuses', async () => {
  const { data } = await json('webhooks', 'list', '--status', 'active,paused');
  expect((data as { name: string }[]).map(({ name }) => name).toSorted()).toEqual(NAMES);
  expect((await json('webhooks', 'list', '--status', 'disabled', '--status', 'paused')).data).toHaveLength(1);
});

test('a repeated list flag of any command adds its values', async () => {
  const { data } = await json('items', 'list', '--item-type', 'material', '--item-type', 'product');
  expect(data).toHaveLength(1);
});

test('an unknown value is named', async () => {
  const { exit, stderr } = await shop.home.run(['webhooks', 'deliveries', 'list', 'Down', '--status', 'failed,done']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('Invalid --status "done"')]);
});

test('lists show times to the second, the endpoint and the end of the id, which show and resend accept', async () => {
  const [{ id }] = (await json('webhooks', 'deliveries', 'list', 'Down', '--event', 'contact.created')).data as [{ id: string }];
  const list = await shop.home.run(['webhooks', 'deliveries', 'list', 'Down'], { columns: 80 });
  expect(list.stdout).toMatch(/^TIME +EVENT TYPE +STATUS.* DELIVERY.*\n[\d-]* ?\d\d:\d\d:\d\d +/u);
  const end = id.slice(-8);
  expect(list.stdout).toContain(end);
  // At a real terminal, because a tail needs a process of its own.
  const { stdout } = await shop.home.terminal(['webhooks', 'deliveries', 'tail', '--no-follow', '--event', 'contact.created']);
  expect(stdout).toMatch(/^TIME +EVENT TYPE +WEBHOOK +STATUS +RESULT +DELIVERY/mu);
  expect(stdout).toMatch(new RegExp(`\\d\\d:\\d\\d +contact.created +Down .* ${end}`, 'u'));
  expect((await json('webhooks', 'deliveries', 'show', end)).data).toMatchObject({ id });
  expect((await json('webhooks', 'deliveries', 'resend', end)).data).toMatchObject({ id });
  expect(await shop.home.run(['webhooks', 'deliveries', 'show', 'abcdef0'])).toMatchObject({
    exit: 3,
    stderr: expect.stringContaining('No delivery has an id that ends in abcdef0'),
  });
});

test.for([
  ['zzzz', 'No delivery with id "zzzz"'],
  ['abcd', 'No delivery with id "abcd"'],
  ['abcdef0', 'No delivery has an id that ends in abcdef0'],
  ['0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e', 'There is no delivery 0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e.'],
] as const)(
  'deliveries show and resend say for the unknown id %s how to list deliveries and how much of an id they need',
  async ([id, message]) => {
    for (const command of ['show', 'resend']) {
      const { exit, stderr } = await shop.home.run(['webhooks', 'deliveries', command, id]);
      expect([exit, stderr], command).toEqual([3, expect.stringContaining(`Error: ${message}\n`)]);
      expect(stderr).toMatch(/^Hint: .*deliveries tail --no-follow`; the last 6 characters of an id identify it$/mu);
    }
  },
);
