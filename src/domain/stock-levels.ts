/** Levels of stock: one row per item and site, changed only through a book that a transaction opens, so that each row is written once. */
import { NUMBER_BOUND } from '../contract/limits.ts';
import { type Context, nextTimestamp } from './context.ts';
import { StockroomError } from './errors.ts';
import type { ItemRecord } from './items.ts';
import { MICRO } from './numbers.ts';
import type { StockLevelRecord } from './stock-records.ts';
import type { ReadTx, Tx } from './tables.ts';

/** One item at one site. */
export interface Place {
  readonly itemId: string;
  readonly siteId: string;
}

/** Also the row's id. */
export const levelId = ({ itemId, siteId }: Place): string => `${itemId} ${siteId}`;

/** What is counted; everything else of a row follows from it and from the item. */
export type LevelFigures = Pick<
  StockLevelRecord,
  'onHand' | 'committed' | 'incoming' | 'averageCost' | 'stockValue' | 'reorderPoint' | 'lastMovementAt'
>;

const NOTHING: LevelFigures = {
  onHand: 0,
  committed: 0,
  incoming: 0,
  averageCost: null,
  stockValue: 0,
  reorderPoint: null,
  lastMovementAt: null,
};

export interface LevelBook {
  /** Reads the rows of these places, and the items of those that have none yet. To be done before anything else is asked about them. */
  load(places: readonly Place[]): Promise<void>;
  /** As it stands now, with what this book has changed. */
  get(place: Place): LevelFigures;
  /** As it was when the book was opened. */
  before(place: Place): LevelFigures;
  change(place: Place, figures: Partial<LevelFigures>): void;
  item(itemId: string): ItemRecord;
  /** Writes each row that has changed, once. */
  save(): Promise<void>;
}

export function openLevels(tx: Tx, context: Context): LevelBook {
  const rows = new Map<string, StockLevelRecord | undefined>();
  const changed = new Map<string, { readonly place: Place; readonly figures: LevelFigures }>();
  const items = new Map<string, ItemRecord>();
  const before = (place: Place): LevelFigures => {
    const id = levelId(place);
    if (!rows.has(id)) throw new Error(`the level ${id} was not loaded`);
    return rows.get(id) ?? NOTHING;
  };
  const get = (place: Place): LevelFigures => changed.get(levelId(place))?.figures ?? before(place);
  const item = (id: string): ItemRecord => {
    const record = items.get(id);
    if (!record) throw new Error(`the item ${id} was not loaded`);
    return record;
  };
  return {
    get,
    before,
    item,
    async load(places) {
      const ids = [...new Set(places.map(levelId))].filter((id) => !rows.has(id));
      for (const [at, row] of (await tx.stockLevels.getMany(ids)).entries()) rows.set(ids[at] ?? '', row);
      const unknown = [...new Set(places.map(({ itemId }) => itemId))].filter((id) => !items.has(id));
      for (const record of await tx.items.getMany(unknown)) if (record) items.set(record.id, record);
    },
    change(place, figures) {
      changed.set(levelId(place), { place, figures: { ...get(place), ...figures } });
    },
    async save() {
      for (const [id, { place, figures }] of changed) {
        const stored = rows.get(id);
        if (!differs(stored ?? NOTHING, figures)) continue;
        checkBounds(item(place.itemId), figures);
        const row = levelRow(place, item(place.itemId), figures, {
          createdAt: stored?.createdAt ?? context.now.toISOString(),
          updatedAt: nextTimestamp(context.now, stored?.updatedAt),
        });
        await tx.stockLevels.put(row);
        rows.set(id, row);
      }
      changed.clear();
    },
  };
}

const FIGURES = Object.keys(NOTHING) as (keyof LevelFigures)[];
const differs = (a: LevelFigures, b: LevelFigures): boolean => FIGURES.some((field) => a[field] !== b[field]);

type Stamps = Pick<StockLevelRecord, 'createdAt' | 'updatedAt'>;
const ITEM_PART = ['name', 'sku', 'itemType', 'categoryId', 'unitId'] as const satisfies readonly (keyof ItemRecord)[];
type ItemPart = Pick<ItemRecord, (typeof ITEM_PART)[number]>;

/** The row with all that follows from its figures and its item. */
export function levelRow({ itemId, siteId }: Place, item: ItemPart, figures: LevelFigures, stamps: Stamps): StockLevelRecord {
  const { onHand, committed, incoming, averageCost, stockValue, reorderPoint, lastMovementAt } = figures;
  const { name, sku, itemType, categoryId, unitId } = item;
  const available = onHand - committed;
  const projected = available + incoming;
  const isLow = reorderPoint !== null && projected <= reorderPoint;
  // ours: a row at or below its reorder point is never idle, or an item that has run out would vanish from the list of what to buy.
  const isIdle = onHand === 0 && committed === 0 && incoming === 0 && !isLow;
  return {
    id: levelId({ itemId, siteId }),
    itemId,
    siteId,
    onHand,
    committed,
    incoming,
    available,
    projected,
    averageCost,
    stockValue,
    reorderPoint,
    lastMovementAt,
    isLow,
    isBelowZero: onHand < 0,
    name,
    sku,
    itemType,
    categoryId,
    unitId,
    isIdle,
    listedSiteId: isIdle ? null : siteId,
    listedItemType: isIdle ? null : itemType,
    listedCategoryId: isIdle ? null : categoryId,
    ...stamps,
  };
}

const BOUND = NUMBER_BOUND * MICRO;

/** ours: what one item at one site adds up to stays below 10⁹ like every number that is sent, so that it can be kept exactly. */
function checkBounds({ name }: ItemRecord, figures: LevelFigures): void {
  const { committed, incoming } = figures;
  if (committed < 0 || incoming < 0) throw new Error(`${name}: committed ${String(committed)}, incoming ${String(incoming)}`);
  const beyond = (['onHand', 'committed', 'incoming', 'averageCost', 'stockValue'] as const).filter(
    (field) => Math.abs(figures[field] ?? 0) >= BOUND,
  );
  if (beyond.length === 0) return;
  throw new StockroomError('LIMIT_REACHED', `${beyond.join(' and ')} of ${name} would reach ${String(NUMBER_BOUND)} at one site.`, {
    details: { limit: NUMBER_BOUND, fields: beyond },
  });
}

/** The rows of an item after its name, SKU, type, category or unit has changed. ours: that is no change of a level, so updatedAt stays. */
export async function followItem(tx: Tx, before: ItemRecord, item: ItemRecord): Promise<void> {
  if (ITEM_PART.every((field) => before[field] === item[field])) return;
  // A combo is never in stock; nothing is counted in its rows, or it could not have become one.
  if (item.itemType === 'combo') {
    await removeLevels(tx, item.id);
    return;
  }
  for (const row of await levelsOf(tx, item.id)) {
    const { createdAt, updatedAt } = row;
    await tx.stockLevels.put(levelRow(row, item, row, { createdAt, updatedAt }));
  }
}

/** Removes the rows of an item in which nothing is counted any more; whoever calls has made sure of that. */
export async function removeLevels(tx: Tx, itemId: string): Promise<void> {
  for (const { id } of await levelsOf(tx, itemId)) await tx.stockLevels.remove(id);
}

/** The rows of an item: at most one per site. */
export async function levelsOf(tx: Pick<ReadTx, 'stockLevels'>, itemId: string): Promise<StockLevelRecord[]> {
  return (await tx.stockLevels.after({ where: [{ field: 'itemId', equals: itemId }], limit: SITES_MAX })).rows;
}

// More sites than a tenant has.
const SITES_MAX = 100_000;
