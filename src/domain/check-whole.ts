/** What must hold for a tenant as a whole. */
import { ORDER_MODULES } from '../contract/orders.ts';
import { type Reads, pagesOf } from './check-walk.ts';
import { EVENTS_DROPPED } from './event-log.ts';
import { type Finding, Findings } from './findings.ts';
import type { ReadTx } from './tables.ts';
import type { TenantRecord } from './tenants.ts';

export async function wholeChecks(reads: Reads, tenant: TenantRecord): Promise<Finding[]> {
  return [
    await house(reads, tenant),
    await defaultSite(reads, tenant),
    await cycles(reads),
    await numbersGiven(reads),
    await changeLog(reads),
  ];
}

/** Exactly one house contact, the one that the tenant names (invariant 15). */
async function house(reads: Reads, { houseContactId }: TenantRecord): Promise<Finding> {
  const findings = new Findings('house contact');
  const marked: string[] = [];
  for await (const { rows } of pagesOf(reads, 'contacts', nothingElse))
    marked.push(...rows.filter(({ isHouse }) => isHouse).map(({ id }) => id));
  const right = marked.length === 1 && marked[0] === houseContactId;
  findings.look(right ? undefined : `the house contact is ${houseContactId}, marked so are ${marked.join(', ') || 'none'}`);
  return findings.done();
}

const nothingElse = (): Promise<void> => Promise.resolve();

/** Exactly one default site, the one that the tenant names, and it is active (invariant 15). */
async function defaultSite(reads: Reads, { id }: TenantRecord): Promise<Finding> {
  const findings = new Findings('default site');
  const { named, rows } = await reads(async (tx) => ({
    named: (await tx.tenants.get(id))?.defaultSiteId ?? 'none',
    rows: (await tx.sites.after({ limit: Number.MAX_SAFE_INTEGER })).rows,
  }));
  const marked = rows.filter(({ isDefault }) => isDefault);
  const right = marked.length === 1 && marked[0]?.id === named && marked[0].isActive;
  findings.look(right ? undefined : `the default site is ${named}, marked so are ${marked.map((site) => site.id).join(', ') || 'none'}`);
  return findings.done();
}

/** No item contains itself (invariant 14). Each item is entered once; one that is met on the way down to itself closes a cycle. */
async function cycles(reads: Reads): Promise<Finding> {
  const findings = new Findings('ingredients');
  const done = new Set<string>();
  const look = async (tx: ReadTx, rows: readonly { readonly itemId: string }[]) => {
    const entered = new Set<string>();
    const problems: (string | undefined)[] = [];
    for (const { itemId } of rows) {
      if (!done.has(itemId) && !entered.has(itemId)) problems.push(await cycleFrom(tx, itemId, done, entered));
    }
    return { entered, problems };
  };
  for await (const { seen } of pagesOf(reads, 'ingredients', look)) {
    for (const id of seen.entered) done.add(id);
    for (const problem of seen.problems) findings.look(problem);
  }
  return findings.done();
}

const INGREDIENTS_MAX = 10_000;

async function cycleFrom(tx: ReadTx, start: string, done: ReadonlySet<string>, entered: Set<string>): Promise<string | undefined> {
  const childrenOf = async (itemId: string) =>
    (await tx.ingredients.after({ where: [{ field: 'itemId', equals: itemId }], limit: INGREDIENTS_MAX })).rows.map(
      (row) => row.ingredientItemId,
    );
  const path = [{ id: start, rest: await childrenOf(start) }];
  for (let at = path.at(-1); at; at = path.at(-1)) {
    const next = at.rest.pop();
    if (next === undefined) {
      entered.add(at.id);
      path.pop();
    } else if (path.some(({ id }) => id === next)) {
      for (const { id } of path) entered.add(id);
      return `item ${next} contains itself by way of ${path.map(({ id }) => id).join(', ')}`;
    } else if (!done.has(next) && !entered.has(next)) path.push({ id: next, rest: await childrenOf(next) });
  }
  return undefined;
}

/** Orders are never deleted, so every number that was given is on one of them (invariant 13). */
async function numbersGiven(reads: Reads): Promise<Finding> {
  const findings = new Findings('order numbers');
  const { orders, given } = await reads(async (tx) => ({
    orders: await tx.orders.count(),
    given: await tx.counters.getMany(ORDER_MODULES.map((module) => `orders.${module}`)),
  }));
  for (const [at, module] of ORDER_MODULES.entries()) {
    const count = given[at]?.value ?? 0;
    findings.look(
      count <= orders
        ? undefined
        : `${String(count)} numbers were given to ${module} orders, and there are ${String(orders)} orders in all`,
    );
  }
  return findings.done();
}

/** Positions of the change log are without gaps up to the counter, but for what was dropped for its age or number (invariant 21). */
async function changeLog(reads: Reads): Promise<Finding> {
  const findings = new Findings('change log');
  const newestDropped = async (tx: ReadTx) => (await tx.counters.get(EVENTS_DROPPED))?.value ?? 0;
  let last: number | undefined;
  for await (const { rows, seen: dropped } of pagesOf(reads, 'events', newestDropped)) {
    for (const { position } of rows) {
      const right = last === undefined || position === last + 1 || position <= dropped + 1;
      findings.look(right ? undefined : `the change log goes from ${String(last)} to ${String(position)}`);
      last = position;
    }
  }
  const { counted, newest } = await reads(async (tx) => ({
    counted: (await tx.counters.get('events'))?.value ?? 0,
    newest: (await tx.events.after({ orderBy: 'position', descending: true, limit: 1 })).rows[0]?.position,
  }));
  findings.look(
    newest === undefined || newest === counted ? undefined : `the change log ends at ${String(newest)}, its counter at ${String(counted)}`,
  );
  return findings.done();
}
