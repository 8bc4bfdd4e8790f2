// Runs a script with the Node version that the checkout installs as a dependency.
// Uses Node 14 syntax for the same reason as run.js.
import { spawn } from 'child_process';
import { existsSync, realpathSync } from 'fs';
import { isatty } from 'tty';
import { fileURLToPath } from 'url';

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The path of the Node that package-lock.json pins for this system, or null if it is not installed or there is none. */
function findPinnedNode() {
  const system = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = system === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  const program = system === 'win' ? 'node.exe' : 'node';
  const path = fileURLToPath(new URL(`../node_modules/${prefix}-${system}-${process.arch}/bin/${program}`, import.meta.url));
  return existsSync(path) ? path : null;
}

/** The pinned Node, else the running one if it can run TypeScript, which the build is written in, else null. */
export function findNode() {
  return findPinnedNode() || (process.features.typescript ? process.execPath : null);
}

/**
 * Runs this process's script and arguments with the pinned Node. Prints the required version and fails if it is not installed.
 *
 * @param {URL} script
 * @param {string} needed
 */
export function rerunWithPinnedNode(script, needed) {
  const node = findPinnedNode();
  if (node === null || realpathSync(node) === realpathSync(process.execPath)) {
    process.stderr.write(`Error: stockroom requires Node ${needed.replace('>=', '')} or newer; this is Node ${process.versions.node}.\n`);
    process.exitCode = 1;
    return;
  }
  runAsThisProcess(node, [fileURLToPath(script)].concat(process.argv.slice(2)));
}

/**
 * Runs a program with this process's streams, forwards signals, and exits with the program's exit code or signal.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, cwd?: string, interruptIsSuccess?: boolean }} [options]
 */
export function runAsThisProcess(program, args, options = {}) {
  const child = spawn(program, args, { stdio: 'inherit', env: options.env || process.env, cwd: options.cwd });
  const onTerminal = [0, 1, 2].some((fd) => isatty(fd));
  for (const signal of FORWARDED_SIGNALS) {
    process.on(signal, () => {
      // On a terminal, Ctrl-C is also sent to the child. A second SIGINT would force it to stop immediately.
      if (!(signal === 'SIGINT' && onTerminal)) child.kill(/** @type {NodeJS.Signals} */ (signal));
    });
  }
  child.on('error', (error) => {
    process.stderr.write(`Error: Cannot start ${program}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    FORWARDED_SIGNALS.forEach((name) => process.removeAllListeners(name));
    const interrupted = code === 130 || signal === 'SIGINT';
    if (options.interruptIsSuccess === true && interrupted) process.exitCode = 0;
    else if (signal === null) process.exitCode = code === null ? 1 : code;
    else process.kill(process.pid, signal);
  });
}
