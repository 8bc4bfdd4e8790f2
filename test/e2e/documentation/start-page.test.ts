/** Runs the commands of the start page in a shell, as written. */
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { RUN, makeHome } from '../../support/cli/home.ts';

test('the commands of the start page list items, create a key, and send a request with it', async () => {
  await using home = await makeHome();
  const { url } = await home.start(['--demo']);
  const page = await (await fetch(String(url), { headers: { accept: 'text/html' } })).text();
  const commands = [...page.matchAll(/<kbd>([^<]+)<\/kbd>/gu)].map(([, text = '']) => text.replaceAll('&quot;', '"'));
  expect(commands).toHaveLength(5);
  // npx, without the network.
  const npx = `npx() { shift; '${process.execPath}' '${RUN}' "$@"; }`;
  const script = [npx, 'set -e', ...commands.map((command) => command.replace(/ dashboard$/u, ' dashboard --once'))].join('\n');
  const { stdout } = await execa('sh', ['-c', script], { env: home.env, extendEnv: false });
  expect(stdout).toContain('Two-group espresso machine');
  expect(stdout.slice(stdout.lastIndexOf('{"data":'))).toContain('"pageSize":5');
});
