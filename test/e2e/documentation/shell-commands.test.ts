/** Runs the commands that README.md and docs/ print in bash, with `npm run test:long` also in zsh and fish, exactly as written. */
import { readFile } from 'node:fs/promises';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { installTools } from '../../support/cli/command-tools.ts';
import { listCommands } from '../../support/cli/documented-commands.ts';
import { type Home, makeHome } from '../../support/cli/home.ts';
import { SHELLS, type ShellName, provideShell } from '../../support/cli/shells.ts';
import { isLongRun } from '../../support/long-run.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const TOUR = 'docs/tour.md';
/** First the tour, whose numbers of orders and documents are those of untouched demo data. Bash runs it in tour.test.ts. */
const PAGES = [TOUR, 'README.md', ...globSync('docs/*.md', { cwd: ROOT }).filter((page) => page !== TOUR)];
/** Not run, only checked for their syntax: they run until Ctrl-C, need a terminal or another service, stop the daemon, or name what does not exist; or they need Docker or a database. */
const NOT_RUN =
  /^npm |^docker |^pg_dump |migrate --from|…|dashboard|--live|pull --from|logs -f|(?:exec|torture) -- |oauth (?:login|approve|deny)|daemon st(?:art|op)|webhooks listen|reset|seed |snapshot load|app_0jT|CLIENT_ID|\b(?:NAME|TOPIC|PREFIX|SLUG|ID)\b/u;
/** Commands that show an error. */
const FAILING = /--name Twin|stock documents post IS-/u;

/** Starts a daemon with demo data. */
async function prepareShell(home: Home): Promise<{ env: Record<string, string>; port: string }> {
  const { url } = await home.start(['--demo']);
  return { env: { ...home.env, ...(await installTools(home)) }, port: new URL(url ?? '').port };
}

async function readCommands(page: string): Promise<string[]> {
  return listCommands(await readFile(`${ROOT}/${page}`, 'utf8')).map(({ command }) => command);
}

test.for(isLongRun ? (Object.keys(SHELLS) as ShellName[]) : (['bash'] as const))(
  'every command of the README and docs runs in %s as written',
  async (shell, { skip }) => {
    if (!provideShell(shell)) skip(`${shell} is not installed`);
    // Pages name the default folders.
    await using home = await makeHome({ hasXdgFolders: false });
    const { env, port } = await prepareShell(home);
    const run = (script: string, ...flags: string[]) =>
      execa(shell, [...SHELLS[shell], ...flags, '-c', script], {
        env,
        extendEnv: false,
        cwd: home.directory,
        reject: false,
        input: '',
        all: true,
      });
    const problems: string[] = [];
    for (const page of shell === 'bash' ? PAGES.filter((name) => name !== TOUR) : PAGES) {
      const commands = [...new Set(await readCommands(page))];
      const lines = commands.filter((command) => !NOT_RUN.test(command));
      // One shell for the page, because later commands use variables and records of earlier ones.
      const script = lines.map((line, at) => `${line} && printf '\\nok ${String(at)}\\n' || printf '\\nerror ${String(at)}\\n'`).join('\n');
      const { all } = await run(script.replaceAll('127.0.0.1:8625', `127.0.0.1:${port}`));
      for (const [at, line] of lines.entries())
        if (!new RegExp(`^${FAILING.test(line) ? 'error' : 'ok'} ${String(at)}$`, 'mu').test(all))
          problems.push(`${page}: ${line}\n${all}`);
      // curl exits with 0 for every response.
      if (all.includes('{"error":{')) problems.push(`${page}: a request was rejected\n${all}`);
      const { exitCode, stderr } = await run(commands.join('\n'), '-n');
      if (exitCode !== 0 || stderr !== '') problems.push(`${page}: syntax: ${stderr}`);
    }
    expect(problems).toEqual([]);
  },
);

test('npx runs the checkout, without the network and without warnings', async () => {
  await using home = await makeHome();
  const options = { env: { ...home.env, PATH: process.env['PATH'] ?? '' }, extendEnv: false, cwd: `${ROOT}/docs` };
  const { stdout, stderr } = await execa('npx', ['--offline', 'stockroom', 'help', 'webhooks'], options);
  expect(stdout).toContain('  npx stockroom webhooks trigger order.created');
  expect(stderr).toBe('');
});

test('npm install --global of the checkout provides the command everywhere', async () => {
  await using home = await makeHome();
  const prefix = home.path('global');
  const options = { env: { ...home.env, npm_config_prefix: prefix, npm_config_offline: 'true' }, extendEnv: false } as const;
  await execa('npm', ['install', '--global', '.'], { ...options, cwd: ROOT });
  const { stdout } = await execa(`${prefix}/bin/stockroom`, ['help', 'webhooks'], { ...options, cwd: home.directory });
  expect(stdout).toMatch(/^ {2}stockroom webhooks trigger order\.created/mu);
});

test('every command in README and docs has the name that works in a checkout', async () => {
  const wrong: string[] = [];
  for (const page of PAGES) {
    const text = await readFile(`${ROOT}/${page}`, 'utf8');
    for (const [found] of text.matchAll(/(?:(?<=`)|^\$ |\.\/bin\/run\.js )stockroom [a-z].*|\.\/bin\/run\.js.*/gmu))
      wrong.push(`${page}: ${found}`);
  }
  expect(wrong).toEqual([]);
});
