/** The lines that answer in two seconds: which service, is it connected, is anything wrong. */
import { visible } from '../cli/width.ts';
import { type Line, type Span, cut, ends, lineWidth, plain } from './lines.ts';
import { type State, type Tab, TABS } from './model.ts';
import { figuresOf } from './select.ts';
import { tableOf } from './tables.ts';
import { counted, grouped, span } from './words.ts';

/** Two lines, one more for each banner: faults on purpose, and keys of production. */
export function headerLines(state: State, now: number, width: number): readonly Line[] {
  const { about, connection } = state;
  const { name, slug, plan } = about.tenant;
  const tenant = [name ?? slug, plan === null ? null : `(${plan})`].filter((part) => part !== null).join(' ');
  const badge: Line =
    connection.state === 'live'
      ? plain(about.local ? '* live' : '* polling', 'good')
      : connection.state === 'connecting'
        ? plain('… connecting', 'warn')
        : plain(`! reconnecting for ${span(now - connection.since)}`, 'bad');
  const service: Line = [
    { text: visible(about.url.replace(/^https?:\/\//u, '')), bold: true },
    { text: tenant === '' ? '' : `  ${visible(tenant)}` },
  ];
  return [
    ...(about.productionKey === null ? [] : [banner(`PRODUCTION KEY ${about.productionKey}: what you do here is real`, width)]),
    ...(about.faults === null ? [] : [banner(`FAULTS ACTIVE: ${visible(about.faults)}`, width)]),
    // The badge is what must be seen; a long name gives way to it.
    ends(cut(service, width - lineWidth(badge) - 2), badge, width),
    cut(figureSpans(state, now), width),
  ];
}

const banner = (text: string, width: number): Line => [
  { text: ` ${text} `.slice(0, width).padEnd(width), tone: 'bad', bold: true, inverse: true },
];

function figureSpans(state: State, now: number): Line {
  const { about, connection } = state;
  if (connection.state === 'lost' && connection.reason !== null) return plain(visible(connection.reason), 'bad');
  const { deliveriesPerMinute, failing, disabled, endpoints, tightest } = figuresOf(state, now);
  const spans: Span[] = [
    about.local ? { text: `${grouped(deliveriesPerMinute)} deliveries/min` } : { text: about.pace ?? '', tone: 'dim' },
    { text: ' · ' },
    failing > 0
      ? { text: `${counted(failing, 'endpoint')} failing`, tone: 'bad', bold: true }
      : { text: `${counted(endpoints, 'endpoint')}, none failing` },
    ...(disabled > 0 ? [{ text: `, ${grouped(disabled)} disabled`, tone: 'warn' } as const] : []),
  ];
  if (tightest) {
    const { row, left, limit } = tightest;
    const reset = row.resetsAt !== null && row.resetsAt > now ? `, reset ${span(row.resetsAt - now + 999)}` : '';
    const text = `${grouped(left)}/${grouped(limit)} left${reset}, ${row.prefix}`;
    spans.push({ text: ' · ' }, { text, tone: left === 0 ? 'bad' : left < limit / 4 ? 'warn' : 'plain' });
  }
  if (state.refused > 0) spans.push({ text: ' · ' }, { text: `${counted(state.refused, 'refusal')} (429)`, tone: 'bad' });
  return spans;
}

/** `[1 Deliveries] 2 Limits …`: brackets, because not everybody sees colours. On a narrow screen the others are digits. */
export function tabLine({ ui }: State, width: number): Line {
  const render = (titleFor: (tab: Tab) => string): Line =>
    TABS.flatMap((tab, index): Span[] => {
      const text = `${String(index + 1)} ${titleFor(tab)}`.trimEnd();
      const gap = index === 0 ? '' : ' ';
      return tab === ui.tab ? [{ text: gap }, { text: `[${text}]`, bold: true }] : [{ text: `${gap} ${text} `, tone: 'dim' }];
    });
  const full = render((tab) => tableOf(tab).title);
  return full.reduce((sum, { text }) => sum + text.length, 0) <= width
    ? full
    : cut(
        render((tab) => (tab === ui.tab ? tableOf(tab).title : '')),
        width,
      );
}
