/** Gives the terminal to another program, or to the shell while the dashboard is stopped: to one at a time. */
import { setImmediate } from 'node:timers/promises';

/** Takes the screen and the keys back when `work` is done. */
export type SuspendScreen = (work: () => Promise<void>) => Promise<void>;

export interface TerminalUse {
  /** Aborted when the dashboard ends, or the user gives up before the terminal was given away. */
  readonly signal: AbortSignal;
  /** Gives the terminal to `program`, which removes what it made also when it is aborted. Does nothing after `signal` was aborted. */
  lend(program: (signal: AbortSignal) => Promise<void>): Promise<void>;
}

export interface Handover {
  /** Before this, and after the returned function was called, there is no screen to lend. */
  attach(suspendScreen: SuspendScreen): () => void;
  /** Whether there is a screen and the dashboard has it. */
  hasScreen(): boolean;
  /** Whether keys are for another program, which may still be starting. */
  isTaken(): boolean;
  /** Whether another program has the terminal. */
  isLent(): boolean;
  /** Does nothing while something else has taken the terminal. */
  take(work: (use: TerminalUse) => Promise<void>): Promise<void>;
  /** Gives up what has not got the terminal yet. */
  cancel(): void;
  /** Ends what has taken the terminal; resolves when it has ended. */
  end(): Promise<void>;
}

interface Taken {
  readonly controller: AbortController;
  isLent: boolean;
  done: Promise<void>;
}

export function createHandover(): Handover {
  let suspendScreen: SuspendScreen | null = null;
  let current: Taken | null = null;
  const lend = async (taken: Taken, program: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    const { signal } = taken.controller;
    if (suspendScreen === null || signal.aborted) return;
    taken.isLent = true;
    await withSignalsOfTerminal(taken.controller, suspendScreen, () => program(signal));
  };
  return {
    attach(suspend) {
      suspendScreen = suspend;
      return () => void (suspendScreen = null);
    },
    hasScreen: () => suspendScreen !== null && current?.isLent !== true,
    isTaken: () => current !== null,
    isLent: () => current?.isLent === true,
    async take(work) {
      if (current !== null) return;
      const controller = new AbortController();
      const taken: Taken = { controller, isLent: false, done: Promise.resolve() };
      current = taken;
      taken.done = work({ signal: controller.signal, lend: (program) => lend(taken, program) }).finally(() => {
        if (current === taken) current = null;
      });
      await taken.done;
    },
    cancel() {
      if (current === null || current.isLent) return;
      current.controller.abort();
      current = null;
    },
    async end() {
      current?.controller.abort();
      // Its failure is reported by `take`.
      if (current?.isLent) await current.done.catch(() => undefined);
    },
  };
}

/** Keys make the terminal send these to the dashboard as well. */
const FROM_KEYS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const ENDING: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP'];

/** Signals that would end the dashboard end the program first, then the dashboard. */
async function withSignalsOfTerminal(controller: AbortController, suspend: SuspendScreen, program: () => Promise<void>): Promise<void> {
  let received: NodeJS.Signals | null = null;
  const ignore = (): void => undefined;
  const end = (signal: NodeJS.Signals): void => {
    received ??= signal;
    controller.abort();
  };
  for (const signal of FROM_KEYS) process.on(signal, ignore);
  for (const signal of ENDING) process.on(signal, end);
  try {
    await suspend(async () => {
      await releaseStdin();
      await program();
      // The screen is drawn from the first column.
      process.stdout.write('\r');
    });
  } finally {
    for (const signal of FROM_KEYS) process.off(signal, ignore);
    for (const signal of ENDING) process.off(signal, end);
    if (received !== null) process.kill(process.pid, received);
    // The size may have changed while the dashboard was not informed of it.
    else process.emit('SIGWINCH', 'SIGWINCH');
  }
}

/**
 * While another program has the terminal, Ink removes its listener, but stdin keeps reading and would take that program's keys.
 * Pausing stops it, once the listener has been removed.
 */
async function releaseStdin(): Promise<void> {
  await setImmediate();
  process.stdin.pause();
  await setImmediate();
}
