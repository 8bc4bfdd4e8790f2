/** Keys of any kind, in a list. */
import { compareValues, type Key } from '../../compare.ts';
import type { Keys } from './keys.ts';

/** Up to this length, a list that grows is copied: one that grows in place gets room for 16 more keys. */
const MAX_COPIED_LENGTH = 16;

export class ListedKeys implements Keys {
  #keys: Key[] = [];

  set(slot: number, key: Key): boolean {
    // No holes: they would make reading the list slower.
    while (this.#keys.length < slot) this.#keys.push(null);
    if (slot === this.#keys.length && slot < MAX_COPIED_LENGTH) this.#keys = this.#keys.concat(null);
    this.#keys[slot] = key;
    return true;
  }

  copy(): ListedKeys {
    const copy = new ListedKeys();
    copy.#keys = this.#keys.slice();
    return copy;
  }

  get(slot: number): Key {
    return this.#keys[slot] ?? null;
  }

  equals(slot: number, key: Key): boolean {
    const held = this.get(slot);
    return (
      held === key ||
      (Array.isArray(held) && Array.isArray(key) && held.length === key.length && held.every((each, at) => each === key[at]))
    );
  }

  compare(a: number, b: number): number {
    return compareValues(this.get(a), this.get(b));
  }
}
