/** `R`: resends many deliveries, after a preview, at a rate. */
import type { DeliveryRow, Overlay, State } from '../state/model.ts';
import { isDeliveryProblem } from '../tables/deliveries.ts';
import type { KeyPress } from '../state/key-bindings.ts';
import type { VisibleList } from '../tables/selectors.ts';
import { type KeyResult, type Viewport, withNotice, withUi } from './effects.ts';

type Resending = Extract<Overlay, { kind: 'resend' }>;

/** Deliveries per second. */
const RATES = [1, 5, 10, 50, 200];
const DEFAULT_RATE = 10;

/** Asks for the marked deliveries among those shown; without marks, for the problems shown. */
export function askToResend(state: State, { rows }: VisibleList, sight: Viewport): KeyResult {
  const { tab, marked } = state.ui;
  const deliveries = tab === 'deliveries' ? (rows as readonly DeliveryRow[]) : [];
  const chosen = deliveries.filter((row) => marked.has(row.id));
  const resent = chosen.length > 0 ? chosen : deliveries.filter(isDeliveryProblem);
  if (resent.length === 0) return withNotice(state, 'No failed or retrying delivery is shown', sight);
  const overlay = { kind: 'resend', rows: resent, areMarked: chosen.length > 0, rate: DEFAULT_RATE, progress: null, scroll: 0 } as const;
  return { state: withUi(state, { overlay }) };
}

/** Null for keys that scroll. */
export function handleResendKey(state: State, question: Resending, key: KeyPress, sight: Viewport): KeyResult | null {
  const { rows, rate, progress } = question;
  const change = (changed: Partial<Resending>): KeyResult => ({ state: withUi(state, { overlay: { ...question, ...changed } }) });
  const step = key.name === 'right' ? 1 : key.name === 'left' ? -1 : 0;
  if (step !== 0) return change({ rate: RATES[RATES.indexOf(rate) + step] ?? rate });
  if (key.name === 'p' && progress !== null) return change({ progress: { ...progress, isPaused: !progress.isPaused } });
  if (key.name === 'y' && progress === null) {
    const resent = new Set(rows.map(({ id }) => id));
    const marked = new Set([...state.ui.marked].filter((id) => !resent.has(id)));
    const started = { ...question, progress: { queued: 0, rejected: 0, isPaused: false } };
    return { state: withUi(state, { overlay: started, marked }), effect: { type: 'resend-many', rows } };
  }
  if (key.name !== 'esc' && key.name !== 'q' && key.name !== 'n') return null;
  // The effect reports how many were resent.
  const closed = withUi(state, { overlay: null });
  return progress === null ? withNotice(closed, 'Nothing was resent', sight) : { state: closed };
}
