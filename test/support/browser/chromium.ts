/**
 * Where Chromium is, for the tests of pages. As a vitest `globalSetup` it installs it once, before any test, when it is missing
 * and this user may (Debian and its like, as root); otherwise it says what to install.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { canInstallPackages, installPackage } from '../system-package.ts';

/** Names on Debian and other Linux systems; then locations on macOS and Windows. The headless shell needs half the CPU time. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

function find(): string | undefined {
  const folders = ['/usr/bin', ...(process.env['PATH'] ?? '').split(delimiter)];
  return [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...PLACES].find((path) => existsSync(path));
}

/** The path of the program. */
export function chromiumPath(): string {
  const path = find();
  if (path === undefined)
    throw new Error('the tests of pages need Chromium: apt-get install chromium-headless-shell, or your system’s way to get it');
  return path;
}

export default function setup(): void {
  if (find() === undefined && canInstallPackages()) installPackage('chromium-headless-shell', 'Chromium (a minute)');
}
