/** `webhooks listen` against real daemons: forwarding, and cleanup however it ends. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { installTools } from '../../support/cli/command-tools.ts';
import { openTerminal } from '../../support/cli/terminal.ts';
import { EVENT_MAX_BYTES } from '../../../src/contract/limits.ts';
import { verifyWebhook } from '../../../src/webhook-verifier/verify.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { openShop } from '../../support/cli/running-daemon.ts';
import { getLines, saying } from '../../support/cli/command-output.ts';
import { useShop } from '../../support/cli/shared-daemon.ts';

const { create, json, shop } = useShop();

test('listen forwards each event once, including those missed after a kill', async () => {
  await using receiver = await startReceiver();
  const listen = (...more: string[]) =>
    shop.home.spawn(['webhooks', 'listen', '--forward-to', receiver.url, '--events', 'inventory.item.created', '--json', ...more]);
  const names = () => receiver.received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name).toSorted();
  const trigger = (name: string) => json('webhooks', 'trigger', 'inventory.item.created', '--set', `name=${name}`);

  const first = listen();
  const lines = getLines(first);
  await saying(first, 'Listening for');
  await trigger('a');
  const heard = await lines.next();
  expect(heard).toMatchObject({ event: 'inventory.item.created', attempt: 1, verified: true, forwarded: 200, data: { name: 'a' } });
  await receiver.count(1);
  const delivery = async () => (await json('webhooks', 'deliveries', 'show', String(heard['deliveryId']))).data;
  await expect.poll(async () => (await delivery()).status).toBe('delivered');
  first.kill('SIGKILL');
  await first;
  for (const name of ['b', 'c', 'd']) await trigger(name);

  const second = listen('--since', 'last');
  await saying(second, 'Listening for');
  await trigger('e');
  await receiver.count(5);
  second.kill('SIGINT');
  expect((await second).exitCode).toBe(130);
  expect(names()).toEqual(['a', 'b', 'c', 'd', 'e']);
  const [endpoint, ...others] = (await json('webhooks', 'list')).data;
  expect([endpoint.status, others]).toEqual(['disabled', []]);
  expect(await delivery()).toMatchObject({ webhookId: endpoint.id, status: 'delivered' });

  await trigger('f');
  const third = listen('--since', 'last');
  await saying(third, 'Listening for');
  await receiver.count(6);
  expect((await json('webhooks', 'list')).data).toMatchObject([{ id: endpoint.id, status: 'active' }]);
  await json('webhooks', 'deliveries', 'resend', String(heard['deliveryId']));
  third.kill('SIGTERM');
  await third;
  expect(names()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  await shop.home.run(['webhooks', 'delete', endpoint.id, '--yes']);
});

test('listen names the command that shows a signing secret, with which a receiver can verify what it forwards', async () => {
  await using receiver = await startReceiver();
  const listener = shop.home.spawn(['webhooks', 'listen', '--forward-to', receiver.url, '--events', 'inventory.item.created', '--json']);
  let notes = '';
  listener.stderr?.on('data', (chunk: Buffer) => (notes += chunk.toString()));
  await saying(listener, 'Listening for');
  const [, id = ''] = /`[^`]*stockroom webhooks rotate-secret (\S+)`/u.exec(notes) ?? [];
  const { signingSecret } = await json('webhooks', 'rotate-secret', id);
  expect(notes).not.toMatch(/[\da-f]{64}/u);
  await json('webhooks', 'trigger', 'inventory.item.created');
  await receiver.count(1);
  const [forwarded] = receiver.received;
  expect(verifyWebhook(forwarded?.body ?? '', forwarded?.headers ?? {}, signingSecret as string).event).toBe('inventory.item.created');
  listener.kill('SIGINT');
  await listener;
  await shop.home.run(['webhooks', 'delete', id, '--yes']);
});

test('listen reuses an endpoint only in the same project', async () => {
  const listen = async (project: string) => {
    await mkdir(shop.home.path(project), { recursive: true });
    const child = shop.home.spawn(['webhooks', 'listen', '--events', 'order.created'], { cwd: shop.home.path(project) });
    await saying(child, 'Listening for');
    const [{ id, name }] = (await json('webhooks', 'list', '--status', 'active')).data;
    child.kill('SIGINT');
    expect((await child).exitCode).toBe(130);
    expect(name).toBe(`${project} (stockroom webhooks listen)`);
    return id as string;
  };
  const [one, two] = [await listen('one'), await listen('two')];
  expect(two).not.toBe(one);
  expect([await listen('one'), await listen('two')]).toEqual([one, two]);
  for (const id of [one, two]) await shop.home.run(['webhooks', 'delete', id, '--yes']);
});

test('listen names its endpoint after the project even if a name must not have the characters or the length of its folder', async () => {
  for (const [folder, name] of [
    ['bell\u0007', 'bell\ufffd (stockroom webhooks listen)'],
    ['x'.repeat(200), `${'x'.repeat(92)} (stockroom webhooks listen)`],
  ] as const) {
    const cwd = shop.home.path(folder);
    await mkdir(cwd);
    const child = shop.home.spawn(['webhooks', 'listen', '--events', 'order.created'], { cwd });
    await saying(child, 'Listening for');
    const [endpoint] = (await json('webhooks', 'list', '--status', 'active')).data;
    expect(endpoint.name).toBe(name);
    child.kill('SIGINT');
    await child;
    await shop.home.run(['webhooks', 'delete', endpoint.id, '--yes']);
  }
});

test('listen at a terminal prints the signing secret, times, records, and why the receiver did not answer', async () => {
  await using terminal = await openTerminal(shop.home, { columns: 100, rows: 30 }, await installTools(shop.home));
  await terminal.write('npx stockroom webhooks listen --forward-to http://127.0.0.1:1/ --events inventory.item.created');
  await terminal.press('Enter');
  await terminal.shows(/Signing secret: [\da-f]{64}$[^]*Listening for/mu, 'the secret');
  await json('webhooks', 'trigger', 'inventory.item.created', '--set', 'sku=BOLT-M6');
  const line = /^\d\d:\d\d:\d\d {2}inventory\.item\.created {2}BOLT-M6 {7}verified {2}→ connection refused$/mu;
  await terminal.shows(line, 'the delivery');
  await terminal.press('C-c');
  expect(await terminal.shows(/ready>\s*$/u, 'the prompt')).toMatch(line);
});

test('listen continues after a receiver responds with another protocol', async () => {
  await using receiver = await startReceiver(
    (response) => void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n'),
  );
  const child = shop.home.spawn(['webhooks', 'listen', '--forward-to', receiver.url, '--events', 'inventory.item.created', '--json']);
  const lines = getLines(child);
  await saying(child, 'Listening for');
  await json('webhooks', 'trigger', 'inventory.item.created');
  expect(await lines.next()).toMatchObject({ event: 'inventory.item.created', attempt: 1, forwarded: 0, forwardError: 'no HTTP response' });
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
});

/** The daemon of the shop, as a service of another machine. */
const elsewhere = () => ({ env: shop.remoteEnv });
/** Unused, and outside the range of ephemeral ports, which other tests use all the time. */
const freePort = async (): Promise<string> => {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return String(port);
  }
};

