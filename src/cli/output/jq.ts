/** `--jq`: filters JSON output with jq itself, compiled to WebAssembly, which is loaded only for this. */
import type { JqResult } from 'jq-wasm/inline';
import { Failure, usageError } from '../errors/failure.ts';
import type { Sink } from './stdout.ts';

/** Exit code of jq for an expression that does not compile. */
const COMPILE_ERROR = 3;

export interface JqSink extends Sink {
  /**
   * Filters what was written, and prints it. `hasWritten`: whether the command has changed something; its response, which may have a secret
   * that no other response has, is printed unfiltered if it does not fit the expression.
   */
  finish(hasWritten: boolean): Promise<void>;
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
    get started() {
      return texts.length > 0;
    },
    write(text) {
      if (text !== '') texts.push(text);
      return Promise.resolve();
    },
    async finish(hasWritten) {
      const json = texts.splice(0).join('');
      if (json.trim() === '') return;
      const { exitCode, stdout, stderr } = await run(json, expression);
      if (exitCode === 0) {
        if (stdout !== '') await sink.write(`${stdout}\n`, 'data');
        return;
      }
      const message = `--jq: ${readError(stderr)}`;
      if (!hasWritten) throw usageError(message, 'Print the whole response with --json');
      await sink.write(json, 'json');
      throw new Failure('FILTER_FAILED', message, { hint: 'The command was executed: its whole output is printed, do not repeat it' });
    },
  };
}

/** Filters each text, which has complete values, when it is written. What does not fit the expression is skipped, and each reason reported once. */
export function createJqStream(sink: Sink, expression: string, onError: (message: string) => void): Sink {
  const reported = new Set<string>();
  let last = Promise.resolve();
  const print = async (text: string): Promise<void> => {
    const { exitCode, stdout, stderr } = await run(text, expression);
    if (stdout !== '') await sink.write(`${stdout}\n`, 'data');
    if (exitCode === 0) return;
    const message = `--jq: ${readError(stderr)}`;
    if (!reported.has(message)) onError(message);
    reported.add(message);
  };
  return {
    get started() {
      return sink.started;
    },
    // In the order of the writes, also of those that are not awaited.
    write: (text) => (last = last.then(() => print(text))),
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
