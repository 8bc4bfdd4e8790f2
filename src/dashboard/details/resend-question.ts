/** What `R` would resend: deliveries by endpoint and age, and how far it is. */
import { renderGauge } from '../state/meter.ts';
import type { DeliveryRow, Overlay } from '../state/model.ts';
import { describeProblems } from '../tables/deliveries.ts';
import { formatCount, formatInterval, formatNumber, formatRelative } from '../tables/format.ts';
import type { Column, RenderContext } from '../tables/table.ts';
import { EMPTY_LINE, type Part, table } from './parts.ts';

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

export function listResendParts({ rows, rate, progress }: Resending, context: RenderContext): readonly Part[] {
  const groups = Array.from(
    Map.groupBy(rows, ({ webhookId }) => webhookId),
    ([webhookId, own]): EndpointGroup => ({
      name: context.getEndpointName(webhookId),
      rows: own,
      oldest: own.reduce((oldest, { createdAt }) => (createdAt < oldest ? createdAt : oldest), own[0]?.createdAt ?? ''),
    }),
  ).toSorted((a, b) => b.rows.length - a.rows.length);
  const { queued, rejected } = progress ?? { queued: 0, rejected: 0 };
  const done = queued + rejected;
  const left = formatInterval(((rows.length - done) / rate) * 1_000 + 999);
  const gauge = `${renderGauge(done, rows.length, GAUGE_WIDTH)} ${formatNumber(queued)} of ${formatNumber(rows.length)} queued`;
  return [
    EMPTY_LINE,
    table(COLUMNS, groups),
    EMPTY_LINE,
    { text: `${formatNumber(rate)} a second: ${left}${progress === null ? '' : ' left'}`, indent: 2 },
    progress === null
      ? { text: 'Finished ones are sent once; retrying ones now, and keep their retries.', tone: 'dim', indent: 2 }
      : { text: gauge, indent: 2 },
    ...(rejected === 0 ? [] : [{ text: `${formatNumber(rejected)} rejected`, tone: 'bad', indent: 2 } as const]),
  ];
}
