/**
 * For every operation of the contract, how to ask for it so that it succeeds. `test/api/matrix.test.ts` makes all its requests from this
 * table; an operation that is missing here does not compile, and fails there.
 */
import type { EmittedEvent } from '../../src/contract/events.ts';
import type { OperationId } from '../../src/contract/index.ts';
import { ORDER_PRIORITIES } from '../../src/contract/orders.ts';
import { createWebhook } from '../../src/domain/webhooks.ts';
import { stockUp } from './stock.ts';
import type { Shelf } from './shelf.ts';

export interface Parts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

interface ListFixture {
  /** Makes at least so many rows, several of them alike in what lists sort by, and says how to ask for them. */
  readonly rows: (shelf: Shelf, count: number) => Promise<Parts>;
  /** What rows are sorted by, for sort keys that are no field of the row. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly sorted?: Readonly<Record<string, (row: any) => string | number | boolean | null>>;
}

export interface Fixture {
  /** A request that succeeds. Every call makes its own records and names, so that no two of them meet. */
  readonly request: (shelf: Shelf) => Promise<Parts>;
  /** What a success leaves in the change log, once. */
  readonly event?: EmittedEvent;
  readonly list?: ListFixture;
}

const nothing = (): Promise<Parts> => Promise.resolve({});
const item = (shelf: Shelf, more: object = {}) => shelf.make('/v1/items', { name: `Item ${String(shelf.next())}`, ...more });
const contact = (shelf: Shelf, more: object = {}) => shelf.make('/v1/contacts', { name: `Contact ${String(shelf.next())}`, ...more });
const supplier = (shelf: Shelf) => contact(shelf, { contactType: 'supplier' });
const note = (shelf: Shelf) => ({ notes: `Note ${String(shelf.next())}` });

async function order(shelf: Shelf, more: object = {}): Promise<string> {
  const [itemId, contactId] = [await item(shelf), await contact(shelf)];
  return shelf.make('/v1/orders', { module: 'sell', contactId, lines: [{ itemId, quantity: 2 }], ...more });
}
async function ingredient(shelf: Shelf): Promise<{ item_id: string; ingredient_id: string }> {
  const [item_id, ingredientItemId] = [await item(shelf), await item(shelf)];
  const ingredient_id = await shelf.make(`/v1/items/${item_id}/ingredients`, { ingredientItemId, quantity: 2 });
  return { item_id, ingredient_id };
}
async function link(shelf: Shelf): Promise<{ item_id: string; supplier_id: string }> {
  const [item_id, supplier_id] = [await item(shelf), await supplier(shelf)];
  await shelf.post(`/v1/items/${item_id}/suppliers`, { supplierId: supplier_id });
  return { item_id, supplier_id };
}
/** Also on plans that cannot make one over HTTP: it is from before a downgrade. */
async function webhook({ s, id }: Shelf): Promise<string> {
  const { service, clock } = s;
  const draft = { name: 'Receiver', targetUrl: 'http://127.0.0.1:9/', subscribedEvents: ['contact.created'], status: 'active' } as const;
  const made = await service.store.transact(id, async (tx) => {
    const tenant = await tx.tenants.get(id);
    if (!tenant) throw new Error(`no tenant ${id}`);
    const actor = { type: 'user', id: 'test' } as const;
    const context = { tenant, actor, requestId: 'fixture', ipAddress: null, now: clock.now(), newId: service.newId };
    return createWebhook(tx, context, draft, null, service.targets);
  });
  return made.id;
}

/** Kept in the receipt's own unit, none, so that any quantity will do. */
async function receipt(shelf: Shelf, more: object = {}): Promise<{ document_id: string }> {
  const lines = [{ itemId: await item(shelf), quantity: 5, unitCost: 1.5 }];
  return { document_id: await shelf.make('/v1/stock-documents', { type: 'receipt', lines, ...more }) };
}
async function submitted(shelf: Shelf): Promise<{ document_id: string }> {
  const params = await receipt(shelf);
  await shelf.post(`/v1/stock-documents/${params.document_id}/submit`, {});
  return params;
}
async function stockLine(shelf: Shelf): Promise<{ document_id: string; line_id: string }> {
  const params = await receipt(shelf);
  return {
    ...params,
    line_id: await shelf.make(`/v1/stock-documents/${params.document_id}/lines`, { itemId: await item(shelf), quantity: 2 }),
  };
}
async function times(count: number, work: (at: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < count; at += 1) await work(at);
}
const NAMES = ['beta', 'Alpha', 'gamma', 'ALPHA', 'alpha', 'Émile'];
const nameAt = (at: number): string => NAMES[at % NAMES.length] ?? '';

