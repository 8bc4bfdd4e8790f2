/**
 * How the receivers of the demo respond: by event and attempt only, so that recorded deliveries and new ones follow the same rule. Warehouse
 * is slow; it accepts three of four events at the first attempt, and the others after one failure, after three, or never.
 */
import { createHash } from 'node:crypto';
import type { DemoReceiver } from './webhook-addresses.ts';

export interface ReceiverAnswer {
  readonly status: 200 | 503;
  /** Time until the response. */
  readonly milliseconds: number;
}

/** The body of a response with 503. */
export const BUSY_BODY = { error: 'The warehouse system is busy.' };

/** `attempt` counts from 1. */
export function getAnswer(receiver: DemoReceiver, eventId: string, attempt: number): ReceiverAnswer {
  const variation = hash(`speed of ${receiver} ${eventId}`);
  if (receiver === 'shop-sync') return { status: 200, milliseconds: 4 + (variation % 24) };
  return attempt <= countFailures(receiver, eventId)
    ? { status: 503, milliseconds: 600 + variation }
    : { status: 200, milliseconds: 220 + variation };
}

/** How many attempts a receiver fails before it accepts an event. */
export function countFailures(receiver: DemoReceiver, eventId: string): number {
  if (receiver === 'shop-sync') return 0;
  const sixteenth = hash(`failures of ${receiver} ${eventId}`) % 16;
  if (sixteenth === 0) return Infinity;
  if (sixteenth === 1) return 3;
  return sixteenth < 4 ? 1 : 0;
}

/** A number from 0 to 255. */
const hash = (text: string): number => createHash('sha256').update(text).digest()[0] ?? 0;
