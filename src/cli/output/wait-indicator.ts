/** Shows at the terminal what a command waits for. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Wait } from '../../client/transport/retry.ts';
import { getTerminalWidth } from './style.ts';

const CONNECTION_LOST = 'Connection lost';
const RATE_LIMITED = '429 (rate limited)';

/** Number of countdowns; while there is one, `withElapsedTime` leaves the line to it. */
let activeCountdowns = 0;

/** Waits, and reports the reason and the remaining time on `stream`. */
export async function waitWithCountdown(
  { milliseconds, status, nextTry }: Wait,
  stream: NodeJS.WriteStream = process.stderr,
): Promise<void> {
  const until = performance.now() + milliseconds;
  const cause = status === null ? CONNECTION_LOST : status === 429 ? RATE_LIMITED : String(status);
  const line = () => `${cause}; retrying in ${formatSeconds(until - performance.now())} (attempt ${String(nextTry)})`;
  if (!stream.isTTY) {
    stream.write(`${line()}\n`);
    await pause(milliseconds);
    return;
  }
  activeCountdowns += 1;
  const clear = watchSignals(stream);
  for (let left = milliseconds; left > 0; left = until - performance.now()) {
    stream.write(`\r${line()} \u001b[K`);
    await pause(Math.min(1000, left));
  }
  activeCountdowns -= 1;
  clear();
}

/** Returns a function that clears the line. A signal that ends the process clears it, too. */
function watchSignals(stream: NodeJS.WriteStream): () => void {
  const handlers = (['SIGINT', 'SIGTERM'] as const).map((signal) => {
    const handle = () => {
      clear();
      // Other listeners decide themselves when to exit.
      if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    };
    process.on(signal, handle);
    return () => process.off(signal, handle);
  });
  const clear = () => {
    for (const off of handlers) off();
    stream.write('\r\u001b[K');
  };
  return clear;
}

/** Whole seconds; tenths below one second. */
export const formatSeconds = (milliseconds: number): string =>
  milliseconds < 1_000 ? `${(Math.max(0, milliseconds) / 1_000).toFixed(1)} s` : `${String(Math.ceil(milliseconds / 1_000))} s`;

/** Shorter waits show nothing. */
const SHOW_AFTER_MS = 1_000;

/**
 * Returns the result of `work`. At a terminal, a line shows the current `label` and the elapsed time until `work` is settled. `timeoutS`: the timeout of
 * `work`, shown for information.
 */
export async function withElapsedTime<T>(
  work: Promise<T>,
  label: string | (() => string),
  timeoutS?: number,
  stream: NodeJS.WriteStream = process.stderr,
): Promise<T> {
  if (!stream.isTTY) return work;
  const startedAt = performance.now();
  let clear: (() => void) | undefined;
  const limit = timeoutS === undefined ? '' : ` of at most ${String(timeoutS)} s`;
  const timer = setInterval(() => {
    if (activeCountdowns > 0) return;
    clear ??= watchSignals(stream);
    const text = `${typeof label === 'string' ? label : label()}: ${String(Math.round((performance.now() - startedAt) / 1_000))} s${limit}`;
    stream.write(`\r${text.slice(0, getTerminalWidth(stream) - 1)}\u001b[K`);
  }, SHOW_AFTER_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    clear?.();
  }
}

/** Shows the elapsed time while a response is pending, at a terminal only. */
export const withWaitIndicator = <T>(response: Promise<T>): Promise<T> => withElapsedTime(response, 'Waiting for the response');
