/** Where the dashboard's knowledge comes from, and what it can have done there. */
import type { EndpointRow } from './model.ts';
import type { Action } from './reduce.ts';

export interface CheckResult {
  readonly ok: boolean;
  readonly httpStatus: number | null;
  readonly milliseconds: number;
  readonly error: string | null;
}

/** What only the daemon of this machine does for its owner. */
export interface Deeds {
  /** The delivery with its request and every attempt. */
  show(deliveryId: string): Promise<unknown>;
  resend(deliveryId: string): Promise<void>;
  trigger(event: string): Promise<{ readonly deliveries: number }>;
  check(webhookId: string): Promise<CheckResult>;
}

export interface Source {
  /** Null: a remote service, which can only be read. */
  readonly deeds: Deeds | null;
  /** Tells what it learns until it is stopped; breaks are told, not thrown. */
  run(tell: (action: Action) => void, signal: AbortSignal): Promise<void>;
}

/** The event that a test sends: of the row it is asked on, else one that somebody subscribed to. */
export function testEventOf(row: unknown, endpoints: readonly EndpointRow[]): string | null {
  const { eventType, subscribedEvents } = (row ?? {}) as { eventType?: string; subscribedEvents?: readonly string[] };
  const open = endpoints.filter(({ status }) => status !== 'disabled');
  return eventType ?? subscribedEvents?.[0] ?? open.flatMap((endpoint) => endpoint.subscribedEvents)[0] ?? null;
}
