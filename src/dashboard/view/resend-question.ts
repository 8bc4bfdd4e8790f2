/** What `R` would resend: deliveries by endpoint and age, and how far it is. */
import { renderGauge } from '../state/meter.ts';
import type { DeliveryRow, Overlay } from '../state/model.ts';
import { describeProblems } from './counts.ts';
import { formatCount, formatInterval, formatNumber, formatRelative } from './format.ts';
import { type Line, plain } from './lines.ts';
import { layOutRows, renderRow, renderTitles } from './table-lines.ts';
import type { Column, RenderContext } from './table-types.ts';

type Resending = Extract<Overlay, { kind: 'resend' }>;

interface EndpointGroup {
  readonly name: string;
  readonly rows: readonly DeliveryRow[];
  /** When the first one was recorded. */
  readonly oldest: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GAUGE_WIDTH = 32;

const countColumn = (title: string, rank: number, from: number, before: number): Column<EndpointGroup> => ({
  title,
  width: 10,
  rank,
  right: true,
  text: ({ rows }, { serviceNow }) =>
    formatNumber(
      rows.filter(({ createdAt }) => {
        const age = serviceNow - Date.parse(createdAt);
        return age >= from && age < before;
      }).length,
    ),
});

const COLUMNS: readonly Column<EndpointGroup>[] = [
  { title: 'ENDPOINT', width: 12, rank: 1, text: ({ name }) => name },
  countColumn('DELIVERIES', 1, -Infinity, Infinity),
  countColumn('LAST HOUR', 2, -Infinity, HOUR_MS),
  countColumn('LAST DAY', 3, HOUR_MS, DAY_MS),
  countColumn('OLDER', 3, DAY_MS, Infinity),
  { title: 'OLDEST', width: 8, rank: 4, text: ({ oldest }, { serviceNow }) => formatRelative(oldest, serviceNow) },
];

/** `43 shown deliveries (40 failed, 3 retrying)` */
export function describeResend({ rows, areMarked }: Resending): string {
  const what = areMarked ? 'marked' : 'shown';
  const problems = describeProblems(rows);
  return `${formatCount(rows.length, `${what} delivery`, `${what} deliveries`)}${problems === '' ? '' : ` (${problems})`}`;
}

export function renderResendQuestion(question: Resending, context: RenderContext, width: number): readonly Line[] {
  const { rows, rate, progress } = question;
  const groups = Array.from(
    Map.groupBy(rows, ({ webhookId }) => webhookId),
    ([webhookId, own]): EndpointGroup => ({
      name: context.getEndpointName(webhookId),
      rows: own,
      oldest: own.reduce((oldest, { createdAt }) => (createdAt < oldest ? createdAt : oldest), own[0]?.createdAt ?? ''),
    }),
  ).toSorted((a, b) => b.rows.length - a.rows.length);
  const layout = layOutRows(COLUMNS, groups, width, context);
  const done = (progress?.queued ?? 0) + (progress?.rejected ?? 0);
  const left = formatInterval(((rows.length - done) / rate) * 1_000 + 999);
  return [
    [],
    renderTitles(layout, null, context),
    ...groups.map((group) => renderRow(group, layout, context, { isSelected: false, isMarked: false, width })),
    [],
    plain(`  ${formatNumber(rate)} a second: ${left}${progress === null ? '' : ' left'}`),
    ...(progress === null
      ? [plain('  Finished ones are sent once; retrying ones now, and keep their retries.', 'dim')]
      : [
          plain(
            `  ${renderGauge(done, rows.length, Math.min(GAUGE_WIDTH, width - 4))} ${formatNumber(progress.queued)} of ${formatNumber(rows.length)} queued`,
          ),
          ...(progress.rejected === 0 ? [] : [plain(`  ${formatNumber(progress.rejected)} rejected`, 'bad')]),
        ]),
  ];
}
