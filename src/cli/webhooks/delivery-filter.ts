/** `--filter` of lists of deliveries: the query language of the dashboard. */
import { type QueriedDelivery, getDeliveryFields, getDeliveryText } from '../../client/row-query/delivery-fields.ts';
import { parseRowQuery } from '../../client/row-query/row-query.ts';
import { usageError } from '../errors/failure.ts';

interface FilterOptions {
  /** Fields that the rows do not have. */
  readonly without?: readonly string[];
  getName?(row: QueriedDelivery): string;
  /** What `since:` and `until:` refer to. Default: the time of the call. */
  readonly now?: Date;
}

/** Whether a delivery matches the query. Throws for an invalid query, with the position of the mistake. */
export function parseDeliveryFilter(
  query: string,
  { without = [], getName = () => '', now }: FilterOptions = {},
): (row: QueriedDelivery) => boolean {
  const fields = Object.fromEntries(Object.entries(getDeliveryFields(getName)).filter(([name]) => !without.includes(name)));
  const { problem, matches } = parseRowQuery<QueriedDelivery>(query, {
    fields,
    getText: (row) => getDeliveryText(row, getName(row)),
    now: () => now?.getTime() ?? Date.now(),
  });
  if (problem !== null) throw usageError(`Invalid --filter: ${problem}`);
  return matches;
}
