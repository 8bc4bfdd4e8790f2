/** What a pull did, in words and as JSON. */
import { grouped } from '../bulk/progress.ts';
import { KINDS, type Kind } from './id-map.ts';

export type Counts = Record<'copied' | 'unchanged' | 'refused', number>;

/** A record that could not be copied. */
export interface Refusal {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  readonly error: string;
}

export interface Pulled {
  readonly tenant: string;
  /** The profile that was made for the copy; null: it was there already. */
  readonly profile: string | null;
  readonly counts: Readonly<Record<Kind, Counts>>;
  /** Levels that were adjusted. */
  readonly stock: number;
  readonly refusals: readonly Refusal[];
}

const REFUSALS_SHOWN = 10;
const LABEL_CHARS = 10;

export const pulledJson = ({ tenant, profile, counts, stock, refusals }: Pulled): string =>
  JSON.stringify({ data: { tenant, profile, ...counts, stockLevels: stock, refusals } });

export function pulledLines({ tenant, profile, counts, stock, refusals }: Pulled): string[] {
  const kinds = KINDS.map((kind) => {
    const { copied, unchanged, refused } = counts[kind];
    const parts = [
      `${grouped(copied)} copied`,
      unchanged > 0 ? `${grouped(unchanged)} unchanged` : '',
      refused > 0 ? `${grouped(refused)} refused` : '',
    ];
    return `${kind.padEnd(LABEL_CHARS)} ${parts.filter(Boolean).join(', ')}`;
  });
  const more = refusals.length - REFUSALS_SHOWN;
  return [
    ...kinds,
    `${'stock'.padEnd(LABEL_CHARS)} ${grouped(stock)} levels adjusted`,
    ...refusals.slice(0, REFUSALS_SHOWN).map(({ kind, name, error }) => `refused: ${kind} ${name}: ${error}`),
    ...(more > 0 ? [`… and ${grouped(more)} more; --json lists all`] : []),
    profile === null ? `tenant ${tenant} is up to date` : `the copy is tenant ${tenant}; try \`stockroom items list --profile ${profile}\``,
  ];
}
