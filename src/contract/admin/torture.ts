/** Torture of a program: what is injected, and the results of runs. */
import { single, defineAdminOperation } from '../operation.ts';
import { type Infer, t } from '../schema/builder.ts';

/** What a run counts; a fault is injected at one position. */
export const COUNTED = ['requests', 'writes', 'pages', 'deliveries'] as const;
export type Counted = (typeof COUNTED)[number];

/** By kind: what is counted for its position. `pages`: requests for a page of a list of items or contacts after the first. */
export const TORTURE_FAULTS = {
  'lose-delivery': 'deliveries',
  'double-delivery': 'deliveries',
  'delay-delivery': 'deliveries',
  'reorder-delivery': 'deliveries',
  'lose-answer': 'writes',
  'limit-requests': 'requests',
  'expire-key': 'requests',
  'add-record': 'pages',
  'remove-record': 'pages',
  restart: 'requests',
} as const satisfies Readonly<Record<string, Counted>>;
export type TortureFault = keyof typeof TORTURE_FAULTS;
export const TORTURE_FAULT_KINDS = Object.keys(TORTURE_FAULTS) as TortureFault[];

export interface PlannedFault {
  readonly kind: TortureFault;
  /** Position, from 1. */
  readonly at: number;
}

export const formatFault = ({ kind, at }: PlannedFault): string => `${kind}:${String(at)}`;

/** In the environment of the program: the file with the current key. */
export const API_KEY_FILE_VARIABLE = 'STOCKROOM_API_KEY_FILE';

const count = () => t.int({ min: 0 });
const texts = () => t.array(t.string());

export const tortureResult = t.object({
  at: t.timestamp(),
  command: texts(),
  seed: count(),
  runs: t.annotate(count(), { description: 'Runs that were made.' }),
  failed: t.annotate(count(), { description: 'Runs that failed.' }),
  milliseconds: count(),
  counts: t.annotate(t.map(count()), { description: 'What a run without faults has: requests, writes, pages, deliveries.' }),
  injected: t.annotate(t.map(count()), { description: 'Injected faults by kind.' }),
  run: t.annotate(t.nullable(count()), { description: 'The run that failed; null if all passed.' }),
  faults: t.annotate(texts(), { description: 'The fewest faults with which it fails, such as double-delivery:3.' }),
  reason: t.nullable(t.string()),
  differences: t.annotate(texts(), { description: 'Between the copy and the service.' }),
  output: t.annotate(t.string(), { description: 'The end of what the program printed in that run.' }),
  repeated: t.annotate(t.nullable(t.string()), {
    description: 'How many of the runs with these faults failed. 4 of 4; fewer if it depends on timing, and nothing else was found.',
  }),
  repeat: t.annotate(t.nullable(t.string()), { description: 'The command that repeats it.' }),
});
export type TortureResult = Infer<typeof tortureResult>;

/** In the data directory: the latest results, newest first. */
export const TORTURE_FILE = 'torture.json';
export const TORTURE_RESULTS_MAX = 20;

export const listTortureResults = defineAdminOperation('daemon.torture', 'GET', '/admin/torture', {
  summary: 'List the latest results of torture, newest first',
  description: `Of commands with the data directory of this daemon, at most ${String(TORTURE_RESULTS_MAX)}.`,
  result: single(t.array(tortureResult)),
});

export const tortureOperations = [listTortureResults] as const;
