/**
 * Generates data for tests at scale, deterministically from a seed. It uses the domain code of requests, except for recipes, but records no
 * audit rows and events. SKUs are sequential, so that search results can be computed; the popularity of items follows a Zipf distribution and
 * quantities a log-normal one.
 */
import { createContact } from '../domain/contacts/contacts.ts';
import { createCategory } from '../domain/catalog/categories.ts';
import type { Context } from '../domain/kernel/context.ts';
import { type NewIngredient, storeRecipe } from '../domain/catalog/ingredients.ts';
import { createItem } from '../domain/catalog/items.ts';
import type { ItemRecord } from '../domain/catalog/records.ts';
import { createOrder, updateOrder } from '../domain/fulfilment/order-changes.ts';
import { createDocument } from '../domain/stock/documents.ts';
import { submitDocument } from '../domain/fulfilment/document-submission.ts';
import { approveDocument } from '../domain/fulfilment/document-approval.ts';
import { createSupplierLink } from '../domain/catalog/suppliers.ts';
import type { TransactionTime } from '../domain/kernel/ports.ts';
import type { TenantRecord } from '../domain/kernel/tenant.ts';
import type { StockroomStore, Tx } from '../domain/tables.ts';
import { foldCase } from '../domain/kernel/text.ts';
import { type OrderPlan, loadOpenings, loadOrders } from './load-references.ts';
import { createSeededRandom } from './seeded-random.ts';

/** The number of contacts and orders for a number of items. */
export function createSeedPlan(items: number, orders: number = Math.round(items / 10)): SeedPlan {
  return { items, contacts: Math.min(20_000, Math.max(20, Math.round(items / 20))), orders };
}

