/** Rules of orders that depend on module, status and earlier records. */
import { describe, expect, test } from 'vitest';
import { ORDER_LINES_MAX } from '../../../src/contract/limits.ts';
import { addSite, addUser, made } from '../../support/resources/order-world.ts';
import { stockUp, findProblems, postDocument } from '../../support/resources/stock.ts';
import { refused, trace } from '../../support/service/call-trace.ts';
import { addUnit } from '../../support/resources/units-and-categories.ts';
import { useOrderStock } from '../../support/resources/order-stock.ts';

const { change, create, s, w, item, order, cancel, document, ok, sale, purchase, figures } = useOrderStock();

const inProgress = async (body: object, status = 'in_progress') => {
  const { data } = (await ok(create({ status: 'open', ...body }))).body;
  return (await ok(change(data.id, { status }))).body.data;
};

describe('prices', () => {
  test('of buy, sell and fix orders can change in progress and while waiting, those of make and check orders cannot', async () => {
    const prices = { unitPrice: 3, discountPercent: 5, taxPercent: 20 };
    const component = { kind: 'component', itemId: w.coffee, quantity: 1 };
    const modules = {
      buy: { contactId: w.supplier },
      sell: { contactId: w.customer },
      fix: { contactId: w.customer },
      make: { lines: [{ itemId: w.bolt, quantity: 1 }, component] },
      check: {},
    };
    for (const status of ['in_progress', 'waiting']) {
      for (const [module, more] of Object.entries(modules)) {
        const { id, lines } = await inProgress({ module, lines: [{ itemId: w.bolt, quantity: 1 }], ...more }, status);
        const rest = lines.slice(1).map((line: { id: string }) => ({ id: line.id }));
        const edit = () => change(id, { lines: [{ id: lines[0].id, ...prices }, ...rest] });
        if (module === 'make' || module === 'check') {
          const { details } = (await refused(s, edit, 409, 'FIELD_LOCKED')).body.error;
          expect([module, details]).toEqual([module, { fields: Object.keys(prices).map((field) => `lines.0.${field}`), status }]);
        } else {
          expect([module, (await edit()).body.data.lines[0]]).toMatchObject([module, prices]);
        }
      }
    }
  });
});

describe('opening', () => {
  test('names the kinds of lines that are missing and what is allowed instead', async () => {
    const component = { kind: 'component', itemId: w.coffee, quantity: 1 };
    for (const [module, lines, missing] of [
      ['sell', [], 'at least one line'],
      ['make', [component], 'at least one output line'],
      ['make', [{ itemId: w.bolt, quantity: 1 }], 'at least one component line'],
    ] as const) {
      const { error } = (await refused(s, () => create({ module, status: 'open', lines }), 409, 'INVALID_TRANSITION')).body;
      expect(error.message).toBe(`The order cannot be opened: add ${missing} first.`);
      expect(error.details).toEqual({ from: null, to: 'open', allowed: ['draft'], missing });
    }
  });

  test('keeps the parts of a combo, and returning to draft forgets them', async () => {
    const [cup, spoon] = [await item(), await item()];
    const combo = await item({ itemType: 'combo' });
    const ingredient = await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: cup, quantity: 1 }));
    const { id, lines } = await sale(combo, 1);
    await ok(s.delete(`/v1/items/${combo}/ingredients/${ingredient}`));
    await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: spoon, quantity: 3 }));
    await ok(change(id, { lines: [{ id: lines[0].id, quantity: 2 }] }));
    expect([await figures(cup), await figures(spoon)]).toEqual([
      [0, 2, 0],
      [0, 0, 0],
    ]);
    await ok(change(id, { status: 'draft' }));
    await ok(change(id, { status: 'open' }));
    expect([await figures(cup), await figures(spoon)]).toEqual([
      [0, 0, 0],
      [0, 6, 0],
    ]);
  });
});

