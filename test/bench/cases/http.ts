/** Reads and durable writes over HTTP against the baseline G. */
import { createItem, createOrder, listPages, readOne, sameAnswer } from '../shots.ts';
import type { Case } from '../bench.ts';
import type { Load, Shot } from '../load.ts';
import type { Finding, Target } from '../report.ts';
import { median, measure, pairedRatio } from '../rounds.ts';

interface Comparison {
  readonly name: string;
  readonly what: string;
  readonly connections: number;
  readonly shots: (keys: readonly string[], rows: number) => Shot[];
  readonly target: Target;
}

const atLeast = (ratio: number): Target => ({ of: 'ratio', atLeast: ratio });

export const readCase = comparing('read', 'read one item', true, [
  { name: 'read', what: 'read one item, 16 connections', connections: 16, shots: readOne, target: atLeast(0.95) },
]);

export const listCase = comparing('list', 'pages of 50 items', true, [
  { name: 'list', what: 'list page of 50, 16 connections', connections: 16, shots: listPages, target: atLeast(1.4) },
]);

export const createCase = comparing('create', 'durable creates', false, [
  { name: 'create-1', what: 'durable create item, 1 connection', connections: 1, shots: createItem, target: atLeast(0.3) },
  { name: 'create-16', what: 'durable create item, 16 connections', connections: 16, shots: createItem, target: atLeast(0.5) },
  { name: 'create-64', what: 'durable create item, 64 connections', connections: 64, shots: createItem, target: atLeast(0.65) },
]);

export const orderCase = comparing('order', 'durable orders with ten lines', false, [
  { name: 'order', what: 'durable order with ten lines, 16 connections', connections: 16, shots: createOrder, target: atLeast(0.35) },
]);

/** `same`: both arms must give exactly the same answers. */
function comparing(name: string, about: string, same: boolean, comparisons: readonly Comparison[]): Case {
  return {
    name,
    about,
    async run(bench) {
      const { keys, copy } = await bench.data();
      return bench.using([bench.daemon({ directory: copy() }), bench.baseline(bench.rows, keys)], async (ours, baseline) => {
        const findings: Finding[] = [];
        for (const { connections, shots, ...rest } of comparisons) {
          bench.say(rest.what);
          const job = { connections, shots: shots(keys, bench.rows) };
          if (same) for (const shot of job.shots.slice(0, 20)) await sameAnswer(shot, ours, baseline);
          const [mine = [], theirs = []] = await measure(
            bench.load,
            [
              { arm: ours, job },
              { arm: baseline, job },
            ],
            bench.effort,
          );
          findings.push(compared(rest, mine, theirs));
        }
        return findings;
      });
    },
  };
}

export function compared(
  { name, what, target }: Pick<Comparison, 'name' | 'what' | 'target'>,
  mine: readonly Load[],
  theirs: readonly Load[],
): Finding {
  const ratios = mine.map(({ rate }, round) => rate / (theirs[round]?.rate ?? Number.NaN));
  return {
    case: name,
    what,
    ours: rateOf(mine),
    baseline: rateOf(theirs),
    ratio: pairedRatio(
      mine.map(({ rate }) => rate),
      theirs.map(({ rate }) => rate),
    ),
    target,
    detail: { ratios, ours: mine, baseline: theirs },
  };
}

export function rateOf(loads: readonly Load[]): Finding['ours'] {
  const cpu = loads.map((load) => load.cpu).filter((micros) => micros !== null);
  return { value: median(loads.map(({ rate }) => rate)), unit: '/s', ...(cpu.length > 0 ? { cpu: median(cpu) } : {}) };
}
