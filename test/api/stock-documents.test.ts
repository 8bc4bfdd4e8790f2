import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADJUSTMENT_REASONS, DOCUMENT_TYPES } from '../../src/contract/stock-documents.ts';
import { addDays, dayIn } from '../../src/domain/context.ts';
import { type OrderWorld, addSite, made, orderWorld } from '../support/orders.ts';
import { type Reply, type TestService, startService } from '../support/service.ts';
import { stored } from '../support/shelf.ts';
import { problemsOf, refused, trace } from '../support/trace.ts';

let s: TestService;
let w: OrderWorld;
beforeAll(async () => {
  s = await startService();
  w = await orderWorld(s);
});
afterAll(async () => s[Symbol.asyncDispose]());

const PATH = '/v1/stock-documents';
const create = (body: object) => s.post(PATH, body);
const receipt = (more: object = {}) => ({ type: 'receipt', lines: [{ itemId: w.bolt, quantity: 10, unitCost: 0.2 }], ...more });
const draft = (body: object = receipt()) => made(create(body));
const act = (id: string, action: 'submit' | 'approve' | 'cancel', body: object = {}, query = '') =>
  s.post(`${PATH}/${id}/${action}${query}`, body);
const patch = (id: string, body: object) => s.patch(`${PATH}/${id}`, body);
const read = async (id: string) => (await s.get(`${PATH}/${id}?include=lines`)).body.data;
/** The level of an item at a site, all zero when there is none. */
async function level(itemId: string, siteId = s.tenant.defaultSiteId) {
  const row = await s.service.store.read(s.tenant.id, (tx) => tx.stockLevels.get(`${itemId} ${siteId}`));
  return { onHand: row?.onHand ?? 0, committed: row?.committed ?? 0, incoming: row?.incoming ?? 0 };
}
async function submitted(body: object = receipt()): Promise<string> {
  const id = await draft(body);
  expect((await act(id, 'submit')).status).toBe(200);
  return id;
}
async function approved(body: object = receipt()): Promise<string> {
  const id = await submitted(body);
  const { status, text } = await act(id, 'approve');
  expect(status, text).toBe(200);
  return id;
}
const item = (more: object = {}) => made(s.post('/v1/items', { name: `Item ${s.service.newId()}`, ...more }));

