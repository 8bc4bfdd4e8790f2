/** Request counts by calendar month (UTC) and capability. A-4. */
import { getReferencedRows, getRowsById } from '../kernel/rows.ts';
import type { ReadTx, Tx } from '../tables.ts';
import type { UsageRecord } from './records.ts';

/** First and last day, both YYYY-MM-DD. */
export interface BillingPeriod {
  readonly start: string;
  readonly end: string;
}

/** Request counts by the first day of the month, then by capability. */
export type MonthCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The first day of the month that contains `now`. */
export const getMonthStart = (now: Date): string => `${now.toISOString().slice(0, 'YYYY-MM'.length)}-01`;

/** The billing period that contains `now`. */
export function getBillingPeriod(kind: 'monthly' | 'yearly', now: Date): BillingPeriod {
  const year = now.getUTCFullYear();
  const month = now.getUTCMonth();
  const day = (y: number, m: number, d: number) => new Date(Date.UTC(y, m, d)).toISOString().slice(0, 10);
  return kind === 'monthly'
    ? { start: getMonthStart(now), end: day(year, month + 1, 0) }
    : { start: day(year, 0, 1), end: day(year, 11, 31) };
}

const LAST_USED_INTERVAL_MS = 60_000;

/** The id of the stored count of a capability in a month. */
export const getUsageId = (month: string, capability: string): string => `${month} ${capability}`;

/** Adds request counts, and updates lastUsedAt of keys by id, at most once a minute each. Returns the new counts by id. */
export async function addUsage(tx: Tx, months: MonthCounts, lastUsed: ReadonlyMap<string, Date>): Promise<ReadonlyMap<string, number>> {
  const added = [...months].flatMap(([periodStart, counts]) =>
    [...counts].map(([capability, count]) => ({ id: getUsageId(periodStart, capability), periodStart, capability, count })),
  );
  const [stored, keys] = await Promise.all([
    getReferencedRows(tx.usage, added, ({ id }) => id),
    getRowsById(tx.apiKeys, [...lastUsed.keys()]),
  ]);
  const changed = added.map((row) => ({ ...row, count: (stored.get(row.id)?.count ?? 0) + row.count }));
  await tx.usage.putMany(changed);
  for (const [keyId, at] of lastUsed) {
    const key = keys.get(keyId);
    // Compares the absolute difference, because a test clock may have been set back.
    if (key && (key.lastUsedAt === null || Math.abs(at.getTime() - Date.parse(key.lastUsedAt)) >= LAST_USED_INTERVAL_MS)) {
      await tx.apiKeys.put({ ...key, lastUsedAt: at.toISOString() });
    }
  }
  return new Map(changed.map(({ id, count }) => [id, count]));
}

/** The stored request counts of a billing period. The end matters if a test clock was set back. */
export const listUsage = async (tx: ReadTx, { start, end }: BillingPeriod): Promise<readonly UsageRecord[]> =>
  (await tx.usage.listAfter({ where: [{ field: 'periodStart', from: start, to: end }], limit: 100_000 })).rows;
