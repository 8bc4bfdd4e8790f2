import { Flags } from '@oclif/core';
import { StockroomCommand } from '../src/cli/base-commands/stockroom-command.ts';
import { dataDirFlag } from '../src/cli/input/common-flags.ts';

export default class Demo extends StockroomCommand {
  static override summary = 'Load the demo data, starting the daemon if needed';
  static override description = 'Existing demo tenants are unchanged.';
  static override flags = {
    'data-dir': dataDirFlag,
    ephemeral: Flags.boolean({
      description: 'Use a temporary data directory, deleted on stop. The key is not saved.',
      exclusive: ['data-dir'],
    }),
  };
  static override examples = ['<%= config.bin %> demo', '<%= config.bin %> demo --data-dir ./play', '<%= config.bin %> demo --ephemeral'];

  async run(): Promise<void> {
    await this.parse(Demo);
    // `demo` is an alias of `daemon start --demo`.
    await this.config.runCommand('daemon:start', ['--demo', ...this.argv]);
  }
}
