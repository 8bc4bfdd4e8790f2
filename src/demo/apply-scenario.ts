/** Creates a demo tenant from its scenario, through the domain functions and in chronological order, so that all rules apply. */
import type { StockDocumentDraft } from '../contract/resources/stock-documents.ts';
import { type Context, addDays, toCalendarDay } from '../domain/kernel/context.ts';
import { createCategory } from '../domain/catalog/categories.ts';
import { createContact } from '../domain/contacts/contacts.ts';
import { createIngredient } from '../domain/catalog/ingredients.ts';
import { createItem } from '../domain/catalog/items.ts';
import { createOrder, updateOrder } from '../domain/fulfilment/order-changes.ts';
import { listOrderLines } from '../domain/orders/lines.ts';
import { fromMicro } from '../domain/kernel/numbers.ts';
import { createSite } from '../domain/tenancy/sites.ts';
import { cancelDocument } from '../domain/fulfilment/document-cancellation.ts';
import { createDocument, getDocument } from '../domain/stock/documents.ts';
import { submitDocument } from '../domain/fulfilment/document-submission.ts';
import { listDocumentLines } from '../domain/stock/lines.ts';
import { approveDocument } from '../domain/fulfilment/document-approval.ts';
import { setReorderPoint } from '../domain/stock/reorder-points.ts';
import { createSupplierLink } from '../domain/catalog/suppliers.ts';
import type { Tx } from '../domain/tables.ts';
import { createTenant } from '../domain/tenancy/tenants.ts';
import type { Actor, TenantRecord } from '../domain/kernel/tenant.ts';
import { createUnit } from '../domain/catalog/units.ts';
import { inviteUser, updateUser } from '../domain/tenancy/users.ts';
import { createDemoWebhooks } from './create-webhooks.ts';
import { deriveId } from '../domain/kernel/derived-ids.ts';
import { createSeededIds } from './seeded-ids.ts';
import type { DaysByStatus, DemoDocument, DemoItem, DemoLine, DemoOrder, DemoTenant } from './scenario.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** In UTC: working hours in Europe, where the demo companies are. */
const WORK_STARTS_HOUR = 9;
const WORK_HOURS = 8;
const TODAY_STEP_MS = 30_000;
const SETUP_DAYS_AGO = 120;
export const DEMO_ACTOR: Actor = { type: 'system', id: 'demo' };

/** The id of a demo tenant: the same in every data directory. */
export const getDemoTenantId = (slug: string): string => deriveId(`tenant ${slug}`);

export interface ScenarioOptions {
  /** The end of the scenario. */
  readonly now: Date;
  /** The port on which the receivers of its webhook endpoints listen. */
  readonly receiverPort: number;
}

/** Creates the tenant and its data. Runs in a transaction of the tenant `getDemoTenantId(scenario.slug)`. */
export async function createDemoTenant(tx: Tx, scenario: DemoTenant, { now, receiverPort }: ScenarioOptions): Promise<TenantRecord> {
  const newId = createSeededIds(scenario.slug);
  const generators = { newId, newLogEventId: createSeededIds(`${scenario.slug} log`) };
  const { slug, name, plan, currency, timezone, site } = scenario;
  const start = new Date(now.getTime() - SETUP_DAYS_AGO * DAY_MS);
  const tenant = await createTenant(tx, getDemoTenantId(slug), start, newId, { name, slug, plan, currency, timezone, site });
  const ids = await createBaseData(tx, scenario, createContext(tenant, generators, start, DEMO_ACTOR));
  for (const { at, apply } of buildTimeline(scenario, now)) await apply(tx, ids, (actor) => createContext(tenant, generators, at, actor));
  await createDemoWebhooks(tx, scenario, receiverPort, (daysAgo) =>
    createContext(tenant, generators, new Date(now.getTime() - daysAgo * DAY_MS), DEMO_ACTOR),
  );
  return tenant;
}

const createContext = (tenant: TenantRecord, generators: Pick<Context, 'newId' | 'newLogEventId'>, now: Date, actor: Actor): Context => ({
  tenant,
  actor,
  requestId: 'demo',
  ipAddress: null,
  now,
  ...generators,
});

/** The ids of what the entries of a scenario refer to by name. */
interface IdsByName {
  readonly sites: Map<string, string>;
  readonly units: Map<string, string>;
  readonly users: Map<string, string>;
  readonly categories: Map<string, string>;
  readonly contacts: Map<string, string>;
  readonly items: Map<string, string>;
}

