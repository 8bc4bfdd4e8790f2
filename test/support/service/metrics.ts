/** A strict reader of the text format of Prometheus. */

export interface Metrics {
  /** Names and types of the families, in their order. */
  readonly types: ReadonlyMap<string, string>;
  /** By line without its value, for example `stockroom_ready` or `x_total{limit="key"}`. */
  readonly values: ReadonlyMap<string, number>;
}

const HELP = /^# HELP (?<name>[a-z][a-z0-9_]*) \S.*$/u;
const TYPE = /^# TYPE (?<name>[a-z][a-z0-9_]*) (?<type>counter|gauge|histogram|summary)$/u;
const SAMPLE =
  /^(?<series>(?<name>[a-z][a-z0-9_]*)(?:\{[a-z_]+="(?:[^"\\\n]|\\["\\n])*"(?:,[a-z_]+="(?:[^"\\\n]|\\["\\n])*")*\})?) (?<value>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$/u;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ['_bucket', '_sum', '_count'],
  summary: ['', '_sum', '_count'],
  counter: [''],
  gauge: [''],
};

/** Throws for a line that a Prometheus server would reject, or that does not belong to the family before it. */
export function parseMetrics(text: string): Metrics {
  if (!text.endsWith('\n')) throw new Error('the last line has no line feed');
  const types = new Map<string, string>();
  const values = new Map<string, number>();
  let described: string | undefined;
  let family: { name: string; type: string } | undefined;
  for (const line of text.slice(0, -1).split('\n')) {
    const help = HELP.exec(line)?.groups;
    const type = TYPE.exec(line)?.groups;
    const sample = SAMPLE.exec(line)?.groups;
    if (help) described = help['name'];
    else if (type) {
      family = { name: type['name']!, type: type['type']! };
      if (described !== family.name || types.has(family.name)) throw new Error(`not described, or described twice: ${line}`);
      types.set(family.name, family.type);
    } else if (sample && family) {
      const { name, type: familyType } = family;
      if (!SUFFIXES[familyType]!.some((suffix) => sample['name'] === name + suffix)) throw new Error(`${line} is not of ${name}`);
      if (values.has(sample['series']!)) throw new Error(`repeated: ${line}`);
      values.set(sample['series']!, Number(sample['value']!.replace('Inf', 'Infinity')));
    } else throw new Error(`invalid line: ${line}`);
  }
  return { types, values };
}
