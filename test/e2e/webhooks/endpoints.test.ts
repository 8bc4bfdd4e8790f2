/** The `webhooks` commands against a real daemon and real receivers. */
import { stripVTControlCharacters } from 'node:util';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { RUN } from '../../support/cli/home.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';
import { openShop } from '../../support/cli/running-daemon.ts';
import { getLines, saying } from '../../support/cli/command-output.ts';
import { useShop } from '../../support/cli/shared-daemon.ts';

const { create, json, shop } = useShop();

test('webhooks commands create, show, update and delete an endpoint, and rotate its secret', async () => {
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

test('webhooks test and trigger send deliveries, which can be listed, shown and resent', async () => {
  await using receiver = await startReceiver(500);
  const { data } = await create(receiver.url);
  const refused = await shop.home.json(['webhooks', 'test', data.id]);
  expect([refused.exit, refused.body.data.ok, refused.body.data.httpStatus]).toEqual([9, false, 500]);
  receiver.answer = (response) => response.writeHead(400).end('{"error":"signature missing"}');
  const rejected = await shop.home.run(['webhooks', 'test', data.id], { columns: 80 });
  expect(rejected.stdout).toMatch(/^HTTP status +400$[^]*^Response body +\{"error":"signature missing"\}$/mu);
  expect(rejected.stderr).toMatch(/The check is unsigned[^]*`stockroom webhooks deliveries show` has their payloads/u);
  const [check] = receiver.received;
  expect(check?.headers['x-service-event']).toBe('webhook.test');
  expect(check?.headers['x-service-signature']).toBeUndefined();
  expect((await json('webhooks', 'deliveries', 'list', data.id)).data).toEqual([]);

  receiver.answer = (response) => response.writeHead(500, { 'content-type': 'text/plain' }).end('out of\u001b[2J stock');
  const triggered = (await json('webhooks', 'trigger', 'inventory.item.created', '--set', 'name=Nut')).data;
  expect(triggered).toMatchObject({ event: 'inventory.item.created', deliveries: 1 });
  await receiver.count(2 + 4);
  await expect.poll(async () => (await json('webhooks', 'deliveries', 'list', data.id)).data[0].status).toBe('failed');
  const [delivery] = (await json('webhooks', 'deliveries', 'list', data.id, '--status', 'failed')).data;
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
  expect(screen).toMatch(/\nTRY +AT +HTTP STATUS +MILLISECONDS +ERROR\n(?: +\d  [\d-]{10} [\d:]{8} +500 +\d+  http_500\n){4}/u);
  expect(screen).toMatch(/\nResponse to attempt 4: HTTP 500\n {2}content-type {2}text\/plain\n\nout of\ufffd\[2J stock\n?$/u);
  expect(shown.history.map(({ response }: { response: unknown }) => response)).toEqual([
    null,
    null,
    null,
    { headers: { 'content-type': 'text/plain' }, body: 'out of\ufffd[2J stock', isTruncated: false },
  ]);
  const columns = await shop.home.terminal(['webhooks', 'deliveries', 'show', delivery.id, '--columns', 'id,request.url']);
  expect(columns.stdout.split('\n')).toHaveLength(2);

  expect(shown.request.asSent).toBe(true);
  await json('webhooks', 'rotate-secret', data.id);
  expect((await json('webhooks', 'deliveries', 'show', delivery.id)).data.request.asSent).toBe(false);
  expect((await shop.home.terminal(['webhooks', 'deliveries', 'show', delivery.id])).stdout).toContain(
    `\nPOST ${receiver.url}\n  as the next attempt or a resend would send it`,
  );

  const bulk = await shop.home.json(['webhooks', 'deliveries', 'resend', '--failed', '--since', '1h', '--webhook', data.id]);
  expect([bulk.body, bulk.stderr]).toEqual([
    { data: [expect.objectContaining({ id: delivery.id })], resent: 1 },
    expect.stringMatching(/^1 delivery resent; /u),
  ]);
  await expect.poll(async () => (await json('webhooks', 'deliveries', 'list', data.id)).data[0].status).toBe('failed');
  receiver.answer = 200;
  await json('webhooks', 'deliveries', 'resend', delivery.id);
  await expect.poll(async () => (await json('webhooks', 'deliveries', 'list', data.id)).data[0].status).toBe('delivered');
  expect(receiver.received.at(-1)?.headers['x-service-event-id']).toBe(triggered.eventId);
  expect(await json('webhooks', 'deliveries', 'resend', '--failed', '--since', '1h')).toEqual({ data: [], resent: 0 });
  const none = await shop.home.run(['webhooks', 'deliveries', 'resend', '--failed', '--since', '1h']);
  expect(none.stderr).toContain('add --retrying');
  expect((await shop.home.run(['webhooks', 'trigger', 'bom.created'])).exit).toBe(2);
  const sent = receiver.received.length;
  const noIds = await shop.home.run(['webhooks', 'trigger', 'inventory.item.created', '-o', 'id']);
  expect([noIds.exit, noIds.stderr]).toEqual([2, expect.stringContaining('This command does not support -o id')]);
  expect(receiver.received.length).toBe(sent);
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});

test('verify reports whether a signature is valid, and why not', async () => {
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
  expect([wrong.exit, wrong.body.error.code]).toEqual([9, 'SIGNATURE_MISMATCH']);
});

test('verify waits for a delayed body from a pipe', async () => {
  const args = ['webhooks', 'verify', '--body', '-', '--timestamp', '1774965600', '--signature', `v1=${'ab'.repeat(32)}`, '--json'];
  const command = `{ sleep 1; echo '{}'; } | '${process.execPath}' '${RUN}' ${args.join(' ')}`;
  const env = { ...shop.home.env, STOCKROOM_SIGNING_SECRET: 'ab'.repeat(32) };
  const { exitCode, stdout } = await execa('sh', ['-c', command], { env, extendEnv: false, reject: false });
  expect(exitCode).toBe(9);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'SIGNATURE_MISMATCH' } });
});

