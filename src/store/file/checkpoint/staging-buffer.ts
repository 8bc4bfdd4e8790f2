/**
 * A growable buffer in which blocks are assembled before they are written. It is reused, because thousands of short-lived buffers would
 * trigger garbage collections during a checkpoint.
 */
export class StagingBuffer {
  #buffer: Buffer;
  #length = 0;

  constructor(bytes: number) {
    this.#buffer = Buffer.allocUnsafeSlow(bytes);
  }

  get length(): number {
    return this.#length;
  }

  /** The bytes appended since it was cleared. */
  getBytes(from = 0): Buffer {
    return this.#buffer.subarray(from, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** Appends space for so many bytes, which the caller fills before the next call. */
  allocate(bytes: number): Buffer {
    this.#reserve(bytes);
    this.#length += bytes;
    return this.#buffer.subarray(this.#length - bytes, this.#length);
  }

  /** Appends text and returns its length in bytes. */
  appendText(text: string): number {
    this.#reserve(text.length * 3);
    const bytes = this.#buffer.write(text, this.#length, 'utf8');
    this.#length += bytes;
    return bytes;
  }

  allocateUint32s(count: number): Uint32Array {
    const { buffer, byteOffset } = this.allocate(count * 4);
    return new Uint32Array(buffer, byteOffset, count);
  }

  allocateUint16s(count: number): Uint16Array {
    const { buffer, byteOffset } = this.allocate(count * 2);
    return new Uint16Array(buffer, byteOffset, count);
  }

  allocateFloat64s(count: number): Float64Array {
    const { buffer, byteOffset } = this.allocate(count * 8);
    return new Float64Array(buffer, byteOffset, count);
  }

  /** Pads to a multiple of eight bytes, where numbers may start. */
  padToEight(): void {
    const rest = this.#length % 8;
    if (rest !== 0) this.allocate(8 - rest).fill(32);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#length + bytes, this.#buffer.length * 2));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
