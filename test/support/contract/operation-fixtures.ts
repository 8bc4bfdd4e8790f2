/**
 * For every operation of the contract, how to ask for it so that it succeeds. `test/api/http/all-operations*.test.ts` and
 * `access-matrix.test.ts` make all their requests from this table; an operation that is missing here does not compile, and fails there.
 */
import type { EmittedEvent } from '../../../src/contract/events.ts';
import type { OperationId } from '../../../src/contract/index.ts';
import { ORDER_PRIORITIES } from '../../../src/contract/resources/orders.ts';
import { stockUp } from '../resources/stock.ts';
import { WEBHOOK_REPLAY_FIXTURES, webhook } from './webhook-replay-fixtures.ts';
import { SETTING_FIXTURES } from './setting-fixtures.ts';
import type { TenantClient } from '../service/tenant-client.ts';

export interface Parts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

interface ListFixture {
  /** Makes at least so many rows, several of them alike in what lists sort by, and says how to ask for them. */
  readonly rows: (tenantClient: TenantClient, count: number) => Promise<Parts>;
  /** What rows are sorted by, for sort keys that are no field of the row. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly sorted?: Readonly<Record<string, (row: any) => string | number | boolean | null>>;
}

export interface Fixture {
  /** A request that succeeds. Every call makes its own records and names, so that no two of them meet. */
  readonly request: (tenantClient: TenantClient) => Promise<Parts>;
  /** What a success leaves in the change log, once. */
  readonly event?: EmittedEvent;
  readonly list?: ListFixture;
}

let approvals = 0;

const nothing = (): Promise<Parts> => Promise.resolve({});
const item = (tenantClient: TenantClient, more: object = {}) =>
  tenantClient.make('/v1/items', { name: `Item ${String(tenantClient.next())}`, ...more });
const contact = (tenantClient: TenantClient, more: object = {}) =>
  tenantClient.make('/v1/contacts', { name: `Contact ${String(tenantClient.next())}`, ...more });
const supplier = (tenantClient: TenantClient) => contact(tenantClient, { contactType: 'supplier' });
const note = (tenantClient: TenantClient) => ({ notes: `Note ${String(tenantClient.next())}` });

