/**
 * Random histories that search for values that appear, disappear or that nothing explains. They call the domain directly, each in a tenant
 * of its own: thousands of them take minutes, and through HTTP hours.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { OrderDraft } from '../../../src/contract/resources/orders.ts';
import type { DocumentType } from '../../../src/contract/resources/stock-documents.ts';
import type { StockLineDraft } from '../../../src/contract/resources/stock-lines.ts';
import { createItem } from '../../../src/domain/catalog/items.ts';
import { approveDocument } from '../../../src/domain/fulfilment/document-approval.ts';
import { cancelDocument } from '../../../src/domain/fulfilment/document-cancellation.ts';
import { submitDocument } from '../../../src/domain/fulfilment/document-submission.ts';
import { createOrder, updateOrder } from '../../../src/domain/fulfilment/order-changes.ts';
import type { Context } from '../../../src/domain/kernel/context.ts';
import { StockroomError } from '../../../src/domain/kernel/errors.ts';
import type { TenantRecord } from '../../../src/domain/kernel/tenant.ts';
import type { StockLevelRecord } from '../../../src/domain/stock/records.ts';
import { createDocument } from '../../../src/domain/stock/documents.ts';
import { createSite } from '../../../src/domain/tenancy/sites.ts';
import { createTenant } from '../../../src/domain/tenancy/tenants.ts';
import type { Tx } from '../../../src/domain/tables.ts';
import { fromMicro } from '../../../src/domain/kernel/numbers.ts';
import { isLongRun } from '../long-run.ts';
import { checkProperty } from '../property.ts';
import { findProblems } from '../resources/stock.ts';
import { type TestService, contextFor } from '../service/service.ts';
import { checkValues, readStock } from './valuation.ts';

const TYPES = ['receipt', 'issue', 'transfer', 'adjustment', 'count', 'production', 'revaluation'] as const satisfies DocumentType[];

const line = fc.record({
  item: fc.nat({ max: 2 }),
  quantity: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 12 }) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 900 }) }),
  /** Some items have a unit that divides into thousandths. */
  isSmallUnit: fc.boolean(),
  /** In millionths, so that values and averages must be rounded. */
  cost: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(0, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 20_000_000 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  isOut: fc.boolean(),
});
const posting = { site: fc.nat({ max: 1 }), lines: fc.array(line, { minLength: 1, maxLength: 3 }) };
const operation = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ what: fc.constant('post' as const), type: fc.constantFrom(...TYPES, 'receipt', 'issue'), ...posting }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('undo' as const), type: fc.constantFrom(...TYPES), ...posting }) },
  { weight: 6, arbitrary: fc.record({ what: fc.constant('cancel' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('make' as const), ...posting }) },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('produce' as const),
      at: fc.nat(),
      isOut: fc.boolean(),
      quantity: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('complete' as const), at: fc.nat() }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;
type Line = typeof line extends fc.Arbitrary<infer T> ? T : never;
type Posting = Pick<Extract<Operation, { what: 'post' }>, 'type' | 'site' | 'lines'>;

interface History {
  readonly s: TestService;
  readonly tenant: TenantRecord;
  readonly sites: readonly string[];
  readonly items: readonly { readonly id: string; readonly units: readonly (string | null)[] }[];
  /** Approved, oldest first. */
  documents: readonly { readonly id: string; readonly type: DocumentType }[];
  orders: readonly string[];
  readonly covered: Set<string>;
}

const at = <T>(all: readonly T[], index: number): T | undefined => (all.length === 0 ? undefined : all[index % all.length]);

async function begin(s: TestService, negativeStock: 'block' | 'allow', covered: Set<string>): Promise<History> {
  const id = s.service.newId();
  const tenant = await s.service.store.transact(id, (tx) =>
    createTenant(tx, id, s.clock.now(), s.service.newId, { name: 'History', slug: `h-${id}`, plan: 'standard', negativeStock }),
  );
  return change({ s, tenant }, async (tx, context) => {
    const units = (await tx.units.listAfter({ limit: 100 })).rows;
    const find = (symbol: string): string => units.find((unit) => unit.symbol === symbol)?.id ?? '';
    const second = await createSite(tx, context, { name: 'Second', address: '', isDefault: false, isActive: true });
    const kilogram = [find('kg'), find('g')] as const;
    const product = { itemType: 'product', isActive: true } as const;
    const [plain, priced, weighed] = [
      await createItem(tx, context, { ...product, name: 'Plain' }),
      await createItem(tx, context, { ...product, name: 'Priced', unitId: find('pcs'), purchasePrice: 7.77 }),
      await createItem(tx, context, { ...product, name: 'Weighed', unitId: kilogram[0], purchasePrice: 0.333333 }),
    ];
    const items = [
      { id: plain.id, units: [null, null] },
      { id: priced.id, units: [find('pcs'), find('pcs')] },
      { id: weighed.id, units: kilogram },
    ];
    return { s, tenant, sites: [tenant.defaultSiteId, second.id], items, documents: [], orders: [], covered };
  });
}

