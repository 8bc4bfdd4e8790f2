/** Answers to what an open overlay has asked for. Those to another one are ignored. */
import { ORDER_TRANSITIONS, type OrderStatus } from '../../contract/resources/orders.ts';
import type { Content, OrderRow, Overlay, RecordContent, ReplayCount, State, StatusPreview } from './model.ts';

export type Answer =
  | { readonly type: 'found'; readonly id: string; readonly content: RecordContent }
  /** The effects of the status that is asked about. */
  | { readonly type: 'previewed'; readonly orderId: string; readonly to: OrderStatus; readonly content: Content<StatusPreview> }
  /** One of many deliveries was resent, or was rejected; null when all were. */
  | { readonly type: 'resent'; readonly isQueued: boolean | null }
  /** What replays would resend. */
  | { readonly type: 'counted'; readonly content: Content<readonly ReplayCount[]> }
  /** How far the replays are. */
  | { readonly type: 'replayed'; readonly sent: number; readonly failed: number };

export interface StatusChange {
  readonly type: 'status';
  readonly orderId: string;
  readonly status: OrderStatus;
}

export function withAnswer(state: State, answer: Answer): State {
  const { overlay } = state.ui;
  if (overlay === null) return state;
  const next = applyAnswer(overlay, answer);
  return next === overlay ? state : { ...state, ui: { ...state.ui, overlay: next } };
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
    case 'replayed': {
      if (overlay.kind !== 'resend' || overlay.progress === null) return overlay;
      return { ...overlay, progress: { ...overlay.progress, queued: answer.sent, rejected: answer.failed } };
    }
    case 'resent': {
      if (overlay.kind !== 'resend' || overlay.progress === null) return overlay;
      const { isQueued } = answer;
      if (isQueued === null) return null;
      const { queued, rejected } = overlay.progress;
      return {
        ...overlay,
        progress: { ...overlay.progress, queued: queued + (isQueued ? 1 : 0), rejected: rejected + (isQueued ? 0 : 1) },
      };
    }
  }
}

/** An order has the same keys as one that was opened from the list. */
function withFound(overlay: Extract<Overlay, { kind: 'record' }>, content: RecordContent): Overlay {
  const { scroll } = overlay;
  if (content.state !== 'ready' || content.value.order === undefined) return { ...overlay, content };
  const { order: row, value } = content.value;
  return { kind: 'detail', tab: 'orders', row, content: { state: 'ready', value }, scroll };
}

/** Without the order if the status is final. */
export const withStatus = (orders: readonly OrderRow[], { orderId, status }: StatusChange): readonly OrderRow[] =>
  orders.flatMap((row) => (row.id !== orderId ? [row] : ORDER_TRANSITIONS[status].length === 0 ? [] : [{ ...row, status }]));
