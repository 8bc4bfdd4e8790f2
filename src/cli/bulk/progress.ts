/** A progress line at the terminal; nothing in a pipe. */
import { formatCount, formatCountWithNoun, formatCountdown } from '../output/numbers.ts';
import { getTerminalWidth } from '../output/style.ts';

const REDRAW_MS = 100;

export interface Progress {
  /** `left`: seconds until the end, if known. `note`: what the job waits for. */
  show(done: number, left?: number | null, note?: string): void;
  clear(): void;
}

export interface ProgressOptions {
  /** What is counted: `items`. */
  readonly noun: string;
  /** Participle of what is done: `checked`. */
  readonly participle?: string;
  /** Null if it is not known. */
  total: number | null;
  readonly stream?: NodeJS.WriteStream;
}

export function createProgress(options: ProgressOptions): Progress {
  const { noun, participle, stream = process.stderr } = options;
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined };
  const startedAt = performance.now();
  let first: number | undefined;
  let lastDrawnAt: number | null = null;
  return {
    show(done, left = null, note = '') {
      const now = performance.now();
      const { total } = options;
      first ??= done;
      if (lastDrawnAt !== null && now - lastDrawnAt < REDRAW_MS && done !== total) return;
      lastDrawnAt = now;
      const seconds = (now - startedAt) / 1000;
      const rate = seconds > 0.5 ? (done - first) / seconds : 0;
      const eta = left ?? (total !== null && rate > 0 ? (total - done) / rate : null);
      const parts = [
        [total === null ? formatCountWithNoun(done, noun) : `${formatCount(done)} of ${formatCountWithNoun(total, noun)}`, participle]
          .filter(Boolean)
          .join(' '),
        total === null || total === 0 ? '' : `${String(Math.floor((done / total) * 100))} %`,
        rate >= 1 ? `${formatCount(Math.round(rate))}/s` : '',
        eta === null || done === total ? '' : `${formatCountdown(eta)} left`,
        note,
      ];
      stream.write(
        `\r${parts
          .filter(Boolean)
          .join('  ')
          .slice(0, Math.max(20, getTerminalWidth(stream) - 1))}\u001b[K`,
      );
    },
    clear() {
      if (lastDrawnAt !== null) stream.write('\r\u001b[K');
      lastDrawnAt = null;
    },
  };
}
