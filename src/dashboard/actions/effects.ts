/** What handling a key results in: a new state and possibly a side effect. */
import type { OrderStatus } from '../../contract/resources/orders.ts';
import type {
  AnyRow,
  ConfirmedEffect,
  DataTab,
  DeliveryRow,
  Notice,
  OrderRow,
  ReplayCount,
  ReplayRequest,
  State,
  StatusPreview,
} from '../state/model.ts';
import { reduce } from '../state/reduce.ts';
import type { JumpTarget } from '../state/jump.ts';

/** A side effect that a key requests. `stop`: as a job of the shell. */
export type Effect = { readonly type: 'quit' } | { readonly type: 'stop' } | { readonly type: 'redraw' } | DataEffect;

export type DataEffect =
  /** `isBrief`: only what is shown beside the list. */
  | { readonly type: 'load'; readonly tab: DataTab; readonly row: AnyRow; readonly isBrief?: true }
  | { readonly type: 'preview-status'; readonly order: OrderRow; readonly to: OrderStatus }
  | { readonly type: 'set-status'; readonly order: OrderRow; readonly to: OrderStatus; readonly preview: StatusPreview }
  | { readonly type: 'find'; readonly id: string; readonly target: JumpTarget }
  | { readonly type: 'url'; readonly path: string }
  | ConfirmedEffect
  | { readonly type: 'resend-many'; readonly rows: readonly DeliveryRow[] }
  /** Asks how many deliveries replays would resend. */
  | { readonly type: 'count-replays'; readonly requests: readonly ReplayRequest[] }
  | { readonly type: 'replay'; readonly counts: readonly ReplayCount[]; readonly rate: number }
  | { readonly type: 'check'; readonly row: AnyRow }
  | { readonly type: 'copy'; readonly tab: DataTab; readonly row: AnyRow; readonly as: 'curl' | 'json' }
  | { readonly type: 'page'; readonly tab: DataTab; readonly row: AnyRow }
  | { readonly type: 'save'; readonly tab: DataTab; readonly rows: readonly AnyRow[] };

export type EffectOf<T extends DataEffect['type']> = Extract<DataEffect, { type: T }>;

export interface KeyResult {
  readonly state: State;
  readonly effect?: Effect;
}

/** `now` in epoch milliseconds; `height` is the number of visible rows, `lines` the number of lines of an open overlay. */
export interface Viewport {
  readonly now: number;
  readonly height: number;
  readonly lines: number;
  /** Lines of the overlay that match its search. */
  readonly matches: readonly number[];
}

export const withNotice = (state: State, text: string, { now }: Pick<Viewport, 'now'>, tone: Notice['tone'] = 'info'): KeyResult => ({
  state: reduce(state, { type: 'notice', at: now, text, tone }),
});
