/** JSON with sorted object keys: the same text for equal values. Empty for undefined. */
export const toCanonicalJson = (value: unknown): string => (value === undefined ? '' : JSON.stringify(sortKeys(value)));

/** A copy with the keys of every object sorted. */
function sortKeys(value: unknown): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(sortKeys);
  const fields = value as Readonly<Record<string, unknown>>;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(fields).sort()) {
    const sorted = sortKeys(fields[key]);
    // An assignment would set the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: sorted, enumerable: true });
    else copy[key] = sorted;
  }
  return copy;
}
