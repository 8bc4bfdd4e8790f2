/**
 * What the compiler lets programs do with the exports, and what it stops. Checked with the sources by `tsc` of the checkout, and once more
 * against the published declarations by `package.test.ts`. It is never run.
 */
import {
  ApiError,
  type AuditEvent,
  type Contact,
  type Delivery,
  type ErrorCode,
  type Ingredient,
  type Item,
  type ListRequest,
  type Order,
  type OrderDetail,
  type OrderLine,
  type StockDocument,
  type StockLevel,
  type StockLine,
  type StockroomClient,
  type StrictStockroomClient,
  type SupplierLink,
  type Webhook,
  stockroomClient,
} from 'stockroom/client';
import { type Stockroom, startStockroom } from 'stockroom/testing';
import { type VerifiedWebhook, verifyWebhook } from 'stockroom/webhooks';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const expectType = <A, B>(_same: Same<A, B>): void => undefined;

export async function client(): Promise<void> {
  await using stockroom: StockroomClient = stockroomClient({ url: 'http://127.0.0.1:8625', apiKey: 'x' });

  const { data: item } = await stockroom.items.create({ name: 'Bolt' });
  expectType<typeof item.itemType, 'product' | 'material' | 'combo'>(true);
  expectType<typeof item.sku, string | null>(true);
  expectType<typeof item.category, { readonly id: string; readonly name: string } | null>(true);
  // @ts-expect-error: a name is required
  await stockroom.items.create({ sku: 'A' });
  // @ts-expect-error: there is no such type
  await stockroom.items.create({ name: 'Bolt', itemType: 'thing' });
  // @ts-expect-error: there is no such field
  await stockroom.items.create({ name: 'Bolt', colour: 'red' });
  // @ts-expect-error: replies are read-only
  item.name = 'Nut';

  await stockroom.items.update(item.id, { salePrice: 1 });
  // @ts-expect-error: which one?
  await stockroom.items.get();
  // @ts-expect-error: both ids are needed
  await stockroom.items.ingredients.update(item.id, { quantity: 1 });
  await stockroom.items.ingredients.update(item.id, item.id, { quantity: 1 });
  expectType<Awaited<ReturnType<typeof stockroom.items.delete>>, void>(true);

  const orders = stockroom.orders.list({ module: 'sell', status: 'open' }, { signal: AbortSignal.timeout(1) });
  expectType<(typeof orders)['pages'] extends () => AsyncIterable<unknown> ? true : false, true>(true);
  for await (const order of orders) expectType<typeof order.module, 'buy' | 'sell' | 'make' | 'check' | 'fix'>(true);
  const { pagination } = await orders;
  expectType<typeof pagination.totalPages, number>(true);
  // @ts-expect-error: the module is required
  stockroom.orders.list();
  stockroom.orders.list({ module: 'sell', status: ['open', 'waiting'] });
  // @ts-expect-error: there is no such status
  stockroom.orders.list({ module: 'sell', status: ['lost'] });

  const audit = await stockroom.audit.list({ since: '2026-01-01T00:00:00Z' });
  expectType<typeof audit.pagination.nextCursor, { readonly createdAt: string; readonly id: string } | null>(true);
  const webhook = await stockroom.webhooks.create({ name: 'A', targetUrl: 'https://a.example', subscribedEvents: ['order.created'] });
  expectType<typeof webhook.signingSecret, string | undefined>(true);
  // @ts-expect-error: the connectivity check cannot be subscribed to
  await stockroom.webhooks.create({ name: 'A', targetUrl: 'https://a.example', subscribedEvents: ['webhook.test'] });
  await stockroom.stockDocuments.approve(item.id, {}, { query: { dry_run: true }, idempotencyKey: 'once' });
  // An operation with a query of its own takes options in the same place.
  await stockroom.orders.create({ module: 'sell', contactId: item.id }, { idempotencyKey: 'once' });
  await stockroom.items.create({ name: 'Bolt' }, { idempotencyKey: 'once' });
  // @ts-expect-error: it is named after the operation, stockDocuments
  expectType<typeof stockroom.stock_documents, unknown>(true);

  const failure: unknown = new Error('a failure');
  if (failure instanceof ApiError) {
    expectType<typeof failure.code, ErrorCode | (string & {})>(true);
    expectType<typeof failure.requestId, string | null>(true);
  }
}

