/** The output of `daemon status` at a terminal. */
import { DEFAULT_TIER } from '../../contract/limits.ts';
import type { DaemonHealth, DaemonState, DaemonStatus } from '../../platform/daemon-state.ts';
import type { showClock } from '../../contract/admin/clock.ts';
import type { Member, getStatus } from '../../contract/admin/daemon.ts';
import type { Fault } from '../../contract/admin/faults.ts';
import type { listTiers } from '../../contract/admin/tiers.ts';
import type { ResultOf } from '../../contract/operation.ts';
import { formatFault } from './faults.ts';
import { formatBytes, formatFacts, formatDuration } from './daemon-messages.ts';
import { formatCount, formatCountWithNoun } from '../output/numbers.ts';
import type { Paint } from '../output/style.ts';
import { wrapText } from '../output/text-width.ts';

/** What the admin API of the daemon reports. */
export type DaemonDetails = ResultOf<typeof getStatus>['data'] & {
  readonly tiers: ResultOf<typeof listTiers>['data'];
  /** The live daemons of the same database; empty without a database. */
  readonly daemons: readonly Member[];
  readonly clock: ResultOf<typeof showClock>['data'];
};

/** Formats the status. `details` is undefined if the admin socket does not respond. */
export function formatStatus(
  state: DaemonState & Pick<DaemonHealth, 'ready' | 'reason'>,
  details: DaemonDetails | undefined,
  paint: Paint,
  terminalWidth = Infinity,
): string[] {
  const { url, pid, version, dataDir, metricsUrl, controlUrl, options } = state;
  const readiness =
    state.ready === false ? paint('red', `● running, not ready: ${state.reason ?? 'no reason given'}`) : paint('green', '● running');
  const head = `${readiness}  ${paint('bold', url)}`;
  const process = `pid ${String(pid)}, stockroom ${version}${details ? `, up ${formatDuration(details.uptimeSeconds)}, ${formatBytes(details.memoryBytes)} of memory` : ''}`;
  const lines = [
    head,
    '',
    ...formatFacts(
      [
        ...toFact('Public', options.publicUrl),
        ['Process', process],
        ['Data', dataDir],
        ...toFact('Contract', options.contract === 'strict' ? 'strict, without the extensions of stockroom' : undefined),
        ...toFact('Metrics', metricsUrl),
        ...toFact('Control', controlUrl),
        ...(details ? listDetailFacts(details, url) : []),
      ],
      paint,
      terminalWidth,
    ),
  ];
  return [
    ...lines,
    ...formatStoreProblem(details?.storeProblem ?? null, paint, terminalWidth),
    ...formatLostCommits(details?.lostCommits ?? [], paint),
    ...formatFaults(details?.faults ?? [], paint, terminalWidth),
  ];
}

/** Formats the status of a daemon that is not running. */
export const formatStopped = ({ status, pid, dataDir }: DaemonStatus, paint: Paint, terminalWidth = Infinity): string[] => [
  paint(status === 'stopped' ? 'dim' : 'red', `○ ${status}`),
  '',
  ...formatFacts(
    [
      ...toFact('Process', pid === null ? undefined : `pid ${String(pid)}`),
      ['Data', dataDir],
      ['Start', status === 'stopped' ? '`stockroom daemon start`' : 'stop it first with `stockroom daemon stop --force`'],
    ],
    paint,
    terminalWidth,
  ),
];

const toFact = (name: string, value: string | undefined): [string, string][] => (value === undefined ? [] : [[name, value]]);

function listDetailFacts({ tenants, rows, journalBytes, tiers, clock, daemons }: DaemonDetails, url: string): [string, string][] {
  const held = [
    formatCountWithNoun(tenants, 'tenants'),
    ...(['items', 'orders', 'contacts'] as const).map((table) => formatCountWithNoun(rows[table] ?? 0, table)),
  ];
  const journal = journalBytes === null ? '' : `, journal ${formatBytes(journalBytes)}`;
  const limits = tiers.map(
    ({ name, requestsPerMinute }) => `${name} ${formatCount(requestsPerMinute)}${name === DEFAULT_TIER ? ' (default)' : ''}`,
  );
  return [
    ['Holds', held.join(', ') + journal],
    ['Tiers', `${limits.join(', ')} requests per minute`],
    ...toFact('Daemons', daemons.length === 0 ? undefined : describeDaemons(daemons, url)),
    ['Clock', clock.testClock ? `test clock, ${clock.now}, ${formatOffset(clock.offsetSeconds)}` : 'real time'],
  ];
}

function describeDaemons(daemons: readonly Member[], url: string): string {
  const others = daemons.filter((daemon) => daemon.url !== url).map((daemon) => daemon.url ?? 'one that starts');
  return others.length === 0 ? 'no other uses the database' : `${String(daemons.length)} use the database: this one, ${others.join(', ')}`;
}

function formatStoreProblem(problem: string | null, paint: Paint, screen: number): string[] {
  if (problem === null) return [];
  return ['', `${paint('red', '!')} Changes are rejected`, ...wrapText(problem, screen - 4).map((line) => `  ${line}`)];
}

/** What a failover or a crash has taken: nothing else says so afterwards. */
function formatLostCommits(lost: DaemonDetails['lostCommits'], paint: Paint): string[] {
  if (lost.length === 0) return [];
  const lines = lost.map(
    ({ tenant, first, last }) => `  commits ${String(first)} to ${String(last)} of ${tenant === null ? 'the service' : `tenant ${tenant}`}`,
  );
  return ['', `${paint('red', '!')} The database has lost changes that were acknowledged:`, ...lines];
}

/** Injected faults, which explain why requests fail. */
function formatFaults(faults: readonly Fault[], paint: Paint, screen: number): string[] {
  if (faults.length === 0) return [];
  const head = `${paint('yellow', '!')} ${formatCountWithNoun(faults.length, 'faults')} injected; remove with \`stockroom faults clear\``;
  const lines = faults.flatMap((fault) =>
    wrapText(formatFault(fault), screen - 4).map((line, at) => (at === 0 ? `  ${line}` : `    ${line}`)),
  );
  return ['', head, ...lines];
}

const formatOffset = (seconds: number): string =>
  seconds === 0 ? 'not moved' : `${formatDuration(Math.abs(seconds))} ${seconds > 0 ? 'ahead' : 'behind'}`;
