/** The commands of webhooks as somebody types them, against a real daemon and real receivers. */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RUN } from '../support/cli.ts';
import { startReceiver } from '../support/receiver.ts';
import { type Shop, openShop } from '../support/shop.ts';

let shop: Shop;
beforeAll(async () => {
  shop = await openShop([], ['--webhook-retries', '1,1,1']);
});
afterAll(() => shop[Symbol.asyncDispose]());

const json = async (...args: string[]) => {
  const { exit, body, stderr } = await shop.home.json(args);
  expect({ exit, stderr }, args.join(' ')).toMatchObject({ exit: 0 });
  return body;
};
const create = (url: string, ...more: string[]) =>
  json('webhooks', 'create', '--name', 'Shop', '--target-url', url, '--event', 'inventory.item.created', ...more);

/** The lines that a running command prints, as objects, one after the other; always read, so that the command can end. */
function linesOf(child: ReturnType<Shop['home']['spawn']>): { next(): Promise<Record<string, unknown>> } {
  const came: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const first = waiting.shift();
    if (first) first(line);
    else came.push(line);
  });
  return {
    async next() {
      const line = came.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)));
      return JSON.parse(line) as Record<string, unknown>;
    },
  };
}
const saying = (child: ReturnType<Shop['home']['spawn']>, text: string) =>
  new Promise<void>((resolve) => {
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes(text)) resolve();
    });
  });

test('an endpoint from its creation to its end', async () => {
  const { data, signingSecret } = await create('http://127.0.0.1:9/');
  expect(signingSecret).toMatch(/^[0-9a-f]{64}$/u);
  expect((await json('webhooks', 'get', data.id)).data).toEqual(data);
  const listed = await shop.home.run(['webhooks', 'list', '-o', 'id']);
  expect(listed.stdout.split('\n')).toContain(data.id);
  expect((await json('webhooks', 'update', data.id, '--status', 'paused', '--event', 'order.created')).data).toMatchObject({
    status: 'paused',
    subscribedEvents: ['order.created'],
  });
  const rotated = await json('webhooks', 'rotate-secret', data.id);
  expect(rotated.signingSecret).toMatch(/^[0-9a-f]{64}$/u);
  expect(rotated.signingSecret).not.toBe(signingSecret);
  expect((await json('webhooks', 'end-overlap', data.id)).data.id).toBe(data.id);
  expect((await shop.home.run(['webhooks', 'delete', data.id, '--yes'])).exit).toBe(0);
  expect((await shop.home.run(['webhooks', 'get', data.id])).exit).toBe(3);
});

