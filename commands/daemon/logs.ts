import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.ts';
import { logFile } from '../../src/contract/places.ts';
import { humanLine } from '../../src/daemon/log-line.ts';
import { lastLines, newLines } from '../../src/daemon/tail.ts';

const LINES = 50;

export default class DaemonLogs extends DaemonCommand {
  static override summary = 'Show the log of a background service';
  static override description =
    'One JSON object per line in a pipe or with --json; on a terminal, lines for people. Works when the service is stopped, too.';
  static override flags = {
    follow: Flags.boolean({ char: 'f', description: 'Go on with what comes; Ctrl-C ends it.' }),
    lines: Flags.integer({ char: 'n', min: 0, default: LINES, helpValue: 'N', description: 'How many of the last lines.' }),
  };
  static override examples = ['<%= config.bin %> daemon logs -n 20', '<%= config.bin %> daemon logs -f --json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonLogs);
    const path = logFile(this.dataDir);
    const shape = this.format === 'table' ? humanLine : (line: string) => line;
    const print = (line: string) => this.out.write(`${shape(line)}\n`);
    const end = new AbortController();
    // Opened before the last lines are read: nothing falls between the two.
    const coming = newLines(path, end.signal);
    const first = flags.follow ? coming.next() : undefined;
    for (const line of lastLines(path, flags.lines)) await print(line);
    if (!first) return;
    for (let next = await first; next.done !== true; next = await coming.next()) await print(next.value);
  }
}