/** What compiles with the strict client uses nothing but the given contract. */
export async function strict(id: string): Promise<void> {
  await using given: StrictStockroomClient = stockroomClient<'strict'>();
  const extended = stockroomClient();
  extended.items.list({ cursor: '', include_deleted: true, updated_since: '2026-01-01T00:00:00Z', sort: 'sku' });
  const items = given.items.list({ page: 1, page_size: 5, search: 'bolt' });
  const [item] = await items.all();
  expectType<NonNullable<typeof item>['sku'], string | null>(true);
  // @ts-expect-error: a parameter of an extension
  given.items.list({ cursor: '' });
  // @ts-expect-error: and with the others of its list
  given.items.list({ page: 1, include_deleted: true });
  // @ts-expect-error: a field of rows
  void item?.createdAt;
  // @ts-expect-error: a field of a record
  void (await given.items.get(id)).data.externalId;
  // @ts-expect-error: a field of pages
  void (await items).pagination.hasMore;
  // @ts-expect-error: a field of a list
  void (await items).deleted;
  await extended.items.create({ name: 'Bolt', externalId: '1' });
  await given.items.create({ name: 'Bolt', sku: 'B' });
  // @ts-expect-error: a field of a body
  await given.items.create({ name: 'Bolt', externalId: '1' });
  // @ts-expect-error: a field of a change
  await given.items.update(id, { metadata: {} });
  // @ts-expect-error: a name is required
  await given.items.create({});
  extended.orders.list({ module: 'all' });
  given.orders.list({ module: 'sell' });
  // @ts-expect-error: a value of a parameter
  given.orders.list({ module: 'all' });
  given.stockDocuments.list({ type: ['receipt'] });
  // @ts-expect-error: a value of several
  given.stockDocuments.list({ type: ['revaluation'] });
  const document = (await given.stockDocuments.get(id)).data;
  expectType<Extract<typeof document.type, 'revaluation' | 'receipt'>, 'receipt'>(true);
  // @ts-expect-error: a parameter of a write
  await given.stockDocuments.approve(id, {}, { query: { dry_run: true } });
  await given.stockDocuments.approve(id, {});
  // @ts-expect-error: an operation
  void given.events;
  // @ts-expect-error: an operation among those of the contract
  void given.webhooks.replay;
  await given.webhooks.update(id, { name: 'A' });
  await given.orders.update(id, { lines: [{ itemId: id, quantity: 1 }] });
}

/** What the service answers has a name, so that a program can say what its functions take. */
export async function resources(stockroom: StockroomClient, id: string): Promise<void> {
  expectType<Item, Awaited<ReturnType<typeof stockroom.items.get>>['data']>(true);
  expectType<OrderDetail, Awaited<ReturnType<typeof stockroom.orders.get>>['data']>(true);
  expectType<Contact, Awaited<ReturnType<typeof stockroom.contacts.get>>['data']>(true);
  expectType<StockDocument, Awaited<ReturnType<typeof stockroom.stockDocuments.get>>['data']>(true);
  expectType<Webhook, Awaited<ReturnType<typeof stockroom.webhooks.get>>['data']>(true);
  const orders: Order[] = await stockroom.orders.list({ module: 'sell' }).all();
  const lines: OrderLine[] = await stockroom.orders.lines.list(id).all();
  const ingredients: Ingredient[] = await stockroom.items.ingredients.list(id).all();
  const suppliers: SupplierLink[] = await stockroom.items.suppliers.list(id).all();
  const stockLines: StockLine[] = await stockroom.stockDocuments.lines.list(id).all();
  const levels: StockLevel[] = await stockroom.stockLevels.list().all();
  const deliveries: Delivery[] = await stockroom.webhooks.deliveries.list(id).all();
  const events: AuditEvent[] = await stockroom.audit.list().all();
  expectType<(typeof orders)[number]['orderNumber'], string>(true);
  void [lines, ingredients, suppliers, stockLines, levels, deliveries, events];
}

export async function testing(): Promise<void> {
  await using stockroom: Stockroom = await startStockroom({ demo: true, plan: 'pro' });
  // @ts-expect-error: there is no such plan
  await startStockroom({ plan: 'gold' });
  const { data: users } = await stockroom.admin.users.list({ tenant: stockroom.tenant.slug });
  expectType<(typeof users)[number]['email'], string>(true);
  const { client: other, tenant } = await stockroom.addTenant({ name: 'Another' });
  expectType<typeof other, StockroomClient>(true);
  expectType<typeof tenant.plan, 'free' | 'standard' | 'pro' | 'enterprise'>(true);
  expectType<Awaited<ReturnType<typeof stockroom.advance>>, Date>(true);
  const list: ListRequest<{ readonly data: readonly { readonly name: string }[] }> = stockroom.client.items.list();
  expectType<Awaited<ReturnType<typeof list.all>>, { readonly name: string }[]>(true);
}

export function webhooks(): void {
  const verified: VerifiedWebhook = verifyWebhook(new Uint8Array(), new Headers(), 'secret', { toleranceSeconds: 5 });
  expectType<typeof verified.eventId, string | null>(true);
  // @ts-expect-error: a parsed body cannot be verified
  verifyWebhook({ event: 'order.created' }, {}, 'secret');
}
