/**
 * Reads what a batch of generated rows is going to read one by one, for a store that needs a round trip for each read. Its transaction keeps
 * what it has read.
 */
import { toSupplierLinkId } from '../domain/catalog/suppliers.ts';
import type { Context } from '../domain/kernel/context.ts';
import { getDistinctIds } from '../domain/kernel/rows.ts';
import { loadNextOrderNumbers } from '../domain/orders/numbering.ts';
import { loadNextDocumentNumbers } from '../domain/stock/document-numbering.ts';
import { loadNextEntries } from '../domain/stock/ledger.ts';
import { toLevelId } from '../domain/stock/levels.ts';
import type { ReadTx } from '../domain/tables.ts';

/** A store does not keep rows of larger reads. */
const ROWS_PER_READ = 250;

const ENTRIES_PER_LINE = 2;

export interface OrderPlan {
  readonly draft: {
    readonly module: 'sell' | 'buy';
    readonly contactId: string;
    readonly status: 'draft' | 'open';
    readonly priority: 'normal' | 'high';
    readonly lines: { itemId: string; quantity: number; taxPercent: number }[];
  };
  /** Whether the order is completed after it was created. */
  readonly isCompleted: boolean;
}

interface ItemLine {
  readonly itemId: string;
}

/** What so many opening documents and lines of new items read. Reads later would wait until the store has written the items. */
export async function loadOpenings(
  tx: ReadTx,
  context: Context,
  { documents, lines }: { readonly documents: number; readonly lines: number },
): Promise<void> {
  await Promise.all([loadNextDocumentNumbers(tx, context, 'adjustment', documents), loadNextEntries(tx, lines)]);
}

/** What orders read. */
export async function loadOrders(tx: ReadTx, context: Context, plans: readonly OrderPlan[]): Promise<void> {
  const drafts = plans.map(({ draft }) => draft);
  const purchases = drafts.filter(({ module }) => module === 'buy');
  const links = purchases.flatMap(({ contactId, lines }) => lines.map(({ itemId }) => toSupplierLinkId(itemId, contactId)));
  const completedLines = plans.flatMap(({ draft, isCompleted }) => (isCompleted ? draft.lines : [])).length;
  await Promise.all([
    ...(['sell', 'buy'] as const).flatMap((module) => {
      const own = plans.filter(({ draft }) => draft.module === module);
      const completed = own.filter(({ isCompleted }) => isCompleted);
      return [
        loadNextOrderNumbers(tx, context, module, own.length),
        loadNextDocumentNumbers(tx, context, module === 'sell' ? 'issue' : 'receipt', completed.length),
      ];
    }),
    loadRows(
      tx.contacts,
      drafts.map(({ contactId }) => contactId),
    ),
    loadRows(tx.supplierLinks, links),
    // Combos have an entry for each part.
    loadNextEntries(tx, completedLines * ENTRIES_PER_LINE),
    loadStock(
      tx,
      context,
      drafts.flatMap(({ lines }) => lines),
    ),
  ]);
}

/** The items of lines, and their levels at the default site. */
async function loadStock(tx: ReadTx, { tenant }: Context, lines: readonly ItemLine[]): Promise<void> {
  const siteId = tenant.defaultSiteId;
  const itemIds = lines.map(({ itemId }) => itemId);
  const levelIds = lines.map(({ itemId }) => toLevelId({ itemId, siteId }));
  await Promise.all([loadRows(tx.items, itemIds), loadRows(tx.stockLevels, levelIds)]);
}

async function loadRows(table: { getMany(ids: readonly string[]): Promise<unknown> }, ids: readonly string[]): Promise<void> {
  const distinctIds = getDistinctIds(ids);
  const reads: Promise<unknown>[] = [];
  for (let at = 0; at < distinctIds.length; at += ROWS_PER_READ) reads.push(table.getMany(distinctIds.slice(at, at + ROWS_PER_READ)));
  await Promise.all(reads);
}
