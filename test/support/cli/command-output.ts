/** What a command says while it runs. */
import { createInterface } from 'node:readline';
import type { Home } from './home.ts';

/** The lines that a running command prints, as objects, one after the other; always read, so that the command can end. */
export function getLines(child: ReturnType<Home['spawn']>): { next(): Promise<Record<string, unknown>> } {
  const came: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const first = waiting.shift();
    if (first) first(line);
    else came.push(line);
  });
  return {
    async next() {
      const line = came.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)));
      return JSON.parse(line) as Record<string, unknown>;
    },
  };
}

/** Resolves when its messages contain this text, from now on; fails with what it said instead when it ends. */
export function saying(child: ReturnType<Home['spawn']>, text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes(text)) resolve();
  });
  void child.then(() => reject(new Error(`it ended without saying "${text}":\n${said}`)));
  // A test that has failed before it comes to wait for this says enough.
  promise.catch(() => undefined);
  return promise;
}
