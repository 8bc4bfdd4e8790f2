/** An equality index of an array field: the slots of each element. */
import type { Value } from '../../../domain/kernel/ports.ts';
import type { Key } from '../../compare.ts';

const NO_SLOTS: ReadonlySet<number> = new Set();

export class PostingLists {
  #slots = new Map<Value, Set<number>>();
  /** Whether others may have the same sets. */
  #isShared = false;

  /** Takes those of others. Each of the two copies them before it changes. */
  share(source: PostingLists): void {
    this.#slots = source.#slots;
    this.#isShared = source.#isShared = true;
  }

  add(key: Key, slot: number): void {
    this.#unshare();
    for (const value of toElements(key)) {
      const slots = this.#slots.get(value);
      if (slots === undefined) this.#slots.set(value, new Set([slot]));
      else slots.add(slot);
    }
  }

  remove(key: Key, slot: number): void {
    this.#unshare();
    for (const value of toElements(key)) {
      const slots = this.#slots.get(value);
      if (slots?.delete(slot) === true && slots.size === 0) this.#slots.delete(value);
    }
  }

  #unshare(): void {
    if (!this.#isShared) return;
    this.#isShared = false;
    this.#slots = new Map([...this.#slots].map(([value, slots]) => [value, new Set(slots)]));
  }

  get(value: Value): ReadonlySet<number> {
    return this.#slots.get(value) ?? NO_SLOTS;
  }
}

const toElements = (key: Key): readonly Value[] => (typeof key === 'object' && key !== null ? key : [key]);
