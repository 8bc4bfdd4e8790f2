/** The parts of a daemon that are slow to load. Import this file on demand: most commands do not run a daemon. */
export { startEmbeddedService } from '../embedded/embedded-service.ts';
export { startTortureService } from '../embedded/torture-service.ts';
export { disableDebuggerSignal, exitProcess, logFatalErrors, waitForShutdown } from './process.ts';
export { createFileLog, createStderrLog } from '../log/daemon-log.ts';
export { runDaemon } from './run-daemon.ts';
