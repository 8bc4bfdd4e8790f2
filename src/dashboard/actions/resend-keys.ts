/** `R`: resends many deliveries, after a preview, at a rate. */
import { REPLAY_RATE_MAX } from '../../contract/limits.ts';
import { countAll, resendsAll } from '../details/resend-question.ts';
import { type DeliveryRow, type ReplayRequest, type ResendQuestion, type State, withUi } from '../state/model.ts';
import { toReplays } from '../tables/replays.ts';
import { RETRYING_ID } from '../tables/attention-list.ts';
import { countServiceProblems, isDeliveryProblem } from '../tables/deliveries.ts';
import type { KeyPress } from '../state/key-bindings.ts';
import type { VisibleList } from '../tables/selectors.ts';
import { type DataEffect, type KeyResult, type Viewport, withNotice } from './effects.ts';

/** Deliveries per second. */
const RATES = [1, 5, 10, 50, 200];
const DEFAULT_RATE = 10;

/** Asks for the marked deliveries among those shown; without marks, for the problems shown. On the overview, for all failed ones. */
export function askToResend(state: State, { rows, selected }: VisibleList, viewport: Viewport): KeyResult {
  const { tab, marked } = state.ui;
  if (tab === 'overview') return askOnOverview(state, rows[selected]?.id === RETRYING_ID, viewport);
  const deliveries = tab === 'deliveries' ? (rows as readonly DeliveryRow[]) : [];
  const chosen = deliveries.filter((row) => marked.has(row.id));
  if (chosen.length > 0) return ask(state, chosen, 'marked', null);
  const resent = deliveries.filter(isDeliveryProblem);
  if (resent.length === 0) return withNotice(state, 'No failed or retrying delivery is shown', viewport);
  return ask(state, resent, 'shown', findReplays(state, state.ui.views.deliveries.filter, viewport.now));
}

/** Those that the selected sentence is about. */
function askOnOverview(state: State, areRetrying: boolean, viewport: Viewport): KeyResult {
  const disabled = new Set(state.rows.endpoints.flatMap(({ id, status }) => (status === 'disabled' ? [id] : [])));
  const known = state.rows.deliveries.filter(({ webhookId }) => !disabled.has(webhookId));
  const rows = known.filter(({ status }) => status === (areRetrying ? 'retrying' : 'failed'));
  const requests = areRetrying || countServiceProblems(state.rows).failed === 0 ? null : findReplays(state, '', viewport.now);
  if (rows.length === 0 && requests === null) return withNotice(state, 'No delivery to an enabled endpoint has failed', viewport);
  return ask(state, rows, 'overview', requests);
}

function ask(
  state: State,
  rows: readonly DeliveryRow[],
  from: ResendQuestion['from'],
  requests: readonly ReplayRequest[] | null,
): KeyResult {
  const question: ResendQuestion = {
    kind: 'resend',
    rows,
    from,
    rate: DEFAULT_RATE,
    all: requests === null ? null : { state: 'loading' },
    isAll: from === 'overview' && requests !== null,
    progress: null,
    scroll: 0,
  };
  const asked = withUi(state, { overlay: question });
  return requests === null ? { state: asked } : { state: asked, effect: { type: 'count-replays', requests } };
}

function findReplays({ ui, rows, about }: State, filter: string, now: number): readonly ReplayRequest[] | null {
  const endpoints = rows.endpoints.filter(({ id }) => ui.endpointId === null || id === ui.endpointId);
  const requests = toReplays(filter, endpoints, now + about.clockAheadMs);
  return requests === null || requests.length === 0 ? null : requests;
}

/** Null for keys that scroll. */
export function handleResendKey(state: State, question: ResendQuestion, key: KeyPress, viewport: Viewport): KeyResult | null {
  const { rows, rate, progress, all } = question;
  const isAll = resendsAll(question);
  const change = (changed: Partial<ResendQuestion>): KeyResult => ({ state: withUi(state, { overlay: { ...question, ...changed } }) });
  const step = key.name === 'right' ? 1 : key.name === 'left' ? -1 : 0;
  // A replay keeps its rate, and cannot be paused.
  const isRunning = progress !== null && isAll;
  if (step !== 0) return isRunning ? { state } : change({ rate: RATES[RATES.indexOf(rate) + step] ?? rate });
  if (key.name === 'p' && progress !== null)
    return isRunning ? { state } : change({ progress: { ...progress, isPaused: !progress.isPaused } });
  if (key.name === 'a' && progress === null)
    return all?.state === 'loading' || countAll(question) > 0 ? change({ isAll: !isAll }) : { state };
  if (key.name === 'y' && progress === null) {
    if (isAll ? all?.state !== 'ready' : rows.length === 0) return { state };
    const resent = new Set(rows.map(({ id }) => id));
    const marked = new Set([...state.ui.marked].filter((id) => !resent.has(id)));
    const started = { ...question, progress: { queued: 0, rejected: 0, isPaused: false } };
    const effect: DataEffect =
      isAll && all?.state === 'ready'
        ? { type: 'replay', counts: all.value, rate: Math.min(rate, REPLAY_RATE_MAX) }
        : { type: 'resend-many', rows };
    return { state: withUi(state, { overlay: started, marked }), effect };
  }
  if (key.name !== 'esc' && key.name !== 'q' && key.name !== 'n') return null;
  // The effect reports how many were resent.
  const closed = withUi(state, { overlay: null });
  return progress === null ? withNotice(closed, 'Nothing was resent', viewport) : { state: closed };
}
