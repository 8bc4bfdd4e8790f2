/** Shells that run commands as users type them, without their settings. Those that are missing are installed where that is possible. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** The options with which each shell reads no settings. */
export const SHELLS = { bash: ['--norc'], zsh: ['-f'], fish: ['--no-config'] } as const;
export type ShellName = keyof typeof SHELLS;

const isInstalled = (name: ShellName): boolean => spawnSync(name, ['--version'], { stdio: 'ignore' }).status === 0;

/** Whether the shell can be used, after installing it if it is missing and this user may (Debian and its like, as root). */
export function provideShell(name: ShellName): boolean {
  if (isInstalled(name)) return true;
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    execFileSync('apt-get', ['update', '-qq'], { env, stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], { env, stdio: 'ignore' });
  } catch {
    return false;
  }
  return isInstalled(name);
}
