/** `c`: asks for the new status of an order, with the effect on stock of each. */
import type { OrderStatus } from '../../contract/resources/orders.ts';
import { type Detail, type OrderRow, type State, type StatusQuestion, getOpenDetail, withUi } from '../state/model.ts';
import type { KeyPress } from '../state/key-bindings.ts';
import { listTargets } from '../details/status-question.ts';
import { type KeyResult, type Viewport, withNotice } from './effects.ts';

export function askForStatus(state: State, row: OrderRow | undefined, viewport: Viewport): KeyResult {
  const detail = getOpenDetail(state);
  if (row === undefined) return withNotice(state, 'Select an order to change its status', viewport);
  // That of an open detail is the one that was opened.
  const order = state.rows.orders.find(({ id }) => id === row.id) ?? { ...row, status: getReadStatus(detail) ?? row.status };
  const [to] = listTargets(order.status);
  if (to === undefined) return withNotice(state, `${order.orderNumber} is ${order.status}, which is final`, viewport);
  return choose(state, { kind: 'status', order, before: detail }, to);
}

/** Of the open order. */
const getReadStatus = (detail: Detail | null): OrderStatus | undefined =>
  detail?.content?.state === 'ready' ? (detail.content.value as Partial<OrderRow>).status : undefined;

const choose = (state: State, question: Omit<StatusQuestion, 'to' | 'content' | 'scroll'>, to: OrderStatus): KeyResult => ({
  state: withUi(state, { overlay: { ...question, to, content: { state: 'loading' }, scroll: 0 } }),
  effect: { type: 'preview-status', order: question.order, to },
});

/** Null for keys that scroll. */
export function handleStatusKey(state: State, question: StatusQuestion, key: KeyPress, viewport: Viewport): KeyResult | null {
  const { order, to, content, before } = question;
  const targets = listTargets(order.status);
  const move = (step: number): KeyResult =>
    choose(state, question, targets[(targets.indexOf(to) + step + targets.length) % targets.length] ?? to);
  switch (key.name) {
    case 'right':
    case 'tab':
    case 'c':
      return move(1);
    case 'left':
    case 'shift-tab':
      return move(-1);
    case 'y':
      if (content.state !== 'ready') return { state };
      return { state: withUi(state, { overlay: before }), effect: { type: 'set-status', order, to, preview: content.value } };
    case 'n':
    case 'q':
    case 'esc':
      return withNotice(withUi(state, { overlay: before }), `${order.orderNumber} was not changed`, viewport);
    default:
      return null;
  }
}
