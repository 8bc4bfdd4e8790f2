/** GET /v1/stock-movements, and stock levels as of a time. */
import { describe, expect, test } from 'vitest';
import { getProblems, refused } from '../../support/service/call-trace.ts';
import { postDocument, stockUp } from '../../support/resources/stock.ts';
import { addCategory } from '../../support/resources/units-and-categories.ts';
import { useItems } from '../../support/resources/items.ts';

const { create, s } = useItems();

interface Row {
  readonly sequence: number;
  readonly postedAt: string;
  readonly type: string;
  readonly quantity: number;
  readonly onHandAfter: number;
  readonly itemId: string;
  readonly siteId: string;
}

const list = async (query: string): Promise<Row[]> => (await s.get(`/v1/stock-movements?${query}`)).body.data as Row[];

/** An item with three movements, and a time after each. */
async function addItemWithHistory() {
  const item = await create({ name: 'Bolt' });
  const times: string[] = [];
  const documents: string[] = [];
  for (const [type, quantity] of [
    ['receipt', 5],
    ['issue', 2],
    ['receipt', 4],
  ] as const) {
    const line = type === 'receipt' ? { itemId: item.id, quantity, unitCost: 1.5 } : { itemId: item.id, quantity };
    documents.push(await postDocument(s, { type, lines: [line] }));
    s.clock.advance(1);
    times.push(s.clock.now().toISOString());
    s.clock.advance(1);
  }
  return { id: item.id as string, times, documents };
}

describe('GET /v1/stock-movements', () => {
  test('lists entries with document, item and running balance, the newest first', async () => {
    const item = await addItemWithHistory();
    const rows = await list(`item_id=${item.id}`);
    expect(rows).toMatchObject([
      { type: 'receipt', quantity: 4, onHandAfter: 7, value: 6, stockValueAfter: 10.5, averageCostAfter: 1.5 },
      { type: 'issue', quantity: -2, onHandAfter: 3 },
      { type: 'receipt', quantity: 5, onHandAfter: 5, revaluation: null, reversalOf: null, order: null },
    ]);
    expect(rows[1]).toMatchObject({ document: { id: item.documents[1] }, item: { id: item.id, name: 'Bolt' } });
    const { body } = await s.get(`/v1/stock-movements?item_id=${item.id}&page_size=2&page=2`);
    expect(body).toMatchObject({ data: [{ quantity: 5 }], pagination: { total: 3, totalPages: 2 } });
  });

  test('filters by type, document, site and time', async () => {
    const item = await addItemWithHistory();
    const [first = '', second = ''] = item.times;
    const quantities = async (query: string) => (await list(`item_id=${item.id}&sort=sequence&${query}`)).map(({ quantity }) => quantity);
    expect(await quantities('type=issue,transfer')).toEqual([-2]);
    expect(await quantities(`document_id=${item.documents[0]}`)).toEqual([5]);
    expect(await quantities(`document_id=${item.documents[0]}&type=issue`)).toEqual([]);
    expect(await quantities(`site_id=${s.tenant.defaultSiteId}`)).toEqual([5, -2, 4]);
    expect(await quantities(`since=${first}`)).toEqual([-2, 4]);
    expect(await quantities(`until=${second}`)).toEqual([5, -2]);
    expect(await quantities(`since=${first}&until=${second}`)).toEqual([-2]);
  });

  test('filters by order', async () => {
    const { id: itemId } = await create({ name: 'Ordered' });
    await stockUp(s, [{ itemId, quantity: 9 }]);
    const contactId = (await s.post('/v1/contacts', { name: 'Ana' })).body.data.id;
    const order = (await s.post('/v1/orders', { module: 'sell', contactId, status: 'open', lines: [{ itemId, quantity: 3 }] })).body.data;
    expect((await s.patch(`/v1/orders/${order.id}`, { status: 'completed' })).status).toBe(200);
    expect(await list(`order_id=${order.id}`)).toMatchObject([{ quantity: -3, order: { id: order.id, orderNumber: order.orderNumber } }]);
  });

  test('with a cursor lists each entry once, also those posted meanwhile', async () => {
    const item = await addItemWithHistory();
    const seen: number[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await s.get(`/v1/stock-movements?item_id=${item.id}&page_size=1&cursor=${cursor}`);
      seen.push(...(body.data as Row[]).map(({ quantity }) => quantity));
      if (seen.length === 2) await stockUp(s, [{ itemId: item.id, quantity: 8 }]);
      cursor = body.pagination.nextCursor as string | null;
    }
    expect(seen).toEqual([5, -2, 4, 8]);
  });

  test('shows nothing of another tenant', async () => {
    const { id } = await addItemWithHistory();
    const other = await s.addTenant('movements');
    const key = await s.addKey({ tenantId: other.id });
    expect((await s.get(`/v1/stock-movements?item_id=${id}`, { key })).body.data).toEqual([]);
  });
});

