/** The shared state of a store that only one daemon can open: everything is in its memory, and it owns all work. */
import type { LeaseGroup, Member, SharedState } from '../../domain/kernel/shared-state.ts';
import { type LocalRateWindows, createLocalRateWindows } from './rate-windows.ts';

const OWNS_ALL: LeaseGroup = { setNames: () => undefined, isOwned: () => true, close: () => Promise.resolve() };

export interface LocalState extends SharedState {
  readonly rateWindows: LocalRateWindows;
}

export function createLocalState(self: Pick<Member, 'instanceId' | 'version' | 'startedAt' | 'hasTestClock'>): LocalState {
  let url: string | null = null;
  return {
    rateWindows: createLocalRateWindows(),
    leases: { openGroup: () => OWNS_ALL },
    members: {
      list: () => [{ ...self, url, seenAt: new Date().toISOString() }],
      setUrl(newUrl) {
        url = newUrl;
      },
    },
    close: () => Promise.resolve(),
  };
}
