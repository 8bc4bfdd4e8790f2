/** Waiting where somebody can see it: one line, counting down on a terminal. */
import type { Wait } from '../client/retry.ts';
import { columnsOf } from './style.ts';

const REASONS: Readonly<Record<Wait['reason'], string>> = {
  'rate limit': 'Rate limited',
  'service busy': 'The service is busy',
  'connection lost': 'The connection broke',
};

/** How many waits count down at the moment: the line is theirs. */
let counting = 0;

/** Says on `stream` why and how long, and resolves when it is over. */
export async function waitVisibly({ milliseconds, reason, nextTry }: Wait, stream: NodeJS.WriteStream = process.stderr): Promise<void> {
  const until = performance.now() + milliseconds;
  const line = () =>
    `${REASONS[reason]}; try ${String(nextTry)} in ${String(Math.max(1, Math.ceil((until - performance.now()) / 1000)))} s`;
  if (!stream.isTTY) {
    stream.write(`${line()}\n`);
    await pause(milliseconds);
    return;
  }
  counting += 1;
  for (let left = milliseconds; left > 0; left = until - performance.now()) {
    stream.write(`\r${line()} \u001b[K`);
    await pause(Math.min(1000, left));
  }
  counting -= 1;
  stream.write('\r\u001b[K');
}

/** Sooner nobody wonders. */
const UNTOLD_MS = 1_000;

/**
 * Resolves as `work` does. At a terminal a line counts the seconds from the first on, and goes when it is over. `what`: what is being
 * done; `atMostS`: after how many seconds it is given up.
 */
export async function tellWhile<T>(
  work: Promise<T>,
  what: string,
  atMostS?: number,
  stream: NodeJS.WriteStream = process.stderr,
): Promise<T> {
  if (!stream.isTTY) return work;
  const began = performance.now();
  let isTold = false;
  const limit = atMostS === undefined ? '' : ` of ${String(atMostS)} s at most`;
  const timer = setInterval(() => {
    if (counting > 0) return;
    isTold = true;
    const text = `${what}: ${String(Math.round((performance.now() - began) / 1_000))} s${limit}`;
    stream.write(`\r${text.slice(0, columnsOf(stream) - 1)}\u001b[K`);
  }, UNTOLD_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    if (isTold) stream.write('\r\u001b[K');
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
