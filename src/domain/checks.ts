/**
 * Looks whether stored data is sound: derives again what can be derived, and compares. Tables are walked page by page, each page in a read
 * of its own, so that the service goes on meanwhile; whatever is compared with a row is read together with it.
 */
import { Tally } from './check-indexes.ts';
import { claims, ledgerNumbers } from './check-claims.ts';
import { type RowCheck, rowChecks } from './check-rows.ts';
import { type Reads, type TableName, pagesOf } from './check-walk.ts';
import { wholeChecks } from './check-whole.ts';
import { type Finding, Findings, TOLD } from './findings.ts';
import type { Row } from './ports.ts';
import { type ReadTx, tables } from './tables.ts';
import type { TenantRecord } from './tenants.ts';

export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Every check of one tenant. The store's listener puts the tables that are written into `touched`: what moves cannot be counted. */
export async function checkTenant(reads: Reads, tenant: TenantRecord, touched: Set<string>): Promise<Finding[]> {
  const checks = rowChecks();
  const indexes = new Findings('indexes');
  const names = Object.keys(tables) as TableName[];
  for (const table of names.filter((name) => tables[name].scope === 'tenant')) {
    await walk(reads, table, checks, indexes, touched);
  }
  const rows = checks.map(({ findings }) => findings.done());
  return [...rows, ...(await wholeChecks(reads, tenant)), await claims(reads, touched), await ledgerNumbers(reads), indexes.done()].map(
    (finding) => ({
      ...finding,
      problems: finding.problems.map((problem) => `${tenant.slug}: ${problem}`),
    }),
  );
}

async function walk(reads: Reads, table: TableName, checks: readonly RowCheck[], indexes: Findings, touched: Set<string>): Promise<void> {
  const tally = new Tally(table);
  touched.delete(table);
  const look = async (tx: ReadTx, rows: readonly Row[]) => {
    const byCheck = [];
    for (const check of checks) byCheck.push(await check.look(tx, table, rows));
    return { byCheck, searched: await tally.search(tx, rows[0]) };
  };
  for await (const { rows, seen } of pagesOf(reads, table, look)) {
    for (const row of rows) tally.add(row);
    for (const [at, { findings }] of checks.entries()) for (const problem of seen.byCheck[at] ?? []) findings.look(problem);
    for (const problem of seen.searched) indexes.look(problem);
  }
  const compared = await reads((tx) => tally.compare(tx));
  if (!touched.has(table)) for (const problem of compared) indexes.look(problem);
}

/** The findings of one check in several tenants as one result. */
export function combine(findings: readonly Finding[]): CheckResult {
  const problems = findings.flatMap((finding) => finding.problems);
  const more = findings.reduce((sum, finding) => sum + finding.more, 0) + Math.max(0, problems.length - TOLD);
  const looked = findings.reduce((sum, finding) => sum + finding.looked, 0);
  const told = [...problems.slice(0, TOLD), ...(more > 0 ? [`and ${String(more)} more`] : [])].join('; ');
  return { name: findings[0]?.name ?? '', ok: problems.length === 0, detail: problems.length === 0 ? `${String(looked)} looked at` : told };
}
