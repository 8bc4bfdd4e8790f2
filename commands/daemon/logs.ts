import { defineCommand } from '../../src/cli/command/define-command.ts';
import { integerFlag } from '../../src/cli/input/integer-flag.ts';
import type { Format } from '../../src/cli/output/formats.ts';
import { watchPipeReader } from '../../src/cli/output/pipe-reader.ts';
import { daemonAccess } from '../../src/cli/session/daemon-session.ts';
import { getLogFile } from '../../src/platform/local-paths.ts';
import { formatLogLine, parseLogEntry } from '../../src/daemon/log/format-line.ts';
import { followLines, readLastLines } from '../../src/daemon/log/tail.ts';
import { Flags } from '@oclif/core';
import { existsSync } from 'node:fs';

const DEFAULT_LINES = 50;
/** Fields of every line, and of request log lines. */
const COLUMNS = ['time', 'level', 'msg', 'code', 'method', 'path', 'requestId'];

/** Formats that print whole lines instead of columns. */
const LINE_FORMATS: ReadonlySet<Format> = new Set(['table', 'ndjson', 'tsv']);

export default defineCommand({
  access: daemonAccess,
  summary: 'Show the daemon log',
  hiddenAliases: ['logs'],
  description: 'Prints readable lines on a terminal and NDJSON in a pipe or with --json. Also works when the daemon is stopped.',
  flags: {
    follow: Flags.boolean({ char: 'f', description: 'Follow new lines until Ctrl-C.' }),
    lines: integerFlag({ char: 'n', min: 0, default: DEFAULT_LINES, helpValue: 'N', description: 'Number of lines to show.' }),
  },
  examples: ['daemon logs -n 20', 'daemon logs -f --json'],
  async run({ flags, session, ...context }) {
    const output = flags.follow && flags.jq !== undefined ? context.output.forStream() : context.output;
    if (flags.follow) watchPipeReader();
    const path = getLogFile(session.dataDir);
    const end = new AbortController();
    // Opened before the last lines are read, so that no line is missed in between.
    const coming = followLines(path, end.signal);
    const first = flags.follow ? coming.next() : undefined;
    const last = readLastLines(path, flags.lines);
    if (!existsSync(path))
      output.printNote(
        `${session.dataDir} has no log file${flags.follow ? '; waiting for one' : '; a daemon in the foreground, such as that of `npm start`, logs to its terminal'}`,
      );
    const following = async function* () {
      if (first) for (let next = await first; next.done !== true; next = await coming.next()) yield next.value;
    };
    const { format } = output;
    const isTsvChosen = flags.output === 'tsv';
    if (format === 'json' || (output.columns === undefined && !isTsvChosen && LINE_FORMATS.has(format))) {
      const shape = format === 'table' ? formatLogLine : (line: string) => line;
      const syntax = format === 'table' ? 'text' : 'json';
      for (const line of last) await output.write(`${shape(line)}\n`, syntax);
      for await (const line of following()) await output.write(`${shape(line)}\n`, syntax);
      return;
    }
    const fields = [...new Set([...COLUMNS, ...last.flatMap((line) => Object.keys(parseLogEntry(line)))])];
    const pages = async function* () {
      if (last.length > 0) yield { rows: last.map(parseLogEntry) };
      for await (const line of following()) yield { rows: [parseLogEntry(line)] };
    };
    await output.printPages(pages(), output.validateView({ fields, columns: COLUMNS }));
  },
});
