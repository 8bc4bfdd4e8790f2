/** Writes from the first record to the last, with the transitions that the contract allows and some that it does not. Pure data. */
import type { Operation } from '../contract/operation.ts';
import { type Step, tryWrite } from './probes.ts';

type StoryStep = Omit<Step, 'op' | 'name'> & {
  readonly id: string;
  readonly name?: string;
  /** Also with everything that can be wrong. */ readonly tried?: true;
};

const listContactSteps = (mark: string): readonly StoryStep[] => [
  {
    id: 'contacts.create',
    save: 'supplier',
    tried: true,
    body: { name: `Conform supplier ${mark}`, contactType: 'supplier', country: 'PT' },
  },
  { id: 'contacts.create', name: 'minimal', save: 'customer', body: { name: `Conform customer ${mark}` } },
  { id: 'contacts.update', tried: true, params: { contact_id: '$customer' }, body: { phone: '+351 21 000 0000' } },
  { id: 'contacts.get', params: { contact_id: '$customer' } },
];

const listItemSteps = (mark: string): readonly StoryStep[] => [
  {
    id: 'items.create',
    save: 'item',
    tried: true,
    body: { name: `Conform bolt ${mark}`, sku: `CONFORM-${mark}`, salePrice: 0.35, purchasePrice: 0.12, supplierId: '$supplier' },
  },
  { id: 'items.create', name: 'a SKU that exists', body: { name: 'Conform', sku: `conform-${mark}` } },
  { id: 'items.create', name: 'a combo', save: 'combo', body: { name: `Conform combo ${mark}`, itemType: 'combo' } },
  { id: 'items.get', params: { item_id: '$item' } },
  { id: 'items.update', tried: true, params: { item_id: '$item' }, body: { salePrice: 0.4, notes: 'Two\nlines' } },
  {
    id: 'items.ingredients.create',
    save: 'ingredient',
    tried: true,
    params: { item_id: '$combo' },
    body: { ingredientItemId: '$item', quantity: 4 },
  },
  { id: 'items.ingredients.create', name: 'a cycle', params: { item_id: '$item' }, body: { ingredientItemId: '$combo', quantity: 1 } },
  { id: 'items.ingredients.update', params: { item_id: '$combo', ingredient_id: '$ingredient' }, body: { quantity: 5 } },
  { id: 'items.ingredients.list', params: { item_id: '$combo' } },
  { id: 'items.delete', name: 'an item in use', params: { item_id: '$item' } },
  { id: 'items.ingredients.delete', params: { item_id: '$combo', ingredient_id: '$ingredient' } },
  { id: 'items.suppliers.list', params: { item_id: '$item' } },
];

const orderSteps: readonly StoryStep[] = [
  {
    id: 'orders.create',
    save: 'order',
    tried: true,
    body: { module: 'sell', contactId: '$customer', lines: [{ itemId: '$item', quantity: 12, unitPrice: 0.35, taxPercent: 23 }] },
  },
  { id: 'orders.get', params: { order_id: '$order' } },
  { id: 'orders.update', name: 'draft to completed', params: { order_id: '$order' }, body: { status: 'completed' } },
  { id: 'orders.update', name: 'draft to open', tried: true, params: { order_id: '$order' }, body: { status: 'open' } },
  { id: 'orders.update', name: 'open to in_progress', params: { order_id: '$order' }, body: { status: 'in_progress' } },
  { id: 'orders.update', name: 'in_progress to draft', params: { order_id: '$order' }, body: { status: 'draft' } },
  { id: 'orders.update', name: 'in_progress to cancelled', params: { order_id: '$order' }, body: { status: 'cancelled' } },
  { id: 'orders.update', name: 'cancelled to open', params: { order_id: '$order' }, body: { status: 'open' } },
];

const documentSteps: readonly StoryStep[] = [
  {
    id: 'stock_documents.create',
    save: 'document',
    tried: true,
    body: { type: 'receipt', lines: [{ itemId: '$item', quantity: 10, unitCost: 0.12 }] },
  },
  {
    id: 'stock_documents.lines.create',
    save: 'line',
    tried: true,
    params: { document_id: '$document' },
    body: { itemId: '$item', quantity: 5 },
  },
  { id: 'stock_documents.lines.update', params: { document_id: '$document', line_id: '$line' }, body: { quantity: 6 } },
  { id: 'stock_documents.lines.delete', params: { document_id: '$document', line_id: '$line' } },
  { id: 'stock_documents.approve', name: 'a draft', params: { document_id: '$document' }, body: {} },
  { id: 'stock_documents.submit', params: { document_id: '$document' }, body: {} },
  { id: 'stock_documents.update', name: 'a submitted one', params: { document_id: '$document' }, body: { reference: 'Conform' } },
  { id: 'stock_documents.cancel', params: { document_id: '$document' }, body: { reason: 'Conform' } },
  { id: 'stock_documents.get', params: { document_id: '$document' } },
  { id: 'stock_documents.delete', name: 'a cancelled one', params: { document_id: '$document' } },
];

const listWebhookSteps = (mark: string): readonly StoryStep[] => [
  {
    id: 'webhooks.create',
    save: 'webhook',
    tried: true,
    body: { name: `Conform ${mark}`, targetUrl: 'https://shop.example/hooks', subscribedEvents: ['order.created'], status: 'paused' },
  },
  { id: 'webhooks.get', params: { webhook_id: '$webhook' } },
  { id: 'webhooks.update', tried: true, params: { webhook_id: '$webhook' }, body: { description: 'Conform' } },
  { id: 'webhooks.update', name: 'a new secret', params: { webhook_id: '$webhook' }, body: { rotateSecret: true } },
  { id: 'webhooks.deliveries.list', params: { webhook_id: '$webhook' } },
];

const listRepetitions = (mark: string): readonly StoryStep[] => [
  { id: 'contacts.create', name: 'a key', idempotencyKey: `conform-${mark}`, save: 'repeated', body: { name: `Conform repeated ${mark}` } },
  { id: 'contacts.create', name: 'a key again', idempotencyKey: `conform-${mark}`, body: { name: `Conform repeated ${mark}` } },
  { id: 'contacts.create', name: 'a key with another body', idempotencyKey: `conform-${mark}`, body: { name: 'Conform other' } },
];

/** `mark` makes names and numbers unique. */
const listStory = (mark: string): readonly StoryStep[] => [
  ...listContactSteps(mark),
  ...listItemSteps(mark),
  ...orderSteps,
  ...documentSteps,
  ...listWebhookSteps(mark),
  ...listRepetitions(mark),
];

/** Each write first with what is wrong about it, then as it is right. */
export function listWrites(operations: readonly Operation[], mark: string): readonly Step[] {
  const byId = new Map(operations.map((op) => [op.id, op]));
  return listStory(mark).flatMap(({ id, name = 'valid', tried, ...rest }) => {
    const op = byId.get(id);
    if (op === undefined) return [];
    const step: Step = { ...rest, name, op, isOwn: true };
    return tried ? [...tryWrite(step), step] : [step];
  });
}
