/** `--jq`: filters JSON output with jq itself, compiled to WebAssembly, which is loaded only for this. */
import type { JqResult } from 'jq-wasm/inline';
import { usageError } from '../errors/failure.ts';
import type { Sink } from './stdout.ts';

/** Exit code of jq for an expression that does not compile. */
const COMPILE_ERROR = 3;

export interface JqSink extends Sink {
  /** Filters what was written, and prints it. */
  finish(): Promise<void>;
}

/** Checks an expression before anything is sent. Throws a usage error if it does not compile. */
export async function checkJq(expression: string): Promise<void> {
  const { exitCode, stderr } = await run('null', expression);
  // Other errors depend on the input.
  if (exitCode === COMPILE_ERROR) throw usageError(`Invalid --jq: ${readError(stderr)}`, "Example: --jq '.data[].sku'");
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
      const { exitCode, stdout, stderr } = await run(json, expression);
      if (exitCode !== 0) throw usageError(`--jq: ${readError(stderr)}`, 'Print the whole response with --json');
      if (stdout !== '') await sink.write(`${stdout}\n`, 'data');
    },
  };
}

/** Texts are printed without quotes, and in a pipe each value in one line. */
async function run(json: string, expression: string): Promise<JqResult> {
  const { raw } = await import('jq-wasm/inline');
  return raw(json, expression, process.stdout.isTTY ? ['-r'] : ['-r', '-c']);
}

/** `syntax error, unexpected end of file`, without the place in the expression and the input. */
function readError(stderr: string): string {
  const [line = ''] = stderr.split('\n');
  return line.replace(/^jq: error(?: \(at [^)]*\))?: /u, '').replace(/ \(Unix shell quoting issues\?\)| at <top-level>.*$/gu, '');
}
