/** Plays the story of a demo tenant through the domain, in the order in which it happened, so that every rule holds for it. */
import type { StockDocumentDraft } from '../contract/stock-documents.ts';
import { type Context, addDays, dayIn } from '../domain/context.ts';
import { createCategory } from '../domain/categories.ts';
import { createContact } from '../domain/contacts.ts';
import { createIngredient } from '../domain/ingredients.ts';
import { createItem } from '../domain/items.ts';
import { createOrder, updateOrder } from '../domain/orders.ts';
import type { NewId } from '../domain/ports.ts';
import { createSite } from '../domain/sites.ts';
import { cancelDocument } from '../domain/stock-cancel.ts';
import { createDocument, getDocument, submitDocument } from '../domain/stock-documents.ts';
import { documentLines } from '../domain/stock-lines.ts';
import { approveDocument } from '../domain/stock-posting.ts';
import { setReorderPoint } from '../domain/stock-reorder.ts';
import { createSupplier } from '../domain/suppliers.ts';
import type { Tx } from '../domain/tables.ts';
import { type Actor, type TenantRecord, createTenant } from '../domain/tenants.ts';
import { createUnit } from '../domain/units-settings.ts';
import { inviteUser, updateUser } from '../domain/users.ts';
import { repeatableId, repeatableIds } from './ids.ts';
import type { DemoDocument, DemoItem, DemoLine, DemoOrder, DemoTenant } from './scenes.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const SETUP_DAYS_AGO = 120;
const DIRECTOR: Actor = { type: 'system', id: 'demo' };

/** The id of a demo tenant: the same in every data directory. */
export const demoTenantId = (slug: string): string => repeatableId(`tenant ${slug}`);

/** Everything of one tenant inside one transaction bound to `demoTenantId(story.slug)`; `now` is the end of the story. */
export async function playTenant(tx: Tx, story: DemoTenant, now: Date): Promise<TenantRecord> {
  const newId = repeatableIds(story.slug);
  const { slug, name, plan, currency, timezone, site } = story;
  const start = new Date(now.getTime() - SETUP_DAYS_AGO * DAY_MS);
  const tenant = await createTenant(tx, demoTenantId(slug), start, newId, { name, slug, plan, currency, timezone, site });
  const names = await setUp(tx, story, directed(tenant, newId, start, DIRECTOR));
  for (const { at, act } of timeline(story, now)) await act(tx, names, (actor) => directed(tenant, newId, at, actor));
  return tenant;
}

const directed = (tenant: TenantRecord, newId: NewId, now: Date, actor: Actor): Context => ({
  tenant,
  actor,
  requestId: 'demo',
  ipAddress: null,
  now,
  newId,
});

/** What the scenes call by name, and its id. */
interface Names {
  readonly sites: Map<string, string>;
  readonly units: Map<string, string>;
  readonly users: Map<string, string>;
  readonly categories: Map<string, string>;
  readonly contacts: Map<string, string>;
  readonly items: Map<string, string>;
}

async function setUp(tx: Tx, story: DemoTenant, context: Context): Promise<Names> {
  const { rows: units } = await tx.units.after({ limit: 100 });
  const names: Names = {
    sites: new Map([[story.site.code, context.tenant.defaultSiteId]]),
    units: new Map(units.map((unit) => [unit.symbol, unit.id])),
    users: new Map(),
    categories: new Map(),
    contacts: new Map(),
    items: new Map(),
  };
  // Each change has a context of its own, as each request of the API has.
  const fresh = (): Context => ({ ...context });
  for (const { name, code } of story.moreSites) {
    names.sites.set(code, (await createSite(tx, fresh(), { name, code, address: '', isDefault: false, isActive: true })).id);
  }
  for (const { symbol, name, dimension, precision, factor } of story.units) {
    if (names.units.has(symbol)) continue;
    const [factorNum, factorDen] = factor;
    names.units.set(
      symbol,
      (await createUnit(tx, fresh(), { symbol, name, dimension, precision, factorNum, factorDen, isActive: true })).id,
    );
  }
  for (const { email, name, role, status } of story.users) {
    const user = await inviteUser(tx, fresh(), { email, name, role });
    if (status !== 'invited') await updateUser(tx, fresh(), user.id, { status });
    names.users.set(email, user.id);
  }
  for (const name of story.categories)
    names.categories.set(name, (await createCategory(tx, fresh(), { name, parentId: null, isActive: true })).id);
  for (const { key, ...draft } of story.contacts) {
    names.contacts.set(key, (await createContact(tx, fresh(), { isPrimaryContact: false, isActive: true, ...draft })).id);
  }
  for (const scene of story.items) await addItem(tx, fresh, names, scene);
  for (const scene of story.items) await addIngredients(tx, fresh, names, scene);
  for (const { sku, site, quantity } of story.reorderPoints) {
    const place = { itemId: idOf(names.items, sku), siteId: idOf(names.sites, site) };
    await setReorderPoint(tx, fresh(), { ...place, reorderPoint: quantity });
  }
  return names;
}

async function addItem(tx: Tx, fresh: () => Context, names: Names, scene: DemoItem): Promise<void> {
  const { sku, name, itemType = 'product', isActive = true, unit, category, suppliers = [], madeOf: _, ...rest } = scene;
  const item = await createItem(tx, fresh(), {
    ...rest,
    sku,
    name,
    itemType,
    isActive,
    unitId: unit === undefined ? null : idOf(names.units, unit),
    categoryId: category === undefined ? null : idOf(names.categories, category),
  });
  names.items.set(sku ?? name, item.id);
  for (const [index, link] of suppliers.entries()) {
    await createSupplier(tx, fresh(), item.id, {
      supplierId: idOf(names.contacts, link.contact),
      supplierCode: link.code ?? null,
      purchasePrice: link.price ?? null,
      purchaseUnitId: link.unit === undefined ? null : idOf(names.units, link.unit),
      unitsPerPurchaseUnit: link.unitsPer ?? 1,
      minOrderQuantity: link.minimum ?? null,
      leadTimeDays: link.leadDays ?? null,
      isPreferred: index === 0,
    });
  }
}

