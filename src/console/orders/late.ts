import { type Order, isOutstanding } from '../../contract/resources/orders.ts';

/** Whether the order was due before today in the time zone of the tenant. */
export const isLate = ({ status, dueDate }: Pick<Order, 'status' | 'dueDate'>, today: string): boolean =>
  isOutstanding(status) && dueDate < today;
