/**
 * kill -9 while writes and deliveries run, again and again on the same data, with a receiver that counts: every acknowledged write is
 * delivered, what comes twice has the same event id, and nothing comes that did not happen.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Pool } from 'undici';
import { hasProcessEnded } from '../../../src/platform/process-ended.ts';
import { verifyWebhook } from '../../../src/webhook-verifier/index.ts';
import { makeHome } from '../../support/cli/home.ts';
import { isLongRun } from '../../support/long-run.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';

const ROUNDS = isLongRun ? 5 : 1;
const POLL_MS = 2;
const WRITERS = 8;

test('every acknowledged write is delivered, at whatever time the daemon is killed', async () => {
  await using receiver = await startReceiver();
  await using home = await makeHome();
  const start = () => home.start(['--tier', 'bulk=1000000', '--webhook-retries', '1,1,1']);
  let daemon = await start();
  const { body: made } = await home.json(['keys', 'create', '--all-scopes', '--tier', 'bulk', '--save']);
  const key = (made as { secret: string }).secret;
  const { body: webhook } = await home.json([
    'webhooks',
    'create',
    '--name',
    'Counter',
    '--target-url',
    receiver.url,
    '--event',
    'inventory.item.created',
  ]);
  const acknowledged = new Set<string>();
  const sent = new Set<string>();
  let serial = 0;

  for (let round = 0; round < ROUNDS; round += 1) {
    const pool = new Pool(daemon.url ?? '', { connections: WRITERS });
    const goal = acknowledged.size + 20 + Math.floor(Math.random() * 200);
    const write = async (): Promise<void> => {
      for (;;) {
        const name = `Item-${String((serial += 1))}`;
        sent.add(name);
        const headers = { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': name };
        try {
          const reply = await pool.request({ method: 'POST', path: '/v1/items', headers, body: JSON.stringify({ name }) });
          await reply.body.dump();
          if (reply.statusCode === 201) acknowledged.add(name);
        } catch {
          return;
        }
      }
    };
    const writers = Array.from({ length: WRITERS }, write);
    while (acknowledged.size < goal) await sleep(POLL_MS);
    const pid = daemon.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    await Promise.all(writers);
    await pool.destroy();
    while (!hasProcessEnded(pid)) await sleep(POLL_MS);
    daemon = await start();
  }

  const getName = (body: string) => (JSON.parse(body) as { data: { name: string } }).data.name;
  await expect.poll(() => [...acknowledged].filter((name) => !receiver.received.some(({ body }) => getName(body) === name))).toEqual([]);
  const getId = new Map<string, string>();
  for (const { body, headers } of receiver.received) {
    const { eventId } = verifyWebhook(body, headers, webhook.signingSecret as string);
    const name = getName(body);
    expect(sent.has(name)).toBe(true);
    expect(getId.get(name) ?? eventId, name).toBe(eventId);
    getId.set(name, String(eventId));
  }
  // A write that got no answer was delivered if it was kept, and only then.
  const { body: items } = await home.json(['items', 'list', '--all']);
  const kept = new Set((items as { data: { name: string }[] }).data.map(({ name }) => name));
  await expect.poll(() => new Set(receiver.received.map(({ body }) => getName(body)))).toEqual(kept);
});
