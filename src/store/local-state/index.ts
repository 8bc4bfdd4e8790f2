/** The shared state of a store that only one daemon can open: everything is in its memory, and it owns all work. */
import type { LeaseGroup, SharedState } from '../../domain/kernel/shared-state.ts';
import { createLocalRateWindows } from './rate-windows.ts';

const OWNS_ALL: LeaseGroup = { setNames: () => undefined, isOwned: () => true, close: () => Promise.resolve() };

export const createLocalState = (): SharedState => ({
  rateWindows: createLocalRateWindows(),
  leases: { openGroup: () => OWNS_ALL },
  members: { list: () => [], hasClockConflict: () => false, setUrl: () => undefined },
  close: () => Promise.resolve(),
});
