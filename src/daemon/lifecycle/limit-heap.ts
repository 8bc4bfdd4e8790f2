/**
 * Limits the garbage of a daemon on a database, whose caches are in V8's heap. Otherwise V8 lets such a heap grow to several times of what
 * is in use before it collects (control/process-settings.js): 425 MB of memory under load with full caches, instead of 246 MB, without a difference in speed.
 */
import { setFlagsFromString } from 'node:v8';

const GROWTH_PERCENT = 30;

export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${String(GROWTH_PERCENT)}`);
}
