import { Flags } from '@oclif/core';
import { StockroomCommand } from '../src/cli/command.ts';
import { dataDirFlag } from '../src/cli/flags.ts';

export default class Demo extends StockroomCommand {
  static override summary = 'Load the demo tenants, starting the service if need be, and say what to try';
  static override description = 'Demo tenants that are there already stay as you left them.';
  static override flags = {
    'data-dir': dataDirFlag,
    ephemeral: Flags.boolean({
      description: 'In a temporary data directory, removed at the stop; no key is saved.',
      exclusive: ['data-dir'],
    }),
  };
  static override examples = ['<%= config.bin %> demo', '<%= config.bin %> demo --data-dir ./play', '<%= config.bin %> demo --ephemeral'];

  async run(): Promise<void> {
    await this.parse(Demo);
    // One way to start a daemon with the demo data, and one text about it.
    await this.config.runCommand('daemon:start', ['--demo', ...this.argv]);
  }
}
