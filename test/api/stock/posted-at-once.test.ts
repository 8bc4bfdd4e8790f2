/** `approve=true` on a new stock document: created, submitted and approved, all or nothing. */
import { expect, test } from 'vitest';
import { useOrderStock } from '../../support/resources/order-stock.ts';

const { s, item, figures, document } = useOrderStock();

test('a document with approve=true is posted when the reply arrives, and says what changed', async () => {
  const it = await item();
  const reply = await s.post('/v1/stock-documents?approve=true', { type: 'receipt', lines: [{ itemId: it, quantity: 4, unitCost: 1 }] });
  expect([reply.status, reply.headers['location']]).toEqual([201, `/v1/stock-documents/${reply.body.data.id}`]);
  expect(reply.body.data).toMatchObject({ status: 'approved', stockEffects: [{ itemId: it, quantityDelta: 4, onHandAfter: 4 }] });
  expect((await document(reply.body.data.id)).status).toBe('approved');
  expect(await figures(it)).toEqual([4, 0, 0]);
});

test('a document that cannot be posted leaves nothing, not even a number', async () => {
  const it = await item();
  const receipt = { type: 'receipt', lines: [{ itemId: it, quantity: 1, unitCost: 1 }] };
  const before = (await s.post('/v1/stock-documents?dry_run=true', receipt)).body.data.documentNumber;
  const failed = await s.post('/v1/stock-documents?approve=true', { type: 'issue', lines: [{ itemId: it, quantity: 4 }] });
  expect([failed.status, failed.body.error.code]).toEqual([409, 'INSUFFICIENT_STOCK']);
  expect((await s.get(`/v1/stock-documents?item_id=${it}`)).body.data).toEqual([]);
  expect((await s.post('/v1/stock-documents?dry_run=true', receipt)).body.data.documentNumber).toBe(before);
});
