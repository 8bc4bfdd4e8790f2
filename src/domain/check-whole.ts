/** What must hold for a tenant as a whole. */
import { ORDER_MODULES } from '../contract/orders.ts';
import { type Reads, rowsOf } from './check-walk.ts';
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
  const found: string[] = [];
  await rowsOf(reads, 'contacts', async (_tx, rows) => {
    found.push(...rows.filter(({ isHouse }) => isHouse).map(({ id }) => id));
    return Promise.resolve();
  });
  findings.look(
    found.length === 1 && found[0] === houseContactId
      ? undefined
      : `the house contact is ${houseContactId}, marked so are ${found.join(', ') || 'none'}`,
  );
  return findings.done();
}

/** Exactly one default site, the one that the tenant names, and it is active (invariant 15). */
async function defaultSite(reads: Reads, { id }: TenantRecord): Promise<Finding> {
  const findings = new Findings('default site');
  await reads(async (tx) => {
    const named = (await tx.tenants.get(id))?.defaultSiteId ?? 'none';
    const { rows } = await tx.sites.after({ limit: Number.MAX_SAFE_INTEGER });
    const marked = rows.filter(({ isDefault }) => isDefault);
    const right = marked.length === 1 && marked[0]?.id === named && marked[0].isActive;
    findings.look(right ? undefined : `the default site is ${named}, marked so are ${marked.map((site) => site.id).join(', ') || 'none'}`);
  });
  return findings.done();
}

/** No item contains itself (invariant 14). Each item is entered once; one that is met on the way down to itself closes a cycle. */
async function cycles(reads: Reads): Promise<Finding> {
  const findings = new Findings('ingredients');
  const done = new Set<string>();
  await rowsOf(reads, 'ingredients', async (tx, rows) => {
    for (const { itemId } of rows) if (!done.has(itemId)) findings.look(await cycleFrom(tx, itemId, done));
  });
  return findings.done();
}

const INGREDIENTS_MAX = 10_000;

async function cycleFrom(tx: ReadTx, start: string, done: Set<string>): Promise<string | undefined> {
  const childrenOf = async (itemId: string) =>
    (await tx.ingredients.after({ where: [{ field: 'itemId', equals: itemId }], limit: INGREDIENTS_MAX })).rows.map(
      (row) => row.ingredientItemId,
    );
  const path = [{ id: start, rest: await childrenOf(start) }];
  for (let at = path.at(-1); at; at = path.at(-1)) {
    const next = at.rest.pop();
    if (next === undefined) {
      done.add(at.id);
      path.pop();
    } else if (path.some(({ id }) => id === next)) {
      for (const { id } of path) done.add(id);
      return `item ${next} contains itself by way of ${path.map(({ id }) => id).join(', ')}`;
    } else if (!done.has(next)) path.push({ id: next, rest: await childrenOf(next) });
  }
  return undefined;
}

/** Orders are never deleted, so every number that was given is on one of them (invariant 13). */
async function numbersGiven(reads: Reads): Promise<Finding> {
  const findings = new Findings('order numbers');
  await reads(async (tx) => {
    const orders = await tx.orders.count();
    for (const module of ORDER_MODULES) {
      const given = (await tx.counters.get(`orders.${module}`))?.value ?? 0;
      findings.look(
        given <= orders
          ? undefined
          : `${String(given)} numbers were given to ${module} orders, and there are ${String(orders)} orders in all`,
      );
    }
  });
  return findings.done();
}

/** Positions of the change log are without gaps up to the counter; old rows may be gone (invariant 21). */
async function changeLog(reads: Reads): Promise<Finding> {
  const findings = new Findings('change log');
  let last: number | undefined;
  await rowsOf(reads, 'events', async (tx, rows) => {
    for (const { position } of rows) {
      const expected = last === undefined ? position : last + 1;
      // Rows behind the walk may have been dropped for their age meanwhile.
      const dropped = position > expected && (await oldest(tx)) > expected;
      findings.look(position === expected || dropped ? undefined : `the change log goes from ${String(last)} to ${String(position)}`);
      last = position;
    }
  });
  await reads(async (tx) => {
    const counted = (await tx.counters.get('events'))?.value ?? 0;
    const newest = (await tx.events.after({ orderBy: 'position', descending: true, limit: 1 })).rows[0]?.position;
    findings.look(
      newest === undefined || newest === counted
        ? undefined
        : `the change log ends at ${String(newest)}, its counter at ${String(counted)}`,
    );
  });
  return findings.done();
}

const oldest = async (tx: ReadTx): Promise<number> =>
  (await tx.events.after({ orderBy: 'position', limit: 1 })).rows[0]?.position ?? Number.MAX_SAFE_INTEGER;
