import { existsSync } from 'node:fs';
import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/daemon-command.ts';
import type { Format } from '../../src/cli/formats.ts';
import { logFile } from '../../src/contract/places.ts';
import { entryOf, humanLine } from '../../src/daemon/log-line.ts';
import { lastLines, newLines } from '../../src/daemon/tail.ts';

const LINES = 50;
/** Of every line, and of what a request left behind. */
const COLUMNS = ['time', 'level', 'msg', 'code', 'method', 'path', 'requestId'];

/** What gets lines as they are, or as a person reads them. */
const AS_THEY_ARE: ReadonlySet<Format> = new Set(['table', 'ndjson', 'tsv']);

export default class DaemonLogs extends DaemonCommand {
  static override summary = 'Show the log of a background service';
  static override description =
    'One JSON object per line in a pipe or with --json; on a terminal, lines for people; rows with --columns and the other formats. Works when the service is stopped, too.';
  static override flags = {
    follow: Flags.boolean({ char: 'f', description: 'Go on with what comes; Ctrl-C ends it.' }),
    lines: Flags.integer({ char: 'n', min: 0, default: LINES, helpValue: 'N', description: 'How many of the last lines.' }),
  };
  static override examples = ['<%= config.bin %> daemon logs -n 20', '<%= config.bin %> daemon logs -f --json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonLogs);
    const path = logFile(this.dataDir);
    const end = new AbortController();
    // Opened before the last lines are read: nothing falls between the two.
    const coming = newLines(path, end.signal);
    const first = flags.follow ? coming.next() : undefined;
    const last = lastLines(path, flags.lines);
    if (!existsSync(path)) this.note(`${this.dataDir} has no log yet${flags.follow ? '; what comes is shown' : ''}`);
    const following = async function* () {
      if (first) for (let next = await first; next.done !== true; next = await coming.next()) yield next.value;
    };
    const { format } = this;
    if (format === 'json' || (this.globals.columns === undefined && AS_THEY_ARE.has(format))) {
      const shape = format === 'table' ? humanLine : (line: string) => line;
      for (const line of last) await this.out.write(`${shape(line)}\n`);
      for await (const line of following()) await this.out.write(`${shape(line)}\n`);
      return;
    }
    const fields = [...new Set([...COLUMNS, ...last.flatMap((line) => Object.keys(entryOf(line)))])];
    const pages = async function* () {
      if (last.length > 0) yield { rows: last.map(entryOf) };
      for await (const line of following()) yield { rows: [entryOf(line)] };
    };
    await this.printPages(pages(), this.checked({ fields, columns: COLUMNS }));
  }
}
