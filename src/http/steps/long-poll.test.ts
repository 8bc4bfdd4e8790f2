import { getEventListeners, once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openDeliveryStore } from '../../../test/support/resources/delivery-store.ts';
import { createCommitWatch, openWait } from './long-poll.ts';

const NEVER = new AbortController().signal;

/** A real request with its response, and how its client disconnects. */
async function receiveRequest() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  client.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
  const [req, res] = await once(server, 'request');
  const disconnect = async () => {
    const isClosed = once(res, 'close');
    client.destroy();
    await isClosed;
  };
  return { raw: { req, res }, disconnect };
}

const open = (request: Parameters<typeof openWait>[0], closing = NEVER) => {
  const wait = openWait(request, 600, closing)!;
  onTestFinished(() => wait.end());
  return wait;
};

test('a request that waits for no time has no wait', () => {
  expect(openWait({}, 0, NEVER)).toBeUndefined();
});

test('a wait ends when its client disconnects, or has disconnected before', async () => {
  const { raw, disconnect } = await receiveRequest();
  const wait = open({ raw });
  expect(wait.signal.aborted).toBe(false);
  await disconnect();
  expect(wait.signal.aborted).toBe(true);
  expect(open({ raw }).signal.aborted).toBe(true);
});

test('a wait ends when the service stops, or is stopping already', () => {
  const closing = new AbortController();
  const wait = open({}, closing.signal);
  expect(wait.signal.aborted).toBe(false);
  closing.abort();
  expect(wait.signal.aborted).toBe(true);
  wait.end();
  expect(open({}, closing.signal).signal.aborted).toBe(true);
});

test('a wait that has ended leaves no timer and no listener behind', async () => {
  const { raw } = await receiveRequest();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const count = () => raw.res.listenerCount('close');
  const before = count();
  const wait = open({ raw });
  expect([count(), vi.getTimerCount()]).toEqual([before + 1, 1]);
  wait.end();
  expect([count(), vi.getTimerCount(), wait.signal.aborted]).toEqual([before, 0, true]);
});

test('a watch for commits ends with a commit of its tenant that changed its table, and leaves no listener behind', async () => {
  const s = await openDeliveryStore();
  const other = await s.addTenant('enterprise');
  const watch = createCommitWatch(s.store, 'webhooks');
  const { signal } = new AbortController();
  const committed: string[] = [];
  const ends = watch.next(s.tenantId, signal).then(() => committed.slice());
  await s.addDeliveries(s.newId(), 1);
  committed.push('another table');
  await s.addEndpoint({}, other.id);
  committed.push('another tenant');
  await s.addEndpoint();
  expect(await ends).toEqual(['another table', 'another tenant']);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