test('listen receives from a remote service at a public URL, and reuses the endpoint of a killed run', async () => {
  await using receiver = await startReceiver();
  const port = await freePort();
  const listen = (...more: string[]) =>
    shop.home.spawn(
      ['webhooks', 'listen', '--public-url', `http://127.0.0.1:${port}/`, '--port', port].concat(
        ['--forward-to', receiver.url, '--events', 'inventory.item.created', '--json'],
        more,
      ),
      elsewhere(),
    );
  const trigger = (name: string) => json('webhooks', 'trigger', 'inventory.item.created', '--set', `name=${name}`);
  const names = () => receiver.received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name).toSorted();

  const first = listen();
  const lines = getLines(first);
  await saying(first, 'Listening for');
  await trigger('far');
  expect(await lines.next()).toMatchObject({ event: 'inventory.item.created', verified: true, forwarded: 200, data: { name: 'far' } });
  const [endpoint] = (await json('webhooks', 'list', '--status', 'active')).data;
  first.kill('SIGKILL');
  await first;
  await trigger('missed');

  const second = listen('--since', 'last');
  const more = getLines(second);
  await saying(second, 'the deliveries that the last run missed');
  expect(await more.next()).toMatchObject({ verified: true, forwarded: 200, data: { name: 'missed' } });
  expect((await json('webhooks', 'list', '--status', 'active')).data).toMatchObject([{ id: endpoint.id }]);
  second.kill('SIGINT');
  expect((await second).exitCode).toBe(130);
  expect(names()).toEqual(['far', 'missed']);
  expect((await json('webhooks', 'list', '--status', 'active')).data).toEqual([]);
});