describe('GET /v1/stock-levels?as_of', () => {
  const readAsOf = async (time: string, query: string) => (await s.get(`/v1/stock-levels?as_of=${time}&${query}`)).body;

  test('shows what was on hand at that time, and null for what the ledger does not know', async () => {
    const item = await addItemWithHistory();
    const [first = '', second = '', third = ''] = item.times;
    const onHand = async (time: string) => (await readAsOf(time, `item_id=${item.id}`)).data as Row[];
    const postedAt = (await list(`item_id=${item.id}&sort=sequence`))[0]?.postedAt ?? '';
    expect(await onHand(new Date(Date.parse(postedAt) - 1).toISOString())).toEqual([]);
    for (const time of [postedAt, first])
      expect(await onHand(time)).toMatchObject([{ onHand: 5, stockValue: 7.5, averageCost: 1.5, lastMovementAt: postedAt }]);
    expect(await onHand(second)).toMatchObject([{ onHand: 3, stockValue: 4.5 }]);
    expect(await onHand(third)).toMatchObject([{ onHand: 7, committed: null, incoming: null, available: null, projected: null }]);
    expect(await onHand('2999-01-01T00:00:00Z')).toMatchObject([{ onHand: 7, isLow: null, reorderPoint: null }]);
  });

  test('omits what was zero unless it is included, sorts, and has pages with numbers or a cursor', async () => {
    const [few, many, none] = [await create({ name: 'b few' }), await create({ name: 'A many' }), await create({ name: 'c none' })];
    await stockUp(s, [
      { itemId: few.id, quantity: 1 },
      { itemId: many.id, quantity: 8 },
    ]);
    const time = s.clock.now().toISOString();
    s.clock.advance(1);
    await stockUp(
      s,
      [few, many, none].map(({ id }) => ({ itemId: id as string, quantity: 5 })),
    );
    const filter = `item_id=${few.id},${many.id},${none.id}`;
    const names = (body: { data: { item: { name: string } }[] }) => body.data.map(({ item }) => item.name);
    expect(names(await readAsOf(time, filter))).toEqual(['A many', 'b few']);
    expect(names(await readAsOf(time, `${filter}&sort=on_hand`))).toEqual(['b few', 'A many']);
    expect(names(await readAsOf(time, `${filter}&sort=-name&include_zero=true`))).toEqual(['c none', 'b few', 'A many']);
    expect(names(await readAsOf(time, `${filter}&search=MANY`))).toEqual(['A many']);
    expect(await readAsOf(time, `${filter}&page_size=1&page=2`)).toMatchObject({
      data: [{ item: { name: 'b few' } }],
      pagination: { total: 2, totalPages: 2 },
    });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const body = await readAsOf(time, `${filter}&page_size=1&cursor=${cursor}`);
      seen.push(...names(body));
      cursor = body.pagination.nextCursor as string | null;
    }
    expect(seen.toSorted((a, b) => a.localeCompare(b))).toEqual(['A many', 'b few']);
  });

  test.each(['id', 'name', '-name', 'sku', '-sku', 'on_hand', '-stock_value'])(
    'with a cursor and sort %s continues after the place of a row that has left the list',
    async (sort) => {
      const category = await addCategory(s, `Left ${sort}`);
      const items: { id: string }[] = [];
      for (const name of ['b', 'A', 'c', 'd'])
        items.push(await create({ name, categoryId: category, ...(name === 'd' ? {} : { sku: `${sort} ${name}` }) }));
      await stockUp(
        s,
        items.map(({ id }, at) => ({ itemId: id, quantity: at % 2 === 0 ? 3 : 5, unitCost: 2 })),
      );
      const time = s.clock.now().toISOString();
      const query = `category_id=${category}${sort === 'id' ? '' : `&sort=${sort}`}`;
      const whole = ((await readAsOf(time, `${query}&cursor=`)).data as Row[]).map(({ itemId }) => itemId);
      const seen: string[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { data, pagination } = await readAsOf(time, `${query}&page_size=1&cursor=${cursor}`);
        seen.push(...(data as Row[]).map(({ itemId }) => itemId));
        cursor = pagination.nextCursor as string | null;
        if (seen.length === 2) expect((await s.patch(`/v1/items/${seen[1] ?? ''}`, { categoryId: null })).status).toBe(200);
        expect(seen).toEqual(whole.slice(0, seen.length));
      }
      expect([seen.length, whole.length]).toEqual([items.length, items.length]);
    },
  );

  test.each([
    ['low_stock=true', '/low_stock not_allowed'],
    ['updated_since=2026-01-01T00:00:00Z', '/updated_since not_allowed'],
    ['sort=projected', '/sort not_allowed'],
  ])('rejects %s', async (query, problem) => {
    const reply = await refused(s, () => s.get(`/v1/stock-levels?as_of=2026-01-01T00:00:00Z&${query}`), 400, 'VALIDATION_FAILED');
    expect(getProblems(reply)).toEqual([problem]);
  });
});