async function order(tenantClient: TenantClient, more: object = {}): Promise<string> {
  const [itemId, contactId] = [await item(tenantClient), await contact(tenantClient)];
  return tenantClient.make('/v1/orders', { module: 'sell', contactId, lines: [{ itemId, quantity: 2 }], ...more });
}
async function ingredient(tenantClient: TenantClient): Promise<{ item_id: string; ingredient_id: string }> {
  const [item_id, ingredientItemId] = [await item(tenantClient), await item(tenantClient)];
  const ingredient_id = await tenantClient.make(`/v1/items/${item_id}/ingredients`, { ingredientItemId, quantity: 2 });
  return { item_id, ingredient_id };
}
async function link(tenantClient: TenantClient): Promise<{ item_id: string; supplier_id: string }> {
  const [item_id, supplier_id] = [await item(tenantClient), await supplier(tenantClient)];
  await tenantClient.post(`/v1/items/${item_id}/suppliers`, { supplierId: supplier_id });
  return { item_id, supplier_id };
}
/** Kept in the receipt's own unit, none, so that any quantity will do. */
async function receipt(tenantClient: TenantClient, more: object = {}): Promise<{ document_id: string }> {
  const lines = [{ itemId: await item(tenantClient), quantity: 5, unitCost: 1.5 }];
  return { document_id: await tenantClient.make('/v1/stock-documents', { type: 'receipt', lines, ...more }) };
}
async function submitted(tenantClient: TenantClient): Promise<{ document_id: string }> {
  const params = await receipt(tenantClient);
  await tenantClient.post(`/v1/stock-documents/${params.document_id}/submit`, {});
  return params;
}
async function stockLine(tenantClient: TenantClient): Promise<{ document_id: string; line_id: string }> {
  const params = await receipt(tenantClient);
  return {
    ...params,
    line_id: await tenantClient.make(`/v1/stock-documents/${params.document_id}/lines`, { itemId: await item(tenantClient), quantity: 2 }),
  };
}
/** Changes a record that `create` makes, by its external id. */
async function putExisting(tenantClient: TenantClient, create: typeof item): Promise<Parts> {
  const external_id = `external-${String(tenantClient.next())}`;
  await create(tenantClient, { externalId: external_id });
  return { params: { external_id }, body: { name: `Renamed ${external_id}` } };
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
  'events.list': { request: nothing },

  'contacts.list': {
    request: nothing,
    list: {
      async rows(tenantClient, count) {
        await times(count, (at) => contact(tenantClient, { name: nameAt(at), company: at % 3 === 0 ? '' : nameAt(at + 2) }));
        return {};
      },
    },
  },
  'contacts.create': {
    request: (tenantClient) => Promise.resolve({ body: { name: `Contact ${String(tenantClient.next())}` } }),
    event: 'contact.created',
  },
  'contacts.get': { request: async (tenantClient) => ({ params: { contact_id: await contact(tenantClient) } }) },
  'contacts.update': {
    request: async (tenantClient) => ({
      params: { contact_id: await contact(tenantClient) },
      body: { phone: String(tenantClient.next()) },
    }),
    event: 'contact.updated',
  },
  'contacts.put': { request: (tenantClient) => putExisting(tenantClient, contact), event: 'contact.updated' },
  'contacts.delete': {
    request: async (tenantClient) => ({ params: { contact_id: await contact(tenantClient) } }),
    event: 'contact.updated',
  },

  'items.list': {
    request: nothing,
    list: {
      async rows(tenantClient, count) {
        await times(count, (at) =>
          item(tenantClient, { name: nameAt(at), sku: at % 3 === 0 ? null : `${nameAt(at)}-${String(tenantClient.next())}` }),
        );
        return {};
      },
    },
  },
  'items.create': {
    request: (tenantClient) => Promise.resolve({ body: { name: 'Bolt', sku: `BOLT-${String(tenantClient.next())}` } }),
    event: 'inventory.item.created',
  },
  'items.get': { request: async (tenantClient) => ({ params: { item_id: await item(tenantClient) } }) },
  'items.update': {
    request: async (tenantClient) => ({ params: { item_id: await item(tenantClient) }, body: note(tenantClient) }),
    event: 'inventory.item.updated',
  },
  'items.put': { request: (tenantClient) => putExisting(tenantClient, item), event: 'inventory.item.updated' },
  'items.delete': { request: async (tenantClient) => ({ params: { item_id: await item(tenantClient) } }), event: 'inventory.item.updated' },

  'items.ingredients.list': {
    request: async (tenantClient) => ({ params: { item_id: await item(tenantClient) } }),
    list: {
      async rows(tenantClient, count) {
        const item_id = await item(tenantClient);
        await times(count, async () =>
          tenantClient.make(`/v1/items/${item_id}/ingredients`, { ingredientItemId: await item(tenantClient), quantity: 1, position: 1 }),
        );
        return { params: { item_id } };
      },
    },
  },
  'items.ingredients.create': {
    request: async (tenantClient) => ({
      params: { item_id: await item(tenantClient) },
      body: { ingredientItemId: await item(tenantClient), quantity: 0.25 },
    }),
    event: 'inventory.item.updated',
  },
  'items.ingredients.update': {
    request: async (tenantClient) => ({ params: await ingredient(tenantClient), body: note(tenantClient) }),
    event: 'inventory.item.updated',
  },
  'items.ingredients.delete': {
    request: async (tenantClient) => ({ params: await ingredient(tenantClient) }),
    event: 'inventory.item.updated',
  },

  'items.suppliers.list': {
    request: async (tenantClient) => ({ params: { item_id: await item(tenantClient) } }),
    list: {
      async rows(tenantClient, count) {
        const item_id = await item(tenantClient);
        await times(count, async (at) => {
          const supplierId = await contact(tenantClient, { name: nameAt(at), contactType: 'both' });
          await tenantClient.post(`/v1/items/${item_id}/suppliers`, { supplierId });
        });
        return { params: { item_id } };
      },
      sorted: { name: (row) => row.supplier.name as string },
    },
  },
  'items.suppliers.create': {
    request: async (tenantClient) => ({
      params: { item_id: await item(tenantClient) },
      body: { supplierId: await supplier(tenantClient), purchasePrice: 3 },
    }),
    event: 'inventory.item.updated',
  },
  'items.suppliers.update': {
    request: async (tenantClient) => ({ params: await link(tenantClient), body: note(tenantClient) }),
    event: 'inventory.item.updated',
  },
  'items.suppliers.delete': { request: async (tenantClient) => ({ params: await link(tenantClient) }), event: 'inventory.item.updated' },

  'orders.list': {
    request: () => Promise.resolve({ query: { module: 'sell' } }),
    list: {
      async rows(tenantClient, count) {
        const contactId = await contact(tenantClient);
        await times(count, (at) =>
          tenantClient.make('/v1/orders', {
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
    request: async (tenantClient) => ({
      body: {
        module: 'sell',
        contactId: await contact(tenantClient),
        lines: [{ itemId: await item(tenantClient), quantity: 3, unitPrice: 0.35 }],
      },
    }),
    event: 'order.created',
  },
  'orders.get': { request: async (tenantClient) => ({ params: { order_id: await order(tenantClient) }, query: { include: 'lines' } }) },
  'orders.update': {
    request: async (tenantClient) => ({
      params: { order_id: await order(tenantClient) },
      body: { reference: String(tenantClient.next()), status: 'open' },
    }),
    event: 'order.updated',
  },
  'orders.lines.list': {
    request: async (tenantClient) => ({ params: { order_id: await order(tenantClient) } }),
    list: {
      async rows(tenantClient, count) {
        const itemId = await item(tenantClient);
        const lines = Array.from({ length: count }, (_, at) => ({ itemId, quantity: at + 1 }));
        return { params: { order_id: await order(tenantClient, { lines }) } };
      },
    },
  },

  ...SETTING_FIXTURES,
  ...WEBHOOK_REPLAY_FIXTURES,

  'stock_movements.list': {
    request: nothing,
    list: {
      async rows(tenantClient, count) {
        const itemId = await item(tenantClient);
        await times(count, () => stockUp(tenantClient, [{ itemId, quantity: 2 }]));
        return { query: { item_id: itemId } };
      },
    },
  },
  'stock_levels.list': {
    request: nothing,
    list: {
      async rows(tenantClient, count) {
        await times(count, async (at) => {
          const itemId = await item(tenantClient, {
            name: nameAt(at),
            sku: at % 3 === 0 ? null : `${nameAt(at)}-${String(tenantClient.next())}`,
          });
          await stockUp(tenantClient, [{ itemId, quantity: (at % 7) + 1, unitCost: at % 5 }]);
          if (at % 4 === 0) await tenantClient.make('/v1/stock-documents', { type: 'receipt', lines: [{ itemId, quantity: 30 }] });
        });
        return {};
      },
      sorted: { name: (row) => row.item.name as string, sku: (row) => row.item.sku as string | null },
    },
  },

  'stock_documents.list': {
    request: nothing,
    list: {
      async rows(tenantClient, count) {
        await times(count, (at) =>
          tenantClient.make('/v1/stock-documents', { type: at % 2 === 0 ? 'receipt' : 'count', reference: nameAt(at) }),
        );
        return {};
      },
    },
  },
  'stock_documents.create': {
    request: async (tenantClient) => ({
      body: { type: 'receipt', lines: [{ itemId: await item(tenantClient), quantity: tenantClient.next(), unitCost: 0.5 }] },
    }),
    event: 'stock_document.created',
  },
  'stock_documents.get': { request: async (tenantClient) => ({ params: await receipt(tenantClient), query: { include: 'lines' } }) },
  'stock_documents.update': {
    request: async (tenantClient) => ({ params: await receipt(tenantClient), body: { reference: String(tenantClient.next()) } }),
    event: 'stock_document.updated',
  },
  'stock_documents.delete': { request: async (tenantClient) => ({ params: await receipt(tenantClient) }), event: 'stock_document.updated' },
  'stock_documents.submit': {
    request: async (tenantClient) => ({ params: await receipt(tenantClient), body: {} }),
    event: 'stock_document.updated',
  },
  'stock_documents.approve': {
    // Two requests in a row have different bodies.
    request: async (tenantClient) => ({ params: await submitted(tenantClient), body: { force: (approvals += 1) % 2 === 0 } }),
    event: 'stock_document.updated',
  },
  'stock_documents.cancel': {
    request: async (tenantClient) => ({ params: await submitted(tenantClient), body: { reason: `Reason ${String(tenantClient.next())}` } }),
    event: 'stock_document.updated',
  },
  'stock_documents.lines.list': {
    request: async (tenantClient) => ({ params: await receipt(tenantClient) }),
    list: {
      async rows(tenantClient, count) {
        const itemId = await item(tenantClient);
        return { params: await receipt(tenantClient, { lines: Array.from({ length: count }, (_, at) => ({ itemId, quantity: at + 1 })) }) };
      },
    },
  },
  'stock_documents.lines.create': {
    request: async (tenantClient) => ({ params: await receipt(tenantClient), body: { itemId: await item(tenantClient), quantity: 3 } }),
    event: 'stock_document.updated',
  },
  'stock_documents.lines.update': {
    request: async (tenantClient) => ({ params: await stockLine(tenantClient), body: note(tenantClient) }),
    event: 'stock_document.updated',
  },
  'stock_documents.lines.delete': {
    request: async (tenantClient) => ({ params: await stockLine(tenantClient) }),
    event: 'stock_document.updated',
  },

  'webhooks.list': {
    request: nothing,
    list: {
      async rows(tenantClient, count) {
        await times(count, () => webhook(tenantClient));
        return {};
      },
    },
  },
  'webhooks.create': {
    request: (tenantClient) =>
      Promise.resolve({
        body: {
          name: `Shop ${String(tenantClient.next())}`,
          targetUrl: 'http://127.0.0.1:9/hooks',
          subscribedEvents: ['order.created'],
          status: 'paused',
        },
      }),
  },
  'webhooks.get': { request: async (tenantClient) => ({ params: { webhook_id: await webhook(tenantClient) } }) },
  'webhooks.update': {
    request: async (tenantClient) => ({
      params: { webhook_id: await webhook(tenantClient) },
      body: { name: `Shop ${String(tenantClient.next())}` },
    }),
  },
  'webhooks.delete': { request: async (tenantClient) => ({ params: { webhook_id: await webhook(tenantClient) } }) },
  'webhooks.deliveries.list': {
    request: async (tenantClient) => ({ params: { webhook_id: await webhook(tenantClient) } }),
    list: {
      async rows(tenantClient, count) {
        const webhook_id = await webhook(tenantClient);
        await times(count, () => contact(tenantClient));
        return { params: { webhook_id } };
      },
    },
  },
};
