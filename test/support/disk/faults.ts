/** Makes steps on disk fail, from a given one on. */
import type { AroundStep, DiskFile, DiskStep } from '../../../src/store/file/disk/disk.ts';

export interface Fault {
  /** Number of the first step that fails, counted from 0. */
  readonly at: number;
  /** How many steps in a row fail. */
  readonly count: number;
  /** `refused`: it has no effect. `reported`: it takes effect and reports an error. `torn`: of a write, the first half takes effect. */
  readonly mode: 'refused' | 'reported' | 'torn';
}

/** Injects the fault, and lists what kinds of steps failed. */
export function injectFault({ at, count, mode }: Fault): { intercept: AroundStep; failed: DiskStep['kind'][] } {
  const failed: DiskStep['kind'][] = [];
  let number = 0;
  const intercept: AroundStep = async (step, run) => {
    const isFailing = number >= at && number < at + count;
    number++;
    if (!isFailing) return run(step);
    failed.push(step.kind);
    if (mode !== 'refused') await closeFile(await run(mode === 'torn' ? keepFirstHalf(step) : step));
    throw Object.assign(new Error(`EIO: injected fault, ${step.kind} '${step.path}'`), { code: 'EIO' });
  };
  return { intercept, failed };
}

/** The caller of a step that fails does not close the file that it has opened. */
async function closeFile(result: unknown): Promise<void> {
  if (typeof result === 'object' && result !== null && 'close' in result) await (result as DiskFile).close();
}

function keepFirstHalf<S extends DiskStep>(step: S): S {
  if (step.kind !== 'write') return step;
  const data = Buffer.concat(step.buffers);
  return { ...step, buffers: [data.subarray(0, Math.floor(data.length / 2))] };
}
