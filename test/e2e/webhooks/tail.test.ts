/** `webhooks deliveries tail`: past deliveries, then new ones, without gaps. */
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { RUN } from '../../support/cli/home.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { openShop } from '../../support/cli/running-daemon.ts';
import { getLines, saying } from '../../support/cli/command-output.ts';
import { useShop } from '../../support/cli/shared-daemon.ts';

const { create, json, shop } = useShop();

test('deliveries tail prints past deliveries, then new ones', async () => {
  await using receiver = await startReceiver();
  const { data } = await create(receiver.url);
  await json('webhooks', 'trigger', 'inventory.item.created');
  await receiver.count(1);
  await expect.poll(async () => (await json('webhooks', 'deliveries', 'list', data.id)).data[0].status).toBe('delivered');
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
  const lines = getLines(tail);
  expect(await lines.next()).toMatchObject({ status: 'delivered', webhookId: data.id, attempts: 1 });
  await json('webhooks', 'trigger', 'inventory.item.created');
  expect(await lines.next()).toMatchObject({ status: 'delivered', webhookId: data.id });
  tail.kill('SIGINT');
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});

test('deliveries tail ends after --limit lines, even if all are past deliveries', async () => {
  const { data } = await create('http://127.0.0.1:9/', '--status', 'paused');
  await json('webhooks', 'trigger', 'inventory.item.created');
  const tail = ['webhooks', 'deliveries', 'tail', '--since', '1h', '--limit', '1', '--webhook-id', data.id, '--json'];
  const { exit, stdout } = await shop.home.run(tail);
  expect([exit, JSON.parse(stdout)]).toMatchObject([0, { status: 'pending', webhookId: data.id }]);
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});

test('deliveries tail --no-follow prints the recorded deliveries and exits, also of a remote service', async () => {
  const { data } = await create('http://127.0.0.1:9/', '--status', 'paused');
  await json('webhooks', 'trigger', 'inventory.item.created');
  const tail = ['webhooks', 'deliveries', 'tail', '--no-follow', '--webhook-id', data.id, '--json'];
  for (const env of [{}, shop.remoteEnv]) {
    const { exit, stdout, stderr } = await shop.home.run(tail, { env });
    expect([exit, stderr, JSON.parse(stdout)]).toMatchObject([0, '', { status: 'pending', webhookId: data.id }]);
    expect(await shop.home.run([...tail, '--since', '2099-01-01T00:00:00Z'], { env })).toEqual({ exit: 0, stdout: '', stderr: '' });
  }
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});

test('deliveries tail --filter prints what matches the query, and names the position of a mistake in it', async () => {
  const { data } = await create('http://127.0.0.1:9/', '--status', 'paused');
  await json('webhooks', 'trigger', 'inventory.item.created');
  const tail = ['webhooks', 'deliveries', 'tail', '--no-follow', '--json', '--filter'];
  const own = `endpoint:${String(data.id)}`;
  const { stdout } = await shop.home.run([...tail, `event:inventory.* status:pending ${own} since:1h`]);
  expect(JSON.parse(stdout)).toMatchObject({ status: 'pending', webhookId: data.id });
  expect(await shop.home.run([...tail, `${own} http:5xx`])).toEqual({ exit: 0, stdout: '', stderr: '' });
  const mistaken = await shop.home.json(['webhooks', 'deliveries', 'tail', '--filter', 'shop took:slow']);
  expect(mistaken.body.error).toMatchObject({
    exit: 2,
    message: expect.stringMatching(/^Invalid --filter: at 6: took: takes a duration/u) as string,
  });
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});

test.runIf(process.platform === 'linux')('commands that follow something end when the reader of their output closes the pipe', async () => {
  const { data } = await create('http://127.0.0.1:9/', '--status', 'paused');
  await json('webhooks', 'trigger', 'inventory.item.created');
  for (const [command, reader] of [
    [`webhooks deliveries tail --since 1h --webhook-id ${data.id as string}`, 'head -n 1'],
    ['webhooks listen --event order.created 2>&1', 'grep -m 1 Listening'],
    ['daemon logs -f -n 1', 'head -n 1'],
  ] as const) {
    const pipeline = `'${process.execPath}' '${RUN}' ${command} | ${reader}`;
    const options = { env: shop.home.env, extendEnv: false, cwd: shop.home.directory } as const;
    expect((await execa('sh', ['-c', pipeline], options)).stdout.split('\n'), command).toHaveLength(1);
  }
  expect((await json('webhooks', 'list', '--status', 'active')).data).toEqual([]);
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});

test('deliveries tail continues after a restart of the daemon, without gaps or duplicates', async () => {
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
  await expect.poll(async () => (await run('webhooks', 'deliveries', 'list', data.id)).data[0].status).toBe('delivered');
  const tail = own.home.spawn(['webhooks', 'deliveries', 'tail', '--status', 'delivered', '--json']);
  const lines = getLines(tail);
  const following = saying(tail, 'Following');
  const gone = saying(tail, `The daemon at ${own.daemon.url ?? ''} does not respond; reconnecting`);
  const back = saying(tail, 'Reconnected');
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

test('deliveries tail misses nothing when a crash sets back the service clock', async () => {
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
  const lines = getLines(tail);
  const back = saying(tail, 'Reconnected');
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

test('deliveries tail uses the public API of a remote service, and reports that', async () => {
  const { data } = await create('http://127.0.0.1:9/', '--status', 'paused');
  await json('webhooks', 'trigger', 'inventory.item.created');
  const tail = shop.home.spawn(['webhooks', 'deliveries', 'tail', '--webhook-id', data.id, '--json'], { env: shop.remoteEnv });
  const lines = getLines(tail);
  await saying(tail, 'Polling the API');
  const { eventId } = (await json('webhooks', 'trigger', 'inventory.item.created')).data;
  const line = await lines.next();
  expect(line).toMatchObject({ status: 'pending', webhookId: data.id });
  expect((await json('webhooks', 'deliveries', 'show', String(line['id']))).data.eventId).toBe(eventId);
  tail.kill('SIGINT');
  await tail;
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});
