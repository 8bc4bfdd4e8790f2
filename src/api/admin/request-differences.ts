/** How a body differs from the fields that a test expects. */
import { isDeepStrictEqual } from 'node:util';

export interface Difference {
  /** JSON pointer. */
  readonly path: string;
  readonly expected: unknown;
  /** Undefined if it is absent. */
  readonly got: unknown;
}

/** Fields that are not expected do not count; lists must have as many entries. */
export function listDifferences(expected: unknown, got: unknown, path = ''): Difference[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(got) || got.length !== expected.length) return [{ path, expected, got }];
    return expected.flatMap((entry: unknown, at) => listDifferences(entry, got[at], `${path}/${String(at)}`));
  }
  if (typeof expected !== 'object' || expected === null) return isDeepStrictEqual(expected, got) ? [] : [{ path, expected, got }];
  if (typeof got !== 'object' || got === null || Array.isArray(got)) return [{ path, expected, got }];
  return Object.entries(expected).flatMap(([name, value]) =>
    listDifferences(value, Object.hasOwn(got, name) ? (got as Record<string, unknown>)[name] : undefined, `${path}/${name}`),
  );
}
