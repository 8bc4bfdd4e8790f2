/** Detects a service whose list never ends because its pages make no progress. */
import { UnexpectedResponse } from '../errors.ts';

/** Rows that are created while a list is read can repeat a page, but not so often in a row. */
const REPETITIONS_MAX = 3;

export interface PageProgress {
  /** Call it for each page that is not the last one. `position`: the number or the cursor of the next page. Throws UnexpectedResponse. */
  check(data: readonly unknown[], position: unknown): void;
}

export function createPageProgress(path: string): PageProgress {
  const positions = new Set<string>();
  let lastPage: string | undefined;
  let repetitions = 0;
  const fail = (problem: string): never => {
    throw new UnexpectedResponse(path, `Unexpected response from the service to GET ${path}: ${problem}`);
  };
  return {
    check(data, position) {
      // A filter may leave a page empty, whose cursor then continues after what it did not match.
      if (data.length === 0 && typeof position === 'number') fail('the list continues after an empty page');
      const key = JSON.stringify(position);
      if (positions.has(key)) fail('the list continues with a page that was already read');
      positions.add(key);
      const page = JSON.stringify([data.length, data[0], data.at(-1)]);
      repetitions = page === lastPage && data.length > 0 ? repetitions + 1 : 0;
      lastPage = page;
      if (repetitions >= REPETITIONS_MAX) fail('the list repeats the same page');
    },
  };
}
