/**
 * Where blocks are put together before they are written. One buffer, used again and again: buffers made and dropped by the
 * thousand would make the collector run in the middle of a checkpoint.
 */
export class Staging {
  #buffer: Buffer;
  #at = 0;

  constructor(bytes: number) {
    this.#buffer = Buffer.allocUnsafeSlow(bytes);
  }

  get length(): number {
    return this.#at;
  }

  /** What was put in since it was emptied. */
  bytes(from = 0): Buffer {
    return this.#buffer.subarray(from, this.#at);
  }

  empty(): void {
    this.#at = 0;
  }

  /** Room for so many bytes, to be filled by the caller before the next call. */
  room(bytes: number): Buffer {
    this.#reserve(bytes);
    this.#at += bytes;
    return this.#buffer.subarray(this.#at - bytes, this.#at);
  }

  /** Text, and its length in bytes. */
  text(text: string): number {
    this.#reserve(text.length * 3);
    const bytes = this.#buffer.write(text, this.#at, 'utf8');
    this.#at += bytes;
    return bytes;
  }

  uint32s(count: number): Uint32Array {
    const { buffer, byteOffset } = this.room(count * 4);
    return new Uint32Array(buffer, byteOffset, count);
  }

  uint16s(count: number): Uint16Array {
    const { buffer, byteOffset } = this.room(count * 2);
    return new Uint16Array(buffer, byteOffset, count);
  }

  float64s(count: number): Float64Array {
    const { buffer, byteOffset } = this.room(count * 8);
    return new Float64Array(buffer, byteOffset, count);
  }

  /** Up to a multiple of eight, where numbers may begin. */
  pad(): void {
    const rest = this.#at % 8;
    if (rest !== 0) this.room(8 - rest).fill(32);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#at + bytes, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#at);
    this.#buffer = grown;
  }
}
