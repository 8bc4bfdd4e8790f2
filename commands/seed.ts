import { watchInterrupts } from '../src/cli/session/interrupt.ts';
import { defineCommand } from '../src/cli/command/define-command.ts';
import { Failure, usageError } from '../src/cli/errors/failure.ts';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { formatCount } from '../src/cli/output/numbers.ts';
import { tenantFlag } from '../src/cli/input/common-flags.ts';
import { bodyFlags } from '../src/cli/input/operation-flags.ts';
import { writeFlags } from '../src/cli/input/request-body.ts';
import { getView } from '../src/cli/records/request.ts';
import { submitRecord } from '../src/cli/records/write-record.ts';
import { adminAccess, type AdminContext } from '../src/cli/session/admin-session.ts';
import type { Client, Reply } from '../src/client/client.ts';
import { getSeed, type SeedProgress, startSeed } from '../src/contract/admin/demo.ts';
import { setTimeout } from 'node:timers/promises';

const POLL_INTERVAL_MS = 200;

export default defineCommand({
  access: adminAccess,
  summary: 'Generate test data',
  description: startSeed.description,
  flags: { ...bodyFlags(startSeed), 'dry-run': writeFlags['dry-run'], tenant: tenantFlag },
  examples: ['seed --items 1000', 'seed --items 100000 --seed 7 --tenant local'],
  async run(context) {
    const { flags, output, session }: AdminContext = context;
    if (flags['items'] === undefined) throw usageError('Missing required flag --items', 'Example: --items 1000');
    const view = output.validateView(getView(getSeed));
    if (!(await submitRecord(context, startSeed))) return;
    const client = await session.connect();
    const interrupt = watchInterrupts();
    const reply = await waitUntilDone(client, interrupt.signal).finally(() => interrupt.release());
    const { status, error, done, total } = reply.body.data;
    if (status === 'running' && interrupt.exit !== null) {
      output.printNote(`The daemon continues in the background: ${String(done)} of ${String(total)} rows so far`);
      process.exitCode = interrupt.exit;
      return;
    }
    if (status === 'failed') throw explainFailure(reply.body.data, error);
    await output.printOne(reply.body, view, reply.text);
  },
});

/** A run stores its rows in batches: those of finished batches stay. */
const explainFailure = ({ done, total, tenant }: SeedProgress, error: string | null): Failure =>
  new Failure('SEED_FAILED', `Generating failed after ${formatCount(done)} of ${formatCount(total)} rows: ${error ?? 'unknown error'}`, {
    exit: EXIT.unexpected,
    hint: `${done === 0 ? 'No rows were added' : `The ${formatCount(done)} rows stay in ${tenant ?? 'the tenant'}`}. Remove the cause, then run it again, which adds further rows, or empty the service first with \`stockroom reset\``,
  });

/** Polls until the run ends or `signal` is aborted, showing progress on a terminal. */
async function waitUntilDone(client: Client, signal: AbortSignal): Promise<Reply<{ data: SeedProgress }>> {
  const { stderr } = process;
  for (;;) {
    const reply = await client.call(getSeed, {});
    const { status, done, total } = reply.body.data;
    if (stderr.isTTY) stderr.write(`\r${String(done)} of ${String(total)} rows \u001b[K`);
    if (status !== 'running' || signal.aborted) {
      if (stderr.isTTY) stderr.write('\r\u001b[K');
      return reply;
    }
    await setTimeout(POLL_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
  }
}
