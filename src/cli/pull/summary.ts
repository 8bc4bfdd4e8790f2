/** The summary of a pull, as text and JSON. */
import { formatCount } from '../output/numbers.ts';
import { KINDS, type Kind } from './id-map.ts';

export type Counts = Record<'copied' | 'unchanged' | 'refused', number>;

/** A record that could not be copied. */
export interface Refusal {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  readonly error: string;
}

export interface PullSummary {
  readonly tenant: string;
  /** The profile that was created for the copy; null if it existed before. */
  readonly profile: string | null;
  readonly counts: Readonly<Record<Kind, Counts>>;
  /** Number of adjusted levels. */
  readonly stock: number;
  readonly refusals: readonly Refusal[];
}

const REFUSALS_SHOWN = 10;
const LABEL_CHARS = 10;

export const toSummaryJson = ({ tenant, profile, counts, stock, refusals }: PullSummary): string =>
  JSON.stringify({ data: { tenant, profile, ...counts, stockLevels: stock, refusals } });

export function formatSummary({ tenant, profile, counts, stock, refusals }: PullSummary): string[] {
  const kinds = KINDS.map((kind) => {
    const { copied, unchanged, refused } = counts[kind];
    const parts = [
      `${formatCount(copied)} copied`,
      unchanged > 0 ? `${formatCount(unchanged)} unchanged` : '',
      refused > 0 ? `${formatCount(refused)} rejected` : '',
    ];
    return `${kind.padEnd(LABEL_CHARS)} ${parts.filter(Boolean).join(', ')}`;
  });
  const hiddenCount = refusals.length - REFUSALS_SHOWN;
  return [
    ...kinds,
    `${'stock'.padEnd(LABEL_CHARS)} ${formatCount(stock)} levels adjusted`,
    ...refusals.slice(0, REFUSALS_SHOWN).map(({ kind, name, error }) => `Rejected: ${kind} ${name}: ${error}`),
    ...(hiddenCount > 0 ? [`… and ${formatCount(hiddenCount)} more; list all with --json`] : []),
    profile === null ? `Tenant ${tenant} is up to date` : `Copied to tenant ${tenant}; try \`stockroom items list --profile ${profile}\``,
  ];
}