test('listen without a public URL shows the deliveries of a remote service, and refuses to forward them', async () => {
  const refused = await shop.home.run(['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:9/'], elsewhere());
  expect(refused).toMatchObject({ exit: 2, stdout: '' });
  expect(refused.stderr).toContain('--public-url');
  expect(await shop.home.run(['webhooks', 'listen', '--port', '4100'], elsewhere())).toMatchObject({ exit: 2, stdout: '' });

  const { data } = await create('http://127.0.0.1:9/', '--status', 'paused');
  await json('webhooks', 'trigger', 'inventory.item.created');
  const child = shop.home.spawn(['webhooks', 'listen', '--json'], elsewhere());
  const lines = getLines(child);
  await saying(child, 'Polling the API');
  await json('webhooks', 'trigger', 'inventory.item.created');
  const line = await lines.next();
  expect(line).toMatchObject({ event: 'inventory.item.created', eventId: null, verified: null, data: null, forwarded: null });
  expect((await json('webhooks', 'deliveries', 'show', String(line['deliveryId']))).data.webhookId).toBe(data.id);
  child.kill('SIGTERM');
  expect((await child).signal).toBe('SIGTERM');
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});

test('listening to a remote service keeps the pending cleanup of a killed local run', async () => {
  await using receiver = await startReceiver();
  const listen = (...more: string[]) => shop.home.spawn(['webhooks', 'listen', '--events', 'inventory.item.created', '--json', ...more]);
  const first = listen('--forward-to', receiver.url);
  await saying(first, 'Listening for');
  first.kill('SIGKILL');
  await first;
  await json('webhooks', 'trigger', 'inventory.item.created', '--set', 'name=missed');

  const other = shop.home.spawn(['webhooks', 'listen', '--json'], elsewhere());
  await saying(other, 'Polling the API');
  other.kill('SIGTERM');
  await other;

  const second = listen('--forward-to', receiver.url, '--since', 'last');
  await receiver.count(1);
  expect(receiver.received.map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name)).toEqual(['missed']);
  second.kill('SIGINT');
  await second;
  expect((await json('webhooks', 'list', '--status', 'active')).data).toEqual([]);
});

test('two concurrent listeners receive their events, and the next start disables the endpoint of a killed one', async () => {
  const listen = (event: string, ...more: string[]) => shop.home.spawn(['webhooks', 'listen', '--events', event, '--json', ...more]);
  const endpoints = async () => (await json('webhooks', 'list', '--status', 'active')).data.length as number;
  const first = listen('inventory.item.created');
  const heard = getLines(first);
  await saying(first, 'Listening for');
  const second = listen('order.created');
  const more = getLines(second);
  await saying(second, 'Listening for');
  await json('webhooks', 'trigger', 'inventory.item.created');
  await json('webhooks', 'trigger', 'order.created');
  expect(await heard.next()).toMatchObject({ event: 'inventory.item.created', verified: true });
  expect(await more.next()).toMatchObject({ event: 'order.created', verified: true });

  const refused = await shop.home.run(['webhooks', 'listen', '--since', 'last']);
  expect([refused.exit, refused.stdout]).toEqual([2, '']);
  expect(refused.stderr).toContain(`process ${String(first.pid)} is still listening`);
  expect(await endpoints()).toBe(2);

  for (const child of [first, second]) child.kill('SIGKILL');
  await Promise.all([first, second]);
  expect(await endpoints()).toBe(2);
  const last = listen('order.created');
  await saying(last, 'Listening for');
  expect(await endpoints()).toBe(1);
  last.kill('SIGINT');
  expect((await last).exitCode).toBe(130);
  expect(await endpoints()).toBe(0);
});

test('listen reports a port in use in one sentence', async () => {
  await using taken = await startReceiver();
  const { port } = new URL(taken.url);
  const before = (await json('webhooks', 'list')).data;
  const { exit, stdout, stderr } = await shop.home.run(['webhooks', 'listen', '--port', port]);
  expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' });
  expect(stderr).toContain(`Port ${port} is in use`);
  expect((await json('webhooks', 'list')).data).toEqual(before);
});

test('listen exits if the service rejects its endpoint, or is unreachable at the end', async () => {
  const reader = (await json('keys', 'create', '--scope', 'webhooks:read')).secret as string;
  const refused = await shop.home.run(['webhooks', 'listen'], { env: { STOCKROOM_API_KEY: reader } });
  expect(refused.exit).toBe(4);
  expect(refused.stderr).toContain('webhooks:write');

  await using own = await openShop();
  const child = own.home.spawn(['webhooks', 'listen']);
  await saying(child, 'Listening for');
  await own.home.run(['daemon', 'stop']);
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(7);
});