describe('combos', () => {
  test('change their lines, and no others, when parts appear with the opening and go with the return to draft', async () => {
    const [cup, combo] = [await item(), await item({ itemType: 'combo' })];
    await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: cup, quantity: 1 }));
    const lines = [
      { itemId: combo, quantity: 2 },
      { itemId: cup, quantity: 1 },
    ];
    const created = (await ok(create({ module: 'sell', status: 'open', contactId: w.customer, lines }))).body.data;
    const { id } = created;
    interface Line {
      readonly id: string;
      readonly createdAt: string;
      readonly updatedAt: string;
    }
    const [first, second] = created.lines as [Line, Line];
    for (const line of [first, second]) expect(line.updatedAt).toBe(line.createdAt);
    let before = first.updatedAt;
    for (const status of ['draft', 'open']) {
      const [combos, others] = (await ok(change(id, { status }))).body.data.lines as [Line, Line];
      expect([combos.updatedAt > before, others.updatedAt]).toEqual([true, second.updatedAt]);
      const changed = (await s.get(`/v1/orders/${id}/lines?updated_since=${combos.updatedAt}`)).body.data as Line[];
      expect(changed.map((line) => line.id)).toEqual([first.id]);
      before = combos.updatedAt;
    }
  });

  test('that are added to an open order, or while it is completed, are committed and issued in parts', async () => {
    const [cup, combo] = [await item(), await item({ itemType: 'combo' })];
    await made(s.post(`/v1/items/${combo}/ingredients`, { ingredientItemId: cup, quantity: 2 }));
    await stockUp(s, [{ itemId: cup, quantity: 9 }]);
    const { id, lines } = await sale(cup, 1);
    const first = { id: lines[0].id };
    const more = (await ok(change(id, { lines: [first, { itemId: combo, quantity: 1 }] }))).body.data;
    expect(await figures(cup)).toEqual([9, 3, 0]);
    const all = [first, { id: more.lines[1].id }, { itemId: combo, quantity: 2 }];
    const { data } = (await ok(change(id, { status: 'completed', lines: all }))).body;
    expect(data).toMatchObject({ fulfilment: 'full', lines: [{}, { fulfilledQuantity: 1 }, { fulfilledQuantity: 2 }] });
    expect(await figures(cup)).toEqual([2, 0, 0]);
  });
});

describe('changes of an order', () => {
  test('do not check a site, user or source order that stays the same', async () => {
    const [siteId, assignedTo] = [await addSite(s, 'CLOSING'), await addUser(s, 'leaving@example.com', 'active')];
    const { id } = (await ok(create({ module: 'sell', siteId, assignedTo, lines: [{ itemId: w.bolt, quantity: 1 }] }))).body.data;
    await s.service.store.transact(s.tenant.id, async (tx) => {
      const [site, user] = [await tx.sites.get(siteId), await tx.users.get(assignedTo)];
      if (site) await tx.sites.put({ ...site, isActive: false });
      if (user) await tx.users.put({ ...user, status: 'deactivated' });
    });
    expect((await ok(change(id, { notes: 'still here', siteId, assignedTo }))).body.data).toMatchObject({ notes: 'still here' });
  });

  test('are audited in the units of the API, and name every field that changed', async () => {
    const it = await item();
    const { id, lines } = await purchase(it, 2, { unitPrice: 1.5 });
    const edit = [{ id: lines[0].id }, { itemId: it, quantity: 4, unitPrice: 0.25 }];
    const replaced = await trace(s, () => change(id, { lines: edit }));
    expect(replaced.audit[0]?.metadata).toMatchObject({
      changes: { subtotal: { from: 3, to: 4 }, total: { from: 3, to: 4 }, lineCount: { from: 1, to: 2 } },
      lines: { added: 1, updated: 0, removed: 0 },
    });
    const closed = await trace(s, () => change(id, { status: 'completed', stock: 'none' }));
    expect(closed.bodies[0].data.changes).toEqual(['status', 'closedShort', 'completedAt']);
    const reason = (await ok(change((await purchase(it, 1)).id, { status: 'cancelled', cancelReason: 'late' }))).body.data;
    const { details } = (await refused(s, () => change(reason.id, { cancelReason: 'early' }), 409, 'FIELD_LOCKED')).body.error;
    expect(details).toEqual({ fields: ['cancelReason'], status: 'cancelled' });
  });

  test('touch only the lines that a posting changes', async () => {
    const [a, b] = [await item(), await item()];
    const body = { module: 'buy', status: 'open', contactId: w.supplier, lines: [a, b].map((itemId) => ({ itemId, quantity: 2 })) };
    const { id, lines } = (await ok(create(body))).body.data;
    const times = async () => (await order(id)).lines.map((line: { updatedAt: string }) => line.updatedAt);
    const created = await times();
    s.clock.advance(60_000);
    const receipt = await postDocument(s, { type: 'receipt', orderId: id, lines: [{ itemId: a, quantity: 2, orderLineId: lines[0].id }] });
    const posted = await times();
    expect([posted[0] > created[0], posted[1] === created[1]]).toEqual([true, true]);
    s.clock.advance(60_000);
    await ok(change(id, { status: 'completed' }));
    const completed = await times();
    expect([completed[0] === posted[0], completed[1] > posted[1]]).toEqual([true, true]);
    await ok(cancel(receipt));
    expect(await order(id)).toMatchObject({ status: 'in_progress', lines: [{ fulfilledQuantity: 0 }, { fulfilledQuantity: 2 }] });
  });
});

