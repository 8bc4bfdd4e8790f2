import { setTimeout } from 'node:timers/promises';
import type { Client, Reply } from '../src/client/client.ts';
import { watchInterrupts } from '../src/cli/bulk/interrupt.ts';
import { bodyFlags } from '../src/cli/operation-flags.ts';
import { EXIT } from '../src/cli/exit-codes.ts';
import { Failure, usage } from '../src/cli/failure.ts';
import { viewOf } from '../src/cli/service-command.ts';
import { SettingsCommand, tenantFlag } from '../src/cli/settings-command.ts';
import { bodyOf } from '../src/cli/body.ts';
import { type SeedProgress, getSeed, startSeed } from '../src/contract/admin/demo.ts';

const LOOK_AGAIN_MS = 200;

export default class Seed extends SettingsCommand {
  static override summary = 'Generate items with suppliers, recipes, contacts and orders; the same seed makes the same data';
  static override flags = {
    ...bodyFlags(startSeed, {
      items: 'How many items.',
      orders: 'How many orders, half of them completed. Default: one for ten items.',
      seed: 'Another number makes other data.',
    }),
    ...tenantFlag,
  };
  static override examples = ['<%= config.bin %> seed --items 1000', '<%= config.bin %> seed --items 100000 --seed 7 --tenant local'];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(Seed);
    if (flags['items'] === undefined) throw usage('how many items?', 'for example --items 1000');
    const view = this.checked(viewOf(getSeed));
    const client = await this.connect();
    const parts = { ...this.partsOf(startSeed, { args, flags }), body: await bodyOf(startSeed, flags) };
    await client.perform(startSeed, parts);
    const interrupt = watchInterrupts();
    const reply = await this.follow(client, interrupt.signal).finally(() => interrupt.release());
    const { status, error, done, total } = reply.body.data;
    if (status === 'running' && interrupt.exit !== null) {
      this.note(`the daemon goes on generating: ${String(done)} of ${String(total)} rows so far`);
      process.exitCode = interrupt.exit;
      return;
    }
    if (status === 'failed')
      throw new Failure('seed_failed', `the generating ended early: ${error ?? 'no reason given'}`, { exit: EXIT.unexpected });
    await this.printOne(reply.body, view, reply.text);
  }

  /** Looks until it is done or nobody waits for it any more, telling a terminal how far it is. */
  private async follow(client: Client, signal: AbortSignal): Promise<Reply<{ data: SeedProgress }>> {
    const { stderr } = process;
    for (;;) {
      const reply = await client.call(getSeed, {});
      const { status, done, total } = reply.body.data;
      if (stderr.isTTY) stderr.write(`\r${String(done)} of ${String(total)} rows \u001b[K`);
      if (status !== 'running' || signal.aborted) {
        if (stderr.isTTY) stderr.write('\r\u001b[K');
        return reply;
      }
      await setTimeout(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