test('disabling an endpoint asks at a terminal when it discards deliveries, says how many, and they can be resent', async () => {
  await using receiver = await startReceiver();
  const { data } = await create(receiver.url);
  const setStatus = ['webhooks', 'update', data.id, '--status'];
  await json(...setStatus, 'paused');
  for (const name of ['One', 'Two']) await json('webhooks', 'trigger', 'inventory.item.created', '--set', `name=${name}`);
  const asking = await shop.home.terminal([...setStatus, 'disabled'], { input: 'n\n' });
  const question = stripVTControlCharacters(asking.stdout).replaceAll(/\s+/gu, ' ');
  expect(question).toContain(`Disable ${data.id as string}? This discards 2 waiting deliveries. [y/N]`);
  expect((await json('webhooks', 'get', data.id)).data.status).toBe('paused');
  const { exit, stderr } = await shop.home.run([...setStatus, 'disabled']);
  expect([exit, stderr]).toEqual([0, expect.stringContaining('2 deliveries discarded. To send them, set --status active')]);
  expect(stderr).toContain(`webhooks deliveries resend --discarded --since 72h --webhook-id ${data.id as string}`);
  const resend = ['webhooks', 'deliveries', 'resend', '--discarded', '--since', '72h', '--webhook-id', data.id];
  expect((await shop.home.json(resend)).body.error.code).toBe('INVALID_STATE');
  await json(...setStatus, 'active');
  expect((await json(...resend)).data).toHaveLength(2);
  await receiver.count(2);
  await shop.home.run(['webhooks', 'delete', data.id, '--yes']);
});

test('resend without a delivery, --failed or --retrying is rejected before any request', async () => {
  for (const [args, message] of [
    [[], 'Pass either DELIVERY_ID, or --failed, --discarded or --retrying with --since'],
    [
      ['0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e', '--retrying', '--since', '1h'],
      'Pass either DELIVERY_ID, or --failed, --discarded or --retrying with --since',
    ],
    [['0199f2a0-4a5b-7c6d-8e7f-901a2b3c4d5e', '--since', '1h'], '--since requires --failed, --discarded or --retrying'],
  ] as const) {
    const { exit, stderr } = await shop.home.run(['webhooks', 'deliveries', 'resend', ...args]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`Error: ${message}`)]);
  }
});

test.for([
  ['webhooks create --url http://127.0.0.1:9/hooks --name Shop --event order.created', '--target-url http://127.0.0.1:9/hooks'],
  ['webhooks deliveries list --status failed', 'stockroom webhooks health'],
  ['webhooks deliveries resend Shop --status failed', 'resend --failed --since 24h --webhook-id NAME'],
  ['webhooks deliveries resend Shop --failed --since 1h', 'Name an endpoint with --webhook-id'],
] as const)('%s is rejected before any request and names what to type', async ([line, hint]) => {
  const { exit, stderr } = await shop.home.run(line.split(' '));
  expect([exit, stderr]).toEqual([2, expect.stringContaining(hint)]);
});

