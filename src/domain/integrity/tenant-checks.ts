/** Checks that apply to a tenant as a whole. */
import { ORDER_MODULES } from '../../contract/resources/orders.ts';
import { type TenantReader, readPages } from './table-walk.ts';
import { NEWEST_PURGED_EVENT } from '../events/event-log.ts';
import type { EventRecord } from '../events/records.ts';
import { type Finding, Findings } from './findings.ts';
import { checkIngredientCycles } from './ingredient-cycles.ts';
import type { ReadTx } from '../tables.ts';
import type { TenantRecord } from '../kernel/tenant.ts';

/** Runs the checks of house contact, default site, ingredients, order numbers and change log. */
export async function checkTenantInvariants(read: TenantReader, tenant: TenantRecord): Promise<Finding[]> {
  return [
    await checkHouseContact(read, tenant),
    await checkDefaultSite(read, tenant),
    await checkIngredientCycles(read),
    await checkOrderNumbers(read),
    await checkChangeLog(read),
  ];
}

/** Exactly one house contact (the contact that stands for the tenant itself), and the tenant references it (D-25). */
async function checkHouseContact(read: TenantReader, { houseContactId }: TenantRecord): Promise<Finding> {
  const findings = new Findings('house contact');
  const markedIds: string[] = [];
  for await (const { rows } of readPages(read, 'contacts', readNothing))
    markedIds.push(...rows.filter(({ isHouse }) => isHouse).map(({ id }) => id));
  const isValid = markedIds.length === 1 && markedIds[0] === houseContactId;
  findings.record(
    isValid ? undefined : `the house contact is ${houseContactId}, but isHouse is set on ${markedIds.join(', ') || 'no contact'}`,
  );
  return findings.toFinding();
}

const readNothing = (): Promise<void> => Promise.resolve();

/** Exactly one default site; it is active, and the tenant references it (D-25). */
async function checkDefaultSite(read: TenantReader, { id }: TenantRecord): Promise<Finding> {
  const findings = new Findings('default site');
  const { defaultSiteId, rows } = await read(async (tx) => ({
    defaultSiteId: (await tx.tenants.get(id))?.defaultSiteId ?? 'none',
    rows: (await tx.sites.listAfter({ limit: Number.MAX_SAFE_INTEGER })).rows,
  }));
  const marked = rows.filter(({ isDefault }) => isDefault);
  const isValid = marked.length === 1 && marked[0]?.id === defaultSiteId && marked[0].isActive;
  const markedIds = marked.map((site) => (site.isActive ? site.id : `${site.id} (inactive)`)).join(', ') || 'no site';
  findings.record(isValid ? undefined : `the default site is ${defaultSiteId}, but isDefault is set on ${markedIds}`);
  return findings.toFinding();
}

/** Orders are never deleted, so there are at least as many as assigned order numbers (D-25). */
async function checkOrderNumbers(read: TenantReader): Promise<Finding> {
  const findings = new Findings('order numbers');
  const { orders, counters } = await read(async (tx) => ({
    orders: await tx.orders.count(),
    counters: await tx.counters.getMany(ORDER_MODULES.map((module) => `orders.${module}`)),
  }));
  for (const [index, module] of ORDER_MODULES.entries()) {
    const count = counters[index]?.value ?? 0;
    findings.record(
      count <= orders
        ? undefined
        : `${String(count)} numbers were assigned to ${module} orders, but only ${String(orders)} orders of all modules exist`,
    );
  }
  return findings.toFinding();
}

/** Id and number that the body of an event states, as `buildEventBody` writes them. Events of earlier releases have no number. */
const STATED = /^\{"event":"[^"]*","data":\{"id":"[^"]*","eventId":"([^"]*)","sequence":(\d+),/u;

/** What readers of the log and receivers of webhooks are given is the same event at the same place in the order of the commits. */
function findMisplaced({ id, position, body }: EventRecord): string | undefined {
  const [, eventId, sequence] = STATED.exec(body) ?? [];
  if (sequence === undefined || (eventId === id && Number(sequence) === position)) return undefined;
  return `event ${String(position)} of the change log, ${id}, states the sequence ${sequence} and the id ${eventId ?? ''}`;
}

/** Positions of the change log have no gaps up to the counter, except for purged events, and are those that the events state (D-25). */
async function checkChangeLog(read: TenantReader): Promise<Finding> {
  const findings = new Findings('change log');
  const readNewestPurged = async (tx: ReadTx) => (await tx.counters.get(NEWEST_PURGED_EVENT))?.value ?? 0;
  let last: number | undefined;
  for await (const { rows, result: newestPurged } of readPages(read, 'events', readNewestPurged)) {
    for (const row of rows) {
      const { position } = row;
      findings.record(findMisplaced(row));
      const isValid = last === undefined || position === last + 1 || position <= newestPurged + 1;
      findings.record(isValid ? undefined : `event ${String(last)} of the change log is followed by ${String(position)}`);
      last = position;
    }
  }
  const { counter, newest } = await read(async (tx) => ({
    counter: (await tx.counters.get('events'))?.value ?? 0,
    newest: (await tx.events.listAfter({ orderBy: 'position', descending: true, limit: 1 })).rows[0]?.position,
  }));
  findings.record(
    newest === undefined || newest === counter
      ? undefined
      : `the newest event of the change log is ${String(newest)}, its counter is ${String(counter)}`,
  );
  return findings.toFinding();
}
