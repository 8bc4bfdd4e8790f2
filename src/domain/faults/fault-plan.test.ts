import { expect, test } from 'vitest';
import { FaultPlan } from './fault-plan.ts';

function createPlan(faults: ConstructorParameters<typeof FaultPlan>[0]) {
  const done: string[] = [];
  const plan = new FaultPlan(faults, {
    expireKey: () => Promise.resolve(void done.push('expired')),
    addRecord: (path) => Promise.resolve(void done.push(`added to ${path}`)),
    removeRecord: (path) => Promise.resolve(void done.push(`removed from ${path}`)),
    restart: () => void done.push('restarted'),
  });
  const request = (method: string, path: string, query = {}) => plan.matchRequest({ method, path, query });
  return { plan, done, request };
}

test('each fault is injected once, at its position among requests, writes, pages or deliveries', async () => {
  const { plan, done, request } = createPlan([
    { kind: 'lose-answer', at: 2 },
    { kind: 'remove-record', at: 2 },
    { kind: 'restart', at: 5 },
    { kind: 'double-delivery', at: 2 },
    { kind: 'reorder-delivery', at: 3 },
  ]);
  expect([request('POST', '/v1/items'), request('GET', '/v1/items', { page: '1' })]).toEqual([undefined, undefined]);
  expect(request('PATCH', '/v1/items/1')).toMatchObject({ drop: 'after' });
  // A page of another list is none that can lose a record.
  expect([request('GET', '/v1/items', { page: '2' }), request('GET', '/v1/orders', { page: '3' })]).toEqual([
    undefined,
    expect.objectContaining({ drop: 'before' }),
  ]);
  expect(done).toEqual(['restarted']);
  await request('GET', '/v1/items', { cursor: 'abc' })?.before?.();
  expect(done).toEqual(['restarted', 'removed from /v1/items']);
  expect([1, 2, 3, 4].map(() => plan.matchDelivery())).toMatchObject([undefined, { drop: 'after' }, { waitsForNext: true }, undefined]);
  expect([plan.counts, plan.injected.length]).toEqual([{ requests: 6, writes: 2, pages: 2, deliveries: 4 }, 5]);
});

test('requests are limited from a position on, and those that are rejected do not count', () => {
  const { plan, request } = createPlan([{ kind: 'limit-requests', at: 2 }]);
  const statuses = [1, 2, 3, 4].map(() => request('GET', '/v1/items')?.status);
  expect([statuses, plan.counts.requests]).toEqual([[undefined, 429, 429, 429], 2]);
});

test('faults at the same position are combined: the first outcome, and all that happens before', async () => {
  const { done, request } = createPlan([
    { kind: 'lose-answer', at: 1 },
    { kind: 'expire-key', at: 1 },
    { kind: 'add-record', at: 1 },
  ]);
  expect(request('GET', '/v1/contacts')?.drop).toBeNull();
  expect(request('POST', '/v1/items')?.drop).toBe('after');
  expect(done).toEqual([]);
  const page = createPlan([
    { kind: 'expire-key', at: 1 },
    { kind: 'add-record', at: 1 },
  ]);
  await page.request('GET', '/v1/contacts', { page: '2' })?.before?.();
  expect(page.done).toEqual(['expired', 'added to /v1/contacts']);
});
