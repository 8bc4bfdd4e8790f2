/** Waiting where somebody can see it: one line, counting down on a terminal. */
import type { Wait } from '../client/retry.ts';

const REASONS: Readonly<Record<Wait['reason'], string>> = {
  'rate limit': 'Rate limited',
  'service busy': 'The service is busy',
  'connection lost': 'The connection broke',
};

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
  for (let left = milliseconds; left > 0; left = until - performance.now()) {
    stream.write(`\r${line()} \u001b[K`);
    await pause(Math.min(1000, left));
  }
  stream.write('\r\u001b[K');
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));
