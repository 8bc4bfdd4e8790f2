/** What the live demo knows about the company whose business it simulates: master data, stock levels, and the orders that it handles. */
import type { Methods } from '../../client/methods.ts';
import { PAGE_SIZE_MAX } from '../../contract/limits.ts';
import type { BodyInput } from '../../contract/operation.ts';
import type { Contact } from '../../contract/resources/contacts.ts';
import type { Item } from '../../contract/resources/items.ts';
import { type OrderDetail, OUTSTANDING_STATUSES, type createOrder } from '../../contract/resources/orders.ts';
import type { StockLevel } from '../../contract/resources/stock-levels.ts';
import type { LIVE_DEMO_OPERATIONS } from './operations.ts';

export type Api = Methods<(typeof LIVE_DEMO_OPERATIONS)[number]>;

/** Marks the orders of the live demo, so that a later run continues with those that are open. */
export const REFERENCE = 'Live demo';
const MODULES = ['sell', 'buy', 'make'] as const;
type HandledModule = (typeof MODULES)[number];

export interface HandledOrder {
  readonly id: string;
  readonly number: string;
  readonly module: HandledModule;
  /** The items that a purchase or production will bring. */
  readonly itemIds: readonly string[];
  readonly partner: string;
  isPacked: boolean;
  /** What was missing when it was to be completed: quantities on hand that it needs. */
  waitsFor: readonly Shortage[];
}

export interface Shortage {
  readonly itemId: string;
  readonly required: number;
  readonly missing: number;
}

export interface Company {
  readonly api: Api;
  readonly random: () => number;
  readonly contacts: ReadonlyMap<string, Contact>;
  readonly items: ReadonlyMap<string, Item>;
  /** The site with the most levels; orders without a site use the tenant's default site. */
  readonly siteId: string;
  /** Of that site, by item. */
  levels: ReadonlyMap<string, StockLevel>;
  /** Oldest first. */
  orders: HandledOrder[];
  /** Quantities to buy or make, by item. */
  readonly needs: Map<string, number>;
  /** Ingredients that must arrive before an item is made, by that item. */
  readonly missingFor: Map<string, readonly string[]>;
  /** Items that were reported as low and are not yet above their reorder point. */
  readonly reportedLow: Set<string>;
}

export async function openCompany(api: Api, random: () => number): Promise<Company> {
  const { name } = (await api.organization.get()).data;
  // The company itself is one of its contacts.
  const contacts = (await api.contacts.list().all()).filter((contact) => contact.company !== name && contact.name !== name);
  const items = await api.items.list().all();
  const site = findMainSite(await api.stockLevels.list().all());
  const company: Company = {
    api,
    random,
    contacts: new Map(contacts.map((contact) => [contact.id, contact])),
    items: new Map(items.map((item) => [item.id, item])),
    siteId: site,
    levels: new Map(),
    orders: [],
    needs: new Map(),
    missingFor: new Map(),
    reportedLow: new Set(),
  };
  for (const module of MODULES) company.orders.push(...(await listOpenOrders(company, module)));
  await refreshLevels(company);
  return company;
}

export async function refreshLevels(company: Company): Promise<void> {
  const { data } = await company.api.stockLevels.list({ site_id: [company.siteId], page_size: PAGE_SIZE_MAX });
  company.levels = new Map(data.map((level) => [level.itemId, level]));
  for (const level of data) if (!isBelowReorderPoint(level)) company.reportedLow.delete(level.itemId);
}

/** Oversold items without a reorder point have nothing to fill up to. */
export const isBelowReorderPoint = ({ projected, reorderPoint }: StockLevel): boolean =>
  reorderPoint !== null && projected !== null && projected <= reorderPoint;

function findMainSite(levels: readonly StockLevel[]): string {
  const counts = new Map<string, number>();
  for (const { siteId } of levels) counts.set(siteId, (counts.get(siteId) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? '';
}

async function listOpenOrders(company: Company, module: HandledModule): Promise<HandledOrder[]> {
  const { orders } = company.api;
  const rows = await orders.list({ module, status: [...OUTSTANDING_STATUSES], search: REFERENCE, sort: 'created_at' }).all();
  return Promise.all(rows.map(async ({ id }) => toHandledOrder(company, (await orders.get(id, { include: ['lines'] })).data)));
}

function toHandledOrder({ contacts }: Company, { id, orderNumber, module, status, contact, lines = [] }: OrderDetail): HandledOrder {
  const company = contacts.get(contact.id)?.company ?? '';
  return {
    id,
    number: orderNumber,
    module: module as HandledModule,
    itemIds: lines.flatMap(({ itemId, kind }) => (itemId !== null && kind !== 'component' ? [itemId] : [])),
    partner: company === '' ? contact.name : company,
    isPacked: status !== 'open',
    waitsFor: [],
  };
}

/** Creates an open order that the live demo handles. */
export async function openOrder(company: Company, body: Pick<BodyInput<typeof createOrder>, 'module' | 'contactId' | 'lines'>) {
  const { data } = await company.api.orders.create({ ...body, status: 'open', siteId: company.siteId, reference: REFERENCE });
  const order = toHandledOrder(company, data);
  company.orders.push(order);
  return { data, order };
}

/** Whether stock that the order needs has not arrived yet. */
export const isWaiting = ({ levels }: Company, { waitsFor }: HandledOrder): boolean =>
  waitsFor.some(({ itemId, required }) => (levels.get(itemId)?.onHand ?? 0) < required);

/** A random element. */
export const pick = <T>({ random }: Pick<Company, 'random'>, values: readonly T[]): T | undefined =>
  values[Math.floor(random() * values.length)];

/** `12 × Stoneware mug`, `45 kg House Blend (bulk)`. */
export function describeQuantity({ levels, items }: Company, itemId: string, quantity: number): string {
  const symbol = levels.get(itemId)?.unit?.symbol ?? 'pcs';
  const rounded = String(Math.round(quantity * 1_000) / 1_000);
  return `${rounded} ${symbol === 'pcs' ? '×' : symbol} ${items.get(itemId)?.name ?? itemId}`;
}
