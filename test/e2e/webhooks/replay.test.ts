/** `webhooks deliveries replay`: preview, confirmation, progress and result. */
import { expect, onTestFinished, test } from 'vitest';
import { useShop } from '../../support/cli/shared-daemon.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';

const { shop, json } = useShop();

async function addDelivered(name: string) {
  const receiver = await startReceiver();
  onTestFinished(() => receiver[Symbol.asyncDispose]());
  await json(
    'webhooks',
    'create',
    '--name',
    name,
    '--target-url',
    receiver.url,
    '--event',
    'contact.created',
    '--event',
    'contact.updated',
  );
  const { data } = await json('contacts', 'create', '--name', 'Ana');
  await json('contacts', 'update', data.id as string, '--phone', '1');
  const list = async () => (await json('webhooks', 'deliveries', 'list', name)).data as { status: string }[];
  await expect.poll(async () => (await list()).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  return receiver;
}

const replay = (name: string, ...more: string[]) => ['webhooks', 'deliveries', 'replay', name, '--since', '1h', ...more];

test('a dry run shows what matches, and sends nothing', async () => {
  const receiver = await addDelivered('Preview');
  const { stdout, stderr } = await shop.home.run([...replay('Preview', '--status', 'delivered', '--dry-run'), '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ data: { selected: 2, sent: 0, statuses: ['delivered'] } });
  expect(stderr).toContain('Would resend 2 deliveries to Preview, recorded from ');
  expect((await json(...replay('Preview', '--dry-run'))).data).toMatchObject({ selected: 0 });
  expect(receiver.received).toHaveLength(2);
});

test('a replay waits for its end, prints it, and names it for cancelling', async () => {
  const receiver = await addDelivered('Whole');
  const { exit, stdout, stderr } = await shop.home.run([
    ...replay('Whole', '--status', 'delivered', '--event', 'contact.updated'),
    '--json',
  ]);
  expect([exit, JSON.parse(stdout)]).toMatchObject([0, { data: { state: 'completed', selected: 1, sent: 1, failed: 0 } }]);
  const { id } = (JSON.parse(stdout) as { data: { id: string } }).data;
  expect(stderr).toContain(`webhooks replays cancel Whole ${id}`);
  expect(receiver.received).toHaveLength(3);
  expect((await json('webhooks', 'replays', 'get', 'Whole', id)).data).toMatchObject({ id, state: 'completed' });
  expect((await shop.home.run(['webhooks', 'replays', 'cancel', 'Whole', id, '--yes'])).exit).toBe(0);
  expect((await shop.home.run(['webhooks', 'replays', 'get', 'Whole', id])).exit).toBe(3);
});

test('a replay with failed deliveries exits with 8, and says why and what to do next', async () => {
  const receiver = await addDelivered('Broken');
  receiver.answer = 500;
  const { exit, stdout, stderr } = await shop.home.run([...replay('Broken', '--status', 'delivered'), '--json']);
  expect([exit, JSON.parse(stdout)]).toMatchObject([8, { data: { state: 'completed', sent: 0, failed: 2 } }]);
  expect(stderr).toMatch(/2 of 2 deliveries failed: http_500\. Show them with `.*stockroom webhooks deliveries list Broken`, and replay/u);
});