describe('lines', () => {
  test('that a shorter quantity fulfils become full', async () => {
    const kg = await addUnit(s, 'kg-3', 'mass', [1, 1], { precision: 3 });
    const lb = await addUnit(s, 'pound', 'mass', [45_359_237, 100_000_000]);
    const it = await item({ unitId: kg });
    const { id, lines } = await purchase(it, 3, { unitId: lb });
    const [{ id: lineId }] = lines;
    await postDocument(s, { type: 'receipt', orderId: id, lines: [{ itemId: it, unitId: kg, quantity: 1.36, orderLineId: lineId }] });
    expect(await order(id)).toMatchObject({ fulfilment: 'partial', lines: [{ fulfilledQuantity: 2.997796 }] });
    // 2.999 lb are 1.36 kg, all of which has arrived.
    const { data } = (await ok(change(id, { lines: [{ id: lineId, quantity: 2.999 }] }))).body;
    expect(data).toMatchObject({ fulfilment: 'full', lines: [{ fulfilledQuantity: 2.999 }] });
    expect(await figures(it)).toEqual([1.36, 0, 0]);
  });

  test('of materials are components, inspected, repaired and used as parts; a combo can be a service', async () => {
    const material = await item({ itemType: 'material' });
    const accepted = async (module: string, kind: string, itemId: string) =>
      (await create({ module, lines: [{ kind, itemId, quantity: 1 }] })).status;
    for (const [module, kind] of [
      ['make', 'component'],
      ['check', 'inspection'],
      ['fix', 'target'],
      ['fix', 'part'],
      ['fix', 'service'],
      ['buy', 'item'],
      ['sell', 'item'],
    ] as const) {
      expect([kind, await accepted(module, kind, material)]).toEqual([kind, 201]);
    }
    expect(await accepted('fix', 'service', w.combo)).toBe(201);
    expect(await accepted('sell', 'item', w.combo)).toBe(201);
  });

  test('check changed results of an inspection against the unit, and keep the others', async () => {
    const lines = [{ itemId: w.bolt, quantity: 4, passedQuantity: 1 }];
    const { id, lines: own } = (await ok(create({ module: 'check', lines }))).body.data;
    const patch = (body: object) => change(id, { lines: [{ id: own[0].id, ...body }] });
    const half = await patch({ passedQuantity: 1.5 });
    expect([half.status, half.body.error.fields[0].path]).toEqual([400, '/lines/0/passedQuantity']);
    expect((await ok(patch({ failedQuantity: 1, failureReason: 'bent' }))).body.data.lines[0]).toMatchObject({
      passedQuantity: 1,
      failedQuantity: 1,
      result: 'fail',
    });
  });

  test('are limited together with the components that they add', async () => {
    const product = await item();
    await made(s.post(`/v1/items/${product}/ingredients`, { ingredientItemId: w.bolt, quantity: 1 }));
    const lines = Array.from({ length: ORDER_LINES_MAX }, () => ({ itemId: product, quantity: 1 }));
    const reply = await create({ module: 'make', lines });
    expect([reply.status, reply.body.error.fields[0]]).toMatchObject([400, { path: '/lines', code: 'too_big' }]);
    expect(reply.body.error.message).toContain('with its components it would have 501');
  });

  test('of components count for no output of the same item', async () => {
    const [product, part, raw] = [await item(), await item(), await item()];
    await made(s.post(`/v1/items/${product}/ingredients`, { ingredientItemId: part, quantity: 1 }));
    await made(s.post(`/v1/items/${part}/ingredients`, { ingredientItemId: raw, quantity: 2 }));
    const outputs = [product, part].map((itemId) => ({ itemId, quantity: 1 }));
    const { id, lines } = (await ok(create({ module: 'make', lines: outputs }))).body.data;
    const quantities = (rows: readonly { kind: string; itemId: string; quantity: number }[]) =>
      rows.filter(({ kind }) => kind === 'component').map(({ itemId, quantity }) => [itemId, quantity]);
    expect(quantities(lines)).toEqual([
      [part, 1],
      [raw, 2],
    ]);
    const edit = lines.map((line: { id: string; kind: string; itemId: string }) =>
      line.kind === 'component' && line.itemId === part ? { id: line.id, quantity: 5 } : { id: line.id },
    );
    expect(quantities((await ok(change(id, { lines: edit }))).body.data.lines)).toEqual([
      [part, 5],
      [raw, 2],
    ]);
  });

  test('follow their output again when the only manual component is released', async () => {
    const [product, part] = [await item(), await item()];
    await made(s.post(`/v1/items/${product}/ingredients`, { ingredientItemId: part, quantity: 3 }));
    const { id, lines } = (await ok(create({ module: 'make', lines: [{ itemId: product, quantity: 2 }] }))).body.data;
    const edit = async (body: object) =>
      (await ok(change(id, { lines: [{ id: lines[0].id }, { id: lines[1].id, ...body }] }))).body.data.lines[1];
    expect(await edit({ quantity: 9 })).toMatchObject({ quantity: 9, isManual: true });
    expect(await edit({ isManual: false })).toMatchObject({ quantity: 6, isManual: false });
  });

  test('have the precision of their own unit, and a default price that fits the unit', async () => {
    const box = await addUnit(s, 'crate', 'count', [10, 1], { precision: 0 });
    const { id, lines } = (await ok(create({ module: 'sell', lines: [{ itemId: w.bolt, unitId: box, quantity: 1 }] }))).body.data;
    for (const reply of [
      await create({ module: 'sell', lines: [{ itemId: w.bolt, unitId: box, quantity: 0.5 }] }),
      await change(id, { lines: [{ id: lines[0].id, quantity: 0.5 }] }),
    ]) {
      expect([reply.status, reply.body.error.fields[0].path]).toEqual([400, '/lines/0/quantity']);
    }
    const inspected = await create({ module: 'check', lines: [{ itemId: w.bolt, unitId: box, quantity: 2, passedQuantity: 0.5 }] });
    expect([inspected.status, inspected.body.error.fields[0].path]).toEqual([400, '/lines/0/passedQuantity']);
    const dear = await item({ salePrice: 100_000_000 });
    expect((await create({ module: 'sell', lines: [{ itemId: dear, quantity: 1 }] })).status).toBe(201);
    const tooLarge = await create({ module: 'sell', lines: [{ itemId: dear, unitId: box, quantity: 1 }] });
    expect(tooLarge.body.error.fields).toMatchObject([{ path: '/lines/0/unitPrice', code: 'too_big' }]);
  });
});

