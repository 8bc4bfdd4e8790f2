/** `dashboard --once`: waits for the first data and collects the state. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Unreachable } from '../client/errors.ts';
import { listAttention } from './tables/attention-list.ts';
import { countServiceProblems } from './tables/deliveries.ts';
import { isShort } from './tables/items.ts';
import { getFigures } from './tables/selectors.ts';
import type { State } from './state/model.ts';
import type { Source } from './sources/source.ts';
import { createStore } from './state/store.ts';

/** After this time without an answer the service is shown as not connected. */
const ANSWER_TIMEOUT_MS = 5_000;
/** The process does not wait for the timer. */
const UNREFERENCED = { ref: false };

/** Waits for the first answer of `address`; throws `Unreachable` after the timeout. */
export async function withTimeout<T>(answer: Promise<T>, address: string): Promise<T> {
  const timeout = sleep(ANSWER_TIMEOUT_MS, undefined, UNREFERENCED).then(() => {
    const reason = `No response from ${address} within ${String(ANSWER_TIMEOUT_MS / 1_000)} s`;
    throw new Unreachable(address, reason, { afterSending: true });
  });
  return Promise.race([answer, timeout]);
}

/** How long a source may take to stop; an unanswered request takes longer. */
const STOP_TIMEOUT_MS = 250;

/** The state after everything was read once, and whether a request is still unanswered. */
export async function collectState(initial: State, source: Source): Promise<{ readonly state: State; readonly isStuck: boolean }> {
  const store = createStore(initial);
  const controller = new AbortController();
  const { promise: completed, resolve } = Promise.withResolvers<void>();
  const running = source.run((action) => {
    store.dispatch(action);
    if (action.type === 'complete') resolve();
  }, controller.signal);
  await Promise.race([completed, running, sleep(ANSWER_TIMEOUT_MS, undefined, UNREFERENCED)]);
  controller.abort();
  const ended = running.then(
    () => false,
    () => false,
  );
  return { state: store.get(), isStuck: await Promise.race([ended, sleep(STOP_TIMEOUT_MS, true, UNREFERENCED)]) };
}

/** The state as data for `--json`. */
export function toSummary(state: State, now: number) {
  const { about, connection, rows, capabilities } = state;
  const { deliveriesPerMinute, failing, disabled } = getFigures(state, now);
  return {
    service: about.url,
    version: about.version,
    tenant: about.tenant,
    connection: connection.state,
    faults: about.faults,
    storeProblem: about.storeProblem,
    unavailable: state.unavailable,
    needsAttention: listAttention(state, now).map(({ text }) => text),
    deliveriesPerMinute,
    problems: countServiceProblems(rows),
    failingEndpoints: failing.length,
    disabledEndpoints: disabled,
    endpoints: rows.endpoints,
    limits: rows.limits.map(({ meter: _meter, hour, ...limit }) => ({ ...limit, requestsPerMinute: hour.slots })),
    requestsByCapability: capabilities.rows,
    deliveries: rows.deliveries,
    requests: rows.requests,
    audit: rows.audit,
    events: rows.events,
    stock: rows.items.filter(isShort),
    orders: rows.orders,
  };
}
