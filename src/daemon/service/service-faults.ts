import type { Logger } from 'pino';
import { OPERATIONS } from '../../contract/index.ts';
import { type FaultOptions, type FaultRegistry, createFaultRegistry } from '../../domain/faults/fault-registry.ts';
import type { Feed } from '../../http/feed.ts';
import type { ServiceClock } from './clocks/clock.ts';

/** The injected faults of a service; every change is logged and published to the feed. */
export function createServiceFaults(clock: ServiceClock, log: Logger, feed: Feed, getPlan: FaultOptions['getPlan']): FaultRegistry {
  const faults = createFaultRegistry({
    now: () => clock.now(),
    random: Math.random,
    getPlan,
    operations: OPERATIONS,
    onChange() {
      const current = faults.list();
      if (current.length === 0) log.info('fault injection ended');
      else log.warn({ faults: current.map(({ target }) => target) }, 'fault injection active');
      feed.publish('faults', null, { faults: current });
    },
  });
  return faults;
}