/** Runs a change as a request does. */
function change<T>({ s, tenant }: Pick<History, 's' | 'tenant'>, work: (tx: Tx, context: Context) => Promise<T>): Promise<T> {
  return s.service.store.transact(tenant.id, (tx) => work(tx, { ...contextFor(s), tenant, now: tx.now, newId: tx.newId }));
}

/** The result of a change; undefined if it was rejected, which must leave nothing behind. */
async function attempt<T>(h: History, work: (tx: Tx, context: Context) => Promise<T>): Promise<T | undefined> {
  try {
    return await change(h, work);
  } catch (error) {
    if (error instanceof StockroomError) return undefined;
    throw error;
  }
}

function toDraft(h: History, type: DocumentType, { item, quantity, isSmallUnit, cost, isOut }: Line): StockLineDraft {
  const { id, units } = h.items[item]!;
  const isIncoming = type === 'receipt' || (type === 'adjustment' && !isOut) || type === 'revaluation';
  const unitCost = isIncoming ? (cost ?? (type === 'revaluation' ? 5_000_000 : null)) : null;
  return {
    itemId: id,
    ...(type === 'count'
      ? { countedQuantity: quantity }
      : type === 'revaluation'
        ? {}
        : { quantity: type === 'adjustment' && isOut ? -quantity : quantity }),
    ...(units[Number(isSmallUnit)] ? { unitId: units[Number(isSmallUnit)]! } : {}),
    ...(unitCost === null ? {} : { unitCost: unitCost / 1_000_000 }),
    ...(type === 'production' ? { direction: isOut ? ('out' as const) : ('in' as const) } : {}),
  };
}

async function post(h: History, { type, site, lines }: Posting): Promise<string | undefined> {
  const isOnce = type === 'count' || type === 'revaluation';
  const own = isOnce ? lines.filter(({ item }, index) => lines.findIndex((other) => other.item === item) === index) : lines;
  return approve(h, {
    type,
    siteId: h.sites[site]!,
    ...(type === 'transfer' ? { toSiteId: h.sites[1 - site]! } : {}),
    ...(type === 'adjustment' || type === 'revaluation' ? { reason: 'correction' as const } : {}),
    lines: own.map((each) => toDraft(h, type, each)),
  });
}

async function approve(h: History, draft: Parameters<typeof createDocument>[2]): Promise<string | undefined> {
  const id = await attempt(h, async (tx, context) => {
    const created = await createDocument(tx, context, draft);
    const { document, lines } = await submitDocument(tx, context, created.document.id);
    return (await approveDocument(tx, context, document, lines)).document.id;
  });
  if (id === undefined) return undefined;
  h.documents = [...h.documents, { id, type: draft.type }];
  h.covered.add(`post ${draft.type}`);
  return id;
}

async function cancel(h: History, id: string): Promise<boolean> {
  const isDone = (await attempt(h, (tx, context) => cancelDocument(tx, context, id, null))) !== undefined;
  if (!isDone) return false;
  h.covered.add(`reverse ${h.documents.find((document) => document.id === id)?.type ?? ''}`);
  h.documents = h.documents.filter((document) => document.id !== id);
  return true;
}

const readLevels = async (h: History): Promise<object[]> => {
  const { levels } = await h.s.service.store.read(h.tenant.id, readStock);
  const toFigures = ({ id, onHand, stockValue, averageCost }: StockLevelRecord) => ({ id, onHand, stockValue, averageCost });
  return levels.map(toFigures).filter(({ onHand, averageCost }) => onHand !== 0 || averageCost !== null);
};

