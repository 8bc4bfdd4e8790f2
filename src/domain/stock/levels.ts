/** Stock levels: one row per item and site. Changes go through a batch per transaction, so that each row is written once. */
import { NUMBER_BOUND } from '../../contract/limits.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError } from '../kernel/errors.ts';
import { type LevelItem, toLevelItemFields } from '../catalog/item-levels.ts';
import type { ItemRecord } from '../catalog/records.ts';
import { MICRO } from '../kernel/numbers.ts';
import { recordLevelEvents } from './level-events.ts';
import type { StockLevelRecord } from './records.ts';
import type { ReadTx, Tx } from '../tables.ts';

/** Identifies a level: one item at one site. */
export interface LevelKey {
  readonly itemId: string;
  readonly siteId: string;
}

/** The id of the level's row. */
export const toLevelId = ({ itemId, siteId }: LevelKey): string => `${itemId} ${siteId}`;

/** The level of a row's id. */
export function parseLevelId(id: string): LevelKey {
  const [itemId = '', siteId = ''] = id.split(' ');
  return { itemId, siteId };
}

/** The stored values of a level. All other fields of a row are derived from these and the item. */
export type LevelValues = Pick<
  StockLevelRecord,
  'onHand' | 'committed' | 'incoming' | 'averageCost' | 'stockValue' | 'reorderPoint' | 'lastMovementAt'
>;

const ZERO_VALUES: LevelValues = {
  onHand: 0,
  committed: 0,
  incoming: 0,
  averageCost: null,
  stockValue: 0,
  reorderPoint: null,
  lastMovementAt: null,
};

/** Changes of levels within one transaction. */
export interface LevelBatch {
  /** Reads these levels and their items. Required before any other access to them. */
  load(keys: readonly LevelKey[]): Promise<void>;
  /** The current values, including changes in this batch. */
  get(key: LevelKey): LevelValues;
  /** The values before the changes in this batch. */
  before(key: LevelKey): LevelValues;
  change(key: LevelKey, figures: Partial<LevelValues>): void;
  /** The levels changed in this batch that are not saved yet. */
  listChanged(): readonly LevelKey[];
  item(itemId: string): ItemRecord;
  /** Writes every changed row. */
  save(): Promise<void>;
}

export function openLevelBatch(tx: Tx, context: Context): LevelBatch {
  const rows = new Map<string, StockLevelRecord | undefined>();
  const changed = new Map<string, { readonly key: LevelKey; readonly figures: LevelValues }>();
  const items = new Map<string, ItemRecord>();
  const before = (key: LevelKey): LevelValues => {
    const id = toLevelId(key);
    if (!rows.has(id)) throw new Error(`level ${id} was not loaded`);
    return rows.get(id) ?? ZERO_VALUES;
  };
  const get = (key: LevelKey): LevelValues => changed.get(toLevelId(key))?.figures ?? before(key);
  const item = (id: string): ItemRecord => {
    const record = items.get(id);
    if (!record) throw new Error(`item ${id} was not loaded`);
    return record;
  };
  return {
    get,
    before,
    item,
    async load(keys) {
      const ids = [...new Set(keys.map(toLevelId))].filter((id) => !rows.has(id));
      const missingItemIds = [...new Set(keys.map(({ itemId }) => itemId))].filter((id) => !items.has(id));
      const [levelRows, itemRows] = await Promise.all([tx.stockLevels.getMany(ids), tx.items.getMany(missingItemIds)]);
      for (const [index, row] of levelRows.entries()) rows.set(ids[index] ?? '', row);
      for (const record of itemRows) if (record) items.set(record.id, record);
    },
    change(key, figures) {
      changed.set(toLevelId(key), { key, figures: { ...get(key), ...figures } });
    },
    listChanged: () => [...changed.values()].map(({ key }) => key),
    async save() {
      const saved: { readonly before: StockLevelRecord | undefined; readonly after: StockLevelRecord }[] = [];
      for (const [id, { key, figures }] of changed) {
        const stored = rows.get(id);
        if (!hasChanged(stored ?? ZERO_VALUES, figures)) continue;
        checkBounds(item(key.itemId), stored ?? ZERO_VALUES, figures);
        const row = toLevelRow(key, item(key.itemId), figures, {
          createdAt: stored?.createdAt ?? context.now.toISOString(),
          updatedAt: getNextTimestamp(context.now, stored?.updatedAt),
        });
        saved.push({ before: stored, after: row });
        rows.set(id, row);
      }
      await tx.stockLevels.putMany(saved.map(({ after }) => after));
      await recordLevelEvents(tx, context, saved);
      changed.clear();
    },
  };
}

