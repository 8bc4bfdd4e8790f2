/** Stock document states: submit, approve, cancel, and dry runs. */
import { describe, expect, test } from 'vitest';
import type { Reply } from '../../support/service/service.ts';
import { stored } from '../../support/service/tenant-client.ts';
import { countersAt } from '../../support/resources/stock.ts';
import { refused, trace } from '../../support/service/call-trace.ts';
import { PATH, useStockDocuments } from '../../support/resources/stock-documents.ts';

const { s, w, create, receipt, draft, act, patch, read, submitted, approved, item } = useStockDocuments();

describe('stock document states', () => {
  test('submit updates committed and incoming without posting; recall reverts it', async () => {
    const bolt = await item({ unitId: w.pcs });
    const id = await draft(receipt({ lines: [{ itemId: bolt, quantity: 10 }] }));
    const { reply, events, actions, bodies } = await trace(s, () => act(id, 'submit'));
    expect(reply.body.data).toMatchObject({ status: 'submitted', submittedBy: { type: 'api' } });
    expect(reply.body.data.submittedAt).toBe(reply.body.data.updatedAt);
    expect([events, actions]).toEqual([['stock_document.updated'], ['stock_document.submitted']]);
    expect(bodies[0].data).toMatchObject({
      status: 'submitted',
      previousStatus: 'draft',
      changes: ['status', 'submittedAt', 'submittedBy'],
    });
    expect(await countersAt(s, bolt)).toEqual({ onHand: 0, committed: 0, incoming: 10_000_000 });

    const recall = await trace(s, () => patch(id, { status: 'draft', reference: 'again' }));
    expect(recall.reply.body.data).toMatchObject({ status: 'draft', submittedAt: null, submittedBy: null, reference: 'again' });
    expect(recall.events).toEqual(['stock_document.updated']);
    expect(recall.actions).toEqual(['stock_document.recalled', 'stock_document.updated']);
    expect(recall.bodies[0].data).toMatchObject({ previousStatus: 'submitted', status: 'draft' });
    expect(recall.bodies[0].data.changes).toEqual(['reference', 'status', 'submittedAt', 'submittedBy']);
    expect(await countersAt(s, bolt)).toEqual({ onHand: 0, committed: 0, incoming: 0 });
    expect((await trace(s, () => patch(id, { status: 'draft' }))).events).toEqual([]);
  });

  test('a submitted transfer is committed at its origin and incoming at its destination', async () => {
    const bolt = await item();
    await approved(receipt({ lines: [{ itemId: bolt, quantity: 5, unitCost: 1 }] }));
    const id = await submitted({ type: 'transfer', toSiteId: w.site, lines: [{ itemId: bolt, quantity: 4 }] });
    expect(await countersAt(s, bolt)).toEqual({ onHand: 5_000_000, committed: 4_000_000, incoming: 0 });
    expect(await countersAt(s, bolt, w.site)).toEqual({ onHand: 0, committed: 0, incoming: 4_000_000 });
    expect((await act(id, 'approve')).status).toBe(200);
    expect(await countersAt(s, bolt)).toEqual({ onHand: 1_000_000, committed: 0, incoming: 0 });
    expect(await countersAt(s, bolt, w.site)).toEqual({ onHand: 4_000_000, committed: 0, incoming: 0 });
  });

  test('submit, recall and cancel report available quantities that change without a movement', async () => {
    const bolt = await item();
    await approved(receipt({ lines: [{ itemId: bolt, quantity: 5, unitCost: 1 }] }));
    const id = await draft({ type: 'issue', lines: [{ itemId: bolt, quantity: 4 }] });
    const getEffects = async (call: () => Promise<Reply>) => (await trace(s, call)).bodies[0].data.stockEffects;
    const unmoved = { itemId: bolt, siteId: s.tenant.defaultSiteId, quantityDelta: 0, onHandAfter: 5 };
    const committed = [{ ...unmoved, committedAfter: 4, availableAfter: 1 }];
    const released = [{ ...unmoved, committedAfter: 0, availableAfter: 5 }];
    expect(await getEffects(() => act(id, 'submit'))).toMatchObject(committed);
    expect(await getEffects(() => s.patch(`${PATH}/${id}`, { status: 'draft' }))).toMatchObject(released);
    expect(await getEffects(() => act(id, 'submit'))).toMatchObject(committed);
    expect(await getEffects(() => act(id, 'cancel'))).toMatchObject(released);
    const incoming = await draft(receipt({ lines: [{ itemId: bolt, quantity: 3 }] }));
    expect(await getEffects(() => act(incoming, 'submit'))).toBeUndefined();
  });

  test('approve posts and reports the stock effects', async () => {
    const bolt = await item({ sku: 'POSTED' });
    const id = await submitted(receipt({ lines: [{ itemId: bolt, quantity: 10, unitCost: 0.2 }] }));
    const { reply, events, actions, bodies } = await trace(s, () => act(id, 'approve'));
    expect(reply.status, reply.text).toBe(200);
    const stockEffects = [
      {
        itemId: bolt,
        sku: 'POSTED',
        siteId: s.tenant.defaultSiteId,
        quantityDelta: 10,
        onHandAfter: 10,
        committedAfter: 0,
        availableAfter: 10,
      },
    ];
    expect(reply.body.data).toMatchObject({ status: 'approved', totalCost: 2, approvedBy: { type: 'api' }, stockEffects });
    expect(reply.body.data.lines[0]).toMatchObject({ postedQuantity: 10, postedUnitCost: 0.2, onHandBefore: 0, onHandAfter: 10 });
    expect([events, actions]).toEqual([['stock_document.updated'], ['stock_document.approved']]);
    expect(bodies[0].data).toMatchObject({ status: 'approved', previousStatus: 'submitted', stockEffects });
    expect(bodies[0].data.changes).toEqual(['status', 'totalCost', 'approvedAt', 'approvedBy', 'lines']);
    expect(await countersAt(s, bolt)).toEqual({ onHand: 10_000_000, committed: 0, incoming: 0 });
  });

  test('cancel releases an unposted document and stores the reason', async () => {
    const bolt = await item();
    for (const id of [await draft(), await submitted(receipt({ lines: [{ itemId: bolt, quantity: 3 }] }))]) {
      const before = await read(id);
      const { reply, events, actions, bodies } = await trace(s, () => act(id, 'cancel', { reason: ' typed twice ' }));
      expect(reply.body.data).toMatchObject({ status: 'cancelled', cancelReason: 'typed twice', reversedAt: null, stockEffects: [] });
      expect([events, actions]).toEqual([['stock_document.updated'], ['stock_document.cancelled']]);
      expect(bodies[0].data.previousStatus).toBe(before.status);
      expect(bodies[0].data.changes).toEqual(['status', 'cancelledAt', 'cancelledBy', 'cancelReason']);
    }
    expect(await countersAt(s, bolt)).toEqual({ onHand: 0, committed: 0, incoming: 0 });
  });

  test('cancel reverses an approved document', async () => {
    const bolt = await item();
    const id = await approved(receipt({ lines: [{ itemId: bolt, quantity: 3, unitCost: 1 }] }));
    const { reply, actions, bodies } = await trace(s, () => act(id, 'cancel', { reason: 'wrong site' }));
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body.data).toMatchObject({ status: 'cancelled', cancelReason: 'wrong site' });
    expect(reply.body.data.reversedAt).not.toBeNull();
    expect(reply.body.data.stockEffects).toMatchObject([{ itemId: bolt, quantityDelta: -3, onHandAfter: 0 }]);
    expect(actions).toEqual(['stock_document.reversed']);
    expect(bodies[0].data.changes).toEqual(['status', 'cancelledAt', 'cancelledBy', 'cancelReason', 'reversedAt', 'lines']);
    expect(await countersAt(s, bolt)).toEqual({ onHand: 0, committed: 0, incoming: 0 });
  });

  test('actions that a state does not allow answer INVALID_STATE', async () => {
    const [isDraft, isSubmitted, isApproved, isCancelled] = [await draft(), await submitted(), await approved(), await draft()];
    await act(isCancelled, 'cancel');
    const wrong: [string, 'submit' | 'approve' | 'cancel'][] = [
      [isDraft, 'approve'],
      [isSubmitted, 'submit'],
      [isApproved, 'submit'],
      [isApproved, 'approve'],
      [isCancelled, 'submit'],
      [isCancelled, 'approve'],
      [isCancelled, 'cancel'],
    ];
    const rules = {
      submit: ['be submitted', 'draft'],
      approve: ['be approved', 'submitted'],
      cancel: ['be cancelled', 'draft, submitted or approved'],
      recall: ['return to draft', 'draft or submitted'],
    } as const;
    const expectRefused = async (id: string, action: keyof typeof rules, call: () => Promise<Reply>) => {
      const { documentNumber, status } = await read(id);
      const [verb, allowed] = rules[action];
      expect((await refused(s, call, 409, 'INVALID_STATE')).body.error).toMatchObject({
        message: `${String(documentNumber)} is ${String(status)} and cannot ${verb}. Required status: ${allowed}.`,
        details: { status, allowed: allowed.split(/, | or /u) },
      });
    };
    for (const [id, action] of wrong) await expectRefused(id, action, () => act(id, action));
    for (const id of [isApproved, isCancelled]) await expectRefused(id, 'recall', () => patch(id, { status: 'draft' }));
  });

  test('submit is rejected without lines, with an inactive item, or for production without output', async () => {
    const empty = await draft({ type: 'receipt' });
    await refused(s, () => act(empty, 'submit'), 409, 'INVALID_STATE');
    const retired = await item({ name: 'Retired' });
    const id = await draft(receipt({ lines: [{ itemId: retired, quantity: 1 }] }));
    await s.patch(`/v1/items/${retired}`, { isActive: false });
    const { documentNumber } = await read(id);
    expect((await refused(s, () => act(id, 'submit'), 409, 'INACTIVE_REFERENCE')).body.error).toMatchObject({
      message: `${String(documentNumber)} cannot be submitted: activate or replace the inactive items first: Retired.`,
      details: { itemIds: [retired] },
    });
    const lines = [{ itemId: w.bolt, quantity: 1, direction: 'out' }];
    const nothingMade = await draft({ type: 'production', lines });
    await refused(s, () => act(nothingMade, 'submit'), 409, 'INVALID_STATE');
    for (const each of [empty, id, nothingMade]) expect((await read(each)).status).toBe('draft');
  });

  test('submit is rejected with an item that an earlier release let become a combo', async () => {
    const itemId = await item({ name: 'Gift box' });
    const id = await draft(receipt({ lines: [{ itemId, quantity: 1 }] }));
    const { documentNumber } = await read(id);
    const setType = (itemType: 'combo' | 'product') =>
      s.service.store.transact(s.tenant.id, async (tx) => {
        const row = await tx.items.get(itemId);
        if (row) await tx.items.put({ ...row, itemType });
      });
    await setType('combo');
    expect((await refused(s, () => act(id, 'submit'), 409, 'INVALID_ITEM_TYPE')).body.error).toMatchObject({
      message: `${String(documentNumber)} cannot be submitted: Gift box is now a combo, which has no stock of its own. Replace it with its parts.`,
      details: { itemId, itemType: 'combo' },
    });
    await setType('product');
    expect((await act(id, 'submit')).status).toBe(200);
  });

  test('a draft is deleted with its lines and its number is not reused', async () => {
    const id = await draft();
    const number = Number((await read(id)).documentNumber.slice(3));
    const { reply, events, actions, bodies } = await trace(s, () => s.delete(`${PATH}/${id}`));
    expect([reply.status, events, actions]).toEqual([204, ['stock_document.updated'], ['stock_document.deleted']]);
    expect(bodies[0].data).toMatchObject({ id, changes: ['deleted'], deletedAt: expect.any(String) });
    expect((await s.get(`${PATH}/${id}`)).status).toBe(404);
    expect((await s.get(`${PATH}/${id}/lines`)).status).toBe(404);
    expect((await s.delete(`${PATH}/${id}`)).status).toBe(404);
    const { stockDocumentLines = [] } = await stored(s, s.tenant.id);
    expect(stockDocumentLines.filter((line) => (line as { documentId: string }).documentId === id)).toEqual([]);
    expect((await create(receipt())).body.data.documentNumber).toBe(`RC-${String(number + 1).padStart(6, '0')}`);
  });
});

