/** Keys in a typed array, by slot: smaller than values on the heap, and invisible to the garbage collector. */
import type { Value } from '../../../domain/kernel/ports.ts';
import type { Key, Range } from '../../compare.ts';

export interface PackedKeys {
  /** Sets the key of a slot. Returns false, changing nothing, when it is neither null nor fit. */
  set(slot: number, key: Key): boolean;
  /** Null for slots without a key. */
  get(slot: number): Value;
  /** Whether a slot has this key. */
  equals(slot: number, key: Key): boolean;
  /** Sorts as the texts do, null last. */
  compare(a: number, b: number): number;
  /** Creates a function that compares slots with a value: negative before, 0 at, positive after. Undefined unless the value has this form. */
  createValueComparator(value: Value): ((slot: number) => number) | undefined;
  /** Creates a function that determines whether slots lie before (-1), inside (0) or after (1) a range. Undefined unless its bounds have this form. */
  createRangeComparator(range: Range, folded: boolean): ((slot: number) => -1 | 0 | 1) | undefined;
  /** Makes room for so many slots. */
  reserve(slots: number): void;
  /** Slots from here on never had a key. */
  readonly slotCount: number;
}