const VALUE_FIELDS = Object.keys(ZERO_VALUES) as (keyof LevelValues)[];
const hasChanged = (a: LevelValues, b: LevelValues): boolean => VALUE_FIELDS.some((field) => a[field] !== b[field]);

type Timestamps = Pick<StockLevelRecord, 'createdAt' | 'updatedAt'>;

/** The row of a level, with the fields derived from its values and item. */
export function toLevelRow({ itemId, siteId }: LevelKey, item: LevelItem, figures: LevelValues, stamps: Timestamps): StockLevelRecord {
  const { onHand, committed, incoming, averageCost, stockValue, reorderPoint, lastMovementAt } = figures;
  const available = onHand - committed;
  const projected = available + incoming;
  const isLow = reorderPoint !== null && projected <= reorderPoint;
  // A level at or below its reorder point is never idle, or items that ran out would be missing from lists.
  const isIdle = onHand === 0 && committed === 0 && incoming === 0 && !isLow;
  return {
    id: toLevelId({ itemId, siteId }),
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
    isIdle,
    listedSiteId: isIdle ? null : siteId,
    ...toLevelItemFields(item, isIdle),
    ...stamps,
  };
}

/** Whether an alert is due: at or below the reorder point, or oversold. Only the former is stored, as in rows of earlier releases. */
export const isShort = ({ isLow, available }: Pick<StockLevelRecord, 'isLow' | 'available'>): boolean => isLow || available < 0;

const OVERSOLD = { field: 'available', before: 0 };

/** The ids of all levels that are short. */
export async function listShortLevelIds(tx: ReadTx): Promise<readonly string[]> {
  const limit = Number.MAX_SAFE_INTEGER;
  const [low, oversold] = await Promise.all(
    [{ field: 'isLow', equals: true }, OVERSOLD].map((condition) => tx.stockLevels.listIdsAfter({ where: [condition], limit })),
  );
  return [...new Set([...(low?.ids ?? []), ...(oversold?.ids ?? [])])];
}

const VALUE_BOUND = NUMBER_BOUND * MICRO;

/** What must stay below the bound, by the field that it keeps in range. */
const BOUNDED_SUMS = {
  onHand: { name: 'onHand', get: ({ onHand }: LevelValues) => onHand },
  committed: { name: 'committed', get: ({ committed }: LevelValues) => committed },
  incoming: { name: 'incoming', get: ({ incoming }: LevelValues) => incoming },
  stockValue: { name: 'stockValue', get: ({ stockValue }: LevelValues) => stockValue },
  available: { name: 'committed less onHand', get: ({ onHand, committed }: LevelValues) => onHand - committed },
  // Without committed, so that releasing a commitment, as cancelling an order does, never exceeds the bound.
  projected: { name: 'onHand plus incoming', get: ({ onHand, incoming }: LevelValues) => onHand + incoming },
} as const;

/**
 * All numbers of one level stay below 10⁹ like every number in the API, so that they are exact. A level of an earlier release that
 * exceeds the bound may shrink.
 */
function checkBounds({ name }: ItemRecord, before: LevelValues, after: LevelValues): void {
  const { committed, incoming } = after;
  if (committed < 0 || incoming < 0) throw new Error(`${name}: committed ${String(committed)}, incoming ${String(incoming)}`);
  const exceeded = Object.entries(BOUNDED_SUMS).find(
    ([, sum]) => Math.abs(sum.get(after)) >= VALUE_BOUND && Math.abs(sum.get(after)) > Math.abs(sum.get(before)),
  );
  if (!exceeded) return;
  const [field, sum] = exceeded;
  throw new StockroomError(
    'LIMIT_REACHED',
    `${name}: ${sum.name} at one site must be below ${String(NUMBER_BOUND)}. Use smaller quantities or costs.`,
    { details: { limit: NUMBER_BOUND, fields: [field] } },
  );
}
