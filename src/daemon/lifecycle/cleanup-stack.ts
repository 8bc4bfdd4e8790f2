type Step = () => unknown;

/** Cleanup steps, run in the reverse order of their registration. */
export class CleanupStack {
  readonly #steps: Step[] = [];

  push(step: Step): void {
    this.#steps.push(step);
  }

  /** Runs every step, even after one has failed; then throws the first failure. */
  async unwind(): Promise<void> {
    const failures: unknown[] = [];
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}
