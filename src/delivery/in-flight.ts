/**
 * The states of a delivery in the memory of the engine. One that is not in flight waits in the store, due now or later.
 *
 *   queued    Taken by a poll and held in memory with its body.
 *             A slot becomes free: sending. The endpoint, the plan or the row changes: released.
 *   sending   Its request is in progress.
 *             A response, an error or the timeout ends it: finished. The engine drains and aborts it: released.
 *   finished  Its outcome is in memory and waits for the next commit of its tenant's outcomes.
 *             The commit is durable: released; the row now waits for a retry, or has ended. The store cannot write: the commit is retried.
 *   stuck     Its attempt threw, which is a bug. It is not repeated before the next start, so that it cannot fail in a tight loop.
 *
 * None of this is stored. A crash in any state leaves the row due, so the next start sends it again: delivery is at least once.
 */
export type InFlightState = 'queued' | 'sending' | 'finished' | 'stuck';

/** The deliveries of an endpoint that are in flight. A poll skips them. */
export class InFlightDeliveries {
  readonly #states = new Map<string, InFlightState>();

  get size(): number {
    return this.#states.size;
  }

  /** Their ids at this moment. */
  copyIds(): ReadonlySet<string> {
    return new Set(this.#states.keys());
  }

  has(deliveryId: string): boolean {
    return this.#states.has(deliveryId);
  }

  /** Whether there is an attempt in progress, or one whose outcome is not stored yet. */
  get hasAttempts(): boolean {
    for (const state of this.#states.values()) if (state === 'sending' || state === 'finished') return true;
    return false;
  }

  getState(deliveryId: string): InFlightState | undefined {
    return this.#states.get(deliveryId);
  }

  add(deliveryId: string): void {
    this.#states.set(deliveryId, 'queued');
  }

  startSending(deliveryId: string): void {
    this.#move(deliveryId, 'queued', 'sending');
  }

  finish(deliveryId: string): void {
    this.#move(deliveryId, 'sending', 'finished');
  }

  markStuck(deliveryId: string): void {
    this.#move(deliveryId, 'sending', 'stuck');
  }

  /** From any state: the row waits in the store again, or has ended. */
  release(deliveryId: string): void {
    this.#states.delete(deliveryId);
  }

  /** A delivery that was released in the meantime stays released. */
  #move(deliveryId: string, from: InFlightState, to: InFlightState): void {
    if (this.#states.get(deliveryId) === from) this.#states.set(deliveryId, to);
  }
}
