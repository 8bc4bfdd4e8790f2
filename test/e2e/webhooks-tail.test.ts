/** `webhooks deliveries tail` against a real daemon: what was, then what happens, without a gap. */
import { expect, test } from 'vitest';
import { startReceiver } from '../support/receiver.ts';
import { openShop } from '../support/shop.ts';
import { linesOf, saying } from '../support/running.ts';
import { create, json, shop } from '../support/webhook-shop.ts';

test('tail tells what was, then what happens', async () => {
  await using receiver = await startReceiver();
  const { data } = await create(receiver.url);
  await json('webhooks', 'trigger', 'inventory.item.created');
  await receiver.count(1);
  await expect.poll(async () => (await json('webhooks', 'deliveries', data.id)).data[0].status).toBe('delivered');
  const tail = shop.home.spawn([
    'webhooks',
    'deliveries',
    'tail',
    '--since',
    '1h',
    '--webhook-id',
    data.id,
    '--status',
    'delivered',
    '--json',
  ]);
  const lines = linesOf(tail);
  expect(await lines.next()).toMatchObject({ status: 'delivered', webhookId: data.id, attempts: 1 });
  await json('webhooks', 'trigger', 'inventory.item.created');
  expect(await lines.next()).toMatchObject({ status: 'delivered', webhookId: data.id });
  tail.kill('SIGINT');
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});

test('tail ends after --limit lines, also when all of them are of the past', async () => {
  const { data } = await create('http://127.0.0.1:9/', '--status', 'paused');
  await json('webhooks', 'trigger', 'inventory.item.created');
  const tail = ['webhooks', 'deliveries', 'tail', '--since', '1h', '--limit', '1', '--webhook-id', data.id, '--json'];
  const { exit, stdout } = await shop.home.run(tail);
  expect([exit, JSON.parse(stdout)]).toMatchObject([0, { status: 'pending', webhookId: data.id }]);
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});

test('tail goes on without a gap and without a repetition when the daemon restarts', async () => {
  await using own = await openShop([], ['--webhook-retries', '1,1,1']);
  await using receiver = await startReceiver();
  const run = async (...args: string[]) => {
    const { exit, body, stderr } = await own.home.json(args);
    expect({ exit, stderr }, args.join(' ')).toMatchObject({ exit: 0 });
    return body;
  };
  const { data } = await run('webhooks', 'create', '--name', 'Shop', '--target-url', receiver.url, '--event', 'inventory.item.created');
  const trigger = async () => (await run('webhooks', 'trigger', 'inventory.item.created')).data.eventId as string;
  const before = await trigger();
  await receiver.count(1);
  await expect.poll(async () => (await run('webhooks', 'deliveries', data.id)).data[0].status).toBe('delivered');
  const tail = own.home.spawn(['webhooks', 'deliveries', 'tail', '--status', 'delivered', '--json']);
  const lines = linesOf(tail);
  const following = saying(tail, 'following');
  const gone = saying(tail, 'the daemon does not answer');
  const back = saying(tail, 'connected again');
  await following;
  await trigger();
  const heard = [(await lines.next())['eventId']];
  expect((await own.home.run(['daemon', 'restart'])).exit).toBe(0);
  // Before the tail has found the new daemon.
  const meanwhile = [await trigger(), await trigger()];
  await gone;
  await back;
  const live = await trigger();
  for (let count = 0; count < 3; count += 1) heard.push((await lines.next())['eventId']);
  expect(new Set(heard.slice(1, 3))).toEqual(new Set(meanwhile));
  expect(heard[3]).toBe(live);
  expect(new Set(heard).size).toBe(4);
  expect(heard).not.toContain(before);
  tail.kill('SIGINT');
  await tail;
});

test('tail misses nothing when a crash puts the clock of the service back', async () => {
  await using own = await openShop();
  const run = async (...args: string[]) => {
    const { exit, body, stderr } = await own.home.json(args);
    expect({ exit, stderr }, args.join(' ')).toMatchObject({ exit: 0 });
    return body;
  };
  const trigger = async () => (await run('webhooks', 'trigger', 'inventory.item.created')).data.eventId as string;
  const endpoint = ['--target-url', 'http://127.0.0.1:9/', '--event', 'inventory.item.created', '--status', 'paused'];
  await run('webhooks', 'create', '--name', 'Shop', ...endpoint);
  await run('clock', 'advance', '24h');
  const tail = own.home.spawn(['webhooks', 'deliveries', 'tail', '--since', '1h', '--json']);
  const lines = linesOf(tail);
  const back = saying(tail, 'connected again');
  const before = await trigger();
  expect((await lines.next())['eventId']).toBe(before);
  // It must not be back before something has happened.
  tail.kill('SIGSTOP');
  process.kill(own.daemon.pid ?? 0, 'SIGKILL');
  await own.home.start();
  const meanwhile = await trigger();
  tail.kill('SIGCONT');
  await back;
  const live = await trigger();
  expect([(await lines.next())['eventId'], (await lines.next())['eventId']]).toEqual([meanwhile, live]);
  tail.kill('SIGINT');
  await tail;
});

test('tail asks a service that is elsewhere over its public API, and says so', async () => {
  const { data } = await create('http://127.0.0.1:9/', '--status', 'paused');
  await json('webhooks', 'trigger', 'inventory.item.created');
  const tail = shop.home.spawn(['webhooks', 'deliveries', 'tail', '--url', shop.daemon.url ?? '', '--webhook-id', data.id, '--json']);
  const lines = linesOf(tail);
  await saying(tail, 'public API');
  const { eventId } = (await json('webhooks', 'trigger', 'inventory.item.created')).data;
  const line = await lines.next();
  expect(line).toMatchObject({ status: 'pending', webhookId: data.id });
  expect((await json('webhooks', 'deliveries', 'show', String(line['id']))).data.eventId).toBe(eventId);
  tail.kill('SIGINT');
  await tail;
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});