/** A document that is reversed immediately leaves levels and variances as they were. */
async function undo(h: History, wish: Posting): Promise<void> {
  const before = await readLevels(h);
  const id = await post(h, wish);
  if (id === undefined || !(await cancel(h, id))) return;
  expect(await readLevels(h)).toEqual(before);
  const document = await h.s.service.store.read(h.tenant.id, (tx) => tx.stockDocuments.get(id));
  expect(document?.totalVariance).toBe(0);
}

async function make(h: History, { site, lines }: Pick<Posting, 'site' | 'lines'>): Promise<void> {
  const draft: OrderDraft = {
    module: 'make',
    priority: 'normal',
    status: 'open',
    siteId: h.sites[site]!,
    lines: [
      { kind: 'output', itemId: h.items[2]!.id, quantity: 6 },
      ...lines.map(({ item, quantity }) => ({ kind: 'component' as const, itemId: h.items[item % 2]!.id, quantity })),
    ],
  };
  const order = await attempt(h, (tx, context) => createOrder(tx, context, draft));
  if (order) h.orders = [...h.orders, order.order.id];
}

async function produce(h: History, orderId: string, isOut: boolean, quantity: number): Promise<void> {
  const where = [{ field: 'orderId', equals: orderId }];
  const { rows } = await h.s.service.store.read(h.tenant.id, (tx) => tx.orderLines.listAfter({ where, limit: 100 }));
  const lines = rows
    .filter(({ kind }) => (kind === 'component') === isOut)
    .map(({ id, itemId, quantity: most }) => ({
      itemId: itemId ?? '',
      orderLineId: id,
      direction: isOut ? ('out' as const) : ('in' as const),
      quantity: Math.min(quantity, fromMicro(most)),
    }));
  if (await approve(h, { type: 'production', orderId, lines })) h.covered.add(isOut ? 'post components' : 'post outputs');
}

async function step(h: History, wish: Operation): Promise<void> {
  if (wish.what === 'post') await post(h, wish);
  else if (wish.what === 'undo') await undo(h, wish);
  else if (wish.what === 'make') await make(h, wish);
  else if (wish.what === 'cancel') {
    const document = at(h.documents, wish.at);
    if (document) await cancel(h, document.id);
  } else {
    const order = at(h.orders, wish.at);
    if (order === undefined) return;
    if (wish.what === 'produce') await produce(h, order, wish.isOut, wish.quantity);
    else {
      const done = await attempt(h, (tx, context) => updateOrder(tx, context, order, { status: 'completed' }));
      const { rows } = await h.s.service.store.read(h.tenant.id, (tx) =>
        tx.stockDocuments.listAfter({ where: [{ field: 'orderId', equals: order }], limit: 100 }),
      );
      const known = new Set(h.documents.map(({ id }) => id));
      h.documents = [...h.documents, ...rows.filter(({ id, status }) => status === 'approved' && !known.has(id))];
      if (done) h.covered.add('complete a make order');
    }
  }
}

/** What many histories must have done. */
const COVERED = [
  ...TYPES.flatMap((type) => [`post ${type}`, `reverse ${type}`]),
  'post components',
  'post outputs',
  'complete a make order',
];

async function runHistory(s: TestService, negativeStock: 'block' | 'allow', covered: Set<string>, wishes: readonly Operation[]) {
  const h = await begin(s, negativeStock, covered);
  const check = async (): Promise<void> => checkValues(await s.service.store.read(h.tenant.id, readStock));
  for (const wish of wishes) {
    await step(h, wish);
    // Reading everything takes as long as a step.
    if (wish.what !== 'post' && wish.what !== 'make') await check();
  }
  await check();
  expect(await findProblems(s, h.tenant.id)).toEqual([]);
}

/** Runs histories of one policy: `shortRuns` in `npm test`, `longRuns` in `npm run test:long`. */
export async function checkValuationHistories(
  s: TestService,
  negativeStock: 'block' | 'allow',
  runs: { readonly shortRuns: number; readonly longRuns: number },
): Promise<void> {
  const covered = new Set<string>();
  const history = fc.array(operation, { minLength: 5, maxLength: 20, size: 'max' });
  await checkProperty(
    fc.asyncProperty(history, (wishes) => runHistory(s, negativeStock, covered, wishes)),
    // A smaller case takes longer to find than a test may take, on PostgreSQL.
    { ...runs, isSlow: true },
  );
  // Few histories need not do all of it.
  if (isLongRun) expect([...covered].toSorted()).toEqual(expect.arrayContaining(COVERED));
}
