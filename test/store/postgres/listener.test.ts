import { expect, onTestFinished, test } from 'vitest';
import { Listener } from '../../../src/store/postgres/notifications/listener.ts';
import { withConnection } from '../../support/postgres/sql.ts';
import { takeUrl } from './stores.ts';

const NOTIFICATIONS = 30;

test('heartbeats leave nothing behind on their connection', async () => {
  const url = await takeUrl();
  const warnings: string[] = [];
  const keepWarning = ({ name }: Error): void => void warnings.push(name);
  process.on('warning', keepWarning);
  onTestFinished(() => void process.off('warning', keepWarning));
  const received: string[] = [];
  const listener = new Listener({
    url,
    channel: 'heartbeats',
    onPayload: (payload) => received.push(payload),
    onListening: () => undefined,
    onChange: () => undefined,
    heartbeatMs: 1,
  });
  await listener.start();
  await withConnection(url, async (query) => {
    // One after another, so that heartbeats come between them.
    for (let sent = 1; sent <= NOTIFICATIONS; sent += 1) {
      await query(`NOTIFY heartbeats, '${String(sent)}'`);
      await expect.poll(() => received.length).toBe(sent);
    }
  });
  await listener.close();
  expect(warnings).toEqual([]);
});
