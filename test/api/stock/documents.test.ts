/** Creating, changing and listing stock documents. */
import { describe, expect, test } from 'vitest';
import { ADJUSTMENT_REASONS, DOCUMENT_TYPES } from '../../../src/contract/resources/stock-documents.ts';
import { addDays, toCalendarDay } from '../../../src/domain/kernel/context.ts';
import { addSite, made } from '../../support/resources/order-world.ts';
import { countersAt } from '../../support/resources/stock.ts';
import { getProblems, refused, trace } from '../../support/service/call-trace.ts';
import { PATH, useStockDocuments } from '../../support/resources/stock-documents.ts';

const { s, w, create, receipt, draft, patch, read, submitted, approved, item } = useStockDocuments();

describe('POST /v1/stock-documents', () => {
  test('creates a draft with defaults and emits one event', async () => {
    const before = await countersAt(s, w.bolt);
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
      documentDate: toCalendarDay(s.tenant.timezone, s.clock.now()),
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
    expect(await countersAt(s, w.bolt)).toEqual(before);
  });

  test('numbers documents per type', async () => {
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

  test('requires the fields of the type and rejects others', async () => {
    const tomorrow = addDays(toCalendarDay(s.tenant.timezone, s.clock.now()), 1);
    const sameSite = 'toSiteId must be a different site from siteId.';
    const wrong: [body: object, problem: string, message?: string][] = [
      [{ type: 'transfer' }, '/toSiteId required', 'toSiteId is required on a transfer.'],
      [{ type: 'transfer', toSiteId: s.tenant.defaultSiteId }, '/toSiteId not_allowed', sameSite],
      [{ type: 'transfer', siteId: w.site, toSiteId: w.site }, '/toSiteId not_allowed', sameSite],
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
      [
        { type: 'receipt', documentDate: addDays(tomorrow, 1) },
        '/documentDate too_big',
        `documentDate must not be after ${tomorrow}: stock moves when the document is approved.`,
      ],
    ];
    for (const [body, problem, message = expect.any(String)] of wrong) {
      const reply = await refused(s, () => create(body), 400, 'VALIDATION_FAILED');
      expect([body, getProblems(reply), reply.body.error.message]).toEqual([body, [problem], message]);
    }
    expect((await create({ type: 'receipt', documentDate: tomorrow })).status).toBe(201);
  });

  test('rejects inactive sites and contacts', async () => {
    const closed = await addSite(s, 'CLOSED', false);
    const gone = await made(s.post('/v1/contacts', { name: 'Gone', isActive: false }));
    for (const [body, what, details] of [
      [receipt({ siteId: closed }), 'Site Site CLOSED', { siteId: closed, path: '/siteId' }],
      [{ type: 'transfer', toSiteId: closed }, 'Site Site CLOSED', { siteId: closed, path: '/toSiteId' }],
      [receipt({ contactId: gone }), 'Contact Gone', { contactId: gone, path: '/contactId' }],
    ] as const) {
      const { error } = (await refused(s, () => create(body), 409, 'INACTIVE_REFERENCE')).body;
      expect([error.message, error.details]).toEqual([`${what} is inactive; activate it or choose another one.`, details]);
    }
  });

  test('takes site and contact of an order that is in progress', async () => {
    const body = { module: 'buy', contactId: w.supplier, siteId: w.site, lines: [{ itemId: w.bolt, quantity: 5, unitPrice: 0.25 }] };
    const planned = await made(s.post('/v1/orders', body));
    await refused(s, () => create({ type: 'receipt', orderId: planned }), 409, 'INVALID_STATE');
    const orderId = await made(s.post('/v1/orders', { ...body, status: 'open' }));
    const { data } = (await create({ type: 'receipt', orderId })).body;
    expect(data).toMatchObject({ siteId: w.site, contactId: w.supplier, orderId, order: { id: orderId } });
    const own = (await create({ type: 'receipt', orderId, siteId: s.tenant.defaultSiteId, contactId: null })).body.data;
    expect([own.siteId, own.contactId]).toEqual([s.tenant.defaultSiteId, null]);
  });

  test('rejects the whole document for one invalid line without using a number', async () => {
    const next = async () => Number((await create({ type: 'issue' })).body.data.documentNumber.slice(3));
    const first = await next();
    const lines = [
      { itemId: w.bolt, quantity: 1 },
      { itemId: w.bolt, quantity: 0 },
    ];
    const reply = await refused(s, () => create({ type: 'issue', lines }), 400, 'VALIDATION_FAILED');
    expect(getProblems(reply)).toEqual(['/lines/1/quantity too_small']);
    expect(await next()).toBe(first + 1);
  });
});

describe('PATCH /v1/stock-documents/{id}', () => {
  test('changes given fields of a draft, keeps omitted ones, clears with null', async () => {
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

  test('changes nothing for current values in any state', async () => {
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

  test('changes drafts only; status accepts only draft', async () => {
    for (const id of [await submitted(), await approved()]) {
      await refused(s, () => patch(id, { reference: 'late' }), 409, 'INVALID_STATE');
      await refused(s, () => s.delete(`${PATH}/${id}`), 409, 'INVALID_STATE');
    }
    const id = await draft();
    for (const status of ['submitted', 'approved', 'cancelled', null])
      await refused(s, () => patch(id, { status }), 400, 'VALIDATION_FAILED');
    expect((await read(id)).status).toBe('draft');
  });

  test("rejects clearing a transfer's sites and an adjustment's reason", async () => {
    const transfer = await draft({ type: 'transfer', toSiteId: w.site });
    await refused(s, () => patch(transfer, { toSiteId: null }), 400, 'VALIDATION_FAILED');
    await refused(s, () => patch(transfer, { siteId: w.site }), 400, 'VALIDATION_FAILED');
    const adjustment = await draft({ type: 'adjustment', reason: 'lost' });
    await refused(s, () => patch(adjustment, { reason: null }), 400, 'VALIDATION_FAILED');
    expect([(await read(transfer)).toSiteId, (await read(adjustment)).reason]).toEqual([w.site, 'lost']);
  });

  test('answers 412 for an outdated If-Match; ETag is the current version', async () => {
    const id = await draft();
    const stale = { headers: { 'if-match': '"2000-01-01T00:00:00.000Z"' } };
    await refused(s, () => s.patch(`${PATH}/${id}`, { reference: 'x' }, stale), 412, 'PRECONDITION_FAILED');
    for (const action of ['submit', 'approve', 'cancel'])
      await refused(s, () => s.post(`${PATH}/${id}/${action}`, {}, stale), 412, 'PRECONDITION_FAILED');
    const etag = String((await s.get(`${PATH}/${id}`)).headers['etag']);
    expect((await s.patch(`${PATH}/${id}`, { reference: 'x' }, { headers: { 'if-match': etag } })).status).toBe(200);
  });
});

describe('GET /v1/stock-documents', () => {
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

  test('embeds current names of sites and contacts', async () => {
    const contactId = await made(s.post('/v1/contacts', { name: 'Old name' }));
    const id = await draft(receipt({ contactId }));
    const name = async () => (await s.get(`${PATH}?page_size=1`)).body.data[0];
    expect((await name()).contact).toEqual({ id: contactId, name: 'Old name' });
    await s.patch(`/v1/contacts/${contactId}`, { name: 'New name' });
    expect(await name()).toMatchObject({ id, contact: { id: contactId, name: 'New name' } });
  });
});
