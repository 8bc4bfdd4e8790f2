/** Answers to what an open overlay has asked for. Those to another one are ignored. */
import { ORDER_TRANSITIONS, type OrderStatus } from '../../contract/resources/orders.ts';
import {
  type Content,
  type FoundRecord,
  type OrderRow,
  type Overlay,
  type RecordOverlay,
  type ReplayCount,
  type State,
  type StatusPreview,
  withUi,
} from './model.ts';

export type Answer =
  | { readonly type: 'found'; readonly id: string; readonly content: Content<FoundRecord> }
  /** The effects of the status that is asked about. */
  | { readonly type: 'previewed'; readonly orderId: string; readonly to: OrderStatus; readonly content: Content<StatusPreview> }
  /** How far resending is; null at the end. */
  | { readonly type: 'resent'; readonly progress: { readonly queued: number; readonly rejected: number } | null }
  /** What replays would resend. */
  | { readonly type: 'counted'; readonly content: Content<readonly ReplayCount[]> };

export interface StatusChange {
  readonly type: 'status';
  readonly orderId: string;
  readonly status: OrderStatus;
}

export function withAnswer(state: State, answer: Answer): State {
  const { overlay } = state.ui;
  if (overlay === null) return state;
  const next = applyAnswer(overlay, answer);
  return next === overlay ? state : withUi(state, { overlay: next });
}

function applyAnswer(overlay: Overlay, answer: Answer): Overlay | null {
  switch (answer.type) {
    case 'found':
      return overlay.kind === 'record' && overlay.id === answer.id ? withFound(overlay, answer.content) : overlay;
    case 'previewed':
      return overlay.kind === 'status' && overlay.order.id === answer.orderId && overlay.to === answer.to
        ? { ...overlay, content: answer.content }
        : overlay;
    case 'counted':
      return overlay.kind === 'resend' && overlay.all !== null && overlay.progress === null ? { ...overlay, all: answer.content } : overlay;
    case 'resent':
      if (overlay.kind !== 'resend' || overlay.progress === null) return overlay;
      return answer.progress && { ...overlay, progress: { ...overlay.progress, ...answer.progress } };
  }
}

/** An order has the same keys as one that was opened from the list. */
function withFound(overlay: RecordOverlay, content: Content<FoundRecord>): Overlay {
  if (content.state !== 'ready' || content.value.order === undefined) return { ...overlay, content };
  const { order: row, value } = content.value;
  return { kind: 'detail', tab: 'orders', row, content: { state: 'ready', value }, scroll: overlay.scroll };
}

/** Without the order if the status is final. */
export const withStatus = (orders: readonly OrderRow[], { orderId, status }: StatusChange): readonly OrderRow[] =>
  orders.flatMap((row) => (row.id !== orderId ? [row] : ORDER_TRANSITIONS[status].length === 0 ? [] : [{ ...row, status }]));
