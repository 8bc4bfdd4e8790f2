/** How late the event loop runs timers: what every request waits in addition to its own work. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricFamily } from './exposition.ts';

const RESOLUTION_MS = 20;
const QUANTILES = [0.5, 0.9, 0.99, 1] as const;

/** Measures from now on. Returns a function that reports the quantiles since its last call, and the sums since the start. */
export function watchEventLoopDelay(): () => MetricFamily {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let count = 0;
  let sum = 0;
  // Node measures the time between two runs of a timer, so that an idle event loop has the resolution as its delay.
  const toSeconds = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
  return () => {
    const samples = QUANTILES.map((quantile) => ({
      labels: { quantile: String(quantile) },
      // Not known before the first measurement.
      value: delays.count === 0 ? Number.NaN : toSeconds(delays.percentile(quantile * 100)),
    }));
    if (delays.count > 0) {
      count += delays.count;
      sum += toSeconds(delays.mean) * delays.count;
    }
    delays.reset();
    return {
      name: 'stockroom_event_loop_delay_seconds',
      type: 'summary',
      help: 'Delay of the event loop. Quantiles since the last scrape.',
      samples: [...samples, { suffix: '_sum', value: sum }, { suffix: '_count', value: count }],
    };
  };
}
