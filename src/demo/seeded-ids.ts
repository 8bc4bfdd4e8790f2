/** Deterministic ids: the same seed always gives the same demo. */
import { deriveId } from '../domain/kernel/derived-ids.ts';
import type { NewId } from '../domain/kernel/ports.ts';

/** UUIDs of version 8 (RFC 9562: custom content), derived from a seed and a counter. */
export function createSeededIds(seed: string): NewId {
  let count = 0;
  return () => deriveId(`${seed} ${String((count += 1))}`);
}
