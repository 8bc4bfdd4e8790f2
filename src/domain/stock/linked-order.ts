/** The fields of orders and order lines that stock documents need. */
import type { LineKind } from '../../contract/resources/order-lines.ts';
import type { OrderModule, OrderStatus } from '../../contract/resources/orders.ts';

export interface LinkedOrder {
  readonly id: string;
  readonly orderNumber: string;
  readonly module: OrderModule;
  readonly status: OrderStatus;
  readonly contactId: string;
  readonly siteId: string | null;
  readonly stockSiteId: string | null;
}

export interface LinkedOrderLine {
  readonly id: string;
  readonly orderId: string;
  readonly lineNumber: number;
  readonly kind: LineKind;
  readonly itemId: string | null;
  readonly unitId: string | null;
  /** Stock units in one unit of the line: a whole number or a fraction, as text. */
  readonly stockFactor: string;
  /** The parts of a combo; null on other items. */
  readonly kit: readonly { readonly itemId: string }[] | null;
}
