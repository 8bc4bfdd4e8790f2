/** Records what explains why a receiver rejected a delivery: a few headers and the start of the body. W-3. */
import { RECORDED_RESPONSE_HEADERS } from '../contract/headers.ts';
import { DELIVERY_RESPONSE_HEADER_CHARS, DELIVERY_RESPONSE_RECORDED_BYTES } from '../contract/limits.ts';
import type { AttemptResponse } from '../domain/events/records.ts';

/** A database cannot read NUL from JSON, and a terminal should not show any of them. */
// oxlint-disable-next-line no-control-regex -- they are what this looks for
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/gu;

export class ResponseCapture {
  readonly #headers: Readonly<Record<string, string>>;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  #isTruncated = false;

  constructor(headers: Readonly<Record<string, string | string[] | undefined>>) {
    this.#headers = selectHeaders(headers);
  }

  add(chunk: Buffer): void {
    const room = DELIVERY_RESPONSE_RECORDED_BYTES - this.#bytes;
    this.#isTruncated ||= chunk.length > room;
    if (room <= 0) return;
    // A copy, because the chunk may be a part of a larger buffer.
    this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#bytes += Math.min(room, chunk.length);
  }

  /** A character that the limit cuts is left out; bytes that are not UTF-8, and control characters other than blanks, become U+FFFD. */
  getResponse(): AttemptResponse {
    const body = new TextDecoder().decode(Buffer.concat(this.#chunks), { stream: this.#isTruncated });
    return { headers: this.#headers, body: body.replaceAll(CONTROL, '\u{FFFD}'), isTruncated: this.#isTruncated };
  }
}

function selectHeaders(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const selected: Record<string, string> = {};
  for (const name of RECORDED_RESPONSE_HEADERS) {
    const value = headers[name];
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(', ') : value;
    selected[name] = Array.from(text).slice(0, DELIVERY_RESPONSE_HEADER_CHARS).join('');
  }
  return selected;
}
