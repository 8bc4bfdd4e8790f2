/** Writing to stdout at the reader's pace: a stalled pager loses nothing, and memory stays flat. */
import { once } from 'node:events';

export interface Sink {
  /** Resolves when the stream can take more. */
  write(text: string): Promise<void>;
  /** Whether anything was written. */
  readonly started: boolean;
}

export function sinkOf(stream: NodeJS.WritableStream): Sink {
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
