/** Stock documents, their lines, the ledger and the levels as they are stored. Quantities, costs and values are micro-units (D-9). */
import type { ItemType } from '../contract/items.ts';
import type { AdjustmentReason, DocumentStatus, DocumentType } from '../contract/stock-documents.ts';
import type { Direction } from '../contract/stock-lines.ts';
import type { Actor } from './tenants.ts';

export interface StockDocumentRecord {
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
  /** Since approval. */
  readonly totalCost: number | null;
  readonly createdBy: Actor;
  readonly submittedAt: string | null;
  readonly submittedBy: Actor | null;
  readonly approvedAt: string | null;
  readonly approvedBy: Actor | null;
  readonly cancelledAt: string | null;
  readonly cancelledBy: Actor | null;
  readonly cancelReason: string | null;
  readonly reversedAt: string | null;
  /** `siteId` and `toSiteId`, and the distinct items of the lines: for the filters of the list. */
  readonly siteIds: readonly string[];
  readonly itemIds: readonly string[];
  readonly createdAt: string;
  readonly updatedAt: string;
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
  /** `quantity` or `countedQuantity`, and `expectedQuantity`, in the item's stock unit. */
  readonly stockQuantity: number;
  readonly stockExpected: number | null;
  /** Per stock unit, as given; null: found at approval. */
  readonly unitCost: number | null;
  readonly orderLineId: string | null;
  readonly notes: string | null;
  /** Since approval: what happened at the document's `siteId`. */
  readonly postedQuantity: number | null;
  readonly postedUnitCost: number | null;
  readonly onHandBefore: number | null;
  readonly onHandAfter: number | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** One movement of stock. Written once, never changed, never removed. */
export interface LedgerRecord {
  /** `seq` as text. */
  readonly id: string;
  /** Counts the tenant's entries from 1, without gaps. */
  readonly seq: number;
  readonly postedAt: string;
  readonly documentId: string;
  readonly documentLineId: string;
  readonly orderId: string | null;
  readonly itemId: string;
  readonly siteId: string;
  /** 0: parts that were posted late have made worth more what was made of them. */
  readonly quantityDelta: number;
  readonly onHandAfter: number;
  readonly unitCost: number;
  readonly valueDelta: number;
  readonly valueAfter: number;
  readonly averageAfter: number;
  /** The `seq` of the entry that this one undoes. */
  readonly reversalOf: number | null;
}

/** What there is of one item at one site. */
export interface StockLevelRecord {
  /** `levelId`. */
  readonly id: string;
  readonly itemId: string;
  readonly siteId: string;
  readonly onHand: number;
  readonly committed: number;
  readonly incoming: number;
  readonly available: number;
  readonly projected: number;
  /** Per stock unit; null until something has come in or gone out. */
  readonly averageCost: number | null;
  readonly stockValue: number;
  readonly reorderPoint: number | null;
  readonly lastMovementAt: string | null;
  readonly isLow: boolean;
  readonly isBelowZero: boolean;
  /** The item's own, kept in step with it, so that lists filter, sort and search without looking at items. */
  readonly name: string;
  readonly sku: string | null;
  readonly itemType: ItemType;
  readonly categoryId: string | null;
  readonly unitId: string | null;
  /** Nothing on hand, promised, expected or missing: left out of lists unless asked for. */
  readonly isIdle: boolean;
  /** As without `listed`, but null on idle rows: one condition then answers a filtered list from one index. */
  readonly listedSiteId: string | null;
  readonly listedItemType: ItemType | null;
  readonly listedCategoryId: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
}
