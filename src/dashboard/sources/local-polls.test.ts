import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createClient } from '../../client/client.ts';
import { createHttpTransport } from '../../client/transport/transport.ts';
import { LocalPolls, ROWS_IDLE_INTERVAL_MS, ROWS_INTERVAL_MS } from './local-polls.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** No service listens; the reads of rows are counted. */
function start() {
  const client = createClient({
    transport: createHttpTransport({ url: 'http://127.0.0.1:1' }),
  });
  const reads = {
    readDaemon: () => Promise.resolve(),
    readEndpoints: vi.fn<() => Promise<void>>(() => Promise.resolve()),
    readAudit: vi.fn<() => Promise<void>>(() => Promise.resolve()),
    readLevelNames: vi.fn<() => Promise<void>>(() => Promise.resolve()),
    readItems: vi.fn<() => Promise<void>>(() => Promise.resolve()),
    readOrders: vi.fn<() => Promise<void>>(() => Promise.resolve()),
    readKeys: vi.fn<() => Promise<void>>(() => Promise.resolve()),
    haveTiersChanged: () => Promise.resolve(false),
  };
  return { reads, polls: new LocalPolls(client, reads, () => undefined) };
}

test.each([
  ['endpoints', 'readEndpoints', 'endpoints'],
  ['names in the audit trail', 'readAudit', 'audit'],
  ['names of stock levels in events', 'readLevelNames', 'levelNames'],
  ['items', 'readItems', 'stock'],
  ['orders', 'readOrders', 'stock'],
  ['keys', 'readKeys', 'keys'],
] as const)('%s are read again at the next poll after a change, and otherwise only after the idle interval', async (_, read, polled) => {
  const { reads, ...started } = start();
  using polls = started.polls;
  await vi.advanceTimersByTimeAsync(2 * ROWS_INTERVAL_MS);
  expect(reads[read]).not.toHaveBeenCalled();
  polls.markStale(polled);
  await vi.advanceTimersByTimeAsync(ROWS_INTERVAL_MS);
  expect(reads[read]).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(ROWS_IDLE_INTERVAL_MS - ROWS_INTERVAL_MS);
  expect(reads[read]).toHaveBeenCalledOnce();
});
