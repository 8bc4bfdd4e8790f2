/** Makes disk operations fail, from a given one on. */
import type { DiskInterceptor, DiskOperation } from './intercept.ts';

export interface Fault {
  /** Number of the first operation that fails, counted from 0. */
  readonly at: number;
  /** How many operations in a row fail. */
  readonly count: number;
  /** `refused`: it has no effect. `reported`: it takes effect and reports an error. `torn`: of a write, the first half takes effect. */
  readonly mode: 'refused' | 'reported' | 'torn';
}

/** An interceptor that injects the fault, and what it did to which operations. */
export function injectFault({ at, count, mode }: Fault): { intercept: DiskInterceptor; failed: DiskOperation['kind'][] } {
  const failed: DiskOperation['kind'][] = [];
  let number = 0;
  const intercept: DiskInterceptor = (operation, run) => {
    const isFailing = number >= at && number < at + count;
    number++;
    if (!isFailing) return run();
    failed.push(operation.kind);
    const error = Object.assign(new Error(`EIO: injected fault, ${operation.kind} '${operation.path}'`), { code: 'EIO' });
    if (mode === 'refused') throw error;
    const result = run(operation.kind === 'write' && mode === 'torn' ? Math.floor(operation.data.length / 2) : undefined);
    if (!(result instanceof Promise)) throw error;
    return result.then(() => {
      throw error;
    }) as typeof result;
  };
  return { intercept, failed };
}
