/** Repeatable ids and random numbers: the same seed gives the same demo every time. */
import { createHash } from 'node:crypto';
import type { NewId } from '../domain/ports.ts';

/** UUIDs (version 8, RFC 9562: content of our own) derived from a seed and a running number. */
export function repeatableIds(seed: string): NewId {
  let count = 0;
  return () => repeatableId(`${seed} ${String((count += 1))}`);
}

/** The UUID of a name: always the same. */
export function repeatableId(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Numbers in [0, 1), repeatable (mulberry32). */
export function repeatableRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