export const FIXTURES: { readonly [Id in OperationId]: Fixture } = {
  'catalog.get': { request: nothing },
  'auth.context': { request: nothing },
  'organization.get': { request: nothing },
  'usage.get': { request: nothing },
  'audit.list': { request: nothing },

  'contacts.list': {
    request: nothing,
    list: {
      async rows(shelf, count) {
        await times(count, (at) => contact(shelf, { name: nameAt(at), company: at % 3 === 0 ? '' : nameAt(at + 2) }));
        return {};
      },
    },
  },
  'contacts.create': {
    request: (shelf) => Promise.resolve({ body: { name: `Contact ${String(shelf.next())}` } }),
    event: 'contact.created',
  },
  'contacts.get': { request: async (shelf) => ({ params: { contact_id: await contact(shelf) } }) },
  'contacts.update': {
    request: async (shelf) => ({ params: { contact_id: await contact(shelf) }, body: { phone: String(shelf.next()) } }),
    event: 'contact.updated',
  },
  'contacts.delete': { request: async (shelf) => ({ params: { contact_id: await contact(shelf) } }), event: 'contact.updated' },

  'items.list': {
    request: nothing,
    list: {
      async rows(shelf, count) {
        await times(count, (at) => item(shelf, { name: nameAt(at), sku: at % 3 === 0 ? null : `${nameAt(at)}-${String(shelf.next())}` }));
        return {};
      },
    },
  },
  'items.create': {
    request: (shelf) => Promise.resolve({ body: { name: 'Bolt', sku: `BOLT-${String(shelf.next())}` } }),
    event: 'inventory.item.created',
  },
  'items.get': { request: async (shelf) => ({ params: { item_id: await item(shelf) } }) },
  'items.update': {
    request: async (shelf) => ({ params: { item_id: await item(shelf) }, body: note(shelf) }),
    event: 'inventory.item.updated',
  },
  'items.delete': { request: async (shelf) => ({ params: { item_id: await item(shelf) } }), event: 'inventory.item.updated' },

  'items.ingredients.list': {
    request: async (shelf) => ({ params: { item_id: await item(shelf) } }),
    list: {
      async rows(shelf, count) {
        const item_id = await item(shelf);
        await times(count, async () =>
          shelf.make(`/v1/items/${item_id}/ingredients`, { ingredientItemId: await item(shelf), quantity: 1, position: 1 }),
        );
        return { params: { item_id } };
      },
    },
  },
  'items.ingredients.create': {
    request: async (shelf) => ({ params: { item_id: await item(shelf) }, body: { ingredientItemId: await item(shelf), quantity: 0.25 } }),
    event: 'inventory.item.updated',
  },
  'items.ingredients.update': {
    request: async (shelf) => ({ params: await ingredient(shelf), body: note(shelf) }),
    event: 'inventory.item.updated',
  },
  'items.ingredients.delete': { request: async (shelf) => ({ params: await ingredient(shelf) }), event: 'inventory.item.updated' },

  'items.suppliers.list': {
    request: async (shelf) => ({ params: { item_id: await item(shelf) } }),
    list: {
      async rows(shelf, count) {
        const item_id = await item(shelf);
        await times(count, async (at) => {
          const supplierId = await contact(shelf, { name: nameAt(at), contactType: 'both' });
          await shelf.post(`/v1/items/${item_id}/suppliers`, { supplierId });
        });
        return { params: { item_id } };
      },
      sorted: { name: (row) => row.supplier.name as string },
    },
  },
  'items.suppliers.create': {
    request: async (shelf) => ({ params: { item_id: await item(shelf) }, body: { supplierId: await supplier(shelf), purchasePrice: 3 } }),
    event: 'inventory.item.updated',
  },
  'items.suppliers.update': {
    request: async (shelf) => ({ params: await link(shelf), body: note(shelf) }),
    event: 'inventory.item.updated',
  },
  'items.suppliers.delete': { request: async (shelf) => ({ params: await link(shelf) }), event: 'inventory.item.updated' },

  'orders.list': {
    request: () => Promise.resolve({ query: { module: 'sell' } }),
    list: {
      async rows(shelf, count) {
        const contactId = await contact(shelf);
        await times(count, (at) =>
          shelf.make('/v1/orders', {
            module: 'sell',
            contactId,
            priority: ORDER_PRIORITIES[at % ORDER_PRIORITIES.length],
            orderDate: '2026-03-01',
            dueDate: `2026-03-0${String((at % 4) + 1)}`,
          }),
        );
        return { query: { module: 'sell' } };
      },
      sorted: { priority: (row) => ORDER_PRIORITIES.indexOf(row.priority as (typeof ORDER_PRIORITIES)[number]) },
    },
  },
  'orders.create': {
    request: async (shelf) => ({
      body: { module: 'sell', contactId: await contact(shelf), lines: [{ itemId: await item(shelf), quantity: 3, unitPrice: 0.35 }] },
    }),
    event: 'order.created',
  },
  'orders.get': { request: async (shelf) => ({ params: { order_id: await order(shelf) }, query: { include: 'lines' } }) },
  'orders.update': {
    request: async (shelf) => ({ params: { order_id: await order(shelf) }, body: { reference: String(shelf.next()), status: 'open' } }),
    event: 'order.updated',
  },
  'orders.lines.list': {
    request: async (shelf) => ({ params: { order_id: await order(shelf) } }),
    list: {
      async rows(shelf, count) {
        const itemId = await item(shelf);
        const lines = Array.from({ length: count }, (_, at) => ({ itemId, quantity: at + 1 }));
        return { params: { order_id: await order(shelf, { lines }) } };
      },
    },
  },

  'stock_levels.list': {
    request: nothing,
    list: {
      async rows(shelf, count) {
        await times(count, async (at) => {
          const itemId = await item(shelf, { name: nameAt(at), sku: at % 3 === 0 ? null : `${nameAt(at)}-${String(shelf.next())}` });
          await stockUp(shelf, [{ itemId, quantity: (at % 7) + 1, unitCost: at % 5 }]);
          if (at % 4 === 0) await shelf.make('/v1/stock-documents', { type: 'receipt', lines: [{ itemId, quantity: 30 }] });
        });
        return {};
      },
      sorted: { name: (row) => row.item.name as string, sku: (row) => row.item.sku as string | null },
    },
  },

  'stock_documents.list': {
    request: nothing,
    list: {
      async rows(shelf, count) {
        await times(count, (at) => shelf.make('/v1/stock-documents', { type: at % 2 === 0 ? 'receipt' : 'count', reference: nameAt(at) }));
        return {};
      },
    },
  },
  'stock_documents.create': {
    request: async (shelf) => ({
      body: { type: 'receipt', lines: [{ itemId: await item(shelf), quantity: shelf.next(), unitCost: 0.5 }] },
    }),
    event: 'stock_document.created',
  },
  'stock_documents.get': { request: async (shelf) => ({ params: await receipt(shelf), query: { include: 'lines' } }) },
  'stock_documents.update': {
    request: async (shelf) => ({ params: await receipt(shelf), body: { reference: String(shelf.next()) } }),
    event: 'stock_document.updated',
  },
  'stock_documents.delete': { request: async (shelf) => ({ params: await receipt(shelf) }), event: 'stock_document.updated' },
  'stock_documents.submit': { request: async (shelf) => ({ params: await receipt(shelf), body: {} }), event: 'stock_document.updated' },
  'stock_documents.approve': { request: async (shelf) => ({ params: await submitted(shelf), body: {} }), event: 'stock_document.updated' },
  'stock_documents.cancel': {
    request: async (shelf) => ({ params: await submitted(shelf), body: { reason: `Reason ${String(shelf.next())}` } }),
    event: 'stock_document.updated',
  },
  'stock_documents.lines.list': {
    request: async (shelf) => ({ params: await receipt(shelf) }),
    list: {
      async rows(shelf, count) {
        const itemId = await item(shelf);
        return { params: await receipt(shelf, { lines: Array.from({ length: count }, (_, at) => ({ itemId, quantity: at + 1 })) }) };
      },
    },
  },
  'stock_documents.lines.create': {
    request: async (shelf) => ({ params: await receipt(shelf), body: { itemId: await item(shelf), quantity: 3 } }),
    event: 'stock_document.updated',
  },
  'stock_documents.lines.update': {
    request: async (shelf) => ({ params: await stockLine(shelf), body: note(shelf) }),
    event: 'stock_document.updated',
  },
  'stock_documents.lines.delete': { request: async (shelf) => ({ params: await stockLine(shelf) }), event: 'stock_document.updated' },

  'webhooks.list': {
    request: nothing,
    list: {
      async rows(shelf, count) {
        await times(count, () => webhook(shelf));
        return {};
      },
    },
  },
  'webhooks.create': {
    request: (shelf) =>
      Promise.resolve({
        body: {
          name: `Shop ${String(shelf.next())}`,
          targetUrl: 'http://127.0.0.1:9/hooks',
          subscribedEvents: ['order.created'],
          status: 'paused',
        },
      }),
  },
  'webhooks.get': { request: async (shelf) => ({ params: { webhook_id: await webhook(shelf) } }) },
  'webhooks.update': {
    request: async (shelf) => ({ params: { webhook_id: await webhook(shelf) }, body: { name: `Shop ${String(shelf.next())}` } }),
  },
  'webhooks.delete': { request: async (shelf) => ({ params: { webhook_id: await webhook(shelf) } }) },
  'webhooks.deliveries.list': {
    request: async (shelf) => ({ params: { webhook_id: await webhook(shelf) } }),
    list: {
      async rows(shelf, count) {
        const webhook_id = await webhook(shelf);
        await times(count, () => contact(shelf));
        return { params: { webhook_id } };
      },
    },
  },
};
