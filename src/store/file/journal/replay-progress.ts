/** Reports the progress of a long replay: for the first time after a second, then twice a second, and at its end. */
import type { ReplayProgress } from '../../../platform/daemon-state.ts';

const FIRST_REPORT_MS = 1_000;
const REPORT_INTERVAL_MS = 500;

export class ReplayReporter {
  readonly #totalBytes: number;
  readonly #report: (progress: ReplayProgress) => void;
  readonly #startedAt = performance.now();
  #reportAt = this.#startedAt + FIRST_REPORT_MS;
  #hasReported = false;

  constructor(totalBytes: number, report: (progress: ReplayProgress) => void) {
    this.#totalBytes = totalBytes;
    this.#report = report;
  }

  /** To be called after each record. */
  update(replayedBytes: number): void {
    const now = performance.now();
    if (now < this.#reportAt) return;
    this.#reportAt = now + REPORT_INTERVAL_MS;
    this.#hasReported = true;
    // The last segment ends with preallocated zeros, so only the end of the replay is the whole.
    this.#send(Math.min(replayedBytes, this.#totalBytes - 1));
  }

  finish(): void {
    if (this.#hasReported) this.#send(this.#totalBytes);
  }

  #send(replayedBytes: number): void {
    const milliseconds = Math.round(performance.now() - this.#startedAt);
    this.#report({ replayedBytes, totalBytes: this.#totalBytes, milliseconds });
  }
}
