/** Sentences about what needs attention, the worst first, each with the rows that it is about. */
import type { AttentionRow, DataTab, ItemRow, OrderRow, State, Target } from '../state/model.ts';
import { getTotal } from '../state/meter.ts';
import { formatCount, formatInterval, formatNumber } from './format.ts';
import { countServiceProblems } from './deliveries.ts';
import { isPartlyRead } from './delivery-counts.ts';
import { isFailing } from './endpoints.ts';
import { countAllRejected, describeReset, getKeyLabel, getRemaining, limitTone } from './limits.ts';

/** The sentence about retrying deliveries, which `R` resends. */
export const RETRYING_ID = 'retrying';

export function listAttention(state: State, now: number): readonly AttentionRow[] {
  const all = [
    ...listServiceProblems(state),
    ...listEndpointProblems(state, now),
    ...listDeliveryProblems(state),
    ...listLimitProblems(state, now),
    ...listRequestProblems(state, now),
    ...listItemProblems(state.rows.items),
    ...listOrderProblems(state.rows.orders),
  ];
  return [...all.filter(({ tone }) => tone === 'bad'), ...all.filter(({ tone }) => tone === 'warn')];
}

const when = (isSo: boolean, row: AttentionRow): readonly AttentionRow[] => (isSo ? [row] : []);

const show = (tab: DataTab, filter: string): Target => ({ tab, filter, problemsOnly: false });

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
    const problem = failingSince === null ? `${name} is blocked by the settings` : `${name} has been failing${since}`;
    return [
      ...when(isFailing(row), { id: `endpoint ${id}`, text: `${problem}${waiting}`, tone: 'bad', target }),
      ...when(status === 'disabled', { id: `endpoint ${id}`, text: `${name} is disabled and receives nothing`, tone: 'warn', target }),
    ];
  });
}

function listDeliveryProblems(state: State): readonly AttentionRow[] {
  const { rows } = state;
  const { failed, retrying } = countServiceProblems(rows);
  const disabled = rows.endpoints.reduce((sum, row) => sum + (row.status === 'disabled' ? row.failed : 0), 0);
  const others = disabled === 0 ? '' : `, except ${formatNumber(disabled)} of disabled endpoints`;
  return [
    ...when(failed > 0, {
      id: 'failed',
      text: `${isPartlyRead(state) ? 'At least ' : ''}${formatCount(failed, 'delivery', 'deliveries')} failed for good; R resends them${others}`,
      tone: 'bad',
      target: show('deliveries', 'status:failed'),
    }),
    ...when(retrying > 0, {
      id: RETRYING_ID,
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
    const reset = describeReset(row, now);
    const text = `${getKeyLabel(row)} has ${formatNumber(left)} of ${formatNumber(row.limit)} requests left${reset === 'full' ? '' : `, reset in ${reset}`}`;
    return [{ id: `limit ${row.id}`, text, tone, target: show('limits', `key:${row.prefix}`) }];
  });
}

function listRequestProblems(state: State, now: number): readonly AttentionRow[] {
  const [errors, rejected] = [getTotal(state.counts.serverErrors, now), countAllRejected(state, now)];
  return [
    ...when(errors > 0, {
      id: 'errors',
      text: `${formatCount(errors, 'request')} failed in the service within the last hour`,
      tone: 'bad',
      target: show('requests', 'status:5xx'),
    }),
    ...when(rejected > 0, {
      id: 'rejected',
      text: `${formatCount(rejected, 'request was', 'requests were')} rejected by the rate limit within the last hour`,
      tone: 'warn',
      target: show('requests', 'status:429'),
    }),
  ];
}

function listItemProblems(rows: readonly ItemRow[]): readonly AttentionRow[] {
  const oversold = rows.filter(({ available }) => available < 0);
  const low = rows.filter(({ available, isLow }) => available >= 0 && isLow);
  return [
    ...when(oversold.length > 0, {
      id: 'oversold',
      text: `${describeFirst(oversold.map(getItemLabel))} oversold`,
      tone: 'bad',
      target: show('items', 'state:oversold'),
    }),
    ...when(low.length > 0, {
      id: 'low',
      text: `${describeFirst(low.map(getItemLabel))} low; the items tab has the command that reorders`,
      tone: 'warn',
      target: show('items', 'state:low'),
    }),
  ];
}

const getItemLabel = ({ sku, name }: ItemRow): string => sku ?? name;

function listOrderProblems(rows: readonly OrderRow[]): readonly AttentionRow[] {
  const late = rows.filter(({ isLate }) => isLate);
  const text = `${describeFirst(late.map(({ orderNumber }) => orderNumber))} late, due ${late[0]?.dueDate ?? ''}${late.length > 1 ? ' or later' : ''}`;
  return when(late.length > 0, { id: 'late', text, tone: 'warn', target: show('orders', 'status:late') });
}

/** `GRN-1 is`, `GRN-1 and 2 more are`. */
function describeFirst([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? `${first} is` : `${first} and ${formatNumber(others.length)} more are`;
}
