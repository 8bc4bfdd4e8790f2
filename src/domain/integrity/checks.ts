/**
 * Checks the integrity of stored data: recomputes derived values and compares. Tables are walked page by page, each page in a separate
 * read, so that the service keeps working; a row is read together with everything it is compared with.
 */
import { IndexTally } from './index-tally.ts';
import { checkClaims, checkLedgerNumbers } from './claim-checks.ts';
import { type RowCheck, createRowChecks } from './row-checks.ts';
import { type TenantReader, type TableName, readPages } from './table-walk.ts';
import { checkTenantInvariants } from './tenant-checks.ts';
import { type Finding, Findings, MAX_LISTED_PROBLEMS } from './findings.ts';
import type { Row } from '../kernel/ports.ts';
import { type ReadTx, tables } from '../tables.ts';
import type { TenantRecord } from '../kernel/tenant.ts';

/** The result of one check as `doctor` reports it. */
export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Tables that a check of the whole tenant walks once more. */
const WALKED_TWICE: readonly TableName[] = ['contacts', 'ingredients', 'events', 'orders', 'stockDocuments', 'stockLevels', 'ledger'];

const listTenantTables = (): TableName[] => (Object.keys(tables) as TableName[]).filter((name) => tables[name].scope === 'tenant');

/** How many rows the checks of a tenant walk over. */
export async function countCheckedRows(tx: ReadTx): Promise<number> {
  const counts = await Promise.all([...listTenantTables(), ...WALKED_TWICE].map((name) => tx[name].count()));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Runs every check of one tenant. */
export async function checkTenant(read: TenantReader, tenant: TenantRecord): Promise<Finding[]> {
  const checks = createRowChecks();
  const indexes = new Findings('indexes');
  for (const table of listTenantTables()) await checkTable(read, table, checks, indexes);
  const rows = checks.map(({ findings }) => findings.toFinding());
  return [
    ...rows,
    ...(await checkTenantInvariants(read, tenant)),
    await checkClaims(read),
    await checkLedgerNumbers(read),
    indexes.toFinding(),
  ].map((finding) => ({
    ...finding,
    problems: finding.problems.map((problem) => `${tenant.slug}: ${problem}`),
  }));
}

async function checkTable(read: TenantReader, table: TableName, checks: readonly RowCheck[], indexes: Findings): Promise<void> {
  const indexTally = new IndexTally(table);
  const getRevision = (tx: ReadTx) => tx[table].getRevision();
  const revision = await read(getRevision);
  const runChecks = async (tx: ReadTx, rows: readonly Row[]) => {
    // Together, so that a database works on the queries of one check while the rows of another are compared.
    const [searchProblems, ...rowProblems] = await Promise.all([
      indexTally.findUnsearchable(tx, rows[0]),
      ...checks.map((check) => check.run(tx, table, rows)),
    ]);
    return { rowProblems, searchProblems };
  };
  for await (const { rows, result } of readPages(read, table, runChecks)) {
    for (const row of rows) indexTally.add(row);
    for (const [index, { findings }] of checks.entries()) for (const problem of result.rowProblems[index] ?? []) findings.record(problem);
    for (const problem of result.searchProblems) indexes.record(problem);
  }
  const counted = await read(async (tx) => ({ mismatches: await indexTally.compare(tx), revision: await getRevision(tx) }));
  // Otherwise the rows of the pages are not those that were counted.
  if (counted.revision === revision) for (const problem of counted.mismatches) indexes.record(problem);
}

/** Merges the findings of one check in several tenants. */
export function mergeFindings(findings: readonly Finding[]): CheckResult {
  const problems = findings.flatMap((finding) => finding.problems);
  const unlistedCount =
    findings.reduce((sum, finding) => sum + finding.unlistedCount, 0) + Math.max(0, problems.length - MAX_LISTED_PROBLEMS);
  const checkedCount = findings.reduce((sum, finding) => sum + finding.checkedCount, 0);
  const listed = [...problems.slice(0, MAX_LISTED_PROBLEMS), ...(unlistedCount > 0 ? [`and ${String(unlistedCount)} more`] : [])].join(
    '; ',
  );
  return {
    name: findings[0]?.name ?? '',
    ok: problems.length === 0,
    detail: problems.length === 0 ? `${String(checkedCount)} checked` : listed,
  };
}
