/**
 * An equality index of an array field: a posting list of slots per element. Most elements have few slots, so short lists stay compact.
 */
import type { Value } from '../../../domain/kernel/ports.ts';
import type { Key } from '../../compare.ts';
import { OrderedIndex } from './ordered-index.ts';

const MAX_ARRAY_LENGTH = 32;
const bySlot = (a: number, b: number): number => a - b;

type PostingList = number | number[] | OrderedIndex;

export class PostingLists {
  readonly #lists = new Map<Value, PostingList>();

  add(key: Key, slot: number): void {
    if (typeof key === 'object' && key !== null) for (const value of new Set(key)) this.#addOne(value, slot);
    else this.#addOne(key, slot);
  }

  remove(key: Key, slot: number): void {
    if (typeof key === 'object' && key !== null) for (const value of new Set(key)) this.#removeOne(value, slot);
    else this.#removeOne(key, slot);
  }

  count(value: Value): number {
    const list = this.#lists.get(value);
    if (list === undefined) return 0;
    if (typeof list === 'number') return 1;
    return Array.isArray(list) ? list.length : list.size;
  }

  forEach(value: Value, visit: (slot: number) => void): void {
    const list = this.#lists.get(value);
    if (list === undefined) return;
    if (typeof list === 'number') visit(list);
    else if (Array.isArray(list)) list.forEach((slot) => visit(slot));
    else
      list.scan(0, (slot) => {
        visit(slot);
        return true;
      });
  }

  #addOne(value: Value, slot: number): void {
    const list = this.#lists.get(value);
    if (list === undefined) this.#lists.set(value, slot);
    else if (typeof list === 'number') this.#lists.set(value, [list, slot]);
    else if (!Array.isArray(list)) list.insert(slot);
    else if (list.length < MAX_ARRAY_LENGTH) list.push(slot);
    else this.#lists.set(value, new OrderedIndex(bySlot, Uint32Array.from([...list, slot]).sort()));
  }

  #removeOne(value: Value, slot: number): void {
    const list = this.#lists.get(value);
    if (list === undefined || typeof list === 'number') {
      this.#lists.delete(value);
      return;
    }
    if (Array.isArray(list)) {
      const at = list.indexOf(slot);
      list[at] = list.at(-1)!;
      list.pop();
    } else list.remove(slot);
    if ((Array.isArray(list) ? list.length : list.size) === 0) this.#lists.delete(value);
  }
}
