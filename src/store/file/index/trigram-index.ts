/** A trigram index for substring search: for every three adjacent code units of some texts, the slots whose texts contain them. */

/** How many posting lists are intersected: each further one filters less. */
const MAX_LISTS = 4;
/** A list that is so many times longer than what is left costs more to decode than checking the texts of what it would remove. */
const MAX_LENGTH_RATIO = 16;

/** Slots in ascending order, each stored as its difference from the one before, seven bits per byte. */
class PostingList {
  count = 0;
  #bytes = new Uint8Array(8);
  #used = 0;
  #last = -1;

  /** Adds a slot that is not below the last one. */
  add(slot: number): void {
    if (slot === this.#last) return;
    if (this.#used + 5 > this.#bytes.length) {
      const grown = new Uint8Array(this.#bytes.length + Math.max(16, this.#bytes.length >> 1));
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    let difference = slot - this.#last;
    for (; difference > 127; difference >>>= 7) this.#bytes[this.#used++] = (difference & 127) | 128;
    this.#bytes[this.#used++] = difference;
    this.#last = slot;
    this.count++;
  }

  decode(): number[] {
    const slots: number[] = [];
    let [slot, difference, shift] = [-1, 0, 0];
    for (let at = 0; at < this.#used; at++) {
      const byte = this.#bytes[at]!;
      difference |= (byte & 127) << shift;
      shift += 7;
      if (byte > 127) continue;
      slots.push((slot += difference));
      difference = shift = 0;
    }
    return slots;
  }
}

export class TrigramIndex {
  readonly #lists = new Map<number, PostingList>();

  /** Adds the text of a slot. Slots are added in ascending order. */
  add(slot: number, text: string): void {
    let [a, b] = [text.charCodeAt(0), text.charCodeAt(1)];
    for (let at = 2; at < text.length; at++) {
      const c = text.charCodeAt(at);
      const key = toTrigramKey(a, b, c);
      [a, b] = [b, c];
      let list = this.#lists.get(key);
      if (list === undefined) this.#lists.set(key, (list = new PostingList()));
      list.add(slot);
    }
  }

  /** Finds the slots that may contain a text of at least three code units, in ascending order: all that do are among them. */
  find(text: string): { readonly maxCount: number; decode(): number[] } {
    const lists = new Set<PostingList>();
    for (let at = 0; at + 3 <= text.length; at++) {
      const list = this.#lists.get(toTrigramKey(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)));
      if (list === undefined) return { maxCount: 0, decode: () => [] };
      lists.add(list);
    }
    const [rarest, ...others] = [...lists].sort((a, b) => a.count - b.count).slice(0, MAX_LISTS);
    return {
      maxCount: rarest!.count,
      decode: () =>
        others.reduce(
          (slots, list) => (list.count > slots.length * MAX_LENGTH_RATIO ? slots : intersect(slots, list.decode())),
          rarest!.decode(),
        ),
    };
  }
}

/** A number of its own for each trigram; that of three ASCII characters is small, which makes its look-up fast. */
const toTrigramKey = (a: number, b: number, c: number): number =>
  (a | b | c) < 128 ? (a << 14) | (b << 7) | c : (a * 65_536 + b) * 65_536 + c + 2 ** 21;

/** The slots that are in both lists, which are in ascending order. */
function intersect(slots: readonly number[], others: readonly number[]): number[] {
  let at = 0;
  return slots.filter((slot) => {
    while (others[at]! < slot) at++;
    return others[at] === slot;
  });
}
