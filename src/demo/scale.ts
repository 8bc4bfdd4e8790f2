/**
 * Generated rows for tests at scale: repeatable for a seed, through the same domain code as requests, but without audit rows and events.
 * SKUs are sequential, so that a search can be checked by arithmetic; popular items are popular (Zipf), most quantities are small (log-normal).
 */
import { createContact } from '../domain/contacts.ts';
import { createCategory } from '../domain/categories.ts';
import type { Context } from '../domain/context.ts';
import { createIngredients } from '../domain/ingredients.ts';
import { createItem } from '../domain/items.ts';
import { createOrder, updateOrder } from '../domain/orders.ts';
import { createDocument, submitDocument } from '../domain/stock-documents.ts';
import { approveDocument } from '../domain/stock-posting.ts';
import { createSupplier } from '../domain/suppliers.ts';
import type { StockroomStore, Tx } from '../domain/tables.ts';
import { foldCase } from '../domain/text.ts';
import { repeatableRandom } from './ids.ts';

/** How many rows of each kind stand beside a number of items. */
export function planOf(items: number, orders: number = Math.round(items / 10)): Plan {
  return { items, contacts: Math.min(20_000, Math.max(20, Math.round(items / 20))), orders };
}

export interface Plan {
  readonly items: number;
  readonly contacts: number;
  readonly orders: number;
}

export interface Progress {
  readonly done: number;
  readonly total: number;
}

const BATCH = 500;
const COMBO_SHARE = 0.05;
const INACTIVE_SHARE = 0.03;
const MADE_SHARE = 0.4;
const SECOND_SUPPLIER_SHARE = 0.25;
/** Recipes go from one quarter of the items to the next, so no chain is longer than this many. */
const LAYERS = 4;
const ZIPF = 1.1;
const LINES_PER_ORDER = 4;
/** At least so much of each item is there at the beginning; of the popular ones, `orders ÷ rank` more. */
const OPENING_QUANTITY = 1_000;
/** So few that a document stays below what one can be worth, even with a million items and every popular one dear. */
const OPENING_LINES = 50;
const CATEGORIES = ['Fasteners', 'Boards', 'Cables', 'Bearings', 'Housings', 'Seals', 'Tools', 'Packaging', 'Optics', 'Chemicals'];
const ADJECTIVES = [
  'Hex',
  'Round',
  'Slim',
  'Heavy',
  'Clear',
  'Matte',
  'Brass',
  'Steel',
  'Nylon',
  'Oak',
  'Blue',
  'Quick',
  'Deep',
  'Fine',
  'Flat',
];
const NOUNS = [
  'bolt',
  'panel',
  'clip',
  'bearing',
  'housing',
  'gasket',
  'sensor',
  'bracket',
  'hinge',
  'lens',
  'valve',
  'spring',
  'washer',
  'board',
  'cable',
];

/** The tenant's data grows by the plan's rows, a batch per commit. SKUs go on where the last run with the same prefix ended. */
export async function generate(
  store: StockroomStore,
  contextOf: () => Context,
  plan: Plan,
  seed: number,
  onProgress: (progress: Progress) => void,
): Promise<void> {
  const random = repeatableRandom(seed);
  const world: World = { random, first: 0, categories: [], contacts: { customer: [], supplier: [] }, items: [], combos: new Set() };
  const total = plan.contacts + plan.items * 2 + Math.ceil(plan.items / OPENING_LINES) + plan.orders;
  let done = 0;
  onProgress({ done, total });
  // The next batch is made while the disk has the last one.
  let last = Promise.resolve();
  const inBatches = async (count: number, one: (tx: Tx, index: number, context: () => Context) => Promise<void>, batch = BATCH) => {
    for (let from = 0; from < count; from += batch) {
      const to = Math.min(count, from + batch);
      const made = Promise.withResolvers<void>();
      const saved = store.transact(contextOf().tenant.id, async (tx) => {
        for (let index = from; index < to; index += 1) await one(tx, index, unrecorded(contextOf));
        made.resolve();
      });
      await Promise.race([made.promise, saved]);
      const before = last;
      last = saved.then(() => onProgress({ done: (done += to - from), total }));
      // Awaited one batch later; the one before it fails first.
      last.catch(() => {});
      await before;
    }
  };
  await store.transact(contextOf().tenant.id, (tx) => prepare(tx, world, unrecorded(contextOf)));
  await inBatches(plan.contacts, (tx, index, context) => addContact(tx, world, index, context));
  await inBatches(plan.items, (tx, index, context) => addItem(tx, world, index, plan.items, context));
  await inBatches(plan.items, (tx, index, context) => addRecipe(tx, world, index, plan.items, context));
  const openings = (tx: Tx, index: number, context: () => Context) => addOpening(tx, world, index, plan.orders, context);
  await inBatches(Math.ceil(plan.items / OPENING_LINES), openings, BATCH / OPENING_LINES);
  await inBatches(plan.orders, (tx, _index, context) => addOrder(tx, world, context));
  await last;
}