export interface SeedPlan {
  readonly items: number;
  readonly contacts: number;
  readonly orders: number;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

const BATCH_SIZE = 500;
const COMBO_SHARE = 0.05;
const INACTIVE_SHARE = 0.03;
const RECIPE_SHARE = 0.4;
const SECOND_SUPPLIER_SHARE = 0.25;
/** The ingredients of an item are from the quarter of the items before it, so no chain is longer than this. */
const LAYERS = 4;
const ZIPF_EXPONENT = 1.1;
const LINES_PER_ORDER = 4;
/** Minimum opening stock of each item; popular items have `orders ÷ rank` more. */
const OPENING_QUANTITY = 1_000;
/** Few enough that no document exceeds the maximum value, even with a million items and expensive popular ones. */
const LINES_PER_OPENING_DOCUMENT = 50;
const CATEGORIES = ['Fasteners', 'Boards', 'Cables', 'Bearings', 'Housings', 'Seals', 'Tools', 'Packaging', 'Optics', 'Chemicals'];
const ADJECTIVES = 'Hex Round Slim Heavy Clear Matte Brass Steel Nylon Oak Blue Quick Deep Fine Flat'.split(' ');
const NOUNS = 'bolt panel clip bearing housing gasket sensor bracket hinge lens valve spring washer board cable'.split(' ');

/** The tenant to fill, and the context of its changes. */
export interface SeedTarget {
  readonly tenant: TenantRecord;
  readonly createContext: (time: TransactionTime) => Context;
}

/** Adds the rows of the plan to the tenant, a batch per commit. SKUs continue after those of the last run. */
export async function generateSeedData(
  store: StockroomStore,
  { tenant, createContext }: SeedTarget,
  plan: SeedPlan,
  seed: number,
  onProgress: (progress: Progress) => void,
): Promise<void> {
  const random = createSeededRandom(seed);
  const state: SeedState = {
    random,
    lastSku: 0,
    categories: [],
    contacts: { customer: [], supplier: [] },
    items: [],
    inactive: new Set(),
    combos: new Set(),
    emptyCombos: new Set(),
  };
  const { contacts, items, orders } = plan;
  const batches = createBatches(store, { tenant, createContext }, contacts + items + orders, onProgress);
  await store.transact(tenant.id, (tx) => prepare(tx, state, createUnrecordedContext(createContext, tx)));
  await batches.run(contacts, (batch) => addContacts(state, batch));
  await batches.run(items, (batch) => addItems(state, batch, plan));
  await batches.run(orders, (batch) => addOrders(state, batch));
  await batches.finish();
}

/** Rows of one transaction, by number from `from` to `to`, without `to`. */
interface Batch {
  readonly tx: Tx;
  readonly from: number;
  readonly to: number;
  readonly newContext: () => Context;
}

/** Runs transactions that add rows. The next batch is generated while the previous one is written to disk. */
function createBatches(
  store: StockroomStore,
  { tenant, createContext }: SeedTarget,
  total: number,
  onProgress: (progress: Progress) => void,
) {
  let done = 0;
  let lastCommit = Promise.resolve();
  onProgress({ done, total });
  return {
    async run(count: number, addRows: (batch: Batch) => Promise<void>): Promise<void> {
      for (let from = 0; from < count; from += BATCH_SIZE) {
        const to = Math.min(count, from + BATCH_SIZE);
        const generated = Promise.withResolvers<void>();
        const committed = store.transact(tenant.id, async (tx) => {
          await addRows({ tx, from, to, newContext: createUnrecordedContext(createContext, tx) });
          generated.resolve();
        });
        await Promise.race([generated.promise, committed]);
        const previousCommit = lastCommit;
        lastCommit = committed.then(() => onProgress({ done: (done += to - from), total }));
        // It is awaited one batch later, so its rejection must not count as unhandled until then.
        lastCommit.catch(() => {});
        await previousCommit;
      }
    },
    finish: () => lastCommit,
  };
}

interface SeedState {
  readonly random: () => number;
  /** The number of the last existing SKU. */
  lastSku: number;
  unitId?: string;
  categories: string[];
  readonly contacts: { readonly customer: string[]; readonly supplier: string[] };
  readonly items: string[];
  /** Numbers of items, as in `items`. */
  readonly inactive: Set<number>;
  readonly combos: Set<number>;
  /** Combos without ingredients cannot be sold. */
  readonly emptyCombos: Set<number>;
}

/** Without audit rows and events, and without the four-eyes rule, because generated documents are approved immediately. */
const createUnrecordedContext = (createContext: SeedTarget['createContext'], time: TransactionTime) => (): Context => {
  const context = createContext(time);
  return { ...context, tenant: { ...context.tenant, fourEyes: false }, unrecorded: true };
};

const SKU_PREFIX = 'GEN-';
const toSku = (number: number): string => `${SKU_PREFIX}${String(number).padStart(7, '0')}`;

async function prepare(tx: Tx, state: SeedState, newContext: () => Context): Promise<void> {
  const unit = await tx.units.findUnique('symbol', 'pcs');
  if (unit) state.unitId = unit.id;
  state.lastSku = await findLastNumber(tx);
  const { rows } = await tx.categories.listAfter({ limit: 1_000 });
  for (const name of CATEGORIES) {
    const existing = rows.find((category) => category.name === name && category.parentId === null);
    state.categories.push((existing ?? (await createCategory(tx, newContext(), { name, parentId: null, isActive: true }))).id);
  }
}

/** The number of the last generated SKU, 0 for none. Skips other SKUs with the same prefix. */
async function findLastNumber(tx: Tx): Promise<number> {
  const prefix = SKU_PREFIX.toLowerCase();
  for (let before = `${prefix}:`; ;) {
    const where = [{ field: 'sku', from: `${prefix}0`, before }];
    const { rows, more } = await tx.items.listAfter({ orderBy: 'sku', descending: true, where, limit: 100 });
    const number = rows.map(({ sku }) => /^GEN-(\d{7,})$/iu.exec(sku ?? '')?.[1]).find((digits) => digits !== undefined);
    const last = rows.at(-1)?.sku;
    if (number !== undefined || !more || typeof last !== 'string') return Number(number ?? 0);
    before = foldCase(last);
  }
}

async function addContacts(state: SeedState, batch: Batch): Promise<void> {
  for (let index = batch.from; index < batch.to; index += 1) await addContact(state, batch, index);
}

async function addContact({ random, contacts, lastSku }: SeedState, { tx, newContext }: Batch, index: number): Promise<void> {
  const contactType = index % 4 === 0 ? 'supplier' : 'customer';
  const number = String(lastSku + index + 1);
  const contact = await createContact(tx, newContext(), {
    name: `${pickRandom(random, ADJECTIVES)} & ${pickRandom(random, NOUNS)} ${number}`,
    company: `Company ${number}`,
    email: `contact-${number}@company.example`,
    contactType,
    country: pickRandom(random, ['PT', 'DE', 'FR', 'US', 'JP', 'BR']),
    contactGroup: pickRandom(random, ['retail', 'wholesale', 'online']),
    isPrimaryContact: false,
    isActive: true,
  });
  contacts[contactType].push(contact.id);
}

/** Items with all that belongs to them, so that nothing has to be read and written again in a later transaction. */
async function addItems(state: SeedState, batch: Batch, { items, orders }: SeedPlan): Promise<void> {
  const { tx, from, to, newContext } = batch;
  const documents = Math.ceil((to - from) / LINES_PER_OPENING_DOCUMENT);
  await loadOpenings(tx, newContext(), { documents, lines: to - from });
  for (let index = from; index < to; index += 1) {
    const item = await addItem(state, batch, index, items);
    await addRecipe(state, batch, { index, item }, items);
  }
  await addOpenings(state, batch, orders);
}

async function addItem(state: SeedState, { tx, newContext }: Batch, index: number, count: number): Promise<ItemRecord> {
  const { random, unitId, contacts } = state;
  const isCombo = random() < COMBO_SHARE && index > count / LAYERS;
  if (isCombo) state.combos.add(index);
  const start = Math.floor(random() * contacts.supplier.length);
  const preferred = isCombo ? undefined : contacts.supplier[start];
  const cost = Math.round(Math.exp(random() * 6) * 100) / 100;
  const item = await createItem(tx, newContext(), {
    name: `${pickRandom(random, ADJECTIVES)} ${pickRandom(random, NOUNS)} ${String(1 + Math.floor(random() * 999))}`,
    sku: toSku(state.lastSku + index + 1),
    itemType: isCombo ? 'combo' : index < count / LAYERS ? 'material' : 'product',
    barcode: `99${String(state.lastSku + index + 1).padStart(11, '0')}`,
    mpn: `M${String(Math.floor(random() * 1e6))}`,
    categoryId: pickRandom(random, state.categories),
    unitId: isCombo ? null : (unitId ?? null),
    purchasePrice: isCombo ? null : cost,
    salePrice: Math.round(cost * 180) / 100,
    notes: 'Generated for tests at scale.',
    isActive: random() >= INACTIVE_SHARE,
    // Creates the first supplier link together with the item.
    supplierId: preferred ?? null,
  });
  if (!item.isActive) state.inactive.add(state.items.length);
  state.items.push(item.id);
  const second = contacts.supplier[(start + 1) % contacts.supplier.length];
  if (preferred === undefined || second === undefined || second === preferred || random() >= SECOND_SUPPLIER_SHARE) return item;
  await createSupplierLink(tx, newContext(), item.id, {
    supplierId: second,
    purchasePrice: cost,
    unitsPerPurchaseUnit: 1,
    leadTimeDays: 1 + Math.floor(random() * 30),
    isPreferred: false,
  });
  return item;
}

/** Items have ingredients from the layer before; those of the first layer are purchased. */
async function addRecipe(
  state: SeedState,
  { tx, newContext }: Batch,
  { index, item }: { readonly index: number; readonly item: ItemRecord },
  count: number,
): Promise<void> {
  const ingredients = draftRecipe(state, index, count);
  if (ingredients === undefined) return;
  if (ingredients.length > 0) await storeRecipe(tx, newContext(), item, ingredients);
  else if (state.combos.has(index)) state.emptyCombos.add(index);
}

/** Undefined for an item without a recipe. No item contains itself, and none has an ingredient twice, or one that is a combo or inactive. */
function draftRecipe({ random, items, combos, inactive, unitId }: SeedState, index: number, count: number) {
  const layer = Math.floor((index * LAYERS) / count);
  if (layer === 0 || (!combos.has(index) && random() >= RECIPE_SHARE)) return undefined;
  const parts = 3 + Math.floor(random() * 3);
  const from = Math.floor(((layer - 1) * count) / LAYERS);
  const used = new Set<number>();
  const drafts: NewIngredient[] = [];
  for (let part = 0; part < parts; part += 1) {
    const chosen = from + Math.floor(random() * (count / LAYERS));
    const itemId = items[chosen];
    if (itemId === undefined || combos.has(chosen) || used.has(chosen) || inactive.has(chosen)) continue;
    used.add(chosen);
    drafts.push({ itemId, unitId: unitId ?? null, quantity: 1 + Math.floor(random() * 4) });
  }
  return drafts;
}

/** Creates the opening stock of a range of items: at least one and a half times the expected sales. */
async function addOpenings({ items, combos, inactive }: SeedState, { tx, from, to, newContext }: Batch, orders: number): Promise<void> {
  const documents = Array.from({ length: Math.ceil((to - from) / LINES_PER_OPENING_DOCUMENT) }, (_, at) => {
    const first = from + at * LINES_PER_OPENING_DOCUMENT;
    const page = items.slice(first, first + LINES_PER_OPENING_DOCUMENT).map((itemId, line) => ({ itemId, rank: first + line + 1 }));
    return page
      .filter(({ rank }) => !combos.has(rank - 1) && !inactive.has(rank - 1))
      .map(({ itemId, rank }) => ({ itemId, quantity: OPENING_QUANTITY + Math.ceil(orders / rank) }));
  }).filter((lines) => lines.length > 0);
  for (const lines of documents) {
    const { document } = await createDocument(tx, newContext(), { type: 'adjustment', reason: 'opening', lines });
    const submitted = await submitDocument(tx, newContext(), document.id);
    await approveDocument(tx, newContext(), submitted.document, submitted.lines);
  }
}

async function addOrders(state: SeedState, { tx, from, to, newContext }: Batch): Promise<void> {
  const plans = Array.from({ length: to - from }, () => planOrder(state));
  await loadOrders(tx, newContext(), plans);
  for (const { draft, isCompleted } of plans) {
    const { order } = await createOrder(tx, newContext(), draft);
    if (isCompleted) await updateOrder(tx, newContext(), order.id, { status: 'completed' });
  }
}

function planOrder({ random, items, contacts, combos, emptyCombos, inactive }: SeedState): OrderPlan {
  const module = random() < 0.7 ? 'sell' : 'buy';
  const contactId = pickRandom(random, module === 'sell' ? contacts.customer : contacts.supplier);
  const lines = [];
  for (let line = 0; line < LINES_PER_ORDER; line += 1) {
    const index = pickPopularIndex(random, items.length);
    const itemId = items[index];
    const isExcluded = (module === 'buy' ? combos : emptyCombos).has(index);
    if (itemId === undefined || isExcluded || inactive.has(index)) continue;
    lines.push({ itemId, quantity: randomQuantity(random), taxPercent: 20 });
  }
  const status = random();
  const isDraft = status < 0.2 || lines.length === 0;
  const priority = random() < 0.1 ? 'high' : 'normal';
  const draft = { module, contactId, status: isDraft ? 'draft' : 'open', priority, lines } as const;
  return { draft, isCompleted: status > 0.5 && !isDraft };
}

function pickRandom<T>(random: () => number, from: readonly T[]): T {
  const chosen = from[Math.floor(random() * from.length)];
  if (chosen === undefined) throw new Error('the list to pick from is empty');
  return chosen;
}

/** An index in [0, count), low ones more often: the inverse of a continuous Zipf distribution. */
function pickPopularIndex(random: () => number, count: number): number {
  const exponent = 1 - ZIPF_EXPONENT;
  const rank = (1 + random() * (count ** exponent - 1)) ** (1 / exponent);
  return Math.min(count - 1, Math.floor(rank) - 1);
}

/** A log-normally distributed whole number, mostly below ten. */
function randomQuantity(random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(1, Math.round(Math.exp(1.2 + 0.8 * normal)));
}
