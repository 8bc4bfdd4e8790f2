/** What refers to a record that can therefore not be deleted or changed, in words. D-20. */

/** Counts by kind, which is a plural in camel case: `orderLines`. */
type ReferenceCounts = Readonly<Record<string, number>>;
/** What some of the records of a kind are called. */
type ReferenceExamples = Readonly<Record<string, readonly string[]>>;

/** Of each kind so many records are named at most. */
export const REFERENCE_EXAMPLES_MAX = 3;

/** `{ orderLines: 5, stockLevels: 1 }` → `5 order lines (SO-000001, SO-000007) and 1 stock level`. */
export function formatReferences(counts: ReferenceCounts, examples: ReferenceExamples): string {
  const texts = Object.entries(counts).map(([kind, count]) => {
    const words = kind.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`);
    const [plural = '', rest = ''] = words.split(/(?= (?:of|with) )/u);
    const noun = count === 1 ? plural.replace(/ies$/u, 'y').replace(/s$/u, '') : plural;
    return [String(count), noun + rest, formatExamples(count, examples[kind] ?? [])].filter(Boolean).join(' ');
  });
  return [texts.slice(0, -1).join(', '), texts.at(-1)].filter(Boolean).join(' and ');
}

function formatExamples(count: number, names: readonly string[]): string {
  if (names.length === 0) return '';
  const hasMore = names.length === REFERENCE_EXAMPLES_MAX && count > REFERENCE_EXAMPLES_MAX;
  return `(${[...names, ...(hasMore ? ['…'] : [])].join(', ')})`;
}
