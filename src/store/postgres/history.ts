/**
 * Remembers recent commits (`REMEMBERED_MS`), to find out which of them a server has lost: one that was restored, an asynchronous standby
 * that was promoted, or one that crashed while `synchronous_commit` was off.
 */
import { RETENTION_MINUTES, type LoggedCommit } from './commit-log.ts';
import { type Queryable, SHORT_TIMEOUT_MS, defineStatement } from './database.ts';
import { SCHEMA } from './table-columns.ts';

type KnownCommit = Pick<LoggedCommit, 'tenant' | 'first' | 'sequence' | 'token'>;

/** Commits of a tenant that are gone, by number. */
export interface LostCommits {
  readonly tenant: string;
  readonly first: number;
  readonly last: number;
}

const REMEMBERED_MS = (RETENTION_MINUTES * 60_000) / 2;
const MAX_REMEMBERED = 10_000;

const FIND_MISSING = defineStatement(
  `SELECT known.tenant, known.first, known.sequence
   FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) AS known (tenant, first, sequence, token)
   WHERE NOT EXISTS (
     SELECT FROM ${SCHEMA}.commits AS kept
     WHERE kept.tenant = known.tenant COLLATE "C" AND kept.sequence = known.sequence AND kept.token = known.token COLLATE "C"
   )`,
  SHORT_TIMEOUT_MS,
);

export class History {
  /** Oldest first. */
  #commits: (KnownCommit & { readonly at: number })[] = [];

  add({ tenant, first, sequence, token }: KnownCommit): void {
    const at = performance.now();
    this.#commits.push({ tenant, first, sequence, token, at });
    if (this.#commits.length <= MAX_REMEMBERED && this.#commits[0]!.at > at - REMEMBERED_MS) return;
    // Half of them at once, so that this is rare.
    const kept = this.#commits.filter((commit) => commit.at > at - REMEMBERED_MS / 2);
    this.#commits = kept.slice(-MAX_REMEMBERED / 2);
  }

  /** Which of the remembered commits the database does not have. Forgets all. */
  async takeLost(database: Queryable): Promise<LostCommits[]> {
    const now = performance.now();
    const commits = this.#commits.filter(({ at }) => at > now - REMEMBERED_MS);
    if (commits.length === 0) return [];
    const missing = await database.query(FIND_MISSING, [
      commits.map(({ tenant }) => tenant),
      commits.map(({ first }) => first),
      commits.map(({ sequence }) => sequence),
      commits.map(({ token }) => token),
    ]);
    this.#commits = [];
    return mergeLost(missing.map(([tenant, first, last]) => ({ tenant: String(tenant), first: Number(first), last: Number(last) })));
  }
}

/** One entry per tenant. */
export function mergeLost(lost: readonly LostCommits[]): LostCommits[] {
  return [...Map.groupBy(lost, ({ tenant }) => tenant)].map(([tenant, entries]) => ({
    tenant,
    first: Math.min(...entries.map(({ first }) => first)),
    last: Math.max(...entries.map(({ last }) => last)),
  }));
}
