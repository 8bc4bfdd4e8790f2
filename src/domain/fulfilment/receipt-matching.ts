/**
 * Receipts of purchase orders fulfil their lines (D-6): a receipt line that names no order line is matched to the open lines of its item, in
 * their order. Otherwise it would receive stock for nothing, and completing the order would receive it again.
 */
import type { StockLineDraft } from '../../contract/resources/stock-lines.ts';
import { isOutstanding } from '../../contract/resources/orders.ts';
import { StockroomError, invalidField } from '../kernel/errors.ts';
import { fromMicro } from '../kernel/numbers.ts';
import { listOrderLines } from '../orders/lines.ts';
import type { OrderLineRecord, OrderRecord } from '../orders/records.ts';
import { formatNeed, listRequirements } from '../orders/requirements.ts';
import { buildStockLineFields } from '../stock/line-fields.ts';
import { loadStockLineReferences } from '../stock/line-references.ts';
import type { DocumentWithLines, StockDocumentRecord, StockLineRecord } from '../stock/records.ts';
import type { ReadTx } from '../tables.ts';

type ReceiptHeader = Pick<StockDocumentRecord, 'type' | 'siteId' | 'orderId' | 'returnOf'>;

/**
 * The drafts with an order line each. One that needs several order lines is divided; its other parts follow at the end, so that the drafts
 * keep their positions. Without unitId, quantities are in the unit of the item. `linesBefore` are the lines that the document has.
 */
export async function matchReceiptLines(
  tx: ReadTx,
  document: ReceiptHeader,
  drafts: readonly StockLineDraft[],
  linesBefore: readonly StockLineRecord[],
  toPath: (index: number) => string,
): Promise<readonly StockLineDraft[]> {
  const order = await findPurchaseOrder(tx, document);
  if (!order || !isOutstanding(order.status) || drafts.every(isLinked)) return drafts;
  const references = await loadStockLineReferences(tx, document, drafts);
  const open = listOpen(await listOrderLines(tx, order.id));
  for (const { orderLineId, stockQuantity } of linesBefore) take(open, orderLineId, stockQuantity);
  const fields = drafts.map((draft, index) => buildStockLineFields(document, references, draft, undefined, toPath(index)));
  for (const { orderLineId, stockQuantity } of fields) take(open, orderLineId, stockQuantity);
  const rest: StockLineDraft[] = [];
  const matched = drafts.map((draft, index) => {
    const line = fields[index];
    if (isLinked(draft) || !line) return draft;
    const unitId = references.items.get(draft.itemId)?.unitId ?? null;
    const [first, ...others] = divide(order, open, line, toPath(index));
    if (others.length === 0) return { ...draft, unitId: line.unitId, orderLineId: first.line.id };
    const toPart = ({ line: { id }, stock }: Share): StockLineDraft => ({ ...draft, unitId, quantity: fromMicro(stock), orderLineId: id });
    rest.push(...others.map(toPart));
    return toPart(first);
  });
  return [...matched, ...rest];
}

/** Throws 409 if a line of a receipt names no line of its purchase order. */
export async function checkReceiptLines(tx: ReadTx, { document, lines }: DocumentWithLines): Promise<void> {
  const order = await findPurchaseOrder(tx, document);
  const unlinked = lines.find(({ orderLineId }) => orderLineId === null);
  if (!order || !unlinked) return;
  throw new StockroomError(
    'INVALID_STATE',
    `Line ${String(unlinked.lineNumber)} of ${document.documentNumber} names no line of ${order.orderNumber}. Set its orderLineId, or clear the orderId of the document to receive it without the order.`,
    { details: { lineNumber: unlinked.lineNumber, orderId: order.id } },
  );
}

async function findPurchaseOrder(tx: ReadTx, { type, orderId }: Pick<ReceiptHeader, 'type' | 'orderId'>): Promise<OrderRecord | undefined> {
  const order = type !== 'receipt' || orderId === null ? undefined : await tx.orders.get(orderId);
  return order?.module === 'buy' ? order : undefined;
}

const isLinked = ({ orderLineId }: StockLineDraft): boolean => typeof orderLineId === 'string';

/** An order line, and how much of its stock is open. */
interface OpenLine {
  readonly line: OrderLineRecord;
  stock: number;
}

interface Share {
  readonly line: OrderLineRecord;
  readonly stock: number;
}

const listOpen = (lines: readonly OrderLineRecord[]): OpenLine[] =>
  lines.flatMap((line) => listRequirements(line).map(({ remaining }) => ({ line, stock: remaining })));

function take(open: readonly OpenLine[], orderLineId: string | null, stock: number): void {
  const of = open.find(({ line }) => line.id === orderLineId);
  if (of) of.stock = Math.max(0, of.stock - stock);
}

/** The shares of the order lines in a quantity, which are no longer open. */
function divide(
  { orderNumber }: OrderRecord,
  open: readonly OpenLine[],
  { itemId, stockQuantity }: Pick<StockLineRecord, 'itemId' | 'stockQuantity'>,
  path: string,
): [Share, ...Share[]] {
  const ofItem = open.filter(({ line }) => line.itemId === itemId);
  const [nearest] = ofItem;
  if (!nearest) {
    const itemPath = `${path}/itemId`;
    throw invalidField(
      itemPath,
      `${itemPath}: ${orderNumber} has no line of this item; omit orderId to receive it without the order`,
      'not_allowed',
    );
  }
  const shares: Share[] = [];
  let rest = stockQuantity;
  for (const of of ofItem) {
    const stock = Math.min(of.stock, rest);
    if (stock <= 0) continue;
    shares.push({ line: of.line, stock });
    rest -= stock;
    of.stock -= stock;
  }
  const [first, ...others] = shares;
  if (rest === 0 && first) return [first, ...others];
  const left = fromMicro(stockQuantity - rest);
  throw new StockroomError(
    'INVALID_STATE',
    `${orderNumber} needs ${String(left)} more of ${formatNeed(nearest.line)}, but the receipt has ${String(fromMicro(stockQuantity))}. Receive the rest without orderId.`,
    { details: { itemId, remaining: left, path: `${path}/quantity` } },
  );
}
