/** Reads and durable writes over HTTP against the baseline G. */
import { createItem, createOpenOrder, createOrder, listPages, readOne, sameAnswer } from '../requests.ts';
import type { Case } from '../bench.ts';
import type { Load, Shot } from '../load.ts';
import type { Finding, Target } from '../report.ts';
import type { Arm } from '../servers.ts';
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
  { name: 'read', what: 'read one item, 16 connections', connections: 16, shots: readOne, target: atLeast(0.85) },
]);

export const listCase = comparing('list', 'pages of 50 items', true, [
  { name: 'list', what: 'list page of 50, 16 connections', connections: 16, shots: listPages, target: atLeast(0.75) },
]);

export const createCase = comparing('create', 'durable creates', false, [
  { name: 'create-1', what: 'durable create item, 1 connection', connections: 1, shots: createItem, target: atLeast(0.35) },
  { name: 'create-16', what: 'durable create item, 16 connections', connections: 16, shots: createItem, target: atLeast(0.45) },
  { name: 'create-64', what: 'durable create item, 64 connections', connections: 64, shots: createItem, target: atLeast(0.45) },
]);

export const orderCase = comparing('order', 'durable orders with ten lines, and open ones with three', false, [
  { name: 'order', what: 'durable order with ten lines, 16 connections', connections: 16, shots: createOrder, target: atLeast(0.35) },
  {
    name: 'order-open',
    what: 'durable open order with three lines, 16 connections',
    connections: 16,
    shots: createOpenOrder,
    target: atLeast(0.3),
  },
]);

/** `same`: both arms must give exactly the same answers. */
function comparing(name: string, about: string, same: boolean, comparisons: readonly Comparison[]): Case {
  return {
    name,
    about,
    async run(bench) {
      const { keys, copy } = await bench.data();
      const { against } = bench;
      const servers = [bench.daemon({ directory: copy() }), bench.baseline(bench.rows, keys)];
      if (against !== undefined) servers.push(bench.daemon({ directory: copy(), checkout: against }));
      return bench.using(servers, async (...arms) => {
        const [ours, baseline] = arms as [Arm, Arm];
        const findings: Finding[] = [];
        for (const { connections, shots, ...rest } of comparisons) {
          bench.say(rest.what);
          const job = { connections, shots: shots(keys, bench.rows) };
          if (same) for (const shot of job.shots.slice(0, 20)) await sameAnswer(shot, ours, baseline);
          const [mine = [], theirs = [], others] = await measure(
            bench.load,
            arms.map((arm) => ({ arm, job })),
            bench.effort,
          );
          findings.push(compared(rest, mine, theirs));
          if (others)
            findings.push(compared({ ...rest, what: `${rest.what}, over the other version`, target: atLeast(0.97) }, mine, others));
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
    ours: getRate(mine),
    baseline: getRate(theirs),
    ratio: pairedRatio(
      mine.map(({ rate }) => rate),
      theirs.map(({ rate }) => rate),
    ),
    target,
    detail: { ratios, ours: mine, baseline: theirs },
  };
}

export function getRate(loads: readonly Load[]): Finding['ours'] {
  const cpu = loads.map((load) => load.cpu).filter((micros) => micros !== null);
  return { value: median(loads.map(({ rate }) => rate)), unit: '/s', ...(cpu.length > 0 ? { cpu: median(cpu) } : {}) };
}
