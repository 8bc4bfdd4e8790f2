/** The attempts of a delivery below each other: each step with its duration, drawn where there is room. */
import type { ShownDelivery } from '../sources/source.ts';
import { formatDuration, formatTimeAndDate } from '../tables/format.ts';
import { type Column, type RenderContext, dimColumn, durationColumn } from '../tables/table.ts';
import { type Part, table } from './parts.ts';

interface AttemptRow {
  readonly number: number;
  readonly attempt: ShownDelivery['history'][number];
}

/** The steps of an attempt, with what they are drawn with and when their columns are hidden. */
const STEPS = [
  { title: 'WAITED', sign: '.', rank: 4 },
  { title: 'CONNECT', sign: '-', rank: 5 },
  { title: 'ANSWER', sign: '#', rank: 3 },
  { title: 'READ', sign: '=', rank: 7 },
  { title: 'STORED', sign: '+', rank: 6 },
] as const;

/** Milliseconds of each step; null if it did not take place. Without timing, as of an attempt of an earlier release, only the whole is known. */
function getLengths({ attempt: { milliseconds, timing } }: AttemptRow): readonly (number | null)[] {
  const { waited = null, connected = null, answered = null, stored = null } = timing ?? {};
  const answer = answered === null || connected === null ? null : answered - connected;
  return [waited, connected, answer, answered === null ? null : milliseconds - answered, stored];
}

/** Each step as long as its share, at least one sign if it took time. */
function drawSteps(row: AttemptRow, width: number): string {
  const lengths = getLengths(row);
  const total = lengths.reduce<number>((sum, length) => sum + (length ?? 0), 0);
  if (total === 0) return '';
  const room = width - STEPS.length;
  return STEPS.map(({ sign }, step) => sign.repeat(Math.min(width, Math.ceil(((lengths[step] ?? 0) / total) * room)))).join('');
}

/** `HTTP 200`, `http_500`, `timeout`, `HTTP 307 redirect_not_followed`. */
function describeResult({ attempt: { httpStatus, error } }: AttemptRow): string {
  const status = httpStatus === null || error?.startsWith('http_') === true ? [] : [`HTTP ${String(httpStatus)}`];
  return [...status, ...(error === null ? [] : [error])].join(' ');
}

/** As wide as the longest: a time is never cut. */
function makeStarted(rows: readonly AttemptRow[], { serviceNow }: RenderContext): readonly Column<AttemptRow>[] {
  const getText = ({ attempt }: AttemptRow): string => formatTimeAndDate(attempt.at, serviceNow);
  return [
    { title: 'TRY', width: 3, rank: 1, right: true, text: ({ number }) => String(number) },
    { title: 'STARTED', width: Math.max(8, ...rows.map((row) => getText(row).length)), rank: 1, text: getText },
  ];
}
const TIMED: readonly Column<AttemptRow>[] = STEPS.map(({ title, rank }, step) =>
  durationColumn(title, { width: 7, rank }, (row) => getLengths(row)[step] ?? null),
);
const ENDED: readonly Column<AttemptRow>[] = [
  { title: 'TOOK', width: 7, rank: 2, right: true, text: ({ attempt }) => formatDuration(attempt.milliseconds) },
  { title: 'RESULT', width: 12, rank: 1, text: describeResult, tone: ({ attempt }) => (attempt.error === null ? 'good' : 'bad') },
];
const DRAWN: Column<AttemptRow> = {
  ...dimColumn('STEPS', { width: 40, rank: 8 }, () => ''),
  label: () => '. wait - connect # answer = read + store',
  grow: 60,
  text: (row, _context, width) => drawSteps(row, width),
};

export function listAttempts({ history, attempts }: ShownDelivery, context: RenderContext): Part {
  const rows = history.map((attempt, index) => ({ number: attempts - history.length + index + 1, attempt }));
  const hasTiming = history.some(({ timing }) => timing !== undefined);
  const started = makeStarted(rows, context);
  return table(hasTiming ? [...started, ...TIMED, ...ENDED, DRAWN] : [...started, ...ENDED], rows);
}
