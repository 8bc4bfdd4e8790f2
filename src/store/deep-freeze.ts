/** Freezes a row with everything in it: caches share it, so no reader may change it. */
export function deepFreeze<T>(value: T): T {
  // `Object.freeze` throws for views of buffers, which a codec may decode.
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  for (const each of Object.values(value)) deepFreeze(each);
  return Object.freeze(value);
}