interface World {
  readonly random: () => number;
  /** The number before that of the first new SKU. */
  first: number;
  unitId?: string;
  categories: string[];
  readonly contacts: { readonly customer: string[]; readonly supplier: string[] };
  readonly items: string[];
  readonly combos: Set<number>;
}

/** Nobody waits for a second pair of eyes on stock that is no history. */
const unrecorded = (contextOf: () => Context) => (): Context => {
  const context = contextOf();
  return { ...context, tenant: { ...context.tenant, fourEyes: false }, unrecorded: true };
};

const SKU_PREFIX = 'GEN-';
const skuOf = (number: number): string => `${SKU_PREFIX}${String(number).padStart(7, '0')}`;

async function prepare(tx: Tx, world: World, context: () => Context): Promise<void> {
  const unit = await tx.units.find('symbol', 'pcs');
  if (unit) world.unitId = unit.id;
  world.first = await lastNumber(tx);
  const { rows } = await tx.categories.after({ limit: 1_000 });
  for (const name of CATEGORIES) {
    const present = rows.find((category) => category.name === name && category.parentId === null);
    world.categories.push((present ?? (await createCategory(tx, context(), { name, parentId: null, isActive: true }))).id);
  }
}

/** The number of the last SKU that an earlier run made; SKUs of others may begin alike. */
async function lastNumber(tx: Tx): Promise<number> {
  const prefix = SKU_PREFIX.toLowerCase();
  for (let before = `${prefix}:`; ;) {
    const where = [{ field: 'sku', from: `${prefix}0`, before }];
    const { rows, more } = await tx.items.after({ orderBy: 'sku', descending: true, where, limit: 100 });
    const number = rows.map(({ sku }) => /^GEN-(\d{7,})$/iu.exec(sku ?? '')?.[1]).find((digits) => digits !== undefined);
    const last = rows.at(-1)?.sku;
    if (number !== undefined || !more || typeof last !== 'string') return Number(number ?? 0);
    before = foldCase(last);
  }
}

async function addContact(tx: Tx, { random, contacts, first }: World, index: number, context: () => Context): Promise<void> {
  const contactType = index % 4 === 0 ? 'supplier' : 'customer';
  const number = String(first + index + 1);
  const contact = await createContact(tx, context(), {
    name: `${pick(random, ADJECTIVES)} & ${pick(random, NOUNS)} ${number}`,
    company: `Company ${number}`,
    email: `contact-${number}@company.example`,
    contactType,
    country: pick(random, ['PT', 'DE', 'FR', 'US', 'JP', 'BR']),
    contactGroup: pick(random, ['retail', 'wholesale', 'online']),
    isPrimaryContact: false,
    isActive: true,
  });
  contacts[contactType].push(contact.id);
}

async function addItem(tx: Tx, world: World, index: number, count: number, context: () => Context): Promise<void> {
  const { random, unitId, contacts } = world;
  const isCombo = random() < COMBO_SHARE && index > count / LAYERS;
  if (isCombo) world.combos.add(index);
  const start = Math.floor(random() * contacts.supplier.length);
  const preferred = isCombo ? undefined : contacts.supplier[start];
  const cost = Math.round(Math.exp(random() * 6) * 100) / 100;
  const item = await createItem(tx, context(), {
    name: `${pick(random, ADJECTIVES)} ${pick(random, NOUNS)} ${String(1 + Math.floor(random() * 999))}`,
    sku: skuOf(world.first + index + 1),
    itemType: isCombo ? 'combo' : index < count / LAYERS ? 'material' : 'product',
    barcode: `99${String(world.first + index + 1).padStart(11, '0')}`,
    mpn: `M${String(Math.floor(random() * 1e6))}`,
    categoryId: pick(random, world.categories),
    unitId: isCombo ? null : (unitId ?? null),
    purchasePrice: isCombo ? null : cost,
    salePrice: Math.round(cost * 180) / 100,
    notes: 'Generated for tests at scale.',
    isActive: random() >= INACTIVE_SHARE,
    // The first link comes with the item: one change instead of two.
    supplierId: preferred ?? null,
  });
  world.items.push(item.id);
  const second = contacts.supplier[(start + 1) % contacts.supplier.length];
  if (preferred === undefined || second === undefined || second === preferred || random() >= SECOND_SUPPLIER_SHARE) return;
  await createSupplier(tx, context(), item.id, {
    supplierId: second,
    purchasePrice: cost,
    unitsPerPurchaseUnit: 1,
    leadTimeDays: 1 + Math.floor(random() * 30),
    isPreferred: false,
  });
}

