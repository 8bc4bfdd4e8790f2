/** The table of rate limits. */
import { getTotal, renderGauge, renderSparkline } from '../state/meter.ts';
import type { LimitRow, State } from '../state/model.ts';
import { formatInterval } from './format.ts';
import { type Table, type Tone, numberColumn, textField } from './table.ts';

/** Remaining requests now; after the end of a window, the whole limit. Null if the limit is unknown. */
export const getRemaining = ({ limit, remaining, resetsAt }: LimitRow, now: number): number | null =>
  limit === null ? null : remaining === null || resetsAt === null || resetsAt <= now ? limit : remaining;

const getUsed = (row: LimitRow, now: number): number => (row.limit ?? 0) - (getRemaining(row, now) ?? 0);

/** The used part of the limit, drawn. */
export const drawGauge = (row: LimitRow, now: number, width: number): string => renderGauge(getUsed(row, now), row.limit ?? 0, width);

/** The time until the limit is whole again; `full` if it is. */
export const describeReset = ({ remaining, resetsAt }: LimitRow, now: number): string =>
  remaining === null || resetsAt === null || resetsAt <= now ? 'full' : formatInterval(resetsAt - now + 999);

/** Bad without requests left, a warning with less than a quarter. */
export function limitTone(row: LimitRow, now: number): Tone {
  const left = getRemaining(row, now);
  if (left === null || row.limit === null) return 'dim';
  return left === 0 ? 'bad' : left < row.limit / 4 ? 'warn' : 'good';
}

/** Requests that the rate limit rejected in the last hour. */
export const countRejected = ({ rejected }: LimitRow, now: number): number => getTotal(rejected, now);

/** Those of all keys. */
export const countAllRejected = ({ rows }: State, now: number): number =>
  rows.limits.reduce((sum, row) => sum + countRejected(row, now), 0);

/** The name of the key, if it is known. */
export const getKeyLabel = ({ name, prefix }: LimitRow): string => name ?? prefix;

export const limits: Table<LimitRow> = {
  title: 'Limits',
  short: 'Limits',
  isFollowable: false,
  columns: [
    { title: 'KEY', width: 16, rank: 1, text: getKeyLabel },
    {
      title: 'USED',
      width: 12,
      grow: 24,
      rank: 2,
      order: (row, { now }) => getUsed(row, now),
      text: (row, { now }, width) => drawGauge(row, now, width),
      tone: (row, { now }) => limitTone(row, now),
    },
    {
      title: 'LEFT',
      width: 11,
      rank: 1,
      right: true,
      order: (row, { now }) => getRemaining(row, now),
      text: (row, { now }) => (row.limit === null ? '?' : `${String(getRemaining(row, now) ?? '?')}/${String(row.limit)}`),
      tone: (row, { now }) => limitTone(row, now),
    },
    { title: 'RESET', width: 6, rank: 3, order: ({ resetsAt }) => resetsAt, text: (row, { now }) => describeReset(row, now) },
    {
      // A remote service does not say what it rejected.
      ...numberColumn('429s/h', { width: 6, rank: 4 }, (row: LimitRow, { isLocal, now }) => (isLocal ? countRejected(row, now) : null)),
      tone: (row, { now }) => (countRejected(row, now) > 0 ? 'bad' : 'plain'),
    },
    { title: 'TIER', width: 8, rank: 6, text: ({ tier }) => tier },
    { title: 'PREFIX', width: 16, rank: 7, text: ({ prefix }) => prefix },
    {
      title: 'LAST HOUR',
      width: 12,
      grow: 60,
      rank: 5,
      order: ({ hour }, { now }) => getTotal(hour, now),
      text: ({ hour }, { now }, width) => renderSparkline(hour, now, width),
    },
    {
      title: 'LAST 60 s',
      width: 12,
      grow: 60,
      rank: 8,
      order: ({ meter }, { now }) => getTotal(meter, now),
      text: ({ meter }, { now }, width) => renderSparkline(meter, now, width),
    },
  ],
  search: ({ prefix, name, tier, id }) => [prefix, name ?? '', tier, id].join(' '),
  queryFields: ({ now }) => ({
    key: textField(({ prefix, name }) => [prefix, name ?? '']),
    tier: textField(({ tier }) => tier),
    left: { kind: 'number', get: (row) => getRemaining(row, now) },
  }),
  isProblem: (row, { now }) => countRejected(row, now) > 0 || getRemaining(row, now) === 0,
  emptyText: 'No API key has been used yet.',
};
