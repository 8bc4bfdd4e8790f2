/** What was returned of the lines of completed orders (D-6). */
import { StockroomError } from '../kernel/errors.ts';
import { convertFromStock, parseFactor } from '../catalog/unit-conversion.ts';
import type { OrderLineRecord, OrderRecord } from './records.ts';

export interface Returnable {
  readonly itemId: string;
  /** In stock units. */
  readonly posted: number;
  readonly returned: number;
}

/** One row per item of the line. */
export function listReturnable({ itemId, kit, posted, returned }: OrderLineRecord): Returnable[] {
  const parts = kit ?? (itemId === null ? [] : [{ itemId, posted: posted.stock }]);
  return parts.map((part) => ({ itemId: part.itemId, posted: part.posted, returned: returned?.[part.itemId] ?? 0 }));
}

/** The returned quantity in the unit of the line; of a combo what is complete. */
export function getReturnedQuantity(line: OrderLineRecord): number {
  const returnable = listReturnable(line);
  if (!line.kit) return convertFromStock(returnable[0]?.returned ?? 0, parseFactor(line.stockFactor));
  return Math.min(
    ...returnable.map(({ returned, posted }) => (posted === 0 ? 0 : Math.floor((line.fulfilledQuantity * returned) / posted))),
  );
}

/** Throws 409 if more was returned than is posted: the return must be cancelled before the document that it refers to. */
export function checkReturned({ orderNumber }: OrderRecord, lines: readonly OrderLineRecord[]): void {
  const line = lines.find((each) => listReturnable(each).some(({ posted, returned }) => returned > posted));
  if (!line) return;
  throw new StockroomError(
    'INVALID_STATE',
    `Goods of line ${String(line.lineNumber)} of ${orderNumber} were returned. Cancel the documents of the return first.`,
    { details: { orderLineId: line.id } },
  );
}
