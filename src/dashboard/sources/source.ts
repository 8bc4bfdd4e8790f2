/** Where the dashboard's data come from, and the actions it can request there. */
import type { showDelivery } from '../../contract/admin/webhooks.ts';
import type { ParamsOf, ResultOf } from '../../contract/operation.ts';
import type { OrderStatus } from '../../contract/resources/orders.ts';
import type { getReplay, readDelivery, requeueDelivery } from '../../contract/resources/webhook-replays.ts';
import type { JumpTarget } from '../state/jump.ts';
import type { EndpointRow, FoundRecord, ReplayCount, ReplayRequest, StatusPreview } from '../state/model.ts';
import type { Action } from '../state/reduce.ts';

export interface CheckResult {
  readonly ok: boolean;
  readonly httpStatus: number | null;
  readonly milliseconds: number;
  readonly error: string | null;
}

/** A delivery with its request and every attempt. */
export type ShownDelivery = ResultOf<typeof showDelivery>['data'];

/** Actions that only the local daemon offers, to its owner. */
export interface OwnerActions {
  show(deliveryId: string): Promise<ShownDelivery>;
  resend(deliveryId: string): Promise<void>;
  trigger(event: string): Promise<{ readonly deliveries: number }>;
  check(webhookId: string): Promise<CheckResult>;
}

/** Reads records of the public API, and changes orders; null without an API key. */
export interface RecordReader extends StatusChanger, ReplayRunner {
  /** `isBrief`: only the record and its lines, in one or two requests. Otherwise with what belongs to it. */
  read(path: string, isBrief: boolean): Promise<unknown>;
  resend(params: ParamsOf<typeof requeueDelivery>): Promise<void>;
  readDelivery(params: ParamsOf<typeof readDelivery>): Promise<ResultOf<typeof readDelivery>['data']>;
  /** The record with this id or name. */
  find(target: JumpTarget): Promise<FoundRecord | 'none' | 'several'>;
}

export interface StatusChanger {
  /** What the status would do to the stock, without changing anything. */
  previewStatus(orderId: string, to: OrderStatus): Promise<StatusPreview>;
  /** Fails if the order is not as it was in the preview. */
  changeStatus(orderId: string, to: OrderStatus, preview: StatusPreview): Promise<void>;
}

export type Replay = ResultOf<typeof getReplay>['data'];

export interface ReplayRunner {
  /** Without starting it. */
  countReplay(request: ReplayRequest): Promise<ReplayCount>;
  startReplay(request: ReplayRequest, rate: number): Promise<Replay>;
  readReplay(replay: Replay): Promise<Replay>;
  /** What it has queued is still sent. */
  cancelReplay(replay: Replay): Promise<void>;
}

export type Dispatch = (action: Action) => void;

export interface Source {
  /** Null for a remote service, which can only be read. */
  readonly actions: OwnerActions | null;
  records(): Promise<RecordReader | null>;
  /** Dispatches changes until the signal aborts; lost connections are dispatched, not thrown. */
  run(dispatch: Dispatch, signal: AbortSignal): Promise<void>;
}

/** The event that a test sends: that of the selected row, else one that an endpoint subscribes to. */
export function chooseTestEvent(row: unknown, endpoints: readonly EndpointRow[]): string | null {
  const { eventType, subscribedEvents } = (row ?? {}) as { eventType?: string; subscribedEvents?: readonly string[] };
  const open = endpoints.filter(({ status }) => status !== 'disabled');
  return eventType ?? subscribedEvents?.[0] ?? open.flatMap((endpoint) => endpoint.subscribedEvents)[0] ?? null;
}
