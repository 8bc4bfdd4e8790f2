/** The attempts of a delivery below each other: each step with its duration, drawn where there is room. */
import type { ResultOf } from '../../../contract/operation.ts';
import type { showDelivery } from '../../../contract/admin/webhooks.ts';
import { formatDuration, formatTime } from '../format.ts';
import type { Line } from '../lines.ts';
import { layOutRows, renderRow, renderTitles } from '../table-lines.ts';
import type { Column, RenderContext } from '../table-types.ts';

export type ShownDelivery = ResultOf<typeof showDelivery>['data'];

interface Step {
  readonly title: string;
  /** What it is drawn with. */
  readonly sign: string;
  /** Milliseconds; null if it did not take place. */
  readonly length: number | null;
}

interface AttemptRow {
  readonly number: number;
  readonly at: string;
  readonly result: string;
  readonly isFailed: boolean;
  readonly total: number;
  readonly steps: readonly Step[];
}

type Attempt = ShownDelivery['history'][number];

/** Without timing, as of an attempt of an earlier release, only the whole is known. */
function listSteps({ milliseconds, timing }: Attempt): readonly Step[] {
  const { waited = null, connected = null, answered = null, stored = null } = timing ?? {};
  const subtract = (end: number | null, start: number | null): number | null => (end === null || start === null ? null : end - start);
  return [
    { title: 'WAITED', sign: '.', length: waited },
    { title: 'CONNECT', sign: '-', length: connected },
    { title: 'ANSWER', sign: '#', length: subtract(answered, connected) },
    { title: 'READ', sign: '=', length: answered === null ? null : milliseconds - answered },
    { title: 'STORED', sign: '+', length: stored },
  ];
}

const getStep = ({ steps }: AttemptRow, title: string): Step | undefined => steps.find((step) => step.title === title);

const stepColumn = (title: string, rank: number): Column<AttemptRow> => ({
  title,
  width: 7,
  rank,
  right: true,
  text: (row) => formatDuration(getStep(row, title)?.length ?? null),
});

const COLUMNS: readonly Column<AttemptRow>[] = [
  { title: 'TRY', width: 3, rank: 1, right: true, text: ({ number }) => String(number) },
  { title: 'STARTED', width: 8, rank: 1, text: ({ at }) => formatTime(at) },
  stepColumn('WAITED', 4),
  stepColumn('CONNECT', 5),
  stepColumn('ANSWER', 3),
  stepColumn('READ', 7),
  stepColumn('STORED', 6),
  { title: 'TOOK', width: 7, rank: 2, right: true, text: ({ total }) => formatDuration(total) },
  { title: 'RESULT', width: 12, rank: 1, text: ({ result }) => result, tone: ({ isFailed }) => (isFailed ? 'bad' : 'good') },
  {
    title: 'STEPS',
    label: () => '. wait - connect # answer = read + store',
    width: 40,
    grow: 60,
    rank: 8,
    text: ({ steps }, _context, width) => drawSteps(steps, width),
    tone: () => 'dim',
  },
];

/** Each step as long as its share, at least one sign if it took time. */
function drawSteps(steps: readonly Step[], width: number): string {
  const total = steps.reduce((sum, { length }) => sum + (length ?? 0), 0);
  if (total === 0) return '';
  return steps
    .map(({ sign, length }) => sign.repeat(Math.min(width, Math.ceil(((length ?? 0) / total) * (width - steps.length)))))
    .join('');
}

/** `HTTP 200`, `http_500`, `timeout`, `HTTP 307 redirect_not_followed`. */
function describeResult({ httpStatus, error }: Attempt): string {
  const status = httpStatus === null || error?.startsWith('http_') === true ? [] : [`HTTP ${String(httpStatus)}`];
  return [...status, ...(error === null ? [] : [error])].join(' ');
}

export function renderAttempts(history: readonly Attempt[], attempts: number, context: RenderContext, width: number): readonly Line[] {
  const rows = history.map((attempt, index): AttemptRow => {
    const { at, milliseconds, error } = attempt;
    return {
      number: attempts - history.length + index + 1,
      at,
      result: describeResult(attempt),
      isFailed: error !== null,
      total: milliseconds,
      steps: listSteps(attempt),
    };
  });
  const hasTiming = history.some(({ timing }) => timing !== undefined);
  const columns = hasTiming ? COLUMNS : COLUMNS.filter(({ title }) => !title.startsWith('STEPS') && getStep(rows[0]!, title) === undefined);
  const layout = layOutRows(columns, rows, width, context);
  return [
    renderTitles(layout, null, context),
    ...rows.map((row) => renderRow(row, layout, context, { isSelected: false, isMarked: false, width })),
  ];
}
