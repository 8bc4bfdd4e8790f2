/** The question for the new status of an order, with the effect of the chosen one on stock. */
import { ORDER_TRANSITIONS, type OrderStatus } from '../../contract/resources/orders.ts';
import type { StatusEffect, StatusQuestion } from '../state/model.ts';
import { formatNumber } from '../tables/format.ts';
import { type Column, type Span, numberColumn } from '../tables/table.ts';
import { EMPTY_LINE, type Part, table } from './parts.ts';

/** What an order becomes most often, first. */
const BY_FREQUENCY: readonly OrderStatus[] = ['completed', 'open', 'in_progress', 'waiting', 'draft', 'cancelled'];

/** The statuses to which an order can change. */
export const listTargets = (status: OrderStatus): readonly OrderStatus[] =>
  BY_FREQUENCY.filter((to) => ORDER_TRANSITIONS[status].includes(to));

const quantity = (title: string, get: (effect: StatusEffect) => number): Column<StatusEffect> =>
  numberColumn(title, { width: 9, rank: 1 }, get);

const COLUMNS: readonly Column<StatusEffect>[] = [
  { title: 'ITEM', width: 12, rank: 1, text: ({ item }) => item },
  quantity('ON HAND', ({ onHand, change }) => onHand - change),
  {
    ...quantity('CHANGE', ({ change }) => change),
    text: ({ change }) => (change > 0 ? `+${formatNumber(change)}` : formatNumber(change)),
  },
  quantity('AFTER', ({ onHand }) => onHand),
  quantity('COMMITTED', ({ committed }) => committed),
  { ...quantity('AVAILABLE', ({ available }) => available), tone: ({ available }) => (available < 0 ? 'bad' : 'plain') },
];

export function listStatusParts({ order, to, content }: StatusQuestion): readonly Part[] {
  const choices = listTargets(order.status).map((status): Span =>
    status === to ? { text: `[${status}]`, bold: true } : { text: ` ${status} `, tone: 'dim' },
  );
  return [{ spans: [{ text: `${order.status} → `, tone: 'dim' }, ...choices] }, EMPTY_LINE, listEffects(content)];
}

function listEffects(content: StatusQuestion['content']): Part {
  if (content.state === 'loading') return { text: 'Asking for the effect on stock…', tone: 'dim', indent: 2 };
  if (content.state === 'failed') return { text: content.reason, tone: 'bad', indent: 2 };
  const { effects } = content.value;
  return effects.length === 0 ? { text: 'Stock stays as it is.', indent: 2 } : table(COLUMNS, effects);
}
