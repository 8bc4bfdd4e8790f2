/** One line on the terminal that tells how far a job is; nothing in a pipe. */
import { columnsOf } from '../style.ts';

const REDRAW_MS = 100;

export interface Progress {
  /** `left`: seconds until the end, when known. `note`: what it is waiting for. */
  show(done: number, left?: number | null, note?: string): void;
  clear(): void;
}

export interface ProgressOptions {
  /** What is counted: `items`. */
  readonly what: string;
  /** What becomes of it: `checked`. */
  readonly done?: string;
  /** Null: not known, or not yet. */
  total: number | null;
  readonly stream?: NodeJS.WriteStream;
}

export function newProgress(options: ProgressOptions): Progress {
  const { what, done: participle, stream = process.stderr } = options;
  if (!stream.isTTY) return { show: () => undefined, clear: () => undefined };
  const startedAt = performance.now();
  let first: number | undefined;
  let drawnAt: number | null = null;
  return {
    show(done, left = null, note = '') {
      const now = performance.now();
      const { total } = options;
      first ??= done;
      if (drawnAt !== null && now - drawnAt < REDRAW_MS && done !== total) return;
      drawnAt = now;
      const seconds = (now - startedAt) / 1000;
      const rate = seconds > 0.5 ? (done - first) / seconds : 0;
      const eta = left ?? (total !== null && rate > 0 ? (total - done) / rate : null);
      const parts = [
        [total === null ? counted(done, what) : `${grouped(done)} of ${counted(total, what)}`, participle].filter(Boolean).join(' '),
        total === null || total === 0 ? '' : `${String(Math.floor((done / total) * 100))} %`,
        rate >= 1 ? `${grouped(Math.round(rate))}/s` : '',
        eta === null || done === total ? '' : `${timeText(eta)} left`,
        note,
      ];
      stream.write(
        `\r${parts
          .filter(Boolean)
          .join('  ')
          .slice(0, Math.max(20, columnsOf(stream) - 1))}\u001b[K`,
      );
    },
    clear() {
      if (drawnAt !== null) stream.write('\r\u001b[K');
      drawnAt = null;
    },
  };
}

/** 75 → `1:15`, 5 → `5 s`. */
export function timeText(seconds: number): string {
  const whole = Math.max(1, Math.ceil(seconds));
  if (whole < 60) return `${String(whole)} s`;
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const two = (part: number) => String(part).padStart(2, '0');
  return hours > 0 ? `${String(hours)}:${two(minutes)}:${two(whole % 60)}` : `${String(minutes)}:${two(whole % 60)}`;
}

/** `1 item`, `1,204 items`. */
export const counted = (count: number, plural: string): string => `${grouped(count)} ${count === 1 ? plural.replace(/s$/u, '') : plural}`;

/** 1204 → `1,204`; without Intl, whose loading costs more than a request. */
export const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');
