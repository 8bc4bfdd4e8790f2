/** Programs that documented commands call besides the shell's own. */
import { execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { type Home, RUN } from './home.ts';

/** `jq -c .FIELD`, for machines without jq. */
const JQ = `#!${process.execPath}
const [, , , filter] = process.argv;
const value = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(value[filter.slice(1)]));
`;

/**
 * Puts an `npx` into the home that runs this command line without the time npm takes to find it, and a `jq` if there is none. Returns the
 * PATH with both.
 */
export async function installTools(home: Pick<Home, 'env' | 'path'>, run: string = RUN): Promise<{ PATH: string }> {
  await mkdir(home.path('bin'), { recursive: true });
  const install = async (name: string, script: string): Promise<void> => {
    await writeFile(home.path('bin', name), script);
    await chmod(home.path('bin', name), 0o755);
  };
  await install('npx', `#!/bin/sh\nshift\nnpm_command=exec exec '${process.execPath}' '${run}' "$@"\n`);
  if (!isInstalled('jq')) await install('jq', JQ);
  return { PATH: `${home.path('bin')}${delimiter}${home.env['PATH'] ?? ''}` };
}

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
