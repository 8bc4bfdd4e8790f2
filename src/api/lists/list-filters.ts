/** Filters of lists that need reads of their own. D-21. */
import type { Condition, ReadTable, Row } from '../../domain/kernel/ports.ts';
import { toUtc } from './pagination.ts';

/**
 * A filter by values of a unique field, joined by commas. Uniqueness ignores case and equality does not, so it compares with the values as
 * stored. A value may itself contain commas.
 */
export async function whereUniqueValues<R extends Row>(
  table: Pick<ReadTable<R>, 'findUnique'>,
  unique: string,
  field: keyof R & string,
  values: readonly string[] | undefined,
): Promise<Condition | undefined> {
  if (values === undefined) return undefined;
  const given = [...new Set([values.join(','), ...values])];
  const owners = await Promise.all(given.map((value) => table.findUnique(unique, value)));
  return { field, in: owners.map((owner, at) => (owner === undefined ? given[at]! : String(owner[field]))) };
}

/** A filter by external ids, joined by commas. An id may itself contain commas. */
export async function whereExternalIds<R extends Row>(
  table: Pick<ReadTable<R>, 'findUniqueIds'>,
  values: readonly string[] | undefined,
): Promise<Condition | undefined> {
  if (values === undefined) return undefined;
  const given = [...new Set([values.join(','), ...values])].map((value) => [value.trim()]);
  const ids = await table.findUniqueIds('externalId', given);
  return { field: 'id', in: ids.filter((id) => id !== undefined) };
}

interface Period {
  readonly since: string | undefined;
  readonly until: string | undefined;
}

/**
 * A filter by a time that has no index: that of a change which only rows with these statuses had, so they were changed then or later.
 * Reads those rows.
 */
export async function whereInPeriod<R extends Row>(
  table: Pick<ReadTable<R>, 'listAfter'>,
  field: keyof R & string,
  statuses: readonly string[],
  { since, until }: Period,
): Promise<Condition | undefined> {
  if (since === undefined && until === undefined) return undefined;
  const [from, before] = [since === undefined ? '' : toUtc(since), until === undefined ? undefined : toUtc(until)];
  const where = [
    { field: 'status', in: statuses },
    { field: 'updatedAt', from },
  ];
  const { rows } = await table.listAfter({ where, limit: Number.MAX_SAFE_INTEGER });
  const isInPeriod = (time: unknown): boolean => typeof time === 'string' && time >= from && (before === undefined || time < before);
  return { field: 'id', in: rows.flatMap((row) => (isInPeriod(row[field]) ? [row.id] : [])) };
}
