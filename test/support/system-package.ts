/** Installs a package of the system that tests need, once and when this user may: Debian and its like, as root. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** Another process may be installing packages. */
const LOCK_TIMEOUT_S = 300;

export const canInstallPackages = (): boolean => process.getuid?.() === 0 && existsSync('/usr/bin/apt-get');

/** `purpose`: the reason shown to the user, with the time it takes. */
export function installPackage(name: string, purpose: string): void {
  process.stderr.write(`stockroom tests: installing ${purpose}, only once\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const apt = (...args: string[]) =>
    execFileSync('apt-get', ['-q', '-o', `DPkg::Lock::Timeout=${String(LOCK_TIMEOUT_S)}`, ...args], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  apt('update');
  apt('install', '-y', '--no-install-recommends', name);
}