/** Made items take parts from the layer below them; the first layer is bought. */
async function addRecipe(tx: Tx, { random, items, combos }: World, index: number, count: number, context: () => Context): Promise<void> {
  const layer = Math.floor((index * LAYERS) / count);
  const parent = items[index];
  if (layer === 0 || parent === undefined || (!combos.has(index) && random() >= MADE_SHARE)) return;
  const parts = 3 + Math.floor(random() * 3);
  const from = Math.floor(((layer - 1) * count) / LAYERS);
  const used = new Set<number>();
  const drafts = [];
  for (let part = 0; part < parts; part += 1) {
    const chosen = from + Math.floor(random() * (count / LAYERS));
    const child = items[chosen];
    if (child === undefined || combos.has(chosen) || used.has(chosen) || !(await tx.items.get(child))?.isActive) continue;
    used.add(chosen);
    drafts.push({ ingredientItemId: child, quantity: 1 + Math.floor(random() * 4), perQuantity: 1, wastePercent: 0 });
  }
  if (drafts.length > 0) await createIngredients(tx, context(), parent, drafts);
}

/** Opening stock of the next items, half as much again as their popularity lets expect to be sold, or more. */
async function addOpening(tx: Tx, { items, combos }: World, index: number, orders: number, context: () => Context): Promise<void> {
  const from = index * OPENING_LINES;
  const stocked = items.slice(from, from + OPENING_LINES).map((itemId, at) => ({ itemId, rank: from + at + 1 }));
  const records = await tx.items.getMany(stocked.map(({ itemId }) => itemId));
  const lines = stocked
    .filter(({ rank }, at) => !combos.has(rank - 1) && records[at]?.isActive === true)
    .map(({ itemId, rank }) => ({ itemId, quantity: OPENING_QUANTITY + Math.ceil(orders / rank) }));
  if (lines.length === 0) return;
  const { document } = await createDocument(tx, context(), { type: 'adjustment', reason: 'opening', lines });
  const submitted = await submitDocument(tx, context(), document.id);
  await approveDocument(tx, context(), submitted.document, submitted.lines);
}

async function addOrder(tx: Tx, { random, items, contacts, combos }: World, context: () => Context): Promise<void> {
  const module = random() < 0.7 ? 'sell' : 'buy';
  const contactId = pick(random, module === 'sell' ? contacts.customer : contacts.supplier);
  const lines = [];
  for (let line = 0; line < LINES_PER_ORDER; line += 1) {
    const index = popular(random, items.length);
    const itemId = items[index];
    if (itemId === undefined || (module === 'buy' && combos.has(index)) || !(await tx.items.get(itemId))?.isActive) continue;
    lines.push({ itemId, quantity: logNormal(random), taxPercent: 20 });
  }
  const status = random();
  const { order } = await createOrder(tx, context(), {
    module,
    contactId,
    status: status < 0.2 || lines.length === 0 ? 'draft' : 'open',
    priority: random() < 0.1 ? 'high' : 'normal',
    lines,
  });
  if (status > 0.5 && order.status === 'open') await updateOrder(tx, context(), order.id, { status: 'completed' });
}

function pick<T>(random: () => number, from: readonly T[]): T {
  const chosen = from[Math.floor(random() * from.length)];
  if (chosen === undefined) throw new Error('nothing to choose from');
  return chosen;
}

/** An index in [0, count), the low ones often: the inverse of a continuous Zipf distribution. */
function popular(random: () => number, count: number): number {
  const exponent = 1 - ZIPF;
  const rank = (1 + random() * (count ** exponent - 1)) ** (1 / exponent);
  return Math.min(count - 1, Math.floor(rank) - 1);
}

/** Whole quantities, most of them below ten. */
function logNormal(random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(1, Math.round(Math.exp(1.2 + 0.8 * normal)));
}
