/** The keys of one field by slot, stored in one of three ways; rows/column.ts chooses between them. */
import type { Value } from '../../../domain/kernel/ports.ts';
import type { Key } from '../../compare.ts';

export interface Keys {
  /** Sets the key of a slot. Returns false, changing nothing, when it cannot be stored in this way. */
  set(slot: number, key: Key): boolean;
  /** The same keys, which can change independently. */
  copy(): Keys;
  /** Null for slots without a key. */
  get(slot: number): Key;
  /** Whether a slot has this key. */
  equals(slot: number, key: Key): boolean;
  /** Sorts as the keys do, null last. */
  compare(a: number, b: number): number;
  /** Creates a function that compares slots with a value: negative before, 0 at, positive after. Undefined when there is no faster way than `get`. */
  createValueComparator?(value: Value): ((slot: number) => number) | undefined;
}
