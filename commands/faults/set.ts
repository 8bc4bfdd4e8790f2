import { Args } from '@oclif/core';
import { writeFlags } from '../../src/cli/body.ts';
import { bodyFlags } from '../../src/cli/operation-flags.ts';
import { SettingsCommand } from '../../src/cli/settings-command.ts';
import { setFault } from '../../src/contract/admin/faults.ts';

export default class FaultsSet extends SettingsCommand {
  static override summary = 'Let requests or webhook deliveries go wrong on purpose, to test a client';
  static override description = `What is hit waits for --latency first, then is answered with --status, or loses its connection with --drop; else it goes on.
A fault of the same target is replaced. Faults end with the daemon, with --times and --for by themselves, and with \`faults clear\`.`;
  static override args = {
    target: Args.string({
      required: true,
      ignoreStdin: true,
      description: "Method and path, * for any: 'POST /v1/items', 'GET /v1/*'. Or the URL, or its beginning, that deliveries go to.",
    }),
  };
  static override flags = {
    ...bodyFlags(setFault, { rate: 'Share of what is met that is hit, above 0 up to 1.' }, ['target']),
    ...writeFlags,
  };
  static override examples = [
    "<%= config.bin %> faults set 'POST /v1/items' --status 503 --rate 0.1 --latency 200ms --retry-after 2",
    "<%= config.bin %> faults set '* /v1/*' --latency 2s --for 10m",
    "<%= config.bin %> faults set 'POST /v1/orders' --drop after --times 1",
    '<%= config.bin %> faults set http://127.0.0.1:3000/hooks --status 500 --times 3',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(FaultsSet);
    const reply = await this.write(setFault, { args, flags }, { target: args.target });
    if (reply && process.stderr.isTTY) this.note('in force until `stockroom faults clear`, or until the daemon stops');
  }
}
