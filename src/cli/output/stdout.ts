/** Writing to stdout with back pressure, so that a slow reader loses nothing and memory stays constant. */
import { once } from 'node:events';
import { escapeJson, sanitizeData, sanitizeOutput } from '../../platform/terminal-text.ts';

type Syntax = 'text' | 'data' | 'json';

const CLEANERS: Readonly<Record<Syntax, (text: string) => string>> = { text: sanitizeOutput, data: sanitizeData, json: escapeJson };

export interface Sink {
  /**
   * Resolves when the stream accepts more data. On a terminal, unsafe characters are replaced, in JSON and YAML (`json`) escaped; only
   * `text` may have styles, which are those of the command line. In a pipe everything is written unchanged.
   */
  write(text: string, syntax?: Syntax): Promise<void>;
  /** Whether anything was written. */
  readonly started: boolean;
}

export function createSink(stream: NodeJS.WritableStream & { readonly isTTY?: boolean }): Sink {
  let started = false;
  return {
    get started() {
      return started;
    },
    async write(text, syntax = 'text') {
      if (text === '') return;
      started = true;
      const safe = stream.isTTY === true ? CLEANERS[syntax](text) : text;
      if (!stream.write(safe)) await once(stream, 'drain');
    },
  };
}
