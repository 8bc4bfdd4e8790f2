/** Saves usage counts every few seconds. */
import { type UsageMeter, createUsageMeter } from '../../http/requests/usage-meter.ts';
import type { RunInBackground } from './background.ts';
import type { OpenedStore } from './open-store.ts';

interface SavedUsage {
  readonly meter: UsageMeter;
  save(): Promise<void>;
  /** From now on counts are saved only by `save`. */
  stopTimer(): void;
}

const SAVE_INTERVAL_MS = 5_000;

export function startSavingUsage({ store, files }: OpenedStore, runInBackground: RunInBackground): SavedUsage {
  const meter = createUsageMeter();
  // Also detects the loss of the directory when nothing is written.
  const save = async (): Promise<void> => {
    if ((await files?.verifyFiles()) === undefined) await meter.save(store);
  };
  const timer = setInterval(() => runInBackground(save), SAVE_INTERVAL_MS).unref();
  return { meter, save, stopTimer: () => clearInterval(timer) };
}