test('test, trigger, deliveries, show and resend', async () => {
  await using receiver = await startReceiver(500);
  const { data } = await create(receiver.url);
  const refused = await shop.home.json(['webhooks', 'test', data.id]);
  expect([refused.exit, refused.body.data.ok, refused.body.data.httpStatus]).toEqual([9, false, 500]);
  const [check] = receiver.received;
  expect(check?.headers['x-service-event']).toBe('webhook.test');
  expect(check?.headers['x-service-signature']).toBeUndefined();
  expect((await json('webhooks', 'deliveries', data.id)).data).toEqual([]);

  const triggered = (await json('webhooks', 'trigger', 'inventory.item.created', '--set', 'name=Nut')).data;
  expect(triggered).toMatchObject({ event: 'inventory.item.created', deliveries: 1 });
  await receiver.count(1 + 4);
  await expect.poll(async () => (await json('webhooks', 'deliveries', data.id)).data[0].status).toBe('failed');
  const [delivery] = (await json('webhooks', 'deliveries', data.id, '--status', 'failed')).data;
  expect(delivery).toMatchObject({ attempts: 4, lastError: 'http_500', eventType: 'inventory.item.created' });
  const shown = (await json('webhooks', 'deliveries', 'show', delivery.id)).data;
  expect(shown.history).toHaveLength(4);
  const last = receiver.received.at(-1);
  expect(JSON.parse(shown.request.body)).toMatchObject({ data: { name: 'Nut', eventId: triggered.eventId } });
  expect([shown.request.body, shown.request.headers['X-Service-Signature']]).toEqual([last?.body, last?.headers['x-service-signature']]);

  const { stdout: screen } = await shop.home.terminal(['webhooks', 'deliveries', 'show', delivery.id]);
  for (const line of screen.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  expect(screen).toContain(`\nPOST ${receiver.url}\n`);
  expect(screen).toMatch(/^ {2}X-Service-Event {8}inventory\.item\.created$/mu);
  expect(screen).toMatch(/^ {2}X-Service-Signature\n {4}v1=[\da-f]{64}$/mu);
  expect(screen).toMatch(/^ {4}"name": "Nut",?$/mu);
  expect(screen).toMatch(/\nTRY +AT +HTTP STATUS +MILLISECONDS +ERROR\n(?: +\d  [\d-]{10} [\d:]{8} +500 +\d+  http_500\n?){4}$/u);
  const columns = await shop.home.terminal(['webhooks', 'deliveries', 'show', delivery.id, '--columns', 'id,request.url']);
  expect(columns.stdout.split('\n')).toHaveLength(2);

  expect(shown.request.asSent).toBe(true);
  await json('webhooks', 'rotate-secret', data.id);
  expect((await json('webhooks', 'deliveries', 'show', delivery.id)).data.request.asSent).toBe(false);
  expect((await shop.home.terminal(['webhooks', 'deliveries', 'show', delivery.id])).stdout).toContain(
    `\nPOST ${receiver.url}\n  as the endpoint would get it now; nothing was sent yet, or it was changed since`,
  );

  receiver.answer = 200;
  await json('webhooks', 'deliveries', 'resend', delivery.id);
  await expect.poll(async () => (await json('webhooks', 'deliveries', data.id)).data[0].status).toBe('delivered');
  expect(receiver.received.at(-1)?.headers['x-service-event-id']).toBe(triggered.eventId);
  expect((await json('webhooks', 'deliveries', 'resend', '--failed', '--since', '1h')).data).toEqual([]);
  expect((await shop.home.run(['webhooks', 'trigger', 'bom.created'])).exit).toBe(2);
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});

test('verify says whether a signature holds, and why not', async () => {
  const body = shop.home.path('body.json');
  await writeFile(body, '{"event":"order.created","data":{"eventId":"e"}}');
  const secret = 'ab'.repeat(32);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const hex = execFileSync('openssl', ['dgst', '-sha256', '-mac', 'HMAC', '-macopt', `hexkey:${secret}`], {
    input: `${timestamp}.{"event":"order.created","data":{"eventId":"e"}}`,
  })
    .toString()
    .trim()
    .split(' ')
    .at(-1);
  const verify = (at: string, key: string) =>
    shop.home.json(['webhooks', 'verify', '--body', body, '--timestamp', at, '--signature', `v1=${String(hex)}`], {
      env: { STOCKROOM_SIGNING_SECRET: key },
    });
  expect((await verify(timestamp, secret)).body.data).toEqual({ verified: true, event: 'order.created', eventId: 'e' });
  const wrong = await verify(timestamp, 'cd'.repeat(32));
  expect([wrong.exit, wrong.body.error.code]).toEqual([9, 'signature_mismatch']);
});

test('verify waits for a body that comes late through a pipe', async () => {
  const args = ['webhooks', 'verify', '--body', '-', '--timestamp', '1774965600', '--signature', 'v1=ab', '--json'];
  const command = `{ sleep 1; echo '{}'; } | '${process.execPath}' '${RUN}' ${args.join(' ')}`;
  const env = { ...shop.home.env, STOCKROOM_SIGNING_SECRET: 'ab'.repeat(32) };
  const { exitCode, stdout } = await execa('sh', ['-c', command], { env, extendEnv: false, reject: false });
  expect(exitCode).toBe(9);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'signature_mismatch' } });
});

