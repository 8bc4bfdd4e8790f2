/** What the bench found, as a table for people and JSON for everything else. */
import type { Machine } from './machine.ts';

export interface Finding {
  /** Name of the case, as `--only` takes it. */
  readonly case: string;
  readonly what: string;
  readonly ours: Figure;
  readonly baseline?: Figure;
  /** Our figure over the baseline's, or over another figure that `target` names. */
  readonly ratio?: number;
  readonly target?: Target;
  /** Everything else that was measured, for the JSON. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface Figure {
  readonly value: number;
  readonly unit: '/s' | 'ms' | 'B' | '%';
  /** CPU microseconds of the server per request. */
  readonly cpu?: number;
}

/** A bound on the ratio, or on our figure alone. */
export interface Target {
  readonly of: 'ratio' | 'ours';
  readonly atLeast?: number;
  readonly atMost?: number;
}

export interface Report {
  readonly at: string;
  readonly machine: Machine;
  readonly rows: number;
  readonly quick: boolean;
  readonly findings: readonly Finding[];
  /** Cases that could not run, and why. */
  readonly skipped: readonly { readonly case: string; readonly why: string }[];
}

export const TABLE_HEAD = ['case', 'stockroom', 'baseline', 'ratio', 'target', 'measured'] as const;

/** Undefined when there is nothing to meet. */
function isMet({ target, ratio, ours }: Finding): boolean | undefined {
  if (!target) return undefined;
  const value = target.of === 'ratio' ? ratio : ours.value;
  return value !== undefined && value >= (target.atLeast ?? -Infinity) && value <= (target.atMost ?? Infinity);
}

/** The table of docs/performance.md, in Markdown. A case that is run again replaces its line there. */
export function table(findings: readonly Finding[], at: string): string {
  const rows = findings.map((finding) => [
    finding.what,
    figure(finding.ours),
    finding.baseline ? figure(finding.baseline) : '',
    finding.ratio === undefined ? '' : finding.ratio.toFixed(2),
    targetText(finding) + (isMet(finding) === false ? ' **missed**' : ''),
    at.slice(0, 10),
  ]);
  const widths = TABLE_HEAD.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(TABLE_HEAD), line(rule), ...rows.map(line)].join('\n');
}

/** CPU microseconds per request, for the terminal; the JSON has them, too. */
export const cpuLines = (findings: readonly Finding[]): string[] =>
  findings
    .filter(({ ours }) => ours.cpu !== undefined)
    .map(({ what, ours, baseline }) => `CPU ${cpu(ours)} µs, baseline ${baseline ? cpu(baseline) : '–'}: ${what}`);

/** The lines above the table: without them its figures mean nothing. */
export function heading({ machine, rows, quick, at }: Report): string {
  const { cpu: model, cores, system, node, pinned, dataInMemory, loadBefore } = machine;
  const lines = [
    `${model}, ${String(cores)} cores, ${system}, Node ${node}, ${at.slice(0, 10)}; ${rows.toLocaleString('en')} items${quick ? '; quick run: only good for seeing that everything works' : ''}`,
    pinned
      ? 'servers on one core, load on another; medians, ratios of figures taken in the same round'
      : 'NOT PINNED (no taskset or a single core): servers and load disturb each other, take nothing from these figures but their order of size',
  ];
  if (dataInMemory) lines.push('DATA IN MEMORY (tmpfs): durable writes cost nothing here');
  if (loadBefore > 0.5) lines.push(`the machine was busy when it began (load ${loadBefore.toFixed(2)})`);
  return lines.join('\n');
}

function figure({ value, unit }: Figure): string {
  if (unit === 'B') return `${(value / 1_000_000).toFixed(0)} MB`;
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toLocaleString('en', { maximumFractionDigits: digits, minimumFractionDigits: digits })}${unit === '/s' ? '/s' : ` ${unit}`}`;
}

const cpu = ({ cpu: micros }: Figure): string => (micros === undefined ? '–' : micros.toFixed(1));

function targetText({ target, ours }: Finding): string {
  if (!target) return '';
  const { atLeast, atMost } = target;
  const unit = ours.unit === 'B' ? ' MB' : ours.unit === '/s' ? '/s' : ` ${ours.unit}`;
  const bound = (value: number): string =>
    target.of === 'ratio' ? round(value) : round(ours.unit === 'B' ? value / 1_000_000 : value) + unit;
  return [atLeast === undefined ? '' : `≥ ${bound(atLeast)}`, atMost === undefined ? '' : `≤ ${bound(atMost)}`].filter(Boolean).join(', ');
}

const round = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 });
