/** Sample data of each event, without the common fields. `webhooks trigger` sends it with the given overrides. D-23. */
import type { EmittedEvent } from './events.ts';

const NIL = '00000000-0000-4000-8000-000000000000';
const item = { name: 'Hex bolt M6', sku: 'BOLT-M6', itemType: 'product', isActive: true };
const order = {
  module: 'sell',
  status: 'open',
  orderNumber: 'SO-000001',
  contactId: NIL,
  siteId: null,
  priority: 'normal',
  orderDate: '2026-03-31',
  dueDate: '2026-04-07',
  total: 42,
  lineCount: 1,
};
const contact = {
  name: 'Ana Reis',
  company: 'Kestrel Coffee',
  contactType: 'customer',
  isActive: true,
};
const document = {
  type: 'receipt',
  status: 'draft',
  documentNumber: 'RC-000001',
  siteId: NIL,
  toSiteId: null,
  orderId: null,
  lineCount: 1,
};

/** `changes` lists the fields that the sample update changed. */
export const eventSamples: Readonly<
  Record<EmittedEvent, { readonly changes: readonly string[]; readonly data: Readonly<Record<string, unknown>> }>
> = {
  'inventory.item.created': { changes: [], data: item },
  'inventory.item.updated': { changes: ['name'], data: item },
  'order.created': { changes: [], data: order },
  'order.updated': { changes: ['status'], data: { ...order, previousStatus: 'draft' } },
  'contact.created': { changes: [], data: contact },
  'contact.updated': { changes: ['company'], data: contact },
  'stock_document.created': { changes: [], data: document },
  'stock_document.updated': { changes: ['status'], data: { ...document, status: 'submitted', previousStatus: 'draft' } },
  'user.invited': { changes: [], data: { email: 'ana@example.com', role: 'staff' } },
  'organization.updated': { changes: ['name'], data: { name: 'Kestrel Coffee Roasters', slug: 'kestrel-coffee', plan: 'enterprise' } },
  'integration.connected': { changes: [], data: { integration: { id: NIL, name: 'Shop sync' }, scopes: ['items:read'] } },
};