test('listen reports a disabled or paused endpoint, survives a restart and replaced data, and exits when its endpoint is deleted', async () => {
  await using own = await openShop();
  await using receiver = await startReceiver(410);
  const run = async (...args: string[]) => expect((await own.home.run(args)).exit, args.join(' ')).toBe(0);
  const endpoints = async () =>
    ((await own.home.json(['webhooks', 'list'])).body as { data: { id: string; status: string }[] }).data
      .filter(({ status }) => status !== 'disabled')
      .map(({ id }) => id);
  await run('snapshot', 'save', 'empty');
  const listen = () => own.home.spawn(['webhooks', 'listen', '--events', 'order.created', '--forward-to', receiver.url, '--json']);
  const child = listen();
  const lines = getLines(child);
  await saying(child, 'Listening for');
  const [id = ''] = await endpoints();

  const disabled = saying(
    child,
    `responded with 410 (Gone), so the endpoint is disabled. Activate it with \`stockroom webhooks update ${id}`,
  );
  await run('webhooks', 'trigger', 'order.created');
  expect(await lines.next()).toMatchObject({ forwarded: 410 });
  await disabled;
  receiver.answer = 200;
  const active = saying(child, 'The endpoint is active again');
  await run('webhooks', 'update', id, '--status', 'active');
  await active;
  const paused = saying(child, 'The endpoint is paused');
  await run('webhooks', 'update', id, '--status', 'paused');
  await paused;

  const back = saying(child, 'Reconnected');
  await run('daemon', 'restart');
  await back;
  expect(await endpoints()).toEqual([id]);
  const restarted = saying(child, 'The data of the daemon were replaced; listening with a new endpoint');
  await run('snapshot', 'load', 'empty', '--yes');
  await restarted;
  expect(await endpoints()).not.toContain(id);
  await run('webhooks', 'trigger', 'order.created');
  expect(await lines.next()).toMatchObject({ verified: true, forwarded: 200 });

  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
  expect(await endpoints()).toEqual([]);

  const second = listen();
  await saying(second, 'Listening for');
  await run('webhooks', 'delete', (await endpoints())[0] ?? '', '--yes');
  const { exitCode, stdout } = await second;
  expect([exitCode, (JSON.parse(String(stdout)) as { error: { code: string } }).error.code]).toEqual([3, 'ENDPOINT_GONE']);
});

test('listen leaves no active endpoint when it is interrupted while it starts or twice, as npx does', async () => {
  const active = async () => (await json('webhooks', 'list', '--status', 'active')).data.length as number;
  const before = await active();
  const project = shop.home.path('interrupted');
  await mkdir(project);
  const listen = () => shop.home.spawn(['webhooks', 'listen', '--events', 'order.created'], { cwd: project });
  const interrupt = async (child: ReturnType<typeof listen>, signal: 'SIGINT' | 'SIGTERM', exit: number) => {
    child.kill(signal);
    child.kill(signal);
    expect((await child).exitCode).toBe(exit);
    expect(await active()).toBe(before);
  };
  // The first run creates its endpoint, the others reuse it. Each is interrupted while the service works on one of its requests.
  for (const [target, signal, exit] of [
    ['POST /v1/webhooks', 'SIGINT', 130],
    ['PATCH /v1/webhooks/*', 'SIGTERM', 143],
  ] as const) {
    await json('faults', 'set', target, '--latency', '500ms');
    const slow = listen();
    await expect.poll(async () => (await json('faults', 'list')).data[0].met as number).toBeGreaterThan(0);
    await interrupt(slow, signal, exit);
    await json('faults', 'clear');
  }
  const created = listen();
  await expect.poll(active).toBe(before + 1);
  await interrupt(created, 'SIGINT', 130);
  const started = listen();
  await saying(started, 'Listening for');
  await interrupt(started, 'SIGINT', 130);
});

test('listen disables its endpoint when its terminal or its output pipe is closed', async () => {
  const endpoints = async () => (await json('webhooks', 'list', '--status', 'active')).data.length as number;
  const before = await endpoints();
  const closed = shop.home.spawn(['webhooks', 'listen']);
  await saying(closed, 'Listening for');
  closed.kill('SIGHUP');
  expect((await closed).exitCode).toBe(129);
  expect(await endpoints()).toBe(before);

  const read = shop.home.spawn(['webhooks', 'listen', '--events', 'order.created']);
  await saying(read, 'Listening for');
  read.stdout?.destroy();
  await json('webhooks', 'trigger', 'order.created');
  expect((await read).exitCode).toBe(0);
  expect(await endpoints()).toBe(before);
});

