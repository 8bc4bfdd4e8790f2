/** Sentences about what needs attention, the worst first, each with the rows that it is about. */
import type { AttentionRow, State, StockRow } from '../state/model.ts';
import { getTotal } from '../state/meter.ts';
import { formatCount, formatInterval, formatNumber } from './format.ts';
import { countProblems } from './counts.ts';
import { isFailing } from './tables/endpoints.ts';
import { getRemaining, limitTone } from './tables/limits.ts';

export function listAttention(state: State, now: number): readonly AttentionRow[] {
  const all = [
    ...listServiceProblems(state),
    ...listEndpointProblems(state, now),
    ...listDeliveryProblems(state),
    ...listLimitProblems(state, now),
    ...listRequestProblems(state, now),
    ...listStockProblems(state.rows.stock),
  ];
  return [...all.filter(({ tone }) => tone === 'bad'), ...all.filter(({ tone }) => tone === 'warn')];
}

const when = (isSo: boolean, row: AttentionRow): readonly AttentionRow[] => (isSo ? [row] : []);

const show = (tab: NonNullable<AttentionRow['target']>['tab'], filter = '', problemsOnly = false): AttentionRow['target'] => ({
  tab,
  filter,
  problemsOnly,
});

function listServiceProblems({ about: { storeProblem, faults } }: State): readonly AttentionRow[] {
  return [
    ...when(storeProblem !== null, { id: 'store', text: `Changes are rejected: ${storeProblem ?? ''}`, tone: 'bad', target: null }),
    ...when(faults !== null, { id: 'faults', text: `Faults are injected: ${faults ?? ''}`, tone: 'warn', target: null }),
  ];
}

function listEndpointProblems({ rows, about }: State, now: number): readonly AttentionRow[] {
  return rows.endpoints.flatMap((row): readonly AttentionRow[] => {
    const { id, name, status, failingSince, queued } = row;
    const target = show('endpoints', `name:"${name.replaceAll(/["*,]/gu, ' ').trim()}"`);
    const since = failingSince === null ? '' : ` for ${formatInterval(now + about.clockAheadMs - Date.parse(failingSince))}`;
    const waiting = queued === null || queued === 0 ? '' : `; ${formatCount(queued, 'delivery', 'deliveries')} waiting`;
    const problem = failingSince === null ? `${name} is blocked by the settings` : `${name} fails${since}`;
    return [
      ...when(isFailing(row), { id: `endpoint ${id}`, text: `${problem}${waiting}`, tone: 'bad', target }),
      ...when(status === 'disabled', { id: `endpoint ${id}`, text: `${name} is disabled and receives nothing`, tone: 'warn', target }),
    ];
  });
}

function listDeliveryProblems({ rows }: State): readonly AttentionRow[] {
  const { failed, retrying } = countProblems(rows.deliveries);
  return [
    ...when(failed > 0, {
      id: 'failed',
      text: `${formatCount(failed, 'delivery', 'deliveries')} failed for good; R resends them`,
      tone: 'bad',
      target: show('deliveries', 'status:failed'),
    }),
    ...when(retrying > 0, {
      id: 'retrying',
      text: `${formatCount(retrying, 'delivery is', 'deliveries are')} retried later; R sends them now`,
      tone: 'warn',
      target: show('deliveries', 'status:retrying'),
    }),
  ];
}

function listLimitProblems({ rows }: State, now: number): readonly AttentionRow[] {
  return rows.limits.flatMap((row): AttentionRow[] => {
    const [left, tone] = [getRemaining(row, now), limitTone(row, now)];
    if (left === null || row.limit === null || (tone !== 'bad' && tone !== 'warn')) return [];
    const reset = row.resetsAt !== null && row.resetsAt > now ? `, reset in ${formatInterval(row.resetsAt - now + 999)}` : '';
    const text = `${row.prefix} has ${formatNumber(left)} of ${formatNumber(row.limit)} requests left${reset}`;
    return [{ id: `limit ${row.id}`, text, tone, target: show('limits', `key:${row.prefix}`) }];
  });
}

function listRequestProblems({ hour, refused }: State, now: number): readonly AttentionRow[] {
  const errors = getTotal(hour.serverErrors, now);
  return [
    ...when(errors > 0, {
      id: 'errors',
      text: `${formatCount(errors, 'request')} failed in the service within the last hour`,
      tone: 'bad',
      target: show('requests', 'status:5xx'),
    }),
    ...when(refused > 0, {
      id: 'rejected',
      text: `${formatCount(refused, 'request was', 'requests were')} rejected by the rate limit`,
      tone: 'warn',
      target: show('requests', 'status:429'),
    }),
  ];
}

function listStockProblems(rows: readonly StockRow[]): readonly AttentionRow[] {
  const oversold = rows.filter(({ available }) => available < 0);
  const low = rows.filter(({ available }) => available >= 0);
  return [
    ...when(oversold.length > 0, {
      id: 'oversold',
      text: `${describeItems(oversold)} oversold`,
      tone: 'bad',
      target: show('stock', 'available:<0'),
    }),
    ...when(low.length > 0, {
      id: 'low',
      text: `${describeItems(low)} low; the stock tab has the command that reorders`,
      tone: 'warn',
      target: show('stock', 'available:>=0'),
    }),
  ];
}

/** `GRN-1 is`, `GRN-1 and 2 more are`. */
function describeItems([first, ...others]: readonly StockRow[]): string {
  const label = first?.sku ?? first?.name ?? '';
  return others.length === 0 ? `${label} is` : `${label} and ${formatNumber(others.length)} more are`;
}