describe('check orders', () => {
  test('scrap only the difference to what their documents scrapped, line by line', async () => {
    const it = await item();
    await stockUp(s, [{ itemId: it, quantity: 20 }]);
    await stockUp(s, [{ itemId: it, quantity: 20 }], w.site);
    const failed = (failedQuantity: number) => ({ failedQuantity, failureReason: 'broken', failedDisposition: 'scrap' });
    const lines = [
      { itemId: it, quantity: 9, ...failed(1) },
      { itemId: it, quantity: 9, siteId: w.site, ...failed(2) },
      { itemId: it, quantity: 9, siteId: w.site, ...failed(2) },
    ];
    const created = (await ok(create({ module: 'check', status: 'open', lines }))).body.data;
    const { stockDocumentIds } = (await ok(change(created.id, { status: 'completed' }))).body.data;
    expect([await figures(it), await figures(it, w.site)]).toEqual([
      [19, 0, 0],
      [16, 0, 0],
    ]);
    await ok(cancel(stockDocumentIds[0]));
    const [first, second, third] = created.lines.map(({ id }: { id: string }) => ({ id }));
    const edited = [first, { ...second, failedQuantity: 1 }, { ...third, failedQuantity: 5 }];
    const again = (await ok(change(created.id, { status: 'completed', lines: edited }))).body.data;
    const posted = await Promise.all(again.stockDocumentIds.slice(2).map(document));
    expect(posted.flatMap((each) => each.lines.map((line: { quantity: number }) => [each.siteId, line.quantity]))).toEqual([
      [s.tenant.defaultSiteId, -1],
      [w.site, -2],
    ]);
    expect([await figures(it), await figures(it, w.site)]).toEqual([
      [19, 0, 0],
      [14, 0, 0],
    ]);
  });
});

test('order rules pass every integrity check', async () => {
  expect(await findProblems(s)).toEqual([]);
});
