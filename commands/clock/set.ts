import { Args } from '@oclif/core';
import { AdminCommand } from '../../src/cli/base-commands/admin-command.ts';
import { parseLocalTime } from '../../src/cli/input/timestamp.ts';
import { setClock } from '../../src/contract/admin/clock.ts';

export default class ClockSet extends AdminCommand {
  static override summary = 'Set the test clock to a time';
  static override description =
    'Requires a daemon started with --test-clock. The time may be in the past, and is local without an offset; the clock continues from there.';
  static override args = {
    at: Args.string({ required: true, ignoreStdin: true, description: 'Timestamp such as 2026-12-31T23:59:00Z.' }),
  };
  static override examples = [
    '<%= config.bin %> clock set 2026-12-31T23:59:00Z',
    '<%= config.bin %> clock set 2027-01-01T00:00:00Z --json',
  ];

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ClockSet);
    await this.write(setClock, { args, flags }, { at: parseLocalTime(args.at) ?? args.at });
  }
}
