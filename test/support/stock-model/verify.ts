/** What the service stores, held against the model and the invariants of the ledger. */
import { expect } from 'vitest';
import { checkValues } from './valuation.ts';
import { type History, MICRO, getClaims, getFulfilled, getPlace } from './model.ts';

const readStored = ({ s }: History) =>
  s.service.store.read(s.tenant.id, async (tx) => ({
    levels: (await tx.stockLevels.listAfter({ limit: 10_000 })).rows,
    ledger: (await tx.ledger.listAfter({ orderBy: 'seq', limit: 100_000 })).rows,
    docs: (await tx.stockDocuments.listAfter({ limit: 10_000 })).rows,
    orders: (await tx.orders.listAfter({ limit: 10_000 })).rows,
    lines: (await tx.orderLines.listAfter({ limit: 100_000 })).rows,
  }));
type Stored = Awaited<ReturnType<typeof readStored>>;

/** Everything that must be true of what is stored, whatever happened. */
export async function examine(h: History): Promise<void> {
  const stored = await readStored(h);
  checkValues({ levels: stored.levels, ledger: stored.ledger, documents: stored.docs });
  expectLevels(h, stored);
  expectLedger(h, stored);
  expectDocuments(h, stored);
  expectOrders(h, stored);
}

function expectLevels(h: History, { levels, ledger }: Stored): void {
  const claims = getClaims(h);
  const rows = new Map(levels.map((row) => [row.id, row]));
  for (const place of new Set([...rows.keys(), ...claims.keys(), ...h.onHand.keys()])) {
    const { onHand = 0, committed = 0, incoming = 0, available = 0, projected = 0, stockValue = 0 } = rows.get(place) ?? {};
    const { committed: promised, incoming: expected } = claims.get(place) ?? { committed: 0, incoming: 0 };
    expect({ place, onHand, committed, incoming }).toEqual({
      place,
      onHand: h.onHand.get(place) ?? 0,
      committed: promised,
      incoming: expected,
    });
    expect([available, projected]).toEqual([onHand - committed, onHand - committed + incoming]);
    const entries = ledger.filter((entry) => getPlace(entry.itemId, entry.siteId) === place);
    expect(entries.reduce((sum, { quantityDelta }) => sum + quantityDelta, 0)).toBe(onHand);
    expect(entries.reduce((sum, { valueDelta }) => sum + valueDelta, 0)).toBe(stockValue);
    expect(entries.at(-1)?.onHandAfter ?? 0).toBe(onHand);
    if (onHand === 0) expect(stockValue).toBe(0);
    if (!h.allow) expect(onHand).toBeGreaterThanOrEqual(0);
    if (onHand > 0) expect(stockValue).toBeGreaterThanOrEqual(0);
  }
}

/** Entries are numbered without gaps and never change. */
function expectLedger(h: History, { ledger }: Stored): void {
  expect(ledger.map(({ seq }) => seq)).toEqual(ledger.map((_, index) => index + 1));
  const texts = ledger.map((entry) => JSON.stringify(entry));
  expect(texts.slice(0, h.ledger.length)).toEqual(h.ledger);
  for (const entry of ledger.slice(h.ledger.length)) {
    const numbers = Object.values(entry).filter((value) => typeof value === 'number');
    expect(numbers.filter((value) => !Number.isSafeInteger(value))).toEqual([]);
  }
  h.ledger = texts;
}

function expectDocuments(h: History, { docs, ledger }: Stored): void {
  expect(new Map(docs.map(({ id, status }) => [id, status]))).toEqual(
    new Map(h.docs.filter(({ status }) => status !== 'deleted').map(({ id, status }) => [id, status])),
  );
  for (const { id, type, orderId, reversedAt } of docs) {
    const entries = ledger.filter((entry) => entry.documentId === id && entry.reversalOf === null);
    const value = entries.reduce((sum, { valueDelta }) => sum + valueDelta, 0);
    const keepsValue = type === 'transfer' || (type === 'production' && orderId === null);
    if (keepsValue && !h.allow) expect(value).toBe(0);
    if (reversedAt === null) continue;
    const mirrored = ledger.filter((entry) => entry.documentId === id && entry.revaluation !== 'reversal_variance');
    expect(mirrored).toHaveLength(entries.length * 2);
    expect(mirrored.reduce((sum, { valueDelta }) => sum + valueDelta, 0)).toBe(0);
  }
}

function expectOrders(h: History, { orders, lines }: Stored): void {
  expect(new Map(orders.map(({ id, status }) => [id, status]))).toEqual(new Map(h.orders.map(({ id, status }) => [id, status])));
  const expectedLines = new Map(h.orders.flatMap((order) => order.lines.map((each) => [each.id, each])));
  expect(new Map(lines.map(({ id, quantity }) => [id, quantity]))).toEqual(
    new Map([...expectedLines].map(([id, { quantity }]) => [id, quantity])),
  );
  for (const { id, fulfilledQuantity } of lines) {
    const line = expectedLines.get(id);
    const { least, most } = line ? getFulfilled(line) : { least: 0, most: 0 };
    expect(fulfilledQuantity, id).toBeGreaterThanOrEqual(least);
    expect(fulfilledQuantity, id).toBeLessThanOrEqual(most);
  }
  for (const order of orders.filter(({ status }) => status === 'completed')) {
    expect(order.closedShort || lines.every((each) => each.orderId !== order.id || each.fulfilledQuantity === each.quantity)).toBe(true);
  }
}

/** The list of levels, as a client reads it, has the quantities of the model. */
export async function compareLevels(h: History): Promise<void> {
  const claims = getClaims(h);
  const { body } = await h.s.get('/v1/stock-levels?include_zero=true&page_size=200');
  const listed = body.data.map(({ itemId, siteId, onHand, committed, incoming, available, projected }: Record<string, number | string>) => [
    getPlace(String(itemId), String(siteId)),
    { onHand, committed, incoming, available, projected },
  ]);
  const expected = [...new Set([...claims.keys(), ...h.onHand.keys()])].map((place) => {
    const onHand = h.onHand.get(place) ?? 0;
    const { committed, incoming } = claims.get(place) ?? { committed: 0, incoming: 0 };
    const quantities = { onHand, committed, incoming, available: onHand - committed, projected: onHand - committed + incoming };
    return [place, Object.fromEntries(Object.entries(quantities).map(([name, value]) => [name, value / MICRO]))] as const;
  });
  const zero = JSON.stringify({ onHand: 0, committed: 0, incoming: 0, available: 0, projected: 0 });
  const withoutZero = (levels: Iterable<readonly [string, object]>) =>
    new Map([...levels].filter(([, level]) => JSON.stringify(level) !== zero));
  expect(withoutZero(listed)).toEqual(withoutZero(expected));
}