describe('dry_run', () => {
  const DRY = '?dry_run=true';

  test('returns the effect and changes nothing', async () => {
    const bolt = await item();
    const issue = () => draft({ type: 'issue', lines: [{ itemId: bolt, quantity: 1 }] });
    await approved(receipt({ lines: [{ itemId: bolt, quantity: 5, unitCost: 1 }] }));
    const [first, second] = [await issue(), await issue()];
    await act(second, 'submit');
    const before = await stored(s, s.tenant.id);
    const replies: [Reply, string][] = [
      [await act(first, 'submit', {}, DRY), 'submitted'],
      [await act(second, 'approve', {}, DRY), 'approved'],
      [await act(second, 'cancel', { reason: 'x' }, DRY), 'cancelled'],
    ];
    for (const [{ status, headers, body, text }, wanted] of replies) {
      expect(status, text).toBe(200);
      expect(body.data.status).toBe(wanted);
      expect(headers['etag']).toBeUndefined();
    }
    expect(replies[1]?.[0].body.data.stockEffects).toMatchObject([{ itemId: bolt, quantityDelta: -1, onHandAfter: 4 }]);
    expect(await stored(s, s.tenant.id)).toEqual(before);
    expect((await act(second, 'approve')).body.data.stockEffects).toEqual(replies[1]?.[0].body.data.stockEffects);
  });

  test('of creating a document returns the effect of posting it, or what keeps it from being posted', async () => {
    const bolt = await item();
    await approved(receipt({ lines: [{ itemId: bolt, quantity: 5, unitCost: 1 }] }));
    const before = await stored(s, s.tenant.id);
    const issue = (quantity: number) => s.post(`${PATH}${DRY}`, { type: 'issue', lines: [{ itemId: bolt, quantity }] });
    const { status, headers, body } = await issue(2);
    expect([status, headers['location'], body.data.status]).toEqual([201, undefined, 'approved']);
    expect(body.data.stockEffects).toMatchObject([{ itemId: bolt, quantityDelta: -2, onHandAfter: 3 }]);
    await refused(s, () => issue(6), 409, 'INSUFFICIENT_STOCK');
    const counted = { itemId: bolt, countedQuantity: 4, expectedQuantity: 9 };
    await refused(s, () => s.post(`${PATH}${DRY}`, { type: 'count', lines: [counted] }), 409, 'STALE_COUNT');
    expect(await stored(s, s.tenant.id)).toEqual(before);
  });

  test('stores no reply, so the idempotency key stays usable', async () => {
    const id = await draft();
    const options = { idempotencyKey: `dry-${id}` };
    expect((await s.post(`${PATH}/${id}/submit${DRY}`, {}, options)).body.data.status).toBe('submitted');
    const real = await s.post(`${PATH}/${id}/submit`, {}, options);
    expect([real.status, real.headers['idempotent-replayed']]).toEqual([200, undefined]);
    await refused(s, () => s.post(`${PATH}/${id}/submit${DRY}`, {}, options), 409, 'CONFLICT');
  });

  test('is rejected like the real request, and for values other than true and false', async () => {
    const short = await item();
    const id = await submitted({ type: 'issue', lines: [{ itemId: short, quantity: 2 }] });
    const dry = await refused(s, () => act(id, 'approve', {}, DRY), 409, 'INSUFFICIENT_STOCK');
    const real = await refused(s, () => act(id, 'approve'), 409, 'INSUFFICIENT_STOCK');
    expect(dry.body.error.details).toEqual(real.body.error.details);
    await refused(s, () => act(id, 'approve', {}, '?dry_run=maybe'), 400, 'VALIDATION_FAILED');
    await refused(s, () => act(id, 'submit', {}, '?dry_run=false'), 409, 'INVALID_STATE');
  });
});
