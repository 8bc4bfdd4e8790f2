/** Waits until the process that started it ends or closes the pipe; then it stops the server and removes its directory. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerUser } from './programs.ts';

const [directory, pgCtl, user] = process.argv.slice(2) as [string, string, string];
process.stdin.resume().once('close', () => {
  try {
    const args = ['stop', '--wait', '--mode', 'immediate', '--pgdata', join(directory, 'data')];
    execFileSync(pgCtl, args, { ...(JSON.parse(user) as ServerUser), cwd: directory, stdio: 'ignore' });
  } catch {
    // It does not run.
  }
  rmSync(directory, { recursive: true, force: true, maxRetries: 10 });
});
