/** Where the dashboard's data come from. */
import type { Client } from '../../client/client.ts';
import type { showDelivery } from '../../contract/admin/webhooks.ts';
import type { ResultOf } from '../../contract/operation.ts';
import type { Action } from '../state/reduce.ts';
import type { OwnerActions } from './owner-actions.ts';

/** A delivery with its request and every attempt. */
export type ShownDelivery = ResultOf<typeof showDelivery>['data'];

export type Dispatch = (action: Action) => void;

export interface Source {
  /** Null for a remote service. */
  readonly actions: OwnerActions | null;
  /** A client of the public API; null without an API key. */
  api(): Promise<Client | null>;
  /** Dispatches changes until the signal aborts; lost connections are dispatched, not thrown. */
  run(dispatch: Dispatch, signal: AbortSignal): Promise<void>;
}
