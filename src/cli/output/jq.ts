/** `--jq`: filters JSON output with jq itself, compiled to WebAssembly, which is loaded only for this. */
import { usageError } from '../errors/failure.ts';
import type { Sink } from './stdout.ts';

export interface JqSink extends Sink {
  /** Filters what was written, and prints it. */
  finish(): Promise<void>;
}

/** Checks an expression before anything is sent. Throws a usage error if it does not compile. */
export async function checkJq(expression: string): Promise<void> {
  const error = await run('null', expression).then(
    () => undefined,
    (reason: unknown) => readError(reason),
  );
  // Other errors depend on the input.
  if (error?.isSyntax === true) throw usageError(`Invalid --jq: ${error.message}`, "Example: --jq '.data[].sku'");
}

/** Collects the output, which is filtered as a whole. */
export function createJqSink(sink: Sink, expression: string): JqSink {
  const texts: string[] = [];
  return {
    started: false,
    write(text) {
      texts.push(text);
      return Promise.resolve();
    },
    async finish() {
      const json = texts.join('');
      if (json.trim() === '') return;
      const filtered = await run(json, expression).catch((reason: unknown) => {
        throw usageError(`--jq: ${readError(reason).message}`, 'Print the whole response with --json');
      });
      if (filtered !== '') await sink.write(`${filtered}\n`, 'data');
    },
  };
}

/** Texts are printed without quotes, and in a pipe each value in one line. */
async function run(json: string, expression: string): Promise<string> {
  const { raw } = await import('jq-wasm');
  return raw(json, expression, process.stdout.isTTY ? ['-r'] : ['-r', '-c']);
}

/** `syntax error, unexpected end of file`, without what jq adds for programs that call it. */
function readError(reason: unknown): { readonly message: string; readonly isSyntax: boolean } {
  const text = reason instanceof Error ? reason.message : String(reason);
  const [line = ''] = text.replace(/^Failed to execute[^:]*: /u, '').split('\n');
  const message = line.replace(/^jq: error(?: \(at [^)]*\))?: /u, '').replace(/ \(Unix shell quoting issues\?\)| at <top-level>.*$/gu, '');
  return { message, isSyntax: /compile error/u.test(text) };
}