test('listen stops immediately during an endless response, which it does not buffer', async () => {
  const dripping = new Set<NodeJS.Timeout>();
  await using receiver = await startReceiver((response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 50);
    dripping.add(timer);
    response.once('close', () => {
      clearInterval(timer);
      dripping.delete(timer);
    });
  });
  const child = shop.home.spawn(['webhooks', 'listen', '--forward-to', receiver.url, '--events', 'order.created', '--json']);
  const lines = getLines(child);
  await saying(child, 'Listening for');
  await json('webhooks', 'trigger', 'order.created');
  expect(await lines.next()).toMatchObject({ forwarded: 200 });
  expect(dripping.size).toBe(1);
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
  await expect.poll(() => dripping.size).toBe(0);
});

test('listen rejects conflicting and unreachable routes', async () => {
  const refusal = async (...args: string[]) => {
    const { exit, stdout, stderr } = await shop.home.run(['webhooks', 'listen', ...args]);
    expect([exit, stdout]).toEqual([2, '']);
    return stderr;
  };
  const route = (event: string, port: number) => ['--route', `${event}=http://127.0.0.1:${String(port)}/`];
  expect(await refusal(...route('order.created', 1), ...route('order.created', 2))).toContain('Two routes for order.created');
  expect(await refusal('--events', 'order.updated', ...route('order.created', 1))).toContain(
    'order.created is not among the values of --event',
  );
});

test('listen reports the rotation of its signing secret by another client', async () => {
  const child = shop.home.spawn(['webhooks', 'listen', '--events', 'order.created', '--json']);
  const lines = getLines(child);
  await saying(child, 'Listening for');
  const rotated = saying(child, 'The secret of the endpoint was rotated');
  const [{ id }] = (await json('webhooks', 'list', '--status', 'active')).data;
  await json('webhooks', 'rotate-secret', id);
  await rotated;
  // Until the overlap ends, deliveries are signed with the old one as well.
  await json('webhooks', 'trigger', 'order.created');
  expect(await lines.next()).toMatchObject({ verified: true });
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
});

test('listen forwards only verified deliveries and the connectivity check: others are rejected, also from pages and with large bodies', async () => {
  await using receiver = await startReceiver();
  const port = await freePort();
  const child = shop.home.spawn([
    'webhooks',
    'listen',
    '--events',
    'order.created',
    '--port',
    port,
    '--forward-to',
    receiver.url,
    '--json',
  ]);
  const lines = getLines(child);
  await saying(child, 'Listening for');
  const rejection = saying(child, 'Rejected a request: signature not verified');
  const post = async (body: string, headers: Record<string, string>) => {
    const { statusCode, body: reply } = await request(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers });
    await reply.dump();
    return statusCode;
  };
  const event = { 'x-service-event': 'order.created', 'x-service-event-id': 'forged', 'content-type': 'application/json' };
  const forged = JSON.stringify({ event: 'order.created', data: {} });
  expect(await post(forged, event)).toBe(401);
  await rejection;
  expect(await post(forged, { ...event, 'x-service-timestamp': '1', 'x-service-signature': 'v1=00', cookie: 'session=admin' })).toBe(401);
  expect(await post('no JSON', event)).toBe(401);
  expect(await post(forged, { ...event, 'x-service-event': 'webhook.test' })).toBe(401);
  expect(await post('no JSON', { ...event, 'x-service-event': 'webhook.test' })).toBe(401);
  expect(await post(forged, { ...event, origin: 'https://evil.example' })).toBe(403);
  expect(await post(forged, { ...event, host: `rebound.example:${port}` })).toBe(403);
  expect(await post('x'.repeat(EVENT_MAX_BYTES + 1), event)).toBe(413);
  expect(receiver.received).toEqual([]);

  const check = JSON.stringify({ event: 'webhook.test', data: {} });
  expect(await post(check, { 'x-service-event': 'webhook.test', cookie: 'session=admin', authorization: 'Bearer x' })).toBe(200);
  expect(await lines.next()).toMatchObject({ event: 'webhook.test', verified: false, forwarded: 200 });
  expect(receiver.received.map(({ headers }) => [headers['cookie'], headers['authorization']])).toEqual([[undefined, undefined]]);
  await json('webhooks', 'trigger', 'order.created');
  expect(await lines.next()).toMatchObject({ event: 'order.created', verified: true, forwarded: 200 });
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
});
