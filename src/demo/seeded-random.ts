/** Deterministic ids and random numbers: the same seed always gives the same demo. */
import { createHash } from 'node:crypto';
import type { NewId } from '../domain/kernel/ports.ts';

/** UUIDs of version 8 (RFC 9562: custom content), derived from a seed and a counter. */
export function createSeededIds(seed: string): NewId {
  let count = 0;
  return () => deriveId(`${seed} ${String((count += 1))}`);
}

/** The UUID derived from a name. */
export function deriveId(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Random numbers in [0, 1) from a seed (mulberry32). */
export function createSeededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
