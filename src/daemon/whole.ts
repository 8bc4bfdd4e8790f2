/** All of a daemon that takes long to load, in one piece: `load.ts` loads it. */
export { embedService } from './embedded.ts';
export { dieLoudly, end, live } from './life.ts';
export { fileLog, stderrLog } from './log.ts';
export { runDaemon } from './main.ts';
