import { expect, test } from 'vitest';
import { ORDER_STATUSES } from '../../contract/resources/orders.ts';
import type { OrderRecord } from './records.ts';
import { checkTransition, getDeadline, NO_DEADLINE, requiresNothingPosted } from './status-transitions.ts';

test('cancelling and every step back require that nothing is posted', () => {
  const guarded = ORDER_STATUSES.flatMap((from) =>
    ORDER_STATUSES.filter((to) => requiresNothingPosted(from, to)).map((to) => `${from} to ${to}`),
  );
  const toCancelled = ORDER_STATUSES.map((from) => `${from} to cancelled`);
  const toDraft = ORDER_STATUSES.map((from) => `${from} to draft`);
  const toOpen = ORDER_STATUSES.filter((from) => from !== 'draft').map((from) => `${from} to open`);
  expect(guarded.toSorted()).toEqual([...toCancelled, ...toDraft, ...toOpen].toSorted());
});

test('only outstanding orders have a deadline', () => {
  const deadlines = ORDER_STATUSES.map((status) => [status, getDeadline({ status, dueDate: '2026-03-01' })]);
  const due = ['open', 'in_progress', 'waiting'];
  expect(deadlines).toEqual(ORDER_STATUSES.map((status) => [status, due.includes(status) ? '2026-03-01' : NO_DEADLINE]));
});

test('a rejected transition names what is allowed', () => {
  const order = (status: OrderRecord['status']) => ({ orderNumber: 'SO-1', status, fulfilment: 'none' }) as OrderRecord;
  expect(() => {
    checkTransition(order('draft'), 'completed');
  }).toThrow('SO-1 cannot change from draft to completed. Allowed: open, cancelled.');
  expect(() => {
    checkTransition(order('completed'), 'open');
  }).toThrow('SO-1 cannot change from completed to open. completed is final.');
});
