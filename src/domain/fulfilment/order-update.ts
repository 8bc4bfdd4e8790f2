/** The change of an order by a stock document that is posted or reversed. */
import type { OrderWithLines } from '../orders/records.ts';

export interface OrderUpdate {
  readonly before: OrderWithLines;
  readonly after: OrderWithLines;
  /** Only what was returned has changed. */
  readonly isReturn?: boolean;
}
