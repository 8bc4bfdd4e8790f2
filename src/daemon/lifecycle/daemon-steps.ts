import type { Logger } from 'pino';

interface Step<T> {
  readonly name: string;
  readonly start: () => T | Promise<T>;
  /** Called with the result of `start`. */
  readonly stop: (started: T) => unknown;
}

interface Stop {
  readonly name: string;
  readonly stop: () => unknown;
}

/** The steps of a start, which stop in the reverse order. */
export class DaemonSteps {
  readonly #log: Pick<Logger, 'debug'>;
  readonly #stops: Stop[] = [];

  constructor(log: Pick<Logger, 'debug'>) {
    this.#log = log;
  }

  async start<T>({ name, start, stop }: Step<T>): Promise<T> {
    const started = await start();
    this.onStop(name, () => stop(started));
    return started;
  }

  /** For a step that has nothing to start, or nothing that may fail before it must be stopped. */
  onStop(name: string, stop: () => unknown): void {
    this.#stops.push({ name, stop });
  }

  /** Stops every step, even after one has failed; then throws the first failure. */
  async stop(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.#stops.pop(); step; step = this.#stops.pop()) {
      try {
        await step.stop();
        this.#log.debug({ step: step.name }, 'stopped a step');
      } catch (error) {
        this.#log.debug({ step: step.name, err: error }, 'could not stop a step');
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