test('resend without a delivery and without --failed is refused before anything is asked', async () => {
  const { exit, stderr } = await shop.home.run(['webhooks', 'deliveries', 'resend']);
  expect(exit).toBe(2);
  expect(stderr).toBe('Error: name a delivery, or use --failed --since');
});

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
  const gone = saying(tail, 'the daemon is gone');
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

test('listen forwards each event once, also those it missed after a kill', async () => {
  await using receiver = await startReceiver();
  const listen = (...more: string[]) =>
    shop.home.spawn(['webhooks', 'listen', '--forward-to', receiver.url, '--events', 'inventory.item.created', '--json', ...more]);
  const names = () => receiver.received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name).toSorted();
  const trigger = (name: string) => json('webhooks', 'trigger', 'inventory.item.created', '--set', `name=${name}`);

  const first = listen();
  const lines = linesOf(first);
  await saying(first, 'listening');
  await trigger('a');
  const heard = await lines.next();
  expect(heard).toMatchObject({ event: 'inventory.item.created', attempt: 1, verified: true, forwarded: 200, data: { name: 'a' } });
  await receiver.count(1);
  first.kill('SIGKILL');
  await first;
  for (const name of ['b', 'c', 'd']) await trigger(name);

  const second = listen('--since', 'last');
  await saying(second, 'listening');
  await trigger('e');
  await receiver.count(5);
  second.kill('SIGINT');
  expect((await second).exitCode).toBe(130);
  expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect((await json('webhooks', 'list')).data).toEqual([]);

  await trigger('f');
  const third = listen('--since', 'last');
  await saying(third, 'listening');
  await receiver.count(6);
  third.kill('SIGTERM');
  await third;
  expect(names()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test('listen goes on after a receiver that answers with another protocol', async () => {
  await using receiver = await startReceiver(
    (response) => void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n'),
  );
  const child = shop.home.spawn(['webhooks', 'listen', '--forward-to', receiver.url, '--events', 'inventory.item.created', '--json']);
  const lines = linesOf(child);
  await saying(child, 'listening');
  await json('webhooks', 'trigger', 'inventory.item.created');
  expect(await lines.next()).toMatchObject({ event: 'inventory.item.created', attempt: 1, forwarded: 0 });
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
});

/** The daemon of the shop, as a service of which only the address is known. */
const elsewhere = () => ['--url', shop.daemon.url ?? ''];
const freePort = async () => {
  const receiver = await startReceiver();
  const { port } = new URL(receiver.url);
  await receiver[Symbol.asyncDispose]();
  return port;
};

test('listen receives from a service elsewhere through a public address, and takes over the endpoint of a run that was killed', async () => {
  await using receiver = await startReceiver();
  const port = await freePort();
  const listen = (...more: string[]) =>
    shop.home.spawn(
      ['webhooks', 'listen', ...elsewhere(), '--public-url', `http://127.0.0.1:${port}/`, '--port', port].concat(
        ['--forward-to', receiver.url, '--events', 'inventory.item.created', '--json'],
        more,
      ),
    );
  const trigger = (name: string) => json('webhooks', 'trigger', 'inventory.item.created', '--set', `name=${name}`);
  const names = () => receiver.received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name).toSorted();

  const first = listen();
  const lines = linesOf(first);
  await saying(first, 'listening');
  await trigger('far');
  expect(await lines.next()).toMatchObject({ event: 'inventory.item.created', verified: true, forwarded: 200, data: { name: 'far' } });
  const [endpoint] = (await json('webhooks', 'list')).data;
  first.kill('SIGKILL');
  await first;
  await trigger('missed');

  const second = listen('--since', 'last');
  const more = linesOf(second);
  await saying(second, 'the endpoint of the last run');
  expect(await more.next()).toMatchObject({ verified: true, forwarded: 200, data: { name: 'missed' } });
  expect((await json('webhooks', 'list')).data).toMatchObject([{ id: endpoint.id, status: 'active' }]);
  second.kill('SIGINT');
  expect((await second).exitCode).toBe(130);
  expect(names()).toEqual(['far', 'missed']);
  expect((await json('webhooks', 'list')).data).toEqual([]);
});

test('listen without a public address tells what a service elsewhere says of its deliveries, and refuses to forward them', async () => {
  const refused = await shop.home.run(['webhooks', 'listen', ...elsewhere(), '--forward-to', 'http://127.0.0.1:9/']);
  expect(refused).toMatchObject({ exit: 2, stdout: '' });
  expect(refused.stderr).toContain('--public-url');
  expect(await shop.home.run(['webhooks', 'listen', ...elsewhere(), '--port', '4100'])).toMatchObject({ exit: 2, stdout: '' });

  const { data } = await create('http://127.0.0.1:9/', '--status', 'paused');
  await json('webhooks', 'trigger', 'inventory.item.created');
  const child = shop.home.spawn(['webhooks', 'listen', ...elsewhere(), '--json']);
  const lines = linesOf(child);
  await saying(child, 'public API');
  await json('webhooks', 'trigger', 'inventory.item.created');
  const line = await lines.next();
  expect(line).toMatchObject({ event: 'inventory.item.created', eventId: null, verified: null, data: null, forwarded: null });
  expect((await json('webhooks', 'deliveries', 'show', String(line['deliveryId']))).data.webhookId).toBe(data.id);
  child.kill('SIGTERM');
  expect((await child).signal).toBe('SIGTERM');
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});

test('listening to a service elsewhere does not forget what a killed run here has left to do', async () => {
  await using receiver = await startReceiver();
  const listen = (...more: string[]) => shop.home.spawn(['webhooks', 'listen', '--events', 'inventory.item.created', '--json', ...more]);
  const first = listen('--forward-to', receiver.url);
  await saying(first, 'listening');
  first.kill('SIGKILL');
  await first;
  await json('webhooks', 'trigger', 'inventory.item.created', '--set', 'name=missed');

  const other = listen(...elsewhere());
  await saying(other, 'public API');
  other.kill('SIGTERM');
  await other;

  const second = listen('--forward-to', receiver.url, '--since', 'last');
  await receiver.count(1);
  expect(receiver.received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name)).toEqual(['missed']);
  second.kill('SIGINT');
  await second;
  expect((await json('webhooks', 'list')).data).toEqual([]);
});

