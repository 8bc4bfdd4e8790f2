/** Gives the terminal to another program, or to the shell while the dashboard is stopped: to one at a time. */
import { setImmediate } from 'node:timers/promises';

/** Takes the screen and the keys back when `work` is done. */
export type SuspendScreen = (work: () => Promise<void>) => Promise<void>;

/**
 * Gives the terminal to `program`, which removes what it made also when it is aborted. Does nothing after the dashboard has ended, or the
 * user has given up.
 */
export type Lend = (program: (signal: AbortSignal) => Promise<void>) => Promise<void>;

interface Taken {
  readonly controller: AbortController;
  isLent: boolean;
  done: Promise<void>;
}

export class Handover {
  #suspendScreen: SuspendScreen | null = null;
  #current: Taken | null = null;

  /** Before this, and after the returned function was called, there is no screen to lend. */
  attach(suspendScreen: SuspendScreen): () => void {
    this.#suspendScreen = suspendScreen;
    return () => void (this.#suspendScreen = null);
  }

  /** Whether there is a screen and the dashboard has it. */
  hasScreen(): boolean {
    return this.#suspendScreen !== null && !this.isLent();
  }

  /** Whether keys are for another program, which may still be starting. */
  isTaken(): boolean {
    return this.#current !== null;
  }

  /** Whether another program has the terminal. */
  isLent(): boolean {
    return this.#current?.isLent === true;
  }

  /** Does nothing while something else has taken the terminal. */
  async take(work: (lend: Lend) => Promise<void>): Promise<void> {
    if (this.#current !== null) return;
    const taken: Taken = { controller: new AbortController(), isLent: false, done: Promise.resolve() };
    this.#current = taken;
    taken.done = work((program) => this.#lend(taken, program)).finally(() => {
      if (this.#current === taken) this.#current = null;
    });
    await taken.done;
  }

  async #lend(taken: Taken, program: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = taken.controller;
    if (this.#suspendScreen === null || signal.aborted) return;
    taken.isLent = true;
    await withSignalsOfTerminal(taken.controller, this.#suspendScreen, () => program(signal));
  }

  /** Gives up what has not got the terminal yet. */
  cancel(): void {
    if (this.#current === null || this.#current.isLent) return;
    this.#current.controller.abort();
    this.#current = null;
  }

  /** Ends what has taken the terminal; resolves when it has ended. */
  async end(): Promise<void> {
    this.#current?.controller.abort();
    // Its failure is reported by `take`.
    if (this.#current?.isLent) await this.#current.done.catch(() => undefined);
  }
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
