/**
 * Loaded into the daemon by `--import`: measures how late its event loop is. Each SIGUSR2 appends what was seen since the one before
 * to the file named by BENCH_STALLS, as a line of JSON, and restarts.
 */
import { appendFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface Stalls {
  /** Milliseconds, the timer's own millisecond included. */
  readonly max: number;
  readonly p99: number;
  readonly samples: number;
}

const file = process.env['BENCH_STALLS'];
if (file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('SIGUSR2', () => {
    const stalls: Stalls = { max: delay.max / 1e6, p99: delay.percentile(99) / 1e6, samples: delay.count };
    appendFileSync(file, `${JSON.stringify(stalls)}\n`);
    delay.reset();
  });
}