test('deliveries say on a terminal when they are retried, that they are queued, and fit 80 columns', async () => {
  await using own = await openShop([], ['--webhook-retries', '3600']);
  const endpoint = ['webhooks', 'create', '--name', 'Shop', '--target-url', 'http://127.0.0.1:9/', '--event', 'order.created'];
  expect((await own.home.run(endpoint)).exit).toBe(0);
  expect((await own.home.run(['webhooks', 'trigger', 'order.created'])).exit).toBe(0);
  const list = async () => (await own.home.json(['webhooks', 'deliveries', 'list', 'Shop'])).body.data[0] as { id: string; status: string };
  await expect.poll(async () => (await list()).status).toBe('retrying');
  const { id } = await list();
  const all = await own.home.terminal(['webhooks', 'deliveries', 'list', 'Shop']);
  expect(all.stdout).toMatch(/^TIME +EVENT TYPE +STATUS +RESULT +DELIVERY +ATTEMPTS\n.* connection_refused +[\da-f]{8} +1\n/u);
  const failed = await own.home.terminal(['webhooks', 'deliveries', 'list', 'Shop', '--status', 'failed']);
  expect(failed.stdout + failed.stderr).toContain('1 is still retrying; list them with --status retrying');
  const shown = await own.home.terminal(['webhooks', 'deliveries', 'show', id]);
  expect(shown.stdout).toMatch(/\n\nAttempt 2 at [\d-]{10} [\d:]{8}\n?$/u);
  const resent = await own.home.terminal(['webhooks', 'deliveries', 'resend', id]);
  expect(resent.stdout + resent.stderr).toContain('Queued to be sent now');
});

test('webhooks commands use the test clock of the service', async () => {
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
  await expect.poll(async () => (await run('webhooks', 'deliveries', 'list', data.id)).data[0].status).toBe('failed');
  await run('clock', 'advance', '3h');
  const resent = async (since: string) => (await run('webhooks', 'deliveries', 'resend', '--failed', '--since', since)).data as unknown[];
  expect(await resent('1h')).toEqual([]);

  receiver.answer = 200;
  const late = await trigger();
  await expect.poll(async () => (await run('webhooks', 'deliveries', 'list', data.id, '--status', 'delivered')).data.length).toBe(1);
  const tailed = async (...more: string[]) => {
    const { stdout } = await own.home.run(['webhooks', 'deliveries', 'tail', '--json', ...more]);
    return stdout.split('\n').map((line) => (JSON.parse(line) as { eventId: string }).eventId);
  };
  expect(await tailed('--since', '1h', '--limit', '1')).toEqual([late]);
  expect(await tailed('--since', '4h', '--limit', '2')).toEqual([early, late]);
  expect(await resent('4h')).toMatchObject([{ eventId: early }]);

  const listener = own.home.spawn(['webhooks', 'listen', '--events', 'inventory.item.created', '--json']);
  const lines = getLines(listener);
  await saying(listener, 'Listening for');
  const heard = async (eventId: string) => expect(await lines.next()).toMatchObject({ eventId, verified: true });
  await heard(await trigger());
  await run('clock', 'advance', '2h');
  await heard(await trigger());
  await run('clock', 'reset');
  await heard(await trigger());
  listener.kill('SIGINT');
  await listener;
});

test('resend --failed resends any number of failed deliveries', async () => {
  await using receiver = await startReceiver(500);
  await using own = await openShop([], ['--webhook-retries', '1']);
  const args = ['webhooks', 'create', '--name', 'Shop', '--target-url', receiver.url, '--event', 'inventory.item.created'];
  const { data } = (await own.home.json(args)).body as { data: { id: string } };
  // One more than the service accepts concurrently.
  const count = 1_001;
  let made = 0;
  const make = async () => {
    while ((made += 1) <= count) expect((await own.http('POST', '/v1/items', { name: 'Bolt' })).status).toBe(201);
  };
  await Promise.all(Array.from({ length: 16 }, make));
  await receiver.count(2 * count);
  const failed = async () =>
    ((await own.home.json(['webhooks', 'health'])).body as { data: { failed: number }[] }).data.map((endpoint) => endpoint.failed);
  await expect.poll(failed).toEqual([count]);
  receiver.answer = 200;
  const { stdout, stderr } = await own.home.run([
    'webhooks',
    'deliveries',
    'resend',
    '--failed',
    '--since',
    '1h',
    '--webhook',
    data.id,
    '-o',
    'id',
  ]);
  expect([new Set(stdout.split('\n')).size, stderr]).toEqual([
    count,
    '1,001 deliveries resent; follow the results with `stockroom webhooks deliveries tail`',
  ]);
  await receiver.count(3 * count);
});
