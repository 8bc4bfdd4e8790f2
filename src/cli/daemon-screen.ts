/** The screen of `daemon status`: what a person wants to know about the running daemon, on one page. */
import { DEFAULT_TIER } from '../contract/limits.ts';
import type { DaemonState } from '../contract/places.ts';
import type { Fault } from '../contract/admin/faults.ts';
import { faultText } from './faults.ts';
import { bytesOf, facts, spanOf } from './daemon-words.ts';
import type { Paint } from './style.ts';
import { wrap } from './width.ts';

/** The part of the admin plane's answers that the screen shows. */
export interface Insight {
  readonly uptimeSeconds: number;
  readonly memoryBytes: number;
  readonly journalBytes: number | null;
  readonly tenants: number;
  readonly rows: Readonly<Record<string, number>>;
  readonly tiers: readonly { readonly name: string; readonly requestsPerMinute: number }[];
  readonly faults: readonly Fault[];
  readonly clock: { readonly testClock: boolean; readonly now: string; readonly offsetSeconds: number };
}

/** `insight` is undefined when the admin socket does not answer; the rest is known without it. */
export function statusLines(state: DaemonState, insight: Insight | undefined, paint: Paint, screen = Infinity): string[] {
  const { url, pid, version, dataDir } = state;
  const head = `${paint('green', '● running')}  ${paint('bold', url)}`;
  const process = `pid ${String(pid)}, stockroom ${version}${insight ? `, up ${spanOf(insight.uptimeSeconds)}, ${bytesOf(insight.memoryBytes)} of memory` : ''}`;
  const lines = [head, '', ...facts([['Process', process], ['Data', dataDir], ...(insight ? insightFacts(insight) : [])], paint, screen)];
  return [...lines, ...faultLines(insight?.faults ?? [], paint, screen)];
}

function insightFacts({ tenants, rows, journalBytes, tiers, clock }: Insight): [string, string][] {
  const held = [
    counted(tenants, 'tenant'),
    ...(['items', 'orders', 'contacts'] as const).map((table) => counted(rows[table] ?? 0, table.slice(0, -1))),
  ];
  const journal = journalBytes === null ? '' : `, journal ${bytesOf(journalBytes)}`;
  const limits = tiers.map(
    ({ name, requestsPerMinute }) => `${name} ${grouped(requestsPerMinute)}${name === DEFAULT_TIER ? ' (default)' : ''}`,
  );
  return [
    ['Holds', held.join(', ') + journal],
    ['Tiers', `${limits.join(', ')} requests a minute`],
    ['Clock', clock.testClock ? `test clock, ${clock.now}, ${offsetOf(clock.offsetSeconds)}` : 'real time'],
  ];
}

/** Nobody should have to wonder why requests fail. */
function faultLines(faults: readonly Fault[], paint: Paint, screen: number): string[] {
  if (faults.length === 0) return [];
  const head = `${paint('yellow', '!')} ${counted(faults.length, 'fault')} set on purpose; \`stockroom faults clear\` ends them`;
  const lines = faults.flatMap((fault) => wrap(faultText(fault), screen - 4).map((line, at) => (at === 0 ? `  ${line}` : `    ${line}`)));
  return ['', head, ...lines];
}

const counted = (count: number, noun: string): string => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

/** 1204 → `1,204`; without Intl, which takes longer to load than the screen to print. */
const grouped = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/gu, ',');

const offsetOf = (seconds: number): string =>
  seconds === 0 ? 'not moved' : `${spanOf(Math.abs(seconds))} ${seconds > 0 ? 'ahead' : 'behind'}`;
