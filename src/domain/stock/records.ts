/** Stored records of stock documents, their lines, the ledger and levels. Quantities, costs and values are in micro-units (D-9). */
import type { ItemType } from '../../contract/resources/items.ts';
import type { AdjustmentReason, DocumentStatus, DocumentType } from '../../contract/resources/stock-documents.ts';
import type { Revaluation } from '../../contract/resources/stock-movements.ts';
import type { Direction } from '../../contract/resources/stock-lines.ts';
import type { ExternalFields } from '../kernel/external-fields.ts';
import type { Actor } from '../kernel/tenant.ts';

export interface StockDocumentRecord extends ExternalFields {
  readonly id: string;
  readonly documentNumber: string;
  readonly type: DocumentType;
  readonly status: DocumentStatus;
  readonly siteId: string;
  /** Transfers only. */
  readonly toSiteId: string | null;
  readonly contactId: string | null;
  readonly orderId: string | null;
  /** Calendar day in the tenant's time zone. */
  readonly documentDate: string;
  readonly reference: string | null;
  /** Adjustments only. */
  readonly reason: AdjustmentReason | null;
  readonly notes: string | null;
  readonly lineCount: number;
  /** Rounded to the minor unit of the currency at approval. Null before. */
  readonly totalCost: number | null;
  /** The value lost to variances by the posting and the reversal; 0 before. Undefined if an earlier release posted the document. */
  readonly totalVariance: number | undefined;
  readonly createdBy: Actor;
  readonly submittedAt: string | null;
  readonly submittedBy: Actor | null;
  readonly approvedAt: string | null;
  readonly approvedBy: Actor | null;
  readonly cancelledAt: string | null;
  readonly cancelledBy: Actor | null;
  readonly cancelReason: string | null;
  readonly reversedAt: string | null;
  /** For filters: `siteId` and `toSiteId`, and the distinct items of the lines. */
  readonly siteIds: readonly string[];
  readonly itemIds: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Returns only: the completed order whose goods are returned. Undefined on documents that 0.1.0 stored. */
  readonly returnOf: string | null | undefined;
}

export interface StockLineRecord {
  readonly id: string;
  readonly documentId: string;
  /** From 1, without gaps. */
  readonly lineNumber: number;
  readonly itemId: string;
  /** Production only. */
  readonly direction: Direction | null;
  /** In the unit of the line; null on counts. */
  readonly quantity: number | null;
  /** Counts only, in the unit of the line. */
  readonly countedQuantity: number | null;
  readonly expectedQuantity: number | null;
  readonly unitId: string | null;
  /** `quantity` or `countedQuantity`, and `expectedQuantity`, in the stock unit of the item. */
  readonly stockQuantity: number;
  readonly stockExpected: number | null;
  /** Per stock unit, as requested; null when it is determined at approval. */
  readonly unitCost: number | null;
  readonly orderLineId: string | null;
  readonly notes: string | null;
  /** The result of the posting at the document's `siteId`; null before approval. */
  readonly postedQuantity: number | null;
  readonly postedUnitCost: number | null;
  readonly onHandBefore: number | null;
  readonly onHandAfter: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** One movement of stock. Entries are never changed or removed. */
export interface LedgerRecord {
  /** `seq` as text. */
  readonly id: string;
  /** From 1 without gaps, per tenant. */
  readonly seq: number;
  readonly postedAt: string;
  readonly documentId: string;
  readonly documentLineId: string;
  readonly orderId: string | null;
  readonly itemId: string;
  readonly siteId: string;
  /** 0 for revaluations. */
  readonly quantityDelta: number;
  readonly onHandAfter: number;
  readonly unitCost: number;
  readonly valueDelta: number;
  readonly valueAfter: number;
  /** Null when nothing that came in or went out is left to give a cost. */
  readonly averageAfter: number | null;
  /** The `seq` of the reversed entry; of a `reversal_variance`, the entry whose reversal it belongs to. */
  readonly reversalOf: number | null;
  /** Null for movements. Undefined in entries of earlier releases, which included `owed_stock` in the movement. */
  readonly revaluation: Revaluation | null | undefined;
}

/**
 * Why an entry changes the value without moving stock. `owed_stock`: a receipt replaces the estimated cost of negative stock.
 * `late_components`: components were posted after the outputs of a make order. `variance`: the part of those that no output on hand can take.
 * `reversal_variance`: what a reversal could not take back or return at the original cost. `revaluation`: a revaluation document.
 */
export type { Revaluation } from '../../contract/resources/stock-movements.ts';

/** Whether the value that an entry adds to a level comes from a variance, not from another level, the order or outside. */
export const isVariance = ({ revaluation }: Pick<LedgerRecord, 'revaluation'>): boolean =>
  revaluation !== null && revaluation !== undefined && revaluation !== 'late_components';

/** The stock of one item at one site. */
export interface StockLevelRecord {
  /** See `toLevelId`. */
  readonly id: string;
  readonly itemId: string;
  readonly siteId: string;
  readonly onHand: number;
  readonly committed: number;
  readonly incoming: number;
  readonly available: number;
  readonly projected: number;
  /** Per stock unit; null before the first movement. */
  readonly averageCost: number | null;
  readonly stockValue: number;
  readonly reorderPoint: number | null;
  readonly lastMovementAt: string | null;
  readonly isLow: boolean;
  readonly isBelowZero: boolean;
  /** Copied from the item and updated with it, so that lists filter, sort and search without reading items. */
  readonly name: string;
  readonly sku: string | null;
  readonly itemType: ItemType;
  readonly categoryId: string | null;
  readonly unitId: string | null;
  /** Nothing on hand, committed or incoming, and not low. Omitted from lists by default. */
  readonly isIdle: boolean;
  /** Copies of `siteId`, `itemType` and `categoryId`, null on idle levels, so that one index answers a filtered list without them. */
  readonly listedSiteId: string | null;
  readonly listedItemType: ItemType | null;
  readonly listedCategoryId: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A document with all its lines, by line number. */
export interface DocumentWithLines {
  readonly document: StockDocumentRecord;
  readonly lines: readonly StockLineRecord[];
}
