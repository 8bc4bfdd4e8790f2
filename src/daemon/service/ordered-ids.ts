import { randomUUID } from 'node:crypto';
import type { NewId } from '../../domain/kernel/ports.ts';

const COUNT_MAX = 0xfff;
/** Where the variant of a UUID and its last 62 bits start. */
const RANDOM_PART = 19;

/**
 * Generates UUIDs of version 7 (RFC 9562 §6.2, method 1), each greater than the one before, so that rows of one millisecond keep their
 * order: time, a counter, and random bits of Node, which are ten times faster than those of the uuid package.
 */
export function createIdGenerator(): NewId {
  let time = 0;
  let count = 0;
  return () => {
    const now = Date.now();
    if (now > time) {
      time = now;
      count = 0;
    } else if (count < COUNT_MAX) {
      count += 1;
    } else {
      time += 1;
      count = 0;
    }
    const hex = time.toString(16).padStart(12, '0');
    return `${hex.slice(0, 8)}-${hex.slice(8)}-7${count.toString(16).padStart(3, '0')}-${randomUUID().slice(RANDOM_PART)}`;
  };
}
