import { setTimeout } from 'node:timers/promises';
import type { Client, Reply } from '../src/client/client.ts';
import { watchInterrupts } from '../src/cli/bulk/interrupt.ts';
import { bodyFlags } from '../src/cli/input/operation-flags.ts';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { Failure, usageError } from '../src/cli/errors/failure.ts';
import { getView } from '../src/cli/base-commands/service-command.ts';
import { AdminCommand, tenantFlag } from '../src/cli/base-commands/admin-command.ts';
import { readRequestBody } from '../src/cli/input/request-body.ts';
import { type SeedProgress, getSeed, startSeed } from '../src/contract/admin/demo.ts';

const POLL_INTERVAL_MS = 200;

export default class Seed extends AdminCommand {
  static override summary = 'Generate test data';
  static override description =
    'Generates items with suppliers and ingredients, contacts and orders. The same seed generates the same data.';
  static override flags = {
    ...bodyFlags(startSeed, {
      items: 'Number of items.',
      orders: 'Number of orders, half of them completed. Default: one per ten items.',
      seed: 'Seed of the random generator.',
    }),
    ...tenantFlag,
  };
  static override examples = ['<%= config.bin %> seed --items 1000', '<%= config.bin %> seed --items 100000 --seed 7 --tenant local'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Seed);
    if (flags['items'] === undefined) throw usageError('Missing required flag --items', 'Example: --items 1000');
    const view = this.validateOutput(getView(getSeed));
    const client = await this.connect();
    const parts = await this.toWriteParts(startSeed, { args, flags }, await readRequestBody(startSeed, flags));
    await client.perform(startSeed, parts);
    const interrupt = watchInterrupts();
    const reply = await this.waitUntilDone(client, interrupt.signal).finally(() => interrupt.release());
    const { status, error, done, total } = reply.body.data;
    if (status === 'running' && interrupt.exit !== null) {
      this.printNote(`The daemon continues in the background: ${String(done)} of ${String(total)} rows so far`);
      process.exitCode = interrupt.exit;
      return;
    }
    if (status === 'failed') throw new Failure('SEED_FAILED', `Generating failed: ${error ?? 'unknown error'}`, { exit: EXIT.unexpected });
    await this.printOne(reply.body, view, reply.text);
  }

  /** Polls until the run ends or `signal` is aborted, showing progress on a terminal. */
  private async waitUntilDone(client: Client, signal: AbortSignal): Promise<Reply<{ data: SeedProgress }>> {
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
}
