import { existsSync } from 'node:fs';
import { Flags } from '@oclif/core';
import { DaemonCommand } from '../../src/cli/base-commands/daemon-command.ts';
import { watchPipeReader } from '../../src/cli/output/pipe-reader.ts';
import type { Format } from '../../src/cli/output/formats.ts';
import { getLogFile } from '../../src/contract/local-paths.ts';
import { parseLogEntry, formatLogLine } from '../../src/daemon/log/format-line.ts';
import { readLastLines, followLines } from '../../src/daemon/log/tail.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';

const DEFAULT_LINES = 50;
/** Fields of every line, and of request log lines. */
const COLUMNS = ['time', 'level', 'msg', 'code', 'method', 'path', 'requestId'];

/** Formats that print whole lines instead of columns. */
const LINE_FORMATS: ReadonlySet<Format> = new Set(['table', 'ndjson', 'tsv']);

export default class DaemonLogs extends DaemonCommand {
  static override summary = 'Show the daemon log';
  static override hiddenAliases = ['logs'];
  static override description =
    'Prints readable lines on a terminal and NDJSON in a pipe or with --json. Also works when the daemon is stopped.';
  static override flags = {
    follow: Flags.boolean({ char: 'f', description: 'Follow new lines until Ctrl-C.' }),
    lines: integerFlag({ char: 'n', min: 0, default: DEFAULT_LINES, helpValue: 'N', description: 'Number of lines to show.' }),
  };
  static override examples = ['<%= config.bin %> daemon logs -n 20', '<%= config.bin %> daemon logs -f --json'];

  async run(): Promise<void> {
    const { flags } = await this.parse(DaemonLogs);
    if (flags.follow) watchPipeReader();
    const path = getLogFile(this.dataDir);
    const end = new AbortController();
    // Opened before the last lines are read, so that no line is missed in between.
    const coming = followLines(path, end.signal);
    const first = flags.follow ? coming.next() : undefined;
    const last = readLastLines(path, flags.lines);
    if (!existsSync(path))
      this.printNote(
        `${this.dataDir} has no log file${flags.follow ? '; waiting for one' : '; a daemon in the foreground, as of `npm start`, logs to its terminal'}`,
      );
    const following = async function* () {
      if (first) for (let next = await first; next.done !== true; next = await coming.next()) yield next.value;
    };
    const { format } = this;
    const isTsvChosen = this.globals.output === 'tsv';
    if (format === 'json' || (this.globals.columns === undefined && !isTsvChosen && LINE_FORMATS.has(format))) {
      const shape = format === 'table' ? formatLogLine : (line: string) => line;
      const syntax = format === 'table' ? 'text' : 'json';
      for (const line of last) await this.out.write(`${shape(line)}\n`, syntax);
      for await (const line of following()) await this.out.write(`${shape(line)}\n`, syntax);
      return;
    }
    const fields = [...new Set([...COLUMNS, ...last.flatMap((line) => Object.keys(parseLogEntry(line)))])];
    const pages = async function* () {
      if (last.length > 0) yield { rows: last.map(parseLogEntry) };
      for await (const line of following()) yield { rows: [parseLogEntry(line)] };
    };
    await this.printPages(pages(), this.validateOutput({ fields, columns: COLUMNS }));
  }
}
