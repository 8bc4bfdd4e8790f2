// Runs a script again with the Node that the checkout brings along as a dependency.
// Node 14 syntax for the same reason as in run.js.
import { spawn } from 'child_process';
import { existsSync, realpathSync } from 'fs';
import { isatty } from 'tty';
import { fileURLToPath } from 'url';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The path of the checkout's own Node, or null when it is not installed. */
export function pinnedNode() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  const path = fileURLToPath(new URL(`../node_modules/node/bin/${name}`, import.meta.url));
  return existsSync(path) ? path : null;
}

/**
 * Hands the whole process over to the pinned Node: arguments, streams, signals and exit code.
 *
 * @param {URL} script
 * @param {string} needed
 */
export function rerun(script, needed) {
  const node = pinnedNode();
  if (node === null || realpathSync(node) === realpathSync(process.execPath)) {
    process.stderr.write(`stockroom needs Node ${needed.replace('>=', '')} or newer; this is Node ${process.versions.node}.\n`);
    process.exitCode = 1;
    return;
  }
  handOver(node, [fileURLToPath(script)].concat(process.argv.slice(2)));
}

/**
 * Runs a program in this process's place and ends as it ends.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, interruptIsSuccess?: boolean }} [options]
 */
export function handOver(program, args, options = {}) {
  const child = spawn(program, args, { stdio: 'inherit', env: options.env || process.env, cwd: options.cwd });
  const onTerminal = [0, 1, 2].some((fd) => isatty(fd));
  for (const signal of FORWARDED) {
    process.on(signal, () => {
      // Ctrl-C reaches the child from the terminal already; twice would look like "stop at once".
      if (!(signal === 'SIGINT' && onTerminal)) child.kill(/** @type {NodeJS.Signals} */ (signal));
    });
  }
  child.on('error', (error) => {
    process.stderr.write(`${program} could not be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    FORWARDED.forEach((name) => process.removeAllListeners(name));
    const interrupted = code === 130 || signal === 'SIGINT';
    if (options.interruptIsSuccess === true && interrupted) process.exitCode = 0;
    else if (signal === null) process.exitCode = code === null ? 1 : code;
    else process.kill(process.pid, signal);
  });
}