test('two listeners at once hear both, and what a killed one of them leaves behind goes with the next start', async () => {
  const listen = (event: string, ...more: string[]) => shop.home.spawn(['webhooks', 'listen', '--events', event, '--json', ...more]);
  const endpoints = async () => (await json('webhooks', 'list')).data.length as number;
  const first = listen('inventory.item.created');
  const heard = linesOf(first);
  await saying(first, 'listening');
  const second = listen('order.created');
  const more = linesOf(second);
  await saying(second, 'listening');
  await json('webhooks', 'trigger', 'inventory.item.created');
  await json('webhooks', 'trigger', 'order.created');
  expect(await heard.next()).toMatchObject({ event: 'inventory.item.created', verified: true });
  expect(await more.next()).toMatchObject({ event: 'order.created', verified: true });

  const refused = await shop.home.run(['webhooks', 'listen', '--since', 'last']);
  expect([refused.exit, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain(`process ${String(first.pid)} is listening`);
  expect(await endpoints()).toBe(2);

  for (const child of [first, second]) child.kill('SIGKILL');
  await Promise.all([first, second]);
  expect(await endpoints()).toBe(2);
  const last = listen('order.created');
  await saying(last, 'listening');
  expect(await endpoints()).toBe(1);
  last.kill('SIGINT');
  expect((await last).exitCode).toBe(130);
  expect(await endpoints()).toBe(0);
});

test('the clock of the service counts where it has been moved', async () => {
  await using own = await openShop([], ['--webhook-retries', '1']);
  await using receiver = await startReceiver(500);
  const run = async (...args: string[]) => {
    const { exit, body, stderr } = await own.home.json(args);
    expect({ exit, stderr }, args.join(' ')).toMatchObject({ exit: 0 });
    return body;
  };
  const trigger = async () => (await run('webhooks', 'trigger', 'inventory.item.created')).data.eventId as string;
  const { data } = await run('webhooks', 'create', '--name', 'Shop', '--target-url', receiver.url, '--event', 'inventory.item.created');
  const early = await trigger();
  await expect.poll(async () => (await run('webhooks', 'deliveries', data.id)).data[0].status, { timeout: 10_000 }).toBe('failed');
  await run('clock', 'advance', '3h');
  const resent = async (since: string) => (await run('webhooks', 'deliveries', 'resend', '--failed', '--since', since)).data as unknown[];
  expect(await resent('1h')).toEqual([]);

  receiver.answer = 200;
  const late = await trigger();
  await expect.poll(async () => (await run('webhooks', 'deliveries', data.id, '--status', 'delivered')).data.length).toBe(1);
  const tailed = async (...more: string[]) => {
    const { stdout } = await own.home.run(['webhooks', 'deliveries', 'tail', '--json', ...more]);
    return stdout.split('\n').map((line) => (JSON.parse(line) as { eventId: string }).eventId);
  };
  expect(await tailed('--since', '1h', '--limit', '1')).toEqual([late]);
  expect(await tailed('--since', '4h', '--limit', '2')).toEqual([early, late]);
  expect(await resent('4h')).toMatchObject([{ eventId: early }]);

  const listener = own.home.spawn(['webhooks', 'listen', '--events', 'inventory.item.created', '--json']);
  const lines = linesOf(listener);
  await saying(listener, 'listening');
  const heard = async (eventId: string) => expect(await lines.next()).toMatchObject({ eventId, verified: true });
  await heard(await trigger());
  await run('clock', 'advance', '2h');
  await heard(await trigger());
  await run('clock', 'reset');
  await heard(await trigger());
  listener.kill('SIGINT');
  await listener;
});

test('listen on a port that is taken is one sentence', async () => {
  await using taken = await startReceiver();
  const { port } = new URL(taken.url);
  const before = (await json('webhooks', 'list')).data;
  const { exit, stdout, stderr } = await shop.home.run(['webhooks', 'listen', '--port', port]);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  expect(stderr).toContain(`port ${port} is taken`);
  expect((await json('webhooks', 'list')).data).toEqual(before);
});

test('listen ends when the service refuses its endpoint, and when it cannot be told to remove it', async () => {
  const reader = (await json('keys', 'create', '--scope', 'webhooks:read')).secret as string;
  const refused = await shop.home.run(['webhooks', 'listen'], { env: { STOCKROOM_API_KEY: reader } });
  expect(refused.exit).toBe(4);
  expect(refused.stderr).toContain('webhooks:write');

  await using own = await openShop();
  const child = own.home.spawn(['webhooks', 'listen']);
  await saying(child, 'listening');
  await own.home.run(['daemon', 'stop']);
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(7);
});

test('listen removes its endpoint also when its terminal is closed, and when its reader has seen enough', async () => {
  const endpoints = async () => (await json('webhooks', 'list')).data.length as number;
  const before = await endpoints();
  const closed = shop.home.spawn(['webhooks', 'listen']);
  await saying(closed, 'listening');
  closed.kill('SIGHUP');
  expect((await closed).exitCode).toBe(129);
  expect(await endpoints()).toBe(before);

  const read = shop.home.spawn(['webhooks', 'listen', '--events', 'order.created']);
  await saying(read, 'listening');
  read.stdout?.destroy();
  await json('webhooks', 'trigger', 'order.created');
  expect((await read).exitCode).toBe(0);
  expect(await endpoints()).toBe(before);
});