describe('creating', () => {
  test('a document is made as a draft with what it does not say filled in, and told once', async () => {
    const before = await level(w.bolt);
    const { reply, events, actions, bodies } = await trace(s, () => create(receipt({ reference: ' DN 7 ', notes: '' })));
    expect(reply.status, reply.text).toBe(201);
    const { data } = reply.body;
    expect(data).toMatchObject({
      documentNumber: 'RC-000001',
      type: 'receipt',
      status: 'draft',
      siteId: s.tenant.defaultSiteId,
      site: { id: s.tenant.defaultSiteId },
      toSiteId: null,
      toSite: null,
      contactId: null,
      contact: null,
      orderId: null,
      order: null,
      documentDate: dayIn(s.tenant.timezone, s.clock.now()),
      reference: 'DN 7',
      notes: null,
      reason: null,
      lineCount: 1,
      totalCost: null,
      createdBy: { type: 'api' },
      submittedAt: null,
      submittedBy: null,
      approvedAt: null,
      cancelledAt: null,
      reversedAt: null,
    });
    expect(data.lines).toHaveLength(1);
    expect(reply.headers['location']).toBe(`${PATH}/${data.id as string}`);
    expect(reply.headers['etag']).toBe(`"${data.updatedAt as string}"`);
    expect(events).toEqual(['stock_document.created']);
    expect(actions).toEqual(['stock_document.created']);
    const { type, status, documentNumber, siteId, toSiteId, orderId, lineCount } = data;
    expect(bodies[0].data).toMatchObject({ id: data.id, changes: [], type, status, documentNumber, siteId, toSiteId, orderId, lineCount });
    expect(await level(w.bolt)).toEqual(before);
  });

  test('every type counts its own numbers', async () => {
    const required: Record<string, object> = { transfer: { toSiteId: w.site }, adjustment: { reason: 'found' } };
    for (const [type, prefix] of Object.entries({
      receipt: 'RC',
      issue: 'IS',
      transfer: 'TR',
      adjustment: 'AD',
      count: 'CN',
      production: 'PR',
    })) {
      const numbers: number[] = [];
      for (let at = 0; at < 2; at += 1) {
        const { body } = await create({ type, ...required[type] });
        expect(body.data.documentNumber).toMatch(new RegExp(`^${prefix}-\\d{6}$`, 'u'));
        numbers.push(Number(body.data.documentNumber.slice(3)));
      }
      expect(numbers[1]).toBe((numbers[0] ?? 0) + 1);
    }
  });

  test('a type has what it needs and nothing else', async () => {
    const wrong: [object, string][] = [
      [{ type: 'transfer' }, '/toSiteId required'],
      [{ type: 'transfer', toSiteId: s.tenant.defaultSiteId }, '/toSiteId not_allowed'],
      [{ type: 'transfer', siteId: w.site, toSiteId: w.site }, '/toSiteId not_allowed'],
      [{ type: 'adjustment' }, '/reason required'],
      [{ type: 'adjustment', reason: 'whim' }, '/reason not_allowed'],
      ...DOCUMENT_TYPES.filter((type) => type !== 'transfer').map((type): [object, string] => [
        { type, toSiteId: w.site, ...(type === 'adjustment' ? { reason: ADJUSTMENT_REASONS[0] } : {}) },
        '/toSiteId not_allowed',
      ]),
      [{ type: 'receipt', reason: 'found' }, '/reason not_allowed'],
      [{ type: 'receipt', siteId: s.service.newId() }, '/siteId invalid'],
      [{ type: 'receipt', contactId: s.service.newId() }, '/contactId invalid'],
      [{ type: 'receipt', orderId: s.service.newId() }, '/orderId invalid'],
      [{ type: 'receipt', documentDate: addDays(dayIn(s.tenant.timezone, s.clock.now()), 2) }, '/documentDate too_big'],
    ];
    for (const [body, problem] of wrong) {
      const reply = await refused(s, () => create(body), 400, 'VALIDATION_FAILED');
      expect([body, problemsOf(reply)]).toEqual([body, [problem]]);
    }
    const tomorrow = addDays(dayIn(s.tenant.timezone, s.clock.now()), 1);
    expect((await create({ type: 'receipt', documentDate: tomorrow })).status).toBe(201);
  });

  test('inactive sites and contacts are refused', async () => {
    const closed = await addSite(s, 'CLOSED', false);
    const gone = await made(s.post('/v1/contacts', { name: 'Gone', isActive: false }));
    await refused(s, () => create(receipt({ siteId: closed })), 409, 'INACTIVE_REFERENCE');
    await refused(s, () => create({ type: 'transfer', toSiteId: closed }), 409, 'INACTIVE_REFERENCE');
    const reply = await refused(s, () => create(receipt({ contactId: gone })), 409, 'INACTIVE_REFERENCE');
    expect(reply.body.error.details).toEqual({ contactId: gone });
  });

  test('a document for an order takes its site and its contact, and only while work on the order is going on', async () => {
    const body = { module: 'buy', contactId: w.supplier, siteId: w.site, lines: [{ itemId: w.bolt, quantity: 5, unitPrice: 0.25 }] };
    const planned = await made(s.post('/v1/orders', body));
    await refused(s, () => create({ type: 'receipt', orderId: planned }), 409, 'INVALID_STATE');
    const orderId = await made(s.post('/v1/orders', { ...body, status: 'open' }));
    const { data } = (await create({ type: 'receipt', orderId })).body;
    expect(data).toMatchObject({ siteId: w.site, contactId: w.supplier, orderId, order: { id: orderId } });
    const own = (await create({ type: 'receipt', orderId, siteId: s.tenant.defaultSiteId, contactId: null })).body.data;
    expect([own.siteId, own.contactId]).toEqual([s.tenant.defaultSiteId, null]);
  });

  test('one wrong line refuses the whole document and uses no number up', async () => {
    const next = async () => Number((await create({ type: 'issue' })).body.data.documentNumber.slice(3));
    const first = await next();
    const lines = [
      { itemId: w.bolt, quantity: 1 },
      { itemId: w.bolt, quantity: 0 },
    ];
    const reply = await refused(s, () => create({ type: 'issue', lines }), 400, 'VALIDATION_FAILED');
    expect(problemsOf(reply)).toEqual(['/lines/1/quantity too_small']);
    expect(await next()).toBe(first + 1);
  });
});

