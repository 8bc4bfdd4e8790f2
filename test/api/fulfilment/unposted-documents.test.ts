/** An order that ends takes its documents along that are not posted, because they could never be (D-6). */
import { describe, expect, test } from 'vitest';
import { made } from '../../support/resources/order-world.ts';
import { DOCUMENTS, useOrderStock } from '../../support/resources/order-stock.ts';
import { findProblems, postDocument, stockUp, submitDocument, withSettings } from '../../support/resources/stock.ts';
import { trace } from '../../support/service/call-trace.ts';

const { change, s, item, ok, document, cancel, figures, purchase, sale, order } = useOrderStock();

describe.each([
  ['closed short', { status: 'completed', stock: 'none' }],
  ['completed', { status: 'completed' }],
  ['cancelled', { status: 'cancelled', cancelReason: 'Out of season' }],
])('an order that is %s', (_ending, body) => {
  test('cancels its submitted documents and drafts, and names them in the reply', async () => {
    const it = await item();
    const { id, lines, orderNumber } = await purchase(it, 10);
    const draft = { type: 'receipt', orderId: id, lines: [{ itemId: it, quantity: 4, orderLineId: lines[0].id }] };
    const submitted = await submitDocument(s, draft);
    const unlinked = await submitDocument(s, { type: 'issue', orderId: id, lines: [{ itemId: await stocked(), quantity: 1 }] });
    const draftId = await made(s.post(DOCUMENTS, draft));
    const { reply, actions } = await trace(s, () => change(id, body));
    expect(reply.status, reply.text).toBe(200);
    const documents = await Promise.all([submitted, unlinked, draftId].map(document));
    const cancelReason = body.status === 'completed' ? `${orderNumber} was completed.` : 'Out of season';
    for (const one of documents) expect(one).toMatchObject({ status: 'cancelled', cancelReason });
    const named = documents.map(({ id: documentId, documentNumber }) => ({ id: documentId, documentNumber }));
    expect(reply.body.data.cancelledDocuments).toHaveLength(3);
    expect(reply.body.data.cancelledDocuments).toEqual(expect.arrayContaining(named));
    expect(actions.filter((action) => action === 'stock_document.cancelled')).toHaveLength(3);
    expect(await order(id)).not.toHaveProperty('cancelledDocuments');
    expect(await findProblems(s)).toEqual([]);
  });
});

async function stocked(): Promise<string> {
  const it = await item();
  await stockUp(s, [{ itemId: it, quantity: 1 }]);
  return it;
}

test('a submitted document of an order does not keep it from being completed with the stock that it commits', async () => {
  await withSettings(s, { oversell: 'block' }, async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 5 }]);
    const { id } = await sale(it, 3);
    await submitDocument(s, { type: 'issue', orderId: id, lines: [{ itemId: it, quantity: 2 }] });
    await ok(change(id, { status: 'completed' }));
    expect(await figures(it)).toEqual([2, 0, 0]);
  });
  expect(await findProblems(s)).toEqual([]);
});

test.each([
  ['closed short', { status: 'completed', stock: 'none' }],
  ['cancelled', { status: 'cancelled' }],
])('the last event of an order that is %s has the levels without what its documents committed', async (_ending, body) => {
  const it = await item();
  await stockUp(s, [{ itemId: it, quantity: 10 }]);
  const { id } = await sale(it, 3);
  await submitDocument(s, { type: 'issue', orderId: id, lines: [{ itemId: it, quantity: 2 }] });
  const { bodies } = await trace(s, () => ok(change(id, body)));
  const last = bodies.findLast(({ event }) => event !== 'stock_level.updated');
  expect(last).toMatchObject({ event: 'order.updated', data: { stockEffects: [{ itemId: it, committedAfter: 0, availableAfter: 10 }] } });
});

test('an order that is completed keeps its posted documents, and one that changes otherwise all', async () => {
  const it = await item();
  const { id, lines } = await purchase(it, 10);
  const line = { itemId: it, quantity: 2, orderLineId: lines[0].id };
  const posted = await postDocument(s, { type: 'receipt', orderId: id, lines: [line] });
  const submitted = await submitDocument(s, { type: 'receipt', orderId: id, lines: [line] });
  const started = (await ok(change(id, { status: 'in_progress' }))).body.data;
  expect(started).not.toHaveProperty('cancelledDocuments');
  expect((await document(submitted)).status).toBe('submitted');
  const closed = (await ok(change(id, { status: 'completed', stock: 'none' }))).body.data;
  expect(closed.cancelledDocuments).toMatchObject([{ id: submitted }]);
  expect((await document(posted)).status).toBe('approved');
  // Reopening does not bring them back.
  await ok(cancel(posted));
  expect([(await order(id)).status, (await document(submitted)).status]).toEqual(['in_progress', 'cancelled']);
});
