/** The entry of the daemon bundle: everything that is slow to load, in one file for `load-daemon.ts`. */
export { startEmbeddedService } from '../embedded/embedded-service.ts';
export { exitProcess, logFatalErrors, waitForShutdown } from './process.ts';
export { createFileLog, createStderrLog } from '../log/daemon-log.ts';
export { runDaemon } from './run-daemon.ts';
