// Preloaded into `migrate` (`node --import`), which it interrupts as Ctrl-C would when the file TEST_INTERRUPT_AT exists. It runs in that
// process because one outside may notice the file only after the copy has ended.
import { existsSync } from 'node:fs';

const path = process.env['TEST_INTERRUPT_AT'];
const timer = setInterval(() => {
  if (path === undefined || !existsSync(path)) return;
  clearInterval(timer);
  process.kill(process.pid, 'SIGINT');
}, 1).unref();
