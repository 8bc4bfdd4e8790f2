/** Detects a service whose list never ends because its pages make no progress. */
import { createMalformedResponse } from '../errors.ts';

/** Rows that are created while a list is read can repeat a page, but not so often in a row. */
const REPETITIONS_MAX = 3;

/**
 * Returns a function to call for each page that is not the last one, with the number or the cursor of the next page. It throws
 * UnexpectedResponse.
 */
export function createPageProgress(path: string): (data: readonly unknown[], position: unknown) => void {
  const positions = new Set<string>();
  let lastPage: string | undefined;
  let repetitions = 0;
  const fail = (problem: string): never => {
    throw createMalformedResponse(path, problem);
  };
  return (data, position) => {
    // A filter may leave a page empty, whose cursor then continues after what it did not match.
    if (data.length === 0 && typeof position === 'number') fail('the list continues after an empty page');
    const key = JSON.stringify(position);
    if (positions.has(key)) fail('the list continues with a page that was already read');
    positions.add(key);
    const page = JSON.stringify([data.length, data[0], data.at(-1)]);
    repetitions = page === lastPage && data.length > 0 ? repetitions + 1 : 0;
    lastPage = page;
    if (repetitions >= REPETITIONS_MAX) fail('the list repeats the same page');
  };
}
