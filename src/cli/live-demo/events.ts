/** What happens in the live demo, and what may happen next. */
export type EventKind =
  | 'order_received'
  | 'order_packed'
  | 'order_shipped'
  | 'order_waiting'
  | 'order_cancelled'
  | 'stock_low'
  | 'purchase_ordered'
  | 'purchase_received'
  | 'production_ordered'
  | 'production_completed'
  | 'stock_counted';

export interface BusinessEvent {
  readonly kind: EventKind;
  /** Of the order, the stock document or the item. */
  readonly id: string;
  /** The number of the order or document, or the SKU. */
  readonly number: string;
  readonly text: string;
}

/** Something that the company can do now, and how likely it is. */
export type Activity = readonly [weight: number, run: () => Promise<BusinessEvent | undefined>];
