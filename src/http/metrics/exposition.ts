/** The text format of Prometheus, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export interface Sample {
  /** Of a histogram or summary: `_bucket`, `_sum` or `_count`. */
  readonly suffix?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly help: string;
  readonly samples: readonly Sample[];
}

export const formatMetrics = (families: readonly MetricFamily[]): string =>
  families
    .flatMap(({ name, type, help, samples }) => [
      `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', String.raw`\n`)}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${formatLabels(labels)} ${formatValue(value)}`),
    ])
    .map((line) => `${line}\n`)
    .join('');

function formatLabels(labels: Sample['labels']): string {
  if (labels === undefined) return '';
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabelValue(value)}"`);
  return `{${pairs.join(',')}}`;
}

const escapeLabelValue = (value: string): string =>
  value
    .replaceAll('\\', '\\\\')
    .replaceAll('"', String.raw`\"`)
    .replaceAll('\n', String.raw`\n`);

/** `Infinity` is `+Inf` in this format. */
const formatValue = (value: number): string => String(value).replace(/^(-?)Infinity$/u, (_whole, sign: string) => `${sign || '+'}Inf`);
