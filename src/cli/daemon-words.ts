/** What the daemon commands say to a person. */
import { DOCUMENT_PATHS } from '../contract/openapi/places.ts';
import type { DaemonStatus } from '../contract/places.ts';
import { dataDirWords, shellWord } from './failure.ts';
import type { Paint } from './style.ts';
import { pad, widthOf, wrap } from './width.ts';

/** Why a stop takes long. */
export const STOPPING = 'stopping; what is under way is being finished';

export interface Welcome {
  readonly status: DaemonStatus;
  readonly already: boolean;
  /** How the command line is called here: `stockroom`, `./bin/run.js`. */
  readonly program: string;
  readonly foreground: boolean;
  /** The profile that has the key; undefined: nobody saved one. */
  readonly profile: string | undefined;
  /** Shown at the first start only. */
  readonly key: string | undefined;
  /** Whether commands reach this daemon when nothing tells them which; those about it as a process go by other rules. */
  readonly reached: { readonly byCommands: boolean; readonly byStop: boolean };
  /** The demo tenants, the one in use first. */
  readonly tenants: readonly string[];
}

/** The lines after a start: the URL, how to use the key, three commands to try. */
export function welcomeLines(welcome: Welcome, paint: Paint): string[] {
  const { status, already, program, foreground, profile, key, tenants, reached } = welcome;
  const { url, pid, version, dataDir } = status;
  const there = dataDirWords(dataDir);
  // A key that nobody saved has to be at hand, and then the directory can be as well.
  const isInHand = key !== undefined && profile === undefined;
  const to = reached.byCommands || isInHand ? '' : there;
  // Without the key at hand a curl line would not work as it stands.
  const third = key === undefined ? `${program} usage${to}` : `curl -H "X-API-Key: ${key}" ${url ?? ''}/v1/items`;
  const use = reached.byCommands ? 'commands use it by themselves' : 'commands use it with --data-dir';
  const saved = profile === undefined ? undefined : `saved in the profile "${profile}"; ${use}`;
  return [
    `${paint('green', already ? 'Already running' : 'Running')} on ${paint('bold', url ?? '')}  ${paint('dim', `stockroom ${version ?? ''}, pid ${String(pid)}`)}`,
    ...facts(
      [
        ['Data', dataDir],
        ['Docs', `${url ?? ''}${DOCUMENT_PATHS.reference}`],
        ...(tenants.length === 0 ? [] : [['Demo', tenants.join(', ')] as const]),
        ['Key', key ?? saved ?? `none saved: ${program} keys create --all-scopes --save${to}`],
        ...(key === undefined ? [] : [['', saved ?? 'shown this once'] as const]),
        ['Stop', foreground ? 'Ctrl-C' : `${program} daemon stop${reached.byStop ? '' : there}`],
      ],
      paint,
    ),
    '',
    'Try:',
    ...(isInHand ? [`  export STOCKROOM_DATA_DIR=${shellWord(dataDir)} STOCKROOM_API_KEY=${key}`] : []),
    `  ${program} items list${to}`,
    `  ${program} ${tenants.length === 0 ? 'items create --name "Hex bolt M6"' : 'orders list --module sell --status open'}${to}`,
    `  ${third}`,
  ];
}

/** `name  value`, the names in one column, and in theirs what of a value goes on below on a screen of so many columns. */
export function facts(rows: readonly (readonly [name: string, value: string])[], paint: Paint, screen = Infinity): string[] {
  const width = Math.max(...rows.map(([name]) => widthOf(name)));
  return rows.flatMap(([name, value]) =>
    wrap(value, screen - width - 4).map((line, at) => `  ${paint('dim', pad(at === 0 ? name : '', width))}  ${line}`),
  );
}

/** `3 h 5 min`, the two largest units that count. */
export function spanOf(seconds: number): string {
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

/** `1.4 MB`. */
export function bytesOf(count: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = count;
  let at = 0;
  for (; value >= 1000 && at < units.length - 1; at += 1) value /= 1000;
  return `${at === 0 ? String(value) : value.toFixed(1)} ${units[at] ?? ''}`;
}