async function createBaseData(tx: Tx, scenario: DemoTenant, context: Context): Promise<IdsByName> {
  const { rows: units } = await tx.units.listAfter({ limit: 100 });
  const ids: IdsByName = {
    sites: new Map([[scenario.site.code, context.tenant.defaultSiteId]]),
    units: new Map(units.map((unit) => [unit.symbol, unit.id])),
    users: new Map(),
    categories: new Map(),
    contacts: new Map(),
    items: new Map(),
  };
  // Each change gets its own context, like each request of the API.
  const newContext = (): Context => ({ ...context });
  for (const { name, code } of scenario.moreSites) {
    ids.sites.set(code, (await createSite(tx, newContext(), { name, code, address: '', isDefault: false, isActive: true })).id);
  }
  for (const unit of scenario.units) ids.units.set(unit.symbol, (await createUnit(tx, newContext(), { ...unit, isActive: true })).id);
  for (const { email, name, role, status } of scenario.users) {
    const user = await inviteUser(tx, newContext(), { email, name, role });
    if (status !== 'invited') await updateUser(tx, newContext(), user.id, { status });
    ids.users.set(email, user.id);
  }
  for (const name of scenario.categories)
    ids.categories.set(name, (await createCategory(tx, newContext(), { name, parentId: null, isActive: true })).id);
  for (const { key, ...draft } of scenario.contacts) ids.contacts.set(key, (await createContact(tx, newContext(), draft)).id);
  for (const item of scenario.items) await addItem(tx, newContext, ids, item);
  for (const item of scenario.items) await addIngredients(tx, newContext, ids, item);
  for (const { sku, site, quantity } of scenario.reorderPoints) {
    await setReorderPoint(tx, newContext(), { itemId: getId(ids.items, sku), siteId: getId(ids.sites, site), reorderPoint: quantity });
  }
  return ids;
}

async function addItem(tx: Tx, newContext: () => Context, ids: IdsByName, entry: DemoItem): Promise<void> {
  const { unit, category, suppliers = [], ingredients: _, ...draft } = entry;
  const references = { ...toField('unitId', ids.units, unit), ...toField('categoryId', ids.categories, category) };
  const item = await createItem(tx, newContext(), { ...draft, ...references });
  ids.items.set(entry.sku ?? entry.name, item.id);
  for (const [index, link] of suppliers.entries()) {
    await createSupplierLink(tx, newContext(), item.id, {
      supplierId: getId(ids.contacts, link.contact),
      supplierCode: link.code ?? null,
      purchasePrice: link.price ?? null,
      ...toField('purchaseUnitId', ids.units, link.unit),
      unitsPerPurchaseUnit: link.unitsPerPurchaseUnit ?? 1,
      minOrderQuantity: link.minOrderQuantity ?? null,
      leadTimeDays: link.leadDays ?? null,
      isPreferred: index === 0,
    });
  }
}

async function addIngredients(tx: Tx, newContext: () => Context, ids: IdsByName, { sku, name, ingredients = [] }: DemoItem): Promise<void> {
  for (const row of ingredients) {
    await createIngredient(tx, newContext(), getId(ids.items, sku ?? name), {
      ingredientItemId: getId(ids.items, row.sku),
      quantity: row.quantity,
      perQuantity: row.perQuantity ?? 1,
      wastePercent: row.wastePercent ?? 0,
    });
  }
}

interface Step {
  readonly at: Date;
  readonly apply: (tx: Tx, ids: IdsByName, createContextFor: (actor: Actor) => Context) => Promise<void>;
}

