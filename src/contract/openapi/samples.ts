/** Realistic records for the examples of the published documents, by schema name. Their ids match those of the request examples. */
import { createContact } from '../resources/contacts.ts';
import { createItem, getItem } from '../resources/items.ts';
import { updateIngredient } from '../resources/ingredients.ts';
import { getOrder } from '../resources/orders.ts';
import { updateSupplier } from '../resources/suppliers.ts';
import { TIERS } from '../limits.ts';
import { cancelStockDocument, getStockDocument } from '../resources/stock-documents.ts';
import { updateStockLine } from '../resources/stock-lines.ts';
import { createWebhook, getWebhook } from '../resources/webhooks.ts';
import { type ExampleValues, EXAMPLE_TIMESTAMP, generateId } from './example.ts';

const itemId = getItem.example.params.item_id;
const { supplier_id: supplierId } = updateSupplier.example.params;
const { ingredient_id: ingredientId } = updateIngredient.example.params;
const orderId = getOrder.example.params.order_id;
const documentId = getStockDocument.example.params.document_id;
const { line_id: documentLineId } = updateStockLine.example.params;
const webhookId = getWebhook.example.params.webhook_id;
const [siteId, unitId, categoryId, customerId] = [generateId('site'), generateId('unit'), generateId('category'), generateId('customer')];

const bolt = { id: itemId, name: createItem.example.body.name, sku: createItem.example.body.sku, itemType: 'product' };
const site = { id: siteId, name: 'Main warehouse' };
const customer = { id: customerId, name: 'Kestrel Coffee' };
const supplier = { id: supplierId, name: 'Ana Reis', company: 'Green Beans Lda' };
const user = { type: 'api', id: generateId('apiKey') };