async function addIngredients(tx: Tx, fresh: () => Context, names: Names, { sku, name, madeOf = [] }: DemoItem): Promise<void> {
  for (const row of madeOf) {
    await createIngredient(tx, fresh(), idOf(names.items, sku ?? name), {
      ingredientItemId: idOf(names.items, row.sku),
      quantity: row.quantity,
      perQuantity: row.per ?? 1,
      wastePercent: row.waste ?? 0,
    });
  }
}

interface Step {
  readonly at: Date;
  readonly act: (tx: Tx, names: Names, by: (actor: Actor) => Context) => Promise<void>;
}

/** What happened to all orders and documents, oldest first. Steps of one day follow each other by minutes and end before `now`. */
function timeline({ orders, documents }: DemoTenant, now: Date): Step[] {
  const ids = new Map<DemoOrder | DemoDocument, string>();
  const idIn = (scene: DemoOrder | DemoDocument): string => {
    const id = ids.get(scene);
    if (id === undefined) throw new Error('a scene changed before it began');
    return id;
  };
  const steps: Step[] = [];
  const add = (daysAgo: number, act: Step['act']) => {
    const minutesBefore = ((orders.length + documents.length) * 4 - steps.length) * 2;
    steps.push({ at: new Date(now.getTime() - daysAgo * DAY_MS - minutesBefore * MINUTE_MS), act });
  };
  for (const order of orders) {
    add(order.daysAgo, async (tx, names, by) => {
      const context = by(actorOf(order, names));
      ids.set(order, (await createOrder(tx, context, draftOf(order, names, context))).order.id);
    });
    for (const { status, daysAgo, short, reason } of order.then ?? []) {
      add(daysAgo, async (tx, names, by) => {
        await updateOrder(tx, by(actorOf(order, names)), idIn(order), {
          status,
          ...(short ? { stock: 'none' as const } : {}),
          ...(reason === undefined ? {} : { cancelReason: reason }),
        });
      });
    }
  }
  for (const document of documents) {
    add(document.daysAgo, async (tx, names, by) => {
      ids.set(document, (await createDocument(tx, by(userNamed(document.by, names)), documentOf(document, names))).document.id);
    });
    for (const { status, daysAgo, reason } of document.then ?? []) {
      add(daysAgo, async (tx, names, by) => {
        const [context, id] = [by(userNamed(document.by, names)), idIn(document)];
        if (status === 'submitted') await submitDocument(tx, context, id);
        else if (status === 'approved') await approveDocument(tx, context, await getDocument(tx, id), await documentLines(tx, id));
        else await cancelDocument(tx, context, id, reason ?? null);
      });
    }
  }
  return steps.sort((a, b) => a.at.getTime() - b.at.getTime());
}

const actorOf = ({ assignedTo }: DemoOrder, names: Names): Actor => userNamed(assignedTo, names);

/** Absent: the first user. */
function userNamed(email: string | undefined, { users }: Names): Actor {
  const id = email === undefined ? [...users.values()][0] : users.get(email);
  return id === undefined ? DIRECTOR : { type: 'user', id };
}

function draftOf(order: DemoOrder, names: Names, { now, tenant }: Context) {
  const { module, contact, dueAfter, priority = 'normal', site, assignedTo, reference, notes, lines } = order;
  return {
    module,
    status: 'draft' as const,
    priority,
    ...(contact === null ? {} : { contactId: idOf(names.contacts, contact) }),
    ...(dueAfter === undefined ? {} : { dueDate: addDays(dayIn(tenant.timezone, now), dueAfter) }),
    ...(site === undefined ? {} : { siteId: idOf(names.sites, site) }),
    ...(assignedTo === undefined ? {} : { assignedTo: idOf(names.users, assignedTo) }),
    ...(reference === undefined ? {} : { reference }),
    ...(notes === undefined ? {} : { notes }),
    lines: lines.map((line) => lineOf(line, names)),
  };
}

function documentOf({ type, site, toSite, contact, reason, reference, notes, lines }: DemoDocument, names: Names): StockDocumentDraft {
  return {
    type,
    ...(site === undefined ? {} : { siteId: idOf(names.sites, site) }),
    ...(toSite === undefined ? {} : { toSiteId: idOf(names.sites, toSite) }),
    ...(contact === undefined ? {} : { contactId: idOf(names.contacts, contact) }),
    ...(reason === undefined ? {} : { reason }),
    ...(reference === undefined ? {} : { reference }),
    ...(notes === undefined ? {} : { notes }),
    lines: lines.map(({ sku, ...rest }) => ({ ...rest, itemId: idOf(names.items, sku) })),
  };
}

function lineOf(line: DemoLine, names: Names) {
  const { sku, passed, failed, ...rest } = line;
  return {
    ...rest,
    ...(sku === null ? {} : { itemId: idOf(names.items, sku) }),
    ...(passed === undefined ? {} : { passedQuantity: passed }),
    ...(failed === undefined ? {} : { failedQuantity: failed }),
  };
}

function idOf(names: ReadonlyMap<string, string>, name: string): string {
  const id = names.get(name);
  if (id === undefined) throw new Error(`the demo story names '${name}', which it never introduced`);
  return id;
}