describe('changing the head', () => {
  test('a draft changes in what the body names; an absent field stays, null clears', async () => {
    const id = await draft(receipt({ reference: 'A', notes: 'B', contactId: w.supplier }));
    const before = await read(id);
    const { reply, events, actions, bodies, audit } = await trace(s, () => patch(id, { reference: 'C', contactId: null }));
    expect(reply.body.data).toMatchObject({ reference: 'C', contactId: null, contact: null, notes: 'B', lineCount: 1 });
    expect(reply.body.data.updatedAt > before.updatedAt).toBe(true);
    expect(events).toEqual(['stock_document.updated']);
    expect(actions).toEqual(['stock_document.updated']);
    expect(bodies[0].data.changes.toSorted()).toEqual(['contactId', 'reference']);
    expect(audit[0]?.metadata['changes']).toEqual({ contactId: { from: w.supplier, to: null }, reference: { from: 'A', to: 'C' } });
    expect((await patch(id, { siteId: w.site })).body.data.siteId).toBe(w.site);
    expect((await patch(id, { siteId: null })).body.data.siteId).toBe(s.tenant.defaultSiteId);
  });

  test('what is there already changes nothing, in any state', async () => {
    for (const id of [await draft(), await submitted(), await approved()]) {
      const { lines: _, ...before } = await read(id);
      const { siteId, toSiteId, contactId, documentDate, reference, reason, notes } = before;
      for (const body of [{}, { siteId, toSiteId, contactId, documentDate, reference, reason, notes }]) {
        const { reply, events, actions } = await trace(s, () => patch(id, body));
        expect([reply.status, events, actions]).toEqual([200, [], []]);
        expect(reply.body.data).toMatchObject(before);
      }
    }
  });

  test('only drafts change; status takes draft and nothing else', async () => {
    for (const id of [await submitted(), await approved()]) {
      await refused(s, () => patch(id, { reference: 'late' }), 409, 'INVALID_STATE');
      await refused(s, () => s.delete(`${PATH}/${id}`), 409, 'INVALID_STATE');
    }
    const id = await draft();
    for (const status of ['submitted', 'approved', 'cancelled', null])
      await refused(s, () => patch(id, { status }), 400, 'VALIDATION_FAILED');
    expect((await read(id)).status).toBe('draft');
  });

  test('a transfer keeps two sites, an adjustment its reason', async () => {
    const transfer = await draft({ type: 'transfer', toSiteId: w.site });
    await refused(s, () => patch(transfer, { toSiteId: null }), 400, 'VALIDATION_FAILED');
    await refused(s, () => patch(transfer, { siteId: w.site }), 400, 'VALIDATION_FAILED');
    const adjustment = await draft({ type: 'adjustment', reason: 'lost' });
    await refused(s, () => patch(adjustment, { reason: null }), 400, 'VALIDATION_FAILED');
    expect([(await read(transfer)).toSiteId, (await read(adjustment)).reason]).toEqual([w.site, 'lost']);
  });

  test('If-Match refuses a change of another version, and ETag names the version there is', async () => {
    const id = await draft();
    const stale = { headers: { 'if-match': '"2000-01-01T00:00:00.000Z"' } };
    await refused(s, () => s.patch(`${PATH}/${id}`, { reference: 'x' }, stale), 412, 'PRECONDITION_FAILED');
    for (const action of ['submit', 'approve', 'cancel'])
      await refused(s, () => s.post(`${PATH}/${id}/${action}`, {}, stale), 412, 'PRECONDITION_FAILED');
    const etag = String((await s.get(`${PATH}/${id}`)).headers['etag']);
    expect((await s.patch(`${PATH}/${id}`, { reference: 'x' }, { headers: { 'if-match': etag } })).status).toBe(200);
  });
});

