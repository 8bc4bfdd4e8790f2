/** Opens a URL in the browser of this machine. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createPrivateDirectory } from '../../platform/create-directory.ts';
import { type Env, getConfigDirectory } from '../../platform/local-paths.ts';
import { replaceFile } from '../../platform/own-files.ts';

/** Whether a browser can be expected: a person is at the terminal, with a desktop. */
export const hasBrowser = (env: Env): boolean =>
  process.stdout.isTTY && (process.platform !== 'linux' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY']));

/**
 * Resolves with whether the system took the URL. A URL with a secret must not be an argument, which other users can see: the browser opens a
 * file that only this user can read, and which leads to the URL.
 */
export function openBrowser(url: string, env: Env): Promise<boolean> {
  const directory = getConfigDirectory(env);
  const file = join(directory, 'open-console.html');
  createPrivateDirectory(directory);
  replaceFile(file, `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${url}"><title>stockroom</title>\n`);
  const target = pathToFileURL(file).href;
  const [program, ...args] =
    process.platform === 'darwin' ? ['open', target] : process.platform === 'win32' ? ['explorer.exe', target] : ['xdg-open', target];
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => resolve(true));
    child.unref();
  });
}
