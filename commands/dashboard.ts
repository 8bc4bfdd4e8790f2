import { Flags } from '@oclif/core';
import { defineCommand } from '../src/cli/command/define-command.ts';
import { EXIT } from '../src/cli/errors/exit-codes.ts';
import { Failure, usageError } from '../src/cli/errors/failure.ts';
import { preferSmallHeap } from '../src/cli/heap-limits.ts';
import { tenantFlag } from '../src/cli/input/common-flags.ts';
import { withWaitIndicator } from '../src/cli/output/wait-indicator.ts';
import { type ApiContext, apiAccess } from '../src/cli/session/api-session.ts';
import { countColors, explainDumbTerminal, getTerminalWidth, shouldUseColor } from '../src/cli/output/style.ts';
import { readSavedFilters } from '../src/client/settings/saved-filters.ts';
import { TABS, createInitialState } from '../src/dashboard/state/model.ts';
import type { DashboardProps } from '../src/dashboard/index.tsx';
import type { OpenOptions } from '../src/dashboard/sources/open.ts';

/** Events within this time are shown in one update; longer for screen readers. */
const BATCH_MS = 100;
const SCREEN_READER_BATCH_MS = 5_000;
const ONCE_SIZE = { columns: 120, rows: 40 };

export default defineCommand({
  access: apiAccess,
  summary: 'Watch deliveries, limits, requests and changes live',
  description:
    "Interactive terminal view: an overview and eight lists; press ? for all keys. Remote services are polled with at most half of the key's rate limit.",
  flags: {
    once: Flags.boolean({ description: 'Print one frame and exit; with --json, print its data.' }),
    ascii: Flags.boolean({ description: 'Draw charts and lines with ASCII characters only.' }),
    theme: Flags.option({
      options: ['palette', 'terminal'] as const,
      default: 'palette',
      description: "Colors: fixed ones of the 256, readable on light and dark, or the terminal's own 16.",
    })(),
    tenant: tenantFlag,
  },
  examples: ['dashboard', 'dashboard --tenant kestrel-coffee', 'dashboard --once'],
  async run(context) {
    const { flags, session } = context;
    const env = { ...process.env };
    const colors = flags.theme === 'terminal' ? 16 : countColors(env);
    const look = { colors, isAscii: flags.ascii };
    // Both variables are read when Ink is loaded, and are not for other programs. React's development mode is about 50 % slower.
    process.env['NODE_ENV'] = 'production';
    process.env['FORCE_COLOR'] = !shouldUseColor(process.stdout, flags['no-color'], env) ? '0' : colors === 256 ? '2' : '1';
    preferSmallHeap();
    const isSpoken = process.env['INK_SCREEN_READER'] === 'true';
    const options = {
      target: session.resolveTarget(),
      tenant: await session.resolveTenant(flags.tenant),
      isTenantGiven: flags.tenant !== undefined,
      connect: () => session.connect(),
      batchMs: isSpoken ? SCREEN_READER_BATCH_MS : BATCH_MS,
    };
    await (flags.once ? printOnce(context, options, look) : runInteractively(context, options, { env, ...look }));
  },
});

type Look = Pick<DashboardProps, 'colors' | 'isAscii'>;

async function runInteractively(
  { output }: ApiContext,
  options: OpenOptions,
  props: Pick<DashboardProps, 'env' | keyof Look>,
): Promise<void> {
  const other = 'Use `stockroom dashboard --once` for one frame, or `stockroom webhooks deliveries tail --json` to follow deliveries';
  if (output.wantsJson) throw usageError('The dashboard does not support --json without --once', other);
  if (!process.stdin.isTTY || !process.stdout.isTTY) throw new Failure('NO_TERMINAL', 'The dashboard requires a terminal', { hint: other });
  const dumb = explainDumbTerminal(props.env);
  if (dumb !== null)
    throw new Failure('NO_TERMINAL', `The dashboard requires a terminal with a cursor that it can move; ${dumb}`, { hint: other });
  const savedFilters = readSavedFilters(props.env, TABS);
  const loading = import('../src/dashboard/index.tsx');
  // If the connection fails, that error is reported instead of this one.
  loading.catch(() => undefined);
  const { openSource } = await import('../src/dashboard/sources/open.ts');
  const { about, source } = await withWaitIndicator(openSource(options));
  const { createStore } = await import('../src/dashboard/state/store.ts');
  const { runDashboard } = await loading;
  await runDashboard({ store: createStore(createInitialState(about, Date.now(), savedFilters)), source, ...props, cwd: process.cwd() });
  // Do not wait for pending requests to a slow service.
  process.exit();
}

async function printOnce({ output, exitWhenDone }: OnceContext, options: OpenOptions, look: Look): Promise<void> {
  const { openSource } = await import('../src/dashboard/sources/open.ts');
  const { withTimeout, collectState, toSummary } = await import('../src/dashboard/once.ts');
  const opened = withTimeout(openSource(options), options.target.url.value);
  const { about, source } = await withWaitIndicator(opened).catch((error: unknown) => {
    exitWhenDone();
    throw error;
  });
  const { state, isStuck } = await collectState(createInitialState(about, Date.now()), source);
  if (isStuck) exitWhenDone();
  if (state.connection.state !== 'live') process.exitCode = EXIT.unreachable;
  if (output.format === 'json') return output.printText(JSON.stringify({ data: toSummary(state, Date.now()) }), '');
  const { renderOnce } = await import('../src/dashboard/index.tsx');
  const size =
    process.stdout.isTTY && process.stdout.rows > 0
      ? { columns: getTerminalWidth(process.stdout), rows: process.stdout.rows - 1 }
      : ONCE_SIZE;
  await output.write(`${renderOnce(state, Date.now(), size, look)}\n`);
}

type OnceContext = ApiContext & { readonly exitWhenDone: () => void };
