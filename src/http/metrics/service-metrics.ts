/** What a service counts for its metrics. The counts become text only when someone reads them: docs/adr/0025. */

/** Upper bounds of the histogram, in seconds. */
export const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** `aborted`: the client disconnected before the response. */
const STATUS_CLASSES = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

/** The requests of one operation and status class. */
export interface RequestSeries {
  readonly operation: string;
  readonly statusClass: StatusClass;
  /** Requests by bucket; the last bucket has no upper bound. */
  readonly buckets: readonly number[];
  readonly totalSeconds: number;
}

/** Requests and their durations by operation and status class. */
export class RequestHistogram {
  readonly #series = new Map<string, { buckets: number[]; totalSeconds: number }[]>();

  /** `status`: null if the client disconnected before the response. */
  observe(operation: string, status: number | null, milliseconds: number): void {
    let classes = this.#series.get(operation);
    if (!classes) this.#series.set(operation, (classes = []));
    const series = (classes[status === null ? 0 : Math.floor(status / 100)] ??= {
      buckets: Array.from({ length: DURATION_BUCKETS_S.length + 1 }, () => 0),
      totalSeconds: 0,
    });
    const seconds = milliseconds / 1_000;
    let bucket = 0;
    while (bucket < DURATION_BUCKETS_S.length && seconds > DURATION_BUCKETS_S[bucket]!) bucket += 1;
    series.buckets[bucket]! += 1;
    series.totalSeconds += seconds;
  }

  /** Only series with requests. */
  list(): RequestSeries[] {
    return [...this.#series].flatMap(([operation, classes]) =>
      STATUS_CLASSES.flatMap((statusClass, at) => {
        const series = classes[at];
        return series ? [{ operation, statusClass, ...series }] : [];
      }),
    );
  }
}

/** Counts by a label with few values, which are all listed from the start: a rate over a count that appears later would miss its first. */
export class LabelCounts<Label extends string> {
  readonly #counts: Map<string, number>;

  constructor(labels: readonly Label[]) {
    this.#counts = new Map(labels.map((label) => [label, 0]));
  }

  add(label: Label): void {
    this.#counts.set(label, (this.#counts.get(label) ?? 0) + 1);
  }

  list(): [label: string, count: number][] {
    return [...this.#counts];
  }
}

/** The limits that reject requests: of a key, of an address without a valid key, of an OAuth client. */
const RATE_LIMITS = ['key', 'address', 'client'] as const;
/** The states of a delivery after an attempt. */
const ATTEMPT_OUTCOMES = ['delivered', 'retrying', 'failed', 'discarded'] as const;
type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number];

/** Undefined: the store does not have or know it. */
export interface StoreFigures {
  readonly rows: number | undefined;
  /** Journal that the next start replays. */
  readonly journalBytes: number | undefined;
  /** Whether changes are rejected. */
  readonly isUnavailable: boolean;
}

export interface ServiceMetrics {
  readonly requests: RequestHistogram;
  readonly rateLimited: LabelCounts<(typeof RATE_LIMITS)[number]>;
  readonly deliveryAttempts: LabelCounts<AttemptOutcome>;
  readonly getStoreFigures: () => StoreFigures;
}

export const createServiceMetrics = (getStoreFigures: () => StoreFigures): ServiceMetrics => ({
  requests: new RequestHistogram(),
  rateLimited: new LabelCounts(RATE_LIMITS),
  deliveryAttempts: new LabelCounts(ATTEMPT_OUTCOMES),
  getStoreFigures,
});
