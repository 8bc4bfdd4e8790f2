/** Messages of the daemon commands. */
import { DOCUMENT_PATHS } from '../../contract/openapi/document-paths.ts';
import type { DaemonStatus } from '../../platform/daemon-state.ts';
import { formatDataDirFlag, quoteForShell } from '../errors/hints.ts';
import { type Paint, getTerminalWidth } from '../output/style.ts';
import { pad, measureWidth, wrapText } from '../output/text-width.ts';

/** `Starting, 45 % of 300 MB journal replayed` */
export const formatReplay = (label: string, { replayedBytes, totalBytes }: { replayedBytes: number; totalBytes: number }): string =>
  `${label}, ${String(Math.floor((100 * replayedBytes) / totalBytes))} % of ${String(Math.ceil(totalBytes / 1e6))} MB journal replayed`;

/** Shown while a stop takes long. */
export const STOPPING = 'Stopping; finishing pending requests';

export interface Welcome {
  readonly status: DaemonStatus;
  readonly wasRunning: boolean;
  /** The program as the user runs it: `stockroom`, `npx stockroom`. */
  readonly program: string;
  /** A file that runs it without npx. */
  readonly fastProgram: string | undefined;
  readonly foreground: boolean;
  /** The profile with the key, if it was saved. */
  readonly profile: string | undefined;
  /** Known at the first start only, and only for a person: other output may be stored as a log. */
  readonly key: string | undefined;
  /** The public part of a key that is not shown. */
  readonly keyPrefix: string | undefined;
  /** Whether API commands and `daemon stop` reach this daemon without `--data-dir`. */
  readonly reached: { readonly byCommands: boolean; readonly byStop: boolean };
  /** Whether the daemon serves the console. */
  readonly hasConsole: boolean;
  /** Slugs of the demo tenants, the active one first. */
  readonly tenants: readonly string[];
}

const getOutputWidth = (): number => (process.stdout.isTTY ? getTerminalWidth(process.stdout) : Infinity);

/** Formats the output of a start: URL, key, and three commands to try. */
export function formatWelcome(welcome: Welcome, paint: Paint, terminalWidth = getOutputWidth()): string[] {
  const { status, wasRunning, program, fastProgram, foreground, profile, key, keyPrefix, tenants, reached, hasConsole } = welcome;
  const { url, pid, version, dataDir } = status;
  const dataDirFlag = formatDataDirFlag(dataDir);
  // The environment must provide a key that was not saved, and then it can provide the data directory, too.
  const usesEnvironment = key !== undefined && profile === undefined;
  const flag = reached.byCommands || usesEnvironment ? '' : dataDirFlag;
  // A curl command needs the key.
  const third = key === undefined ? `${program} usage${flag}` : `curl -H "X-API-Key: ${key}" ${url ?? ''}/v1/items`;
  const use = reached.byCommands ? 'used by default' : 'used with --data-dir';
  const saved = profile === undefined ? undefined : `saved in profile "${profile}"; ${use}`;
  return [
    `${paint('green', wasRunning ? 'Already running' : 'Running')} on ${paint('bold', url ?? '')}  ${paint('dim', `stockroom ${version ?? ''}, pid ${String(pid)}`)}`,
    ...formatFacts(
      [
        ['Data', dataDir],
        ['Docs', `${url ?? ''}${DOCUMENT_PATHS.reference}`],
        ...(hasConsole ? [['Console', `${url ?? ''}/console (${program} console${flag} opens it, signed in)`] as const] : []),
        ...(tenants.length === 0 ? [] : [['Demo', tenants.join(', ')] as const]),
        ['Key', key ?? formatHiddenKey(keyPrefix, saved ?? `none saved: ${program} keys create --all-scopes --save${flag}`)],
        ...(key === undefined ? [] : [['', saved ?? 'shown only once'] as const]),
        ...(fastProgram === undefined ? [] : [['Fast', `alias stockroom=${quoteForShell(fastProgram)}  # without npx`, COMMAND] as const]),
        ['Stop', foreground ? 'Ctrl-C' : `${program} daemon stop${reached.byStop ? '' : dataDirFlag}`, COMMAND],
      ],
      paint,
      terminalWidth,
    ),
    '',
    'Try:',
    ...(usesEnvironment ? [`  export STOCKROOM_DATA_DIR=${quoteForShell(dataDir)} STOCKROOM_API_KEY=${key}`] : []),
    `  ${program} items list${flag}`,
    `  ${program} ${tenants.length === 0 ? 'items create --name "Hex bolt M6"' : 'orders list --module sell --status open'}${flag}`,
    `  ${third}`,
  ];
}

const formatHiddenKey = (prefix: string | undefined, rest: string): string => (prefix === undefined ? rest : `${prefix} (${rest})`);

/** Marks a value that is copied to a shell, which would run the part before a line break. */
const COMMAND = 'command';
type Fact = readonly [name: string, value: string, kind?: typeof COMMAND];

/** Formats `name  value` in two columns; values are wrapped within theirs, except for commands. */
export function formatFacts(rows: readonly Fact[], paint: Paint, terminalWidth = Infinity): string[] {
  const width = Math.max(...rows.map(([name]) => measureWidth(name)));
  return rows.flatMap(([name, value, kind]) =>
    (kind === COMMAND ? [value] : wrapText(value, terminalWidth - width - 4)).map(
      (line, at) => `  ${paint('dim', pad(at === 0 ? name : '', width))}  ${line}`,
    ),
  );
}

/** Formats seconds with the two largest units: `3 h 5 min`. */
export function formatDuration(seconds: number): string {
  const units = [
    [86_400, 'd'],
    [3_600, 'h'],
    [60, 'min'],
    [1, 's'],
  ] as const;
  const at = units.findIndex(([size]) => seconds >= size);
  if (at < 0) return '0 s';
  let rest = seconds;
  return units
    .slice(at, at + 2)
    .map(([size, name]) => {
      const count = Math.floor(rest / size);
      rest -= count * size;
      return `${String(count)} ${name}`;
    })
    .filter((part) => !part.startsWith('0 '))
    .join(' ');
}

/** 1_400_000 → `1.4 MB`. */
export function formatBytes(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = count;
  let at = 0;
  for (; value >= 1000 && at < units.length - 1; at += 1) value /= 1000;
  return `${at === 0 ? String(value) : value.toFixed(1)} ${units[at] ?? ''}`;
}
