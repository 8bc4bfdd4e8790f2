import { expect, test } from 'vitest';
import { DELIVERIES_AT_ONCE_PER_ENDPOINT } from '../contract/limits.ts';
import { newDelivery } from '../domain/deliveries.ts';
import type { WebhookRecord } from '../domain/webhooks.ts';
import { Lanes } from './lanes.ts';

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

test('an endpoint that comes back has no more places than before: what is under way still counts', () => {
  const lanes = new Lanes();
  const body = Buffer.from('{}');
  const ready = () => {
    for (let count = 0; count < 10; count += 1)
      lanes.get('w')?.ready.push({ delivery: newDelivery(`d${String(count)}`, 'w', { id: 'e', name: 'order.created' }, AT), body });
  };
  const takeAll = () => {
    const taken = [];
    for (let next = lanes.take(); next; next = lanes.take()) taken.push(next);
    return taken;
  };
  lanes.add('t', webhook);
  ready();
  const under = takeAll();
  expect(under).toHaveLength(DELIVERIES_AT_ONCE_PER_ENDPOINT);
  for (const lane of lanes.of('t')) lanes.remove(lane);
  lanes.add('t', webhook);
  ready();
  expect(takeAll()).toEqual([]);
  for (const { lane, troubled } of under) lanes.release(lane, troubled);
  expect(takeAll()).toHaveLength(DELIVERIES_AT_ONCE_PER_ENDPOINT);
  expect(lanes.sending).toBe(DELIVERIES_AT_ONCE_PER_ENDPOINT);
});
