/** What `R` would resend: deliveries by endpoint and age, and how far it is. */
import { REPLAY_RATE_MAX } from '../../contract/limits.ts';
import { renderGauge } from '../state/meter.ts';
import type { DeliveryRow, ReplayCount, ResendQuestion } from '../state/model.ts';
import { countProblems, describeProblems } from '../tables/deliveries.ts';
import { formatCount, formatInterval, formatNumber } from '../tables/format.ts';
import { type Column, type RenderContext, numberColumn, relativeColumn } from '../tables/table.ts';
import { EMPTY_LINE, type Part, table } from './parts.ts';

interface EndpointGroup {
  readonly name: string;
  readonly rows: readonly DeliveryRow[];
  /** When the first one was recorded. */
  readonly oldest: string;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const GAUGE_WIDTH = 32;

/** By the time that lists show: of the last attempt. */
const countColumn = (title: string, rank: number, from: number, before: number): Column<EndpointGroup> => ({
  title,
  width: 10,
  rank,
  right: true,
  text: ({ rows }, { serviceNow }) =>
    formatNumber(
      rows.filter(({ updatedAt }) => {
        const age = serviceNow - Date.parse(updatedAt);
        return age >= from && age < before;
      }).length,
    ),
});

const COLUMNS: readonly Column<EndpointGroup>[] = [
  { title: 'ENDPOINT', width: 12, rank: 1, text: ({ name }) => name },
  countColumn('DELIVERIES', 1, -Infinity, Infinity),
  countColumn('UNDER 1 H', 2, -Infinity, HOUR_MS),
  countColumn('1 TO 24 H', 3, HOUR_MS, DAY_MS),
  countColumn('OVER 24 H', 3, DAY_MS, Infinity),
  relativeColumn('OLDEST EVENT', { width: 12, rank: 4 }, ({ oldest }) => oldest),
];

/** How many failed deliveries the service has, if these are more than those shown. */
export function countAll({ rows, all }: ResendQuestion): number {
  if (all?.state !== 'ready') return 0;
  const total = all.value.reduce((sum, { selected }) => sum + selected, 0);
  return total > rows.filter(({ status }) => status === 'failed').length ? total : 0;
}

/** Whether replays of all are chosen; not if the service turned out to have no more. */
export const resendsAll = (question: ResendQuestion): boolean =>
  question.isAll && (question.all?.state === 'loading' || countAll(question) > 0);

/** `43 shown deliveries (40 failed, 3 retrying)`, `all 5,120 failed deliveries of the service` */
export function describeResend(question: ResendQuestion): string {
  const { rows, from, all } = question;
  if (resendsAll(question))
    return `all ${all?.state === 'ready' ? `${formatNumber(countAll(question))} ` : ''}failed deliveries of the service`;
  const what = from === 'overview' ? '' : `${from} `;
  const problems = describeProblems(countProblems(rows));
  return `${formatCount(rows.length, `${what}delivery`, `${what}deliveries`)}${problems === '' ? '' : ` (${problems})`}`;
}

/** What is resent instead of all. */
export const describeRead = ({ from }: ResendQuestion): string => (from === 'overview' ? 'those that were read' : 'those shown');

const ALL_COLUMNS: readonly Column<ReplayCount>[] = [
  { title: 'ENDPOINT', width: 12, rank: 1, text: ({ request }, { getEndpointName }) => getEndpointName(request.webhookId) },
  numberColumn('DELIVERIES', { width: 10, rank: 1 }, ({ selected }) => selected),
  relativeColumn('OLDEST EVENT', { width: 12, rank: 2 }, ({ oldestAt }) => oldestAt),
  { title: 'SINCE', width: 24, rank: 3, text: ({ request }) => request.since },
];

export function listResendParts(question: ResendQuestion, context: RenderContext): readonly Part[] {
  const { rows, progress, all } = question;
  const isAll = resendsAll(question);
  const total = isAll ? countAll(question) : rows.length;
  const rate = isAll ? Math.min(question.rate, REPLAY_RATE_MAX) : question.rate;
  const { queued, rejected } = progress ?? { queued: 0, rejected: 0 };
  const done = queued + rejected;
  const left = formatInterval(((total - done) / rate) * 1_000 + 999);
  const gauge = `${renderGauge(done, total, GAUGE_WIDTH)} ${formatNumber(queued)} of ${formatNumber(total)} ${isAll ? 'delivered' : 'queued'}`;
  const note = isAll
    ? 'Replays of the service send each once, oldest first, also after the dashboard has quit.'
    : 'Finished ones are sent once; retrying ones now, and keep their retries.';
  return [
    EMPTY_LINE,
    isAll && all?.state === 'ready'
      ? table(
          ALL_COLUMNS,
          all.value.filter(({ selected }) => selected > 0),
        )
      : table(COLUMNS, groupByEndpoint(rows, context)),
    EMPTY_LINE,
    { text: `${formatNumber(rate)} a second: ${left}${progress === null ? '' : ' left'}`, indent: 2 },
    progress === null ? { text: note, tone: 'dim', indent: 2 } : { text: gauge, indent: 2 },
    ...(rejected === 0
      ? []
      : [{ text: `${formatNumber(rejected)} ${isAll ? 'failed again' : 'rejected'}`, tone: 'bad', indent: 2 } as const]),
    ...(progress === null ? [describeAll(question)] : []),
  ];
}

function describeAll(question: ResendQuestion): Part {
  const { all, from } = question;
  const total = countAll(question);
  if (total > 0)
    return {
      text: resendsAll(question)
        ? `a resends only ${describeRead(question)}`
        : `a resends all ${formatNumber(total)} failed ones that the service has`,
      tone: 'warn',
      indent: 2,
    };
  if (all === null)
    return { text: from !== 'shown' ? '' : 'Only what was read: the service cannot select by this filter.', tone: 'dim', indent: 2 };
  if (all.state === 'loading') return { text: 'Asking the service for more…', tone: 'dim', indent: 2 };
  if (all.state === 'failed') return { text: `Only what was read: ${all.reason}`, tone: 'dim', indent: 2 };
  return { text: 'The service has no other failed ones.', tone: 'dim', indent: 2 };
}

const groupByEndpoint = (rows: readonly DeliveryRow[], { getEndpointName }: RenderContext): readonly EndpointGroup[] =>
  Array.from(
    Map.groupBy(rows, ({ webhookId }) => webhookId),
    ([webhookId, own]): EndpointGroup => ({
      name: getEndpointName(webhookId),
      rows: own,
      oldest: own.reduce((oldest, { createdAt }) => (createdAt < oldest ? createdAt : oldest), own[0]?.createdAt ?? ''),
    }),
  ).toSorted((a, b) => b.rows.length - a.rows.length);
