/** Loaded into every process of a test by `--import`: writes down each address that is connected to or looked up, in the file NOTE_ADDRESSES. */
import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
import net from 'node:net';

interface Target {
  readonly host?: string;
  readonly port?: unknown;
  readonly path?: string;
  readonly socketPath?: string;
}

const file = process.env['NOTE_ADDRESSES'] ?? '';
const record = (what: string): void => appendFileSync(file, `${what}\n`);

/** Node hands on as an array what it has sorted already. */
function getTarget(args: readonly unknown[]): Target {
  const [first, second] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args;
  return typeof first === 'object' && first !== null ? first : { port: first, ...(typeof second === 'string' ? { host: second } : {}) };
}

/** Wraps one of Node's functions to record its arguments. */
function listen(owner: object, name: string, describe: (args: readonly unknown[]) => string): void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== 'function') throw new Error(`there is no ${name} to listen to`);
  const noting = function (this: unknown, ...args: unknown[]): unknown {
    record(describe(args));
    return Reflect.apply(original, this, args) as unknown;
  };
  Reflect.set(owner, name, noting);
}

listen(net.Socket.prototype, 'connect', (args) => {
  const { host = 'localhost', port, path, socketPath } = getTarget(args);
  const isSocket = typeof socketPath === 'string' || (typeof path === 'string' && port === undefined);
  return isSocket ? 'connect socket' : `connect ${host}:${String(port)}`;
});
listen(dns, 'lookup', ([name]) => `lookup ${String(name)}`);
