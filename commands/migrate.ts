import { watchInterrupts } from '../src/cli/session/interrupt.ts';
import { createProgress, type Progress } from '../src/cli/bulk/progress.ts';
import { defineCommand } from '../src/cli/command/define-command.ts';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { preferSmallHeap } from '../src/cli/heap-limits.ts';
import { formatCountWithNoun } from '../src/cli/output/numbers.ts';
import { type DaemonContext, processAccess } from '../src/cli/session/daemon-session.ts';
import type { MigrationProgress, MigrationResult } from '../src/daemon/migrate/migrate-data.ts';
import { Errors, Flags } from '@oclif/core';

const COLUMNS = ['tenant', 'table', 'rows', 'ok', 'sha256'];
const VIEW = { fields: COLUMNS, columns: COLUMNS };

export default defineCommand({
  access: processAccess,
  summary: 'Copy all data between data directories and databases',
  description:
    'Requires that all daemons of both are stopped and that the target is empty; the same command continues after an interruption. At the end, checksums of both are compared and the checks of `doctor` run on the target: exits with 9 if one fails.',
  flags: {
    from: Flags.string({
      required: true,
      helpValue: 'DIR|URL',
      description: 'Data directory or PostgreSQL address to copy from. Its password is in STOCKROOM_STORE, PGPASSWORD or ~/.pgpass.',
    }),
    to: Flags.string({ required: true, helpValue: 'DIR|URL', description: 'Empty directory or PostgreSQL database to copy to.' }),
  },
  examples: [
    'migrate --from ./stock --to postgres://stockroom@db.example.com/stockroom',
    'migrate --from postgres://stockroom@db.example.com/stockroom --to ./copy --json',
  ],
  async run(context) {
    const { flags, output } = context;
    const view = output.validateView(VIEW);
    // The store is loaded only when it is needed, not to show the help.
    const { migrateData } = await import('../src/daemon/migrate/migrate-data.ts');
    preferSmallHeap();
    const interrupt = watchInterrupts();
    const progress = createMigrationProgress();
    let result: MigrationResult;
    try {
      result = await migrateData({
        ...flags,
        env: process.env,
        signal: interrupt.signal,
        onProgress: progress.show,
        onNotice: (message) => output.printNote(message),
      });
    } catch (error) {
      if (interrupt.exit === null) throw error;
      progress.clear();
      output.printNote('Interrupted; run the same command again to continue');
      return Errors.exit(interrupt.exit);
    } finally {
      progress.clear();
      interrupt.release();
    }
    await output.printList({ data: result.tables }, view, JSON.stringify({ data: result }));
    report(context, result);
    if (!result.ok) Errors.exit(EXIT.checkFailed);
  },
});

function report({ output }: DaemonContext, { to, rows, resumedRows, tables, checks, ok }: MigrationResult): void {
  const different = tables.filter((each) => !each.ok).length;
  if (different > 0)
    return output.printNote(
      `${String(different)} of ${formatCountWithNoun(tables.length, 'tables')} differ; empty the target and copy again`,
    );
  for (const { name, detail } of checks.filter((check) => !check.ok)) output.printNote(`Check failed: ${name}: ${detail}`);
  const resumed = resumedRows > 0 ? ` (${formatCountWithNoun(resumedRows, 'rows')} before the interruption)` : '';
  output.printNote(
    `Copied ${formatCountWithNoun(rows, 'rows')} to ${to}${resumed}${ok ? `; all ${String(checks.length)} checks passed` : ''}`,
  );
}

/** One line for each step, at a terminal only. */
function createMigrationProgress() {
  let step: MigrationProgress['step'] | undefined;
  let progress: Progress | undefined;
  const clear = (): void => progress?.clear();
  return {
    show(shown: MigrationProgress): void {
      if (shown.step !== step) {
        clear();
        ({ step } = shown);
        progress = createProgress({ noun: 'rows', participle: step, total: shown.total });
      }
      progress?.show(shown.done);
    },
    clear,
  };
}
