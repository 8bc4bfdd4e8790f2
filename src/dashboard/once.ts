/** The dashboard for those who look once: waits until the first knowledge is there. */
import { Unreachable } from '../client/errors.ts';
import { figuresOf } from './select.ts';
import type { State } from './model.ts';
import { reduce } from './reduce.ts';
import type { Source } from './source.ts';
import { createStore } from './store.ts';

/** A service that has said nothing for so long is shown as it is: not connected. */
const PATIENCE_MS = 5_000;

/** What is asked of `address` before there is anything to show; throws when it takes too long. */
export async function inTime<T>(asked: Promise<T>, address: string): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const reason = `no answer from ${address} for ${String(PATIENCE_MS / 1_000)} s`;
  const timer = setTimeout(() => reject(new Unreachable(address, reason, { afterSending: true })), PATIENCE_MS);
  try {
    return await Promise.race([asked, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** So long a source has for its end; a question that is not answered yet takes longer. */
const LEAVING_MS = 250;

/** The state when everything was asked once, and whether a question that is not answered yet outlasts it. */
export async function stateOnce(initial: State, source: Source): Promise<{ readonly state: State; readonly isStuck: boolean }> {
  const store = createStore(initial);
  const controller = new AbortController();
  const { promise: settled, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, PATIENCE_MS);
  const running = source.run((action) => {
    store.set(reduce(store.get(), action));
    if (action.type === 'complete') resolve();
  }, controller.signal);
  await Promise.race([settled, running]);
  clearTimeout(timer);
  controller.abort();
  const { promise: late, resolve: giveUp } = Promise.withResolvers<boolean>();
  const leaving = setTimeout(() => giveUp(true), LEAVING_MS);
  const ended = running.then(
    () => false,
    () => false,
  );
  const isStuck = await Promise.race([ended, late]);
  clearTimeout(leaving);
  return { state: store.get(), isStuck };
}

/** The same as data. */
export function summaryOf(state: State, now: number) {
  const { about, connection, rows, capabilities } = state;
  const { deliveriesPerMinute, failing, disabled } = figuresOf(state, now);
  return {
    service: about.url,
    version: about.version,
    tenant: about.tenant,
    connection: connection.state,
    faults: about.faults,
    deliveriesPerMinute,
    failingEndpoints: failing,
    disabledEndpoints: disabled,
    endpoints: rows.endpoints,
    limits: rows.limits.map(({ meter: _meter, ...limit }) => limit),
    requestsByCapability: capabilities.rows,
    deliveries: rows.deliveries,
    audit: rows.audit,
  };
}
