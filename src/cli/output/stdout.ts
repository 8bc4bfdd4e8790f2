/** Writing to stdout with back pressure, so that a slow reader loses nothing and memory stays constant. */
import { once } from 'node:events';

export interface Sink {
  /** Resolves when the stream accepts more data. */
  write(text: string): Promise<void>;
  /** Whether anything was written. */
  readonly started: boolean;
}

export function createSink(stream: NodeJS.WritableStream): Sink {
  let started = false;
  return {
    get started() {
      return started;
    },
    async write(text) {
      if (text === '') return;
      started = true;
      if (!stream.write(text)) await once(stream, 'drain');
    },
  };
}
