/** Keeps the heap of long jobs small: they create much garbage, and by default V8 would use three times the memory that they need. */
export function preferSmallHeap(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--optimize-for-size');
}