/** The changes of all orders and documents, oldest first: in working hours, those of today in the hours before `now`. */
function buildTimeline({ orders, documents }: DemoTenant, now: Date): Step[] {
  const createdIds = new Map<DemoOrder | DemoDocument, string>();
  const getCreatedId = (entry: DemoOrder | DemoDocument): string => {
    const id = createdIds.get(entry);
    if (id === undefined) throw new Error('an order or document was changed before it was created');
    return id;
  };
  const steps: Step[] = [];
  const add = (daysAgo: number, apply: Step['apply']) => {
    const stepsMax = (orders.length + documents.length) * 4;
    const midnight = Math.floor(now.getTime() / DAY_MS - daysAgo) * DAY_MS;
    const at =
      daysAgo === 0
        ? now.getTime() - (stepsMax - steps.length) * TODAY_STEP_MS
        : midnight + (WORK_STARTS_HOUR + (steps.length / stepsMax) * WORK_HOURS) * HOUR_MS;
    steps.push({ at: new Date(at), apply });
  };
  for (const order of orders) {
    add(order.daysAgo, async (tx, ids, createContextFor) => {
      const context = createContextFor(getAssignee(order, ids));
      createdIds.set(order, (await createOrder(tx, context, toOrderDraft(order, ids, context))).order.id);
    });
    const { isClosedShort = false, cancelReason } = order;
    for (const [status, daysAgo] of listStatuses(order)) {
      add(daysAgo, async (tx, ids, createContextFor) => {
        await updateOrder(tx, createContextFor(getAssignee(order, ids)), getCreatedId(order), {
          status,
          ...(status === 'completed' && isClosedShort && { stock: 'none' as const }),
          ...(status === 'cancelled' && cancelReason !== undefined && { cancelReason }),
        });
      });
    }
  }
  for (const order of orders)
    for (const { daysAgo, lines } of order.shipments ?? [])
      add(daysAgo, async (tx, ids, createContextFor) => ship(tx, createContextFor(getAssignee(order, ids)), getCreatedId(order), lines));
  for (const document of documents) {
    add(document.daysAgo, async (tx, ids, createContextFor) => {
      createdIds.set(
        document,
        (await createDocument(tx, createContextFor(toActor(document.by, ids)), toDocumentDraft(document, ids))).document.id,
      );
    });
    for (const [status, daysAgo] of listStatuses(document)) {
      add(daysAgo, async (tx, ids, createContextFor) => {
        const [context, id] = [createContextFor(toActor(document.by, ids)), getCreatedId(document)];
        if (status === 'submitted') await submitDocument(tx, context, id);
        else if (status === 'approved') await approveDocument(tx, context, await getDocument(tx, id), await listDocumentLines(tx, id));
        else await cancelDocument(tx, context, id, document.cancelReason ?? null);
      });
    }
  }
  return steps.sort((a, b) => a.at.getTime() - b.at.getTime());
}

const listStatuses = <S extends string>({ statuses }: { readonly statuses?: DaysByStatus<S> }): [S, number][] =>
  Object.entries(statuses ?? {}) as [S, number][];

/** Issues the next lines of an order. */
async function ship(tx: Tx, context: Context, orderId: string, count: number): Promise<void> {
  const open = (await listOrderLines(tx, orderId)).filter(({ posted }) => posted.quantity === 0).slice(0, count);
  const lines = open.map((line) => ({ itemId: line.itemId ?? '', orderLineId: line.id, quantity: fromMicro(line.quantity) }));
  const { document } = await createDocument(tx, context, { type: 'issue', orderId, lines });
  await submitDocument(tx, context, document.id);
  await approveDocument(tx, context, await getDocument(tx, document.id), await listDocumentLines(tx, document.id));
}

const getAssignee = ({ assignedTo }: DemoOrder, ids: IdsByName): Actor => toActor(assignedTo, ids);

/** The user with this email, or the first user. */
function toActor(email: string | undefined, { users }: IdsByName): Actor {
  const id = email === undefined ? [...users.values()][0] : users.get(email);
  return id === undefined ? DEMO_ACTOR : { type: 'user', id };
}

function toOrderDraft(order: DemoOrder, ids: IdsByName, { now, tenant }: Context) {
  const { module, contact, dueAfterDays, priority = 'normal', site, assignedTo, reference, notes, lines } = order;
  return {
    module,
    status: 'draft' as const,
    priority,
    ...toField('contactId', ids.contacts, contact),
    ...toField('siteId', ids.sites, site),
    ...toField('assignedTo', ids.users, assignedTo),
    ...(dueAfterDays !== undefined && { dueDate: addDays(toCalendarDay(tenant.timezone, now), dueAfterDays) }),
    ...(reference !== undefined && { reference }),
    ...(notes !== undefined && { notes }),
    lines: lines.map((line) => toOrderLineDraft(line, ids)),
  };
}

function toDocumentDraft(
  { type, site, toSite, contact, reason, reference, notes, lines }: DemoDocument,
  ids: IdsByName,
): StockDocumentDraft {
  return {
    type,
    ...toField('siteId', ids.sites, site),
    ...toField('toSiteId', ids.sites, toSite),
    ...toField('contactId', ids.contacts, contact),
    ...(reason !== undefined && { reason }),
    ...(reference !== undefined && { reference }),
    ...(notes !== undefined && { notes }),
    lines: lines.map(({ sku, ...rest }) => ({ ...rest, itemId: getId(ids.items, sku) })),
  };
}

const toOrderLineDraft = ({ sku, unit, ...rest }: DemoLine, ids: IdsByName) => ({
  ...rest,
  ...toField('unitId', ids.units, unit),
  ...toField('itemId', ids.items, sku ?? undefined),
});

/** The field with the id of what has this name; none without a name. */
const toField = <F extends string>(field: F, ids: ReadonlyMap<string, string>, name: string | undefined) =>
  (name === undefined ? {} : { [field]: getId(ids, name) }) as { readonly [K in F]?: string };

function getId(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  if (id === undefined) throw new Error(`the demo scenario refers to '${name}', which it does not define`);
  return id;
}