export const samples: Readonly<Record<string, ExampleValues>> = {
  Item: {
    ...bolt,
    ...createItem.example.body,
    unitId,
    categoryId,
    supplierId,
    purchasePrice: 0.12,
    isActive: true,
    category: { id: categoryId, name: 'Fasteners' },
    supplier,
  },
  ItemRef: bolt,
  UnitRef: { id: unitId, name: 'Piece', symbol: 'pc' },
  SupplierRef: supplier,
  Ingredient: {
    id: ingredientId,
    itemId,
    quantity: 4,
    perQuantity: 1,
    unitId,
    unit: {},
    ingredientItemId: generateId('washer'),
    ingredient: { id: generateId('washer'), name: 'Washer M6', sku: 'WASH-M6', itemType: 'material' },
  },
  SupplierLink: {
    itemId,
    supplierId,
    supplierCode: 'GB-1006',
    purchasePrice: 312,
    unitsPerPurchaseUnit: 60,
    leadTimeDays: 14,
    isPreferred: true,
  },
  Contact: {
    id: supplierId,
    ...createContact.example.body,
    phone: '+351 21 000 0000',
    contactGroup: 'Roasters',
    isActive: true,
  },
  Order: order(),
  OrderDetail: { ...order(), currency: 'EUR', subtotal: 4.2, taxTotal: 0.97, total: 5.17, lineCount: 1, stockDocumentIds: [] },
  OrderLine: {
    id: generateId('orderLine'),
    orderId,
    itemId,
    item: {},
    itemName: bolt.name,
    itemSku: bolt.sku,
    description: bolt.name,
    quantity: 12,
    unitId,
    unit: {},
    stockQuantity: 12,
    unitPrice: 0.35,
    taxPercent: 23,
    lineSubtotal: 4.2,
    lineTax: 0.97,
    lineTotal: 5.17,
    remainingQuantity: 12,
  },
  StockDocument: { id: documentId, documentNumber: 'RC-000001', type: 'receipt', siteId, site, createdBy: user, lineCount: 1 },
  StockDocumentLine: {
    id: documentLineId,
    documentId,
    itemId,
    quantity: 100,
    unitId,
    unit: {},
    stockQuantity: 100,
    unitCost: 0.12,
    otherLevels: [],
  },
  StockEffect: { itemId, sku: bolt.sku, siteId, quantityDelta: 100, onHandAfter: 148 },
  StockLevel: {
    itemId,
    siteId,
    site,
    unit: {},
    onHand: 148,
    committed: 12,
    incoming: 0,
    available: 136,
    projected: 136,
    averageCost: 0.12,
    stockValue: 17.76,
    reorderPoint: 200,
    isLow: true,
  },
  StockMovement: {
    id: '42',
    sequence: 42,
    type: 'receipt',
    itemId,
    siteId,
    site,
    unit: {},
    documentId,
    document: { id: documentId, documentNumber: 'RC-000042' },
    documentLineId,
    quantity: 100,
    onHandAfter: 148,
    unitCost: 0.12,
    value: 12,
    stockValueAfter: 17.76,
    averageCostAfter: 0.12,
  },
  Organization: { name: 'Kestrel Coffee Roasters', slug: 'kestrel-coffee', plan: 'enterprise' },
  UsageSummary: {
    billing_period: { start: '2026-03-01', end: '2026-03-31', kind: 'monthly' },
    requests: { total: 42, by_capability: [{ capability: 'items.list', count: 42 }] },
    rate_limit: { tier: 'standard', limit_per_minute: TIERS.standard, remaining_per_minute: TIERS.standard - 1 },
    api_key: { prefix: 'pk_test_4fQ9xL2m' },
  },
  AuthContext: {
    tenant: { plan: 'enterprise' },
    api_key: { prefix: 'pk_test_4fQ9xL2m', environment: 'development', scopes: ['items:read', 'items:write'], rate_limit_tier: 'standard' },
  },
  AuditEvent: {
    id: generateId('auditEvent'),
    actorType: 'api',
    actorId: generateId('apiKey'),
    action: 'item.created',
    resourceType: 'item',
    resourceId: itemId,
    metadata: { requestId: generateId('request') },
    ipAddress: '127.0.0.1',
  },
  Webhook: { id: webhookId, ...createWebhook.example.body, status: 'active', environment: 'development' },
  WebhookDelivery: { eventType: 'order.created', status: 'delivered', attempts: 1, lastHttpStatus: 204 },
  Pagination: { page: 1, pageSize: 50, total: 1, totalPages: 1 },
  Catalog: {
    capabilities: [{ id: 'items.list', method: 'GET', path: '/v1/items', scope: 'items:read', description: 'List items' }],
  },
};

/** What a response has besides its records, by operation id. */
export const responseSamples: Readonly<Record<string, ExampleValues>> = {
  'audit.list': { pagination: { hasMore: false, nextCursor: { createdAt: EXAMPLE_TIMESTAMP, id: generateId('auditEvent') } } },
};

/** How an operation changes the record that it returns, by operation id. */
export const outcomes: Readonly<Record<string, ExampleValues>> = {
  'stock_documents.submit': submitted(),
  'stock_documents.approve': {
    ...submitted(),
    status: 'approved',
    approvedAt: EXAMPLE_TIMESTAMP,
    approvedBy: user,
    totalCost: 12,
    stockEffects: [{}],
  },
  'stock_documents.cancel': {
    status: 'cancelled',
    cancelledAt: EXAMPLE_TIMESTAMP,
    cancelledBy: user,
    cancelReason: cancelStockDocument.example.body.reason,
  },
};

function submitted(): ExampleValues {
  return { status: 'submitted', submittedAt: EXAMPLE_TIMESTAMP, submittedBy: user };
}

function order(): ExampleValues {
  return {
    id: orderId,
    module: 'sell',
    status: 'open',
    orderNumber: 'SO-000001',
    contactId: customerId,
    contact: customer,
    siteId,
    site,
    priority: 'normal',
    dueDate: '2026-04-07',
  };
}
