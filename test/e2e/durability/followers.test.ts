/**
 * Writers change records of all kinds through real daemons, two of which are killed and started again, while readers follow by events, by
 * cursors, by `updated_since` with cursors, and by webhooks. Each copy equals the service at the end.
 */
import { describe, expect, test } from 'vitest';
import { EMITTED_EVENTS } from '../../../src/contract/events.ts';
import type { DaemonStatus } from '../../../src/platform/daemon-state.ts';
import { makeHome } from '../../support/cli/home.ts';
import { isLongRun } from '../../support/long-run.ts';
import { createDatabase } from '../../support/postgres/databases.ts';
import {
  type ChangeData,
  type Copy,
  applyEvent,
  listExisting,
  readEverything,
  startFollowers,
} from '../../support/service/change-copies.ts';
import { startChanging } from '../../support/service/change-work.ts';
import { createFailoverClient } from '../../support/service/failover-client.ts';
import { startReceiver } from '../../support/servers/webhook-receiver.ts';

const FLAGS = ['--port', '0', '--drain-seconds', '0', '--tier', 'bulk=1000000', '--webhook-retries', '1,1,1,1,1,1,1,1'];
const TIMEOUT_MS = 600_000;
/** Before each kill and after the last one. */
const CHANGES = isLongRun ? 5_000 : 150;

describe.each([
  ['the file store', 1],
  ['PostgreSQL', 2],
] as const)('on %s', (store, daemonCount) => {
  test('events, cursors, updated_since and webhooks each rebuild the service through two kills', async () => {
    await using stack = new AsyncDisposableStack();
    const home = stack.use(await makeHome());
    const env: Record<string, string> = store === 'PostgreSQL' ? { STOCKROOM_STORE: stack.use(await createDatabase()).url } : {};
    const start = async (name: string): Promise<DaemonStatus> => {
      const { exit, body, stderr } = await home.json(['daemon', 'start', '--data-dir', home.path(name), ...FLAGS], { env });
      if (exit !== 0) throw new Error(`${stderr} ${JSON.stringify(body)}`);
      return (body as { data: DaemonStatus }).data;
    };
    const daemons: DaemonStatus[] = [];
    for (let at = 0; at < daemonCount; at += 1) daemons.push(await start(`data-${String(at)}`));
    const created = await home.json(['keys', 'create', '--all-scopes', '--tier', 'bulk', '--data-dir', home.path('data-0')]);
    const client = stack.use(
      createFailoverClient(() => daemons.map(({ url }) => String(url)), (created.body as { secret: string }).secret),
    );

    const webhooks: Copy = new Map();
    const receiver = stack.use(await startReceiver());
    const endpoint = { name: 'Copy', targetUrl: receiver.url, subscribedEvents: EMITTED_EVENTS };
    expect((await client.send('POST', '/v1/webhooks', endpoint)).status).toBe(201);

    let isOver = false;
    const followers = startFollowers(client, () => isOver);
    let isWriting = true;
    const work = startChanging(client, () => !isWriting);
    const writeMore = (from = work.count) => expect.poll(() => work.count, { timeout: TIMEOUT_MS }).toBeGreaterThan(from + CHANGES);
    for (const kill of [0, 1]) {
      await writeMore();
      const at = kill % daemonCount;
      process.kill(Number(daemons[at]!.pid), 'SIGKILL');
      daemons[at] = await start(`data-${String(at)}`);
    }
    await writeMore();
    isWriting = false;
    await work.done;
    isOver = true;
    await followers.done;

    const truth = await readEverything((path) => client.send('GET', path));
    expect(followers.sequences).toEqual(followers.sequences.map((_, index) => index + 1));
    // The house contact is from before the first event.
    const known = new Map([...truth].filter(([key]) => followers.events.has(key)));
    expect(truth.size - known.size).toBe(1);
    expect(listExisting(followers.events)).toEqual(known);
    expect(followers.changes).toEqual(truth);
    // Levels are in the effects of other events there.
    const isSent = (key: string) => !key.startsWith('stock_level ');
    const applyDeliveries = (): Copy => {
      for (const { body } of receiver.received) {
        const { event, data } = JSON.parse(body) as { event: string; data: ChangeData };
        applyEvent(webhooks, event, data);
      }
      return listExisting(webhooks);
    };
    const sent = new Map([...known].filter(([key]) => isSent(key)));
    await expect.poll(applyDeliveries).toEqual(sent);
    const { body: report } = await home.json(['doctor', '--data-dir', home.path('data-0')]);
    expect((report as { data: { ok: boolean } }).data.ok).toBe(true);
  });
});