describe('the states', () => {
  test('submitting announces and posts nothing, recalling takes it back', async () => {
    const bolt = await item({ unitId: w.pcs });
    const id = await draft(receipt({ lines: [{ itemId: bolt, quantity: 10 }] }));
    const { reply, events, actions, bodies } = await trace(s, () => act(id, 'submit'));
    expect(reply.body.data).toMatchObject({ status: 'submitted', submittedBy: { type: 'api' } });
    expect(reply.body.data.submittedAt).toBe(reply.body.data.updatedAt);
    expect([events, actions]).toEqual([['stock_document.updated'], ['stock_document.submitted']]);
    expect(bodies[0].data).toMatchObject({ status: 'submitted', previousStatus: 'draft', changes: ['status'] });
    expect(await level(bolt)).toEqual({ onHand: 0, committed: 0, incoming: 10_000_000 });

    const recall = await trace(s, () => patch(id, { status: 'draft', reference: 'again' }));
    expect(recall.reply.body.data).toMatchObject({ status: 'draft', submittedAt: null, submittedBy: null, reference: 'again' });
    expect(recall.events).toEqual(['stock_document.updated']);
    expect(recall.actions).toEqual(['stock_document.recalled', 'stock_document.updated']);
    expect(recall.bodies[0].data).toMatchObject({ previousStatus: 'submitted', status: 'draft' });
    expect(await level(bolt)).toEqual({ onHand: 0, committed: 0, incoming: 0 });
    expect((await trace(s, () => patch(id, { status: 'draft' }))).events).toEqual([]);
  });

  test('a submitted transfer is reserved where it leaves and expected where it arrives', async () => {
    const bolt = await item();
    await approved(receipt({ lines: [{ itemId: bolt, quantity: 5, unitCost: 1 }] }));
    const id = await submitted({ type: 'transfer', toSiteId: w.site, lines: [{ itemId: bolt, quantity: 4 }] });
    expect(await level(bolt)).toEqual({ onHand: 5_000_000, committed: 4_000_000, incoming: 0 });
    expect(await level(bolt, w.site)).toEqual({ onHand: 0, committed: 0, incoming: 4_000_000 });
    expect((await act(id, 'approve')).status).toBe(200);
    expect(await level(bolt)).toEqual({ onHand: 1_000_000, committed: 0, incoming: 0 });
    expect(await level(bolt, w.site)).toEqual({ onHand: 4_000_000, committed: 0, incoming: 0 });
  });

  test('approving posts, and tells what became of the stock', async () => {
    const bolt = await item({ sku: 'POSTED' });
    const id = await submitted(receipt({ lines: [{ itemId: bolt, quantity: 10, unitCost: 0.2 }] }));
    const { reply, events, actions, bodies } = await trace(s, () => act(id, 'approve'));
    expect(reply.status, reply.text).toBe(200);
    const stockEffects = [{ itemId: bolt, sku: 'POSTED', siteId: s.tenant.defaultSiteId, quantityDelta: 10, onHandAfter: 10 }];
    expect(reply.body.data).toMatchObject({ status: 'approved', totalCost: 2, approvedBy: { type: 'api' }, stockEffects });
    expect(reply.body.data.lines[0]).toMatchObject({ postedQuantity: 10, postedUnitCost: 0.2, onHandBefore: 0, onHandAfter: 10 });
    expect([events, actions]).toEqual([['stock_document.updated'], ['stock_document.approved']]);
    expect(bodies[0].data).toMatchObject({ status: 'approved', previousStatus: 'submitted', stockEffects });
    expect(await level(bolt)).toEqual({ onHand: 10_000_000, committed: 0, incoming: 0 });
  });

  test('cancelling what is not posted releases it, and keeps the reason', async () => {
    const bolt = await item();
    for (const id of [await draft(), await submitted(receipt({ lines: [{ itemId: bolt, quantity: 3 }] }))]) {
      const before = await read(id);
      const { reply, events, actions, bodies } = await trace(s, () => act(id, 'cancel', { reason: ' typed twice ' }));
      expect(reply.body.data).toMatchObject({ status: 'cancelled', cancelReason: 'typed twice', reversedAt: null, stockEffects: [] });
      expect([events, actions]).toEqual([['stock_document.updated'], ['stock_document.cancelled']]);
      expect(bodies[0].data.previousStatus).toBe(before.status);
    }
    expect(await level(bolt)).toEqual({ onHand: 0, committed: 0, incoming: 0 });
  });

  test('cancelling what is posted reverses it', async () => {
    const bolt = await item();
    const id = await approved(receipt({ lines: [{ itemId: bolt, quantity: 3, unitCost: 1 }] }));
    const { reply, actions } = await trace(s, () => act(id, 'cancel', { reason: 'wrong site' }));
    expect(reply.status, reply.text).toBe(200);
    expect(reply.body.data).toMatchObject({ status: 'cancelled', cancelReason: 'wrong site' });
    expect(reply.body.data.reversedAt).not.toBeNull();
    expect(reply.body.data.stockEffects).toMatchObject([{ itemId: bolt, quantityDelta: -3, onHandAfter: 0 }]);
    expect(actions).toEqual(['stock_document.reversed']);
    expect(await level(bolt)).toEqual({ onHand: 0, committed: 0, incoming: 0 });
  });

  test('what a state does not take is refused as INVALID_STATE', async () => {
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
    for (const [id, action] of wrong) {
      const reply = await refused(s, () => act(id, action), 409, 'INVALID_STATE');
      expect(reply.body.error.details.status).toBe((await read(id)).status);
    }
    for (const id of [isApproved, isCancelled]) await refused(s, () => patch(id, { status: 'draft' }), 409, 'INVALID_STATE');
  });

  test('a document without lines, with an inactive item, or making nothing is not submitted', async () => {
    const empty = await draft({ type: 'receipt' });
    await refused(s, () => act(empty, 'submit'), 409, 'INVALID_STATE');
    const retired = await item();
    const id = await draft(receipt({ lines: [{ itemId: retired, quantity: 1 }] }));
    await s.patch(`/v1/items/${retired}`, { isActive: false });
    await refused(s, () => act(id, 'submit'), 409, 'INACTIVE_REFERENCE');
    const lines = [{ itemId: w.bolt, quantity: 1, direction: 'out' }];
    const nothingMade = await draft({ type: 'production', lines });
    await refused(s, () => act(nothingMade, 'submit'), 409, 'INVALID_STATE');
    for (const each of [empty, id, nothingMade]) expect((await read(each)).status).toBe('draft');
  });

  test('a draft can be deleted with its lines; its number is not used again', async () => {
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

describe('a dry run', () => {
  const DRY = '?dry_run=true';

  test('answers what would happen, and changes nothing', async () => {
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

  test('keeps no reply, so that its key is free for the real thing', async () => {
    const id = await draft();
    const options = { idempotencyKey: `dry-${id}` };
    expect((await s.post(`${PATH}/${id}/submit${DRY}`, {}, options)).body.data.status).toBe('submitted');
    const real = await s.post(`${PATH}/${id}/submit`, {}, options);
    expect([real.status, real.headers['idempotent-replayed']]).toEqual([200, undefined]);
    await refused(s, () => s.post(`${PATH}/${id}/submit${DRY}`, {}, options), 409, 'CONFLICT');
  });

  test('is refused like the real thing, and with anything but true or false', async () => {
    const short = await item();
    const id = await submitted({ type: 'issue', lines: [{ itemId: short, quantity: 2 }] });
    const dry = await refused(s, () => act(id, 'approve', {}, DRY), 409, 'INSUFFICIENT_STOCK');
    const real = await refused(s, () => act(id, 'approve'), 409, 'INSUFFICIENT_STOCK');
    expect(dry.body.error.details).toEqual(real.body.error.details);
    await refused(s, () => act(id, 'approve', {}, '?dry_run=maybe'), 400, 'VALIDATION_FAILED');
    await refused(s, () => act(id, 'submit', {}, '?dry_run=false'), 409, 'INVALID_STATE');
  });
});

describe('the list', () => {
  test('filters by type, status, either site, order, item and date', async () => {
    const [bolt, north] = [await item(), await addSite(s, 'FILTER')];
    const orderId = await made(
      s.post('/v1/orders', { module: 'buy', contactId: w.supplier, status: 'open', lines: [{ itemId: bolt, quantity: 5 }] }),
    );
    const lines = [{ itemId: bolt, quantity: 1 }];
    const ids = {
      receipt: await draft({ type: 'receipt', orderId, lines, documentDate: '2020-01-10' }),
      issue: await submitted({ type: 'issue', lines, documentDate: '2020-01-20' }),
      transfer: await draft({ type: 'transfer', toSiteId: north, lines, documentDate: '2020-01-30', reference: 'Van 12' }),
    };
    const { receipt: r, issue: i, transfer: t } = ids;
    const found = async (query: string): Promise<string[]> => {
      const { body, status, text } = await s.get(`${PATH}?${query}`);
      expect(status, text).toBe(200);
      return (body.data as { id: string }[]).map(({ id }) => id).toSorted();
    };
    const expected: [string, string[]][] = [
      [`item_id=${bolt}`, [r, i, t]],
      [`item_id=${bolt}&type=receipt,transfer`, [r, t]],
      [`item_id=${bolt}&status=submitted`, [i]],
      [`site_id=${north}`, [t]],
      [`item_id=${bolt}&site_id=${s.tenant.defaultSiteId}`, [r, i, t]],
      [`order_id=${orderId}`, [r]],
      [`item_id=${bolt}&date_from=2020-01-20`, [i, t]],
      [`item_id=${bolt}&date_to=2020-01-20`, [r, i]],
      [`item_id=${bolt}&date_from=2020-01-11&date_to=2020-01-29`, [i]],
      [`item_id=${bolt}&search=VAN`, [t]],
      [`item_id=${s.service.newId()}`, []],
    ];
    for (const [query, wanted] of expected) expect([query, await found(query)]).toEqual([query, wanted.toSorted()]);
    const { body } = await s.get(`${PATH}?item_id=${bolt}&sort=document_number`);
    const row = body.data.find(({ id }: { id: string }) => id === r);
    const { lines: _, ...single } = await read(r);
    expect(row).toEqual(single);
  });

  test('shows sites and contacts by the names that they have now', async () => {
    const contactId = await made(s.post('/v1/contacts', { name: 'Old name' }));
    const id = await draft(receipt({ contactId }));
    const name = async () => (await s.get(`${PATH}?page_size=1`)).body.data[0];
    expect((await name()).contact).toEqual({ id: contactId, name: 'Old name' });
    await s.patch(`/v1/contacts/${contactId}`, { name: 'New name' });
    expect(await name()).toMatchObject({ id, contact: { id: contactId, name: 'New name' } });
  });
});
