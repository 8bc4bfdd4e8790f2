/** The model that histories of orders are held against: it knows only the tables of D-2 and D-5. */
import type { OrderModule, OrderStatus } from '../../../src/contract/resources/orders.ts';
import type { OrderWorld } from '../resources/order-world.ts';
import type { Reply, TestService } from '../service/service.ts';
import type { Contact } from './arbitraries.ts';

/** Where an order may go from each status. */
export const WALK: Record<OrderStatus, readonly OrderStatus[]> = {
  draft: ['open', 'cancelled'],
  open: ['draft', 'in_progress', 'waiting', 'completed', 'cancelled'],
  in_progress: ['open', 'waiting', 'completed', 'cancelled'],
  waiting: ['open', 'in_progress', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
};
export const WORKING: readonly OrderStatus[] = ['draft', 'open', 'in_progress', 'waiting'];
export const OUTSTANDING = WORKING.slice(1);
export const ORDER_DATE = '2026-05-10';

export interface ModelLine {
  id: string;
  kind: string | undefined;
  quantity: number;
  fulfilled: number;
}
export interface Model {
  id: string;
  module: OrderModule;
  status: OrderStatus;
  contact: Contact;
  dueDate: string;
  priority: string;
  notes: string | null;
  lines: ModelLine[];
  updatedAt: string;
}

/** The contacts that a module takes. */
export const FITS: Record<OrderModule, readonly Contact[]> = {
  buy: ['supplier', 'house'],
  sell: ['customer', 'house'],
  make: ['customer', 'supplier', 'house'],
  check: ['customer', 'supplier', 'house'],
  fix: ['customer', 'house'],
};
/** A wish for the right contact is the one that the module needs. */
export const meant = (module: OrderModule, wish: Contact | 'right'): Contact =>
  wish !== 'right' ? wish : module === 'buy' ? 'supplier' : 'customer';
/** Whether an order with that contact cannot open. */
export const needsOutside = (module: OrderModule, contact: Contact) => contact === 'house' && (module === 'buy' || module === 'sell');

export interface History {
  readonly s: TestService;
  readonly w: OrderWorld;
  readonly orders: Model[];
  readonly numbers: Record<OrderModule, number>;
  /** What a client knows that asks only for what changed since it last asked. */
  readonly mirror: Map<string, string>;
  seen: string;
  last: { path: string; method: 'POST' | 'PATCH'; body: object; key: string; reply: Reply } | undefined;
  count: number;
}

export const begin = (s: TestService, w: OrderWorld): History => ({
  s,
  w,
  orders: [],
  numbers: { buy: 0, sell: 0, make: 0, check: 0, fix: 0 },
  mirror: new Map(),
  seen: '2000-01-01T00:00:00.000Z',
  last: undefined,
  count: 0,
});

/** Whether an order with these lines can open. */
export const fits = (module: OrderModule, lines: readonly { kind?: string | undefined }[]) =>
  lines.length > 0 &&
  (module !== 'make' || (lines.some(({ kind }) => kind === 'output') && lines.some(({ kind }) => kind === 'component')));

export const getFulfilment = (lines: readonly Pick<ModelLine, 'quantity' | 'fulfilled'>[]): string =>
  lines.every((line) => line.fulfilled === 0) ? 'none' : lines.every((line) => line.fulfilled >= line.quantity) ? 'full' : 'partial';
