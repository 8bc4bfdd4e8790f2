import { expect, test } from 'vitest';
import { ENDPOINT_DELIVERY_CONCURRENCY } from '../contract/limits.ts';
import { createDelivery } from '../domain/events/delivery-state.ts';
import type { WebhookRecord } from '../domain/webhooks/records.ts';
import { EndpointQueues } from './endpoint-queues.ts';

const AT = '2026-01-01T00:00:00.000Z';
const webhook: WebhookRecord = {
  id: 'w',
  name: 'Receiver',
  targetUrl: 'http://127.0.0.1:9/',
  subscribedEvents: ['order.created'],
  status: 'active',
  environment: 'development',
  description: null,
  secret: '00',
  previous: null,
  pausedAt: null,
  createdAt: AT,
  updatedAt: AT,
};

test('an endpoint that is removed and added again keeps the slots of its attempts in progress', () => {
  const queues = new EndpointQueues();
  const body = Buffer.from('{}');
  const enqueue = () => {
    for (let count = 0; count < 10; count += 1)
      queues.get('w')?.enqueue({ delivery: createDelivery(`d${String(count)}`, 'w', { id: 'e', name: 'order.created' }, AT), body });
  };
  const takeAll = () => {
    const taken = [];
    for (let next = queues.take(); next; next = queues.take()) taken.push(next);
    return taken;
  };
  queues.add('t', webhook);
  enqueue();
  const inProgress = takeAll();
  expect(inProgress).toHaveLength(ENDPOINT_DELIVERY_CONCURRENCY);
  for (const queue of queues.listByTenant('t')) queues.remove(queue);
  queues.add('t', webhook);
  enqueue();
  expect(takeAll()).toEqual([]);
  for (const taken of inProgress) queues.freeSlot(taken);
  expect(takeAll()).toHaveLength(ENDPOINT_DELIVERY_CONCURRENCY);
  expect(queues.sending).toBe(ENDPOINT_DELIVERY_CONCURRENCY);
});
