/** The question for the new status of an order, with the effect of the chosen one on stock. */
import { ORDER_TRANSITIONS, type OrderStatus } from '../../contract/resources/orders.ts';
import type { Overlay, StatusEffect } from '../state/model.ts';
import { formatQuantity } from './format.ts';
import { type Line, type Span, plain } from './lines.ts';
import { layOutRows, renderRow, renderTitles } from './table-lines.ts';
import type { Column, RenderContext } from './table-types.ts';

/** What an order becomes most often, first. */
const BY_FREQUENCY: readonly OrderStatus[] = ['completed', 'open', 'in_progress', 'waiting', 'draft', 'cancelled'];

/** The statuses to which an order can change. */
export const listTargets = (status: OrderStatus): readonly OrderStatus[] =>
  BY_FREQUENCY.filter((to) => ORDER_TRANSITIONS[status].includes(to));

const quantity = (title: string, get: (effect: StatusEffect) => number): Column<StatusEffect> => ({
  title,
  width: 9,
  rank: 1,
  right: true,
  text: (effect) => formatQuantity(get(effect)),
});

const COLUMNS: readonly Column<StatusEffect>[] = [
  { title: 'ITEM', width: 12, rank: 1, text: ({ item }) => item },
  quantity('ON HAND', ({ onHand, change }) => onHand - change),
  {
    ...quantity('CHANGE', ({ change }) => change),
    text: ({ change }) => (change > 0 ? `+${formatQuantity(change)}` : formatQuantity(change)),
  },
  quantity('AFTER', ({ onHand }) => onHand),
  quantity('COMMITTED', ({ committed }) => committed),
  { ...quantity('AVAILABLE', ({ available }) => available), tone: ({ available }) => (available < 0 ? 'bad' : 'plain') },
];

export function renderStatusQuestion(
  { order, to, content }: Extract<Overlay, { kind: 'status' }>,
  context: RenderContext,
  width: number,
): readonly Line[] {
  const choices = listTargets(order.status).flatMap((status): Span[] => [
    status === to ? { text: `[${status}]`, bold: true } : { text: ` ${status} `, tone: 'dim' },
  ]);
  const head: readonly Line[] = [[{ text: `${order.status} → `, tone: 'dim' }, ...choices], []];
  if (content.state === 'loading') return [...head, plain('  Asking for the effect on stock…', 'dim')];
  if (content.state === 'failed') return [...head, plain(`  ${content.reason}`, 'bad')];
  const { effects } = content.value;
  if (effects.length === 0) return [...head, plain('  Stock stays as it is.')];
  const layout = layOutRows(COLUMNS, effects, width, context);
  return [
    ...head,
    renderTitles(layout, null, context),
    ...effects.map((effect) => renderRow(effect, layout, context, { isSelected: false, isMarked: false, width })),
  ];
}
